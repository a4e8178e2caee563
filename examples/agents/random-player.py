"""Any legal action, in the shape COMP30024 asked for.

    skirmish referee watch-your-back python:examples/agents/random-player.py random
"""

import random

from board import OTHER, Board


class Player:
    def __init__(self, colour):
        self.colour = colour
        self.board = Board()

    def action(self, turns):
        choices = self.board.choices(self.colour)
        action = random.choice(choices) if choices else None
        self.board.play(self.colour, action)
        return action

    def update(self, action):
        self.board.play(OTHER[self.colour], action)
