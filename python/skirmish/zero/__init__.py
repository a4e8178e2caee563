"""Agents that learn by playing against themselves.

In reading order: `network` (what is learned), `learner` (how), `gate` (whether it became
stronger), `checkpoint` (how it survives), `pools` (games in flight and the accelerator that
answers them) and `train` (the loop: `python -m skirmish.zero.train`).
"""
