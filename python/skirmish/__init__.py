"""Skirmish from Python.

For now a small package: the version; `skirmish.ratings`, the statistics of matches and
tournaments; and `skirmish.zero`, the agents that learn: the batched self-play pool written in Rust,
and the learner. Importing `skirmish` or `skirmish.ratings` imports neither numpy nor JAX, so that
both stay quick and need nothing installed.
"""

from skirmish._native import version as _version

__version__ = _version()
__all__ = ["__version__"]
