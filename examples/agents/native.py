"""The kind of agent we recommend: one function, any game.

    skirmish referee amazons python:examples/agents/native.py random

`state` has `game`, `options`, `seat`, `seats`, `position` (a text), `moves` (the turns so far),
`legal` (every turn you may play, as texts; None in Game 17, where they cannot be listed), `ply`,
`cpu_left` (seconds), `limits` and `seed`. Return the text of a turn.
"""

import random

REUSE = True  # nothing is kept between games, so the process may play many of them


def choose(state):
    if state.legal is None:
        return "-"  # Game 17: stay where you are
    return random.choice(state.legal)
