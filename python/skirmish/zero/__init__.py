"""Agents that learn by playing against themselves.

What needs no run, in reading order: `network` (what is learned), `learner` (how), `gate` (whether
it became stronger), `checkpoint` (how it survives) and `pools` (pools of games, and the accelerator
that evaluates their positions).

A run is `train` (the order of things: `python -m skirmish.zero.train`) and its parts, each of which
owns its state: `session` (what time it is, what was done so far), `trainee` (the net in training),
`net_registry` (its candidates and the best of them), `self_play`, `replay` (the games that were played),
`matches` (what becomes of a candidate), `progress` and `journal` (the log).
"""
