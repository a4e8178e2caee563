"""Skirmish from Python.

For now a small package: the version, and in `skirmish.zero` the agents that learn: the batched
self-play pool written in Rust, and the learner. Importing `skirmish` alone imports neither numpy
nor JAX, so that it stays quick and needs nothing installed.
"""

from skirmish._native import version as _version

__version__ = _version()
__all__ = ["__version__"]
