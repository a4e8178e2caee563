"""The board of Watch Your Back! for the players beside this file: enough of the rules to play."""

SIDES = [(1, 0), (0, 1), (-1, 0), (0, -1)]
OTHER = {"white": "black", "black": "white"}


class Board:
    def __init__(self):
        self.pieces = {}  # (x, y) -> colour
        self.low, self.high = 0, 7  # the rows and columns that are left
        self.actions = 0

    def corners(self):
        return [(x, y) for x in (self.low, self.high) for y in (self.low, self.high)]

    def is_free(self, square):
        inside = all(self.low <= number <= self.high for number in square)
        return inside and square not in self.pieces and square not in self.corners()

    def choices(self, colour):
        """Every action; the empty list means a forfeit."""
        if self.actions < 24:
            rows = range(0, 6) if colour == "white" else range(2, 8)
            return [(x, y) for y in rows for x in range(8) if self.is_free((x, y))]
        found = []
        for (x, y) in sorted(square for square in self.pieces if self.pieces[square] == colour):
            for dx, dy in SIDES:
                step, jump = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if self.is_free(step):
                    found.append(((x, y), step))
                elif step in self.pieces and self.is_free(jump):
                    found.append(((x, y), jump))
        return found

    def play(self, colour, action):
        if action is not None:
            if self.actions < 24:
                target = action
            else:
                start, target = action
                del self.pieces[start]
            self.pieces[target] = colour
            self.kill_around(target, colour)
        self.actions += 1
        if self.actions - 24 in (128, 192):
            self.shrink()

    def is_enemy(self, square, colour):
        return square in self.corners() or self.pieces.get(square) == OTHER[colour]

    def is_flanked(self, square):
        colour = self.pieces[square]
        x, y = square
        return any(self.is_enemy((x + dx, y + dy), colour)
                   and self.is_enemy((x - dx, y - dy), colour) for dx, dy in SIDES[:2])

    def kill_around(self, square, colour):
        x, y = square
        for dx, dy in SIDES:
            near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if self.pieces.get(near) == OTHER[colour] and (
                    far in self.corners() or self.pieces.get(far) == colour):
                del self.pieces[near]
        if self.is_flanked(square):
            del self.pieces[square]

    def shrink(self):
        self.low, self.high = self.low + 1, self.high - 1
        inside = range(self.low, self.high + 1)
        self.pieces = {(x, y): colour for (x, y), colour in self.pieces.items()
                       if x in inside and y in inside}
        low, high = self.low, self.high
        made = []
        for corner in [(low, low), (low, high), (high, high), (high, low)]:
            self.pieces.pop(corner, None)
            made.append(corner)
            x, y = corner
            for dx, dy in SIDES:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                colour = self.pieces.get(near)
                if colour and (self.pieces.get(far) == OTHER[colour] or far in made):
                    del self.pieces[near]

    def copy(self):
        other = Board()
        other.pieces, other.actions = dict(self.pieces), self.actions
        other.low, other.high = self.low, self.high
        return other
