"""A basic Game 17 player: the zombie's idea. Every piece goes to a random side.

    skirmish referee game17 python:examples/agents/game17_basic.py hunter --size 6

`owners` and `numbers` are square arrays, yours to change; `rounds_left` counts those after this.
"""

import random


def make_moves(owner, rounds_left, owners, numbers):
    moves = []
    for row in range(len(owners)):
        for column in range(len(owners)):
            if owners[row][column] != owner:
                continue
            sides = [random.choice("nsew") for _ in range(int(numbers[row][column]))]
            moves += [((row, column), side, sides.count(side)) for side in set(sides)]
    return moves
