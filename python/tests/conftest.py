"""What the tests share: small boards, random rows, and targets of the right form."""

from __future__ import annotations

import functools
import os
import tempfile

# The tests are about right answers; every machine has one CPU.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Runs in the same shapes are compiled once, whichever process they are in: half of the time.
_compiled = tempfile.TemporaryDirectory(prefix="skirmish-compiled-")
os.environ["JAX_COMPILATION_CACHE_DIR"] = _compiled.name
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0.2"

import jax
import numpy as np
import pytest

from skirmish.zero import learner
from skirmish.zero.network import Architecture, Shape

# Compiling a step takes longer than most tests; what is not compiled as a whole takes longer still.
compiled_step = functools.cache(learner.compiled_step)


@functools.cache
def compiled_losses(shape: Shape, recipe: learner.Recipe):
    """`losses` of parameters, rows and targets, jitted: the total's gradient, and all of them."""

    def total(parameters, rows, targets):
        return learner.losses(shape, recipe, parameters, rows, targets)

    compiled = jax.jit(jax.grad(total, has_aux=True))
    return lambda parameters, rows, targets: compiled(
        parameters, rows, targets.astype(np.float32)
    )


@pytest.fixture(params=[False, True], ids=["edges", "torus"])
def shape(request) -> Shape:
    # Sizes that differ from each other, and bits that do not fill their last byte.
    return Shape(height=3, width=5, planes=7, scalars=2, policy_planes=4, wraps=request.param)


@pytest.fixture
def architecture() -> Architecture:
    return Architecture.of(channels=8, blocks=3)


def random_rows(shape: Shape, count: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (count, shape.row_bytes), dtype=np.uint8)


def rows_of_every_density(shape: Shape, count: int, seed: int = 1) -> np.ndarray:
    """Boards from empty to full. Uniform bits set about half of every board, which leaves next to
    nothing to be told about a board as a whole."""
    random = np.random.default_rng(seed)
    bits = random.random((count, 8 * shape.plane_bytes)) < random.random((count, 1))
    scalars = random.integers(0, 256, (count, shape.scalars), dtype=np.uint8)
    return np.hstack([np.packbits(bits, axis=1, bitorder="little"), scalars])


def random_targets(shape: Shape, rows: np.ndarray) -> np.ndarray:
    """Targets that are functions of the rows, so that there is something to learn."""
    bits = np.unpackbits(rows[:, : shape.plane_bytes], axis=1, bitorder="little")
    targets = np.zeros((len(rows), shape.target_length), np.float32)
    first = bits[:, : shape.cells].astype(int)
    # The move: the first square of the first plane that is set, on plane 0.
    targets[np.arange(len(rows)), first.argmax(axis=1)] = 1.0
    won = first.sum(axis=1) > shape.cells / 2
    targets[np.arange(len(rows)), shape.policy + np.where(won, 0, 2)] = 1.0
    targets[:, shape.policy + 3 : shape.policy + 3 + shape.cells] = 2.0 * first - 1.0
    targets[:, -2] = first.mean(axis=1) * 2 - 1
    targets[:, -1] = 1 - first.mean(axis=1)
    return targets.astype(np.float16)
