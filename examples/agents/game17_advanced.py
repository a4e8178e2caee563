"""An advanced Game 17 player: it is made once a game and remembers what it likes.

    skirmish referee game17 python:examples/agents/game17_advanced.py hunter --size 6

It sends a whole stack to the side where it wins the most, and keeps it at home if it wins nowhere.
"""

STEPS = {"n": (-1, 0), "s": (1, 0), "e": (0, 1), "w": (0, -1)}


def get_mover(owner, owners, numbers, turn_order, num_rounds):
    return Mover(owner, num_rounds)


class Mover:
    def __init__(self, owner, num_rounds):
        self.owner = owner
        self.rounds_left = num_rounds

    def __call__(self, owners, numbers):
        self.rounds_left -= 1
        size = len(owners)
        moves = []
        for row in range(size):
            for column in range(size):
                count = int(numbers[row][column])
                if owners[row][column] != self.owner or count == 0:
                    continue
                best, side = 0, None
                for letter, (down, right) in STEPS.items():
                    i, j = (row + down) % size, (column + right) % size
                    there = int(numbers[i][j])
                    if owners[i][j] != self.owner and there < count and there + 1 > best:
                        best, side = there + 1, letter
                if side:
                    moves.append(((row, column), side, count))
        return moves
