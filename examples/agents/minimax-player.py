"""Minimax with alpha and beta, two actions deep; while placing, a rule in place of a search.

    skirmish referee watch-your-back python:examples/agents/minimax-player.py greedy
"""

import random

from board import OTHER, Board


class Player:
    depth = 2

    def __init__(self, colour):
        self.colour = colour
        self.board = Board()

    def action(self, turns):
        choices = self.board.choices(self.colour)
        random.shuffle(choices)
        action = None
        if choices:
            placing = self.board.actions < 24
            action = self.place(choices) if placing else self.search(choices)
        self.board.play(self.colour, action)
        return action

    def update(self, action):
        self.board.play(OTHER[self.colour], action)

    def place(self, choices):
        """Take a piece if one can be taken, stay where nothing can be taken, near the middle."""
        return max(choices, key=lambda square: value(self.after(square), self.colour)
                   - 3 * self.in_danger(square))

    def after(self, action):
        board = self.board.copy()
        board.play(self.colour, action)
        return board

    def in_danger(self, action):
        board = self.after(action)
        own = sum(colour == self.colour for colour in board.pieces.values())
        worst = own
        for reply in board.choices(OTHER[self.colour]):
            answered = board.copy()
            answered.play(OTHER[self.colour], reply)
            left = sum(colour == self.colour for colour in answered.pieces.values())
            worst = min(worst, left)
        return own - worst

    def search(self, choices):
        best, chosen = -1e9, choices[0]
        for action in choices:
            found = -negamax(self.after(action), OTHER[self.colour], self.depth - 1, -1e9, -best)
            if found > best:
                best, chosen = found, action
        return chosen


def value(board, colour):
    total = 0.0
    for (x, y), owner in board.pieces.items():
        worth = 1 - 0.01 * (abs(2 * x - 7) + abs(2 * y - 7))
        total += worth if owner == colour else -worth
    return total


def negamax(board, colour, depth, alpha, beta):
    if depth == 0:
        return value(board, colour)
    for action in board.choices(colour) or [None]:
        after = board.copy()
        after.play(colour, action)
        alpha = max(alpha, -negamax(after, OTHER[colour], depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha
