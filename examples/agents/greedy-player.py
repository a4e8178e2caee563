"""A player in the shape COMP30024 asked for, looking one action ahead.

    skirmish referee watch-your-back python:examples/agents/greedy-player.py random

A piece is worth more the nearer it stands to the middle; ties are broken at random.
"""

import random

from board import OTHER, Board


class Player:
    def __init__(self, colour):
        self.colour = colour
        self.board = Board()

    def action(self, turns):
        choices = self.board.choices(self.colour)
        action = max(choices, key=self.value) if choices else None
        self.board.play(self.colour, action)
        print("after", turns, "turns I play", action)  # goes to the log
        return action

    def update(self, action):
        self.board.play(OTHER[self.colour], action)

    def value(self, action):
        after = self.board.copy()
        after.play(self.colour, action)
        total = random.random()
        for (x, y), colour in after.pieces.items():
            worth = 30 - abs(2 * x - 7) - abs(2 * y - 7)
            total += worth if colour == self.colour else -worth
        return total
