"""As Black it answers each placement with the point-reflected one; else the minimax player beside.

    skirmish referee watch-your-back greedy python:examples/agents/mirror-player.py
"""

import importlib

# A hyphen in a file's name is no obstacle to `import_module`.
minimax = importlib.import_module("minimax-player")


class Player(minimax.Player):
    last = None

    def update(self, action):
        super().update(action)
        self.last = action

    def place(self, choices):
        if self.colour == "black" and self.last is not None:
            x, y = self.last
            mirrored = (7 - x, 7 - y)
            if mirrored in choices and self.in_danger(mirrored) == 0:
                return mirrored
        return super().place(choices)
