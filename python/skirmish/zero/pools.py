"""Pools of games, and the accelerator that evaluates their positions.

A `PoolRunner` steps one pool. A turn means: wait for the answers to the last rows, search on all CPU
cores until every game has its next position, and send those to the accelerator without waiting.
With two or more runners taking turns, the accelerator computes for one while the CPU searches for
another.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import threading
import time
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

from skirmish import _native
from skirmish.zero import network, reference
from skirmish.zero.errors import Trouble
from skirmish.zero.network import Parameters, Shape


def native(call: Callable, *arguments):
    """Calls into the native module; its errors are for the user to correct."""
    try:
        return call(*arguments)
    except ValueError as reason:
        message, _, hint = str(reason).partition("\nhint: ")
        raise Trouble(message, hint) from None


def open_pool(game: str, options: dict, settings: dict):
    """A native pool."""
    return native(_native.Pool, game, json.dumps(options), json.dumps(settings))


class Accelerator:
    """The network's compiled functions, each compiled once per shape of its rows."""

    def __init__(self, shape: Shape):
        self.shape = shape
        self._prepared: dict[int, concurrent.futures.Future] = {}
        self._one = jax.jit(lambda first, rows: network.answers(shape, first, rows))
        self._choose = jax.jit(lambda nets, one, two: jnp.where((nets == 0)[:, None], one, two))
        kind = network.serving_kind()
        unroll = jax.default_backend() != "cpu"

        def serve(tree: Parameters) -> Parameters:
            # A copy even where nothing is rounded: a training step gives its state's memory back.
            tree = network.cast(jax.tree.map(jnp.copy, tree), kind)
            return network.unrolled(shape, tree) if unroll else tree

        self._serve = jax.jit(serve)

    def serve(self, parameters: Parameters) -> Parameters:
        """The parameters as games are played with them: rounded, and in memory of their own."""
        return self._serve(parameters)

    def answer(self, first: Parameters, rows: np.ndarray) -> jax.Array:
        """The answers to the rows, under way."""
        return self._one(first, jax.device_put(rows))

    def answer_two(
        self, first: Parameters, second: Parameters, rows: np.ndarray, nets: np.ndarray
    ) -> jax.Array:
        """The same where each row names its network: 0 or 1.

        Both networks see every row. Only matches and games against past nets come here, and a
        fixed shape is worth more than the half of the work it wastes. Two calls and a choice
        rather than one function of two nets, which would take twice as long to compile.
        """
        rows = jax.device_put(rows)
        one = self._one(first, rows)
        if second is first:
            return one
        return self._choose(jax.device_put(nets), one, self._one(second, rows))

    def prepare(
        self, compiler: concurrent.futures.Executor, parameters: Parameters, sizes: set[int]
    ) -> None:
        """Has `answer_two` compiled for so many rows, before it is needed."""
        for rows in sorted(sizes, reverse=True):
            self._prepared[rows] = compiler.submit(self._warm_up_two, parameters, rows)

    def _warm_up_two(self, parameters: Parameters, rows: int) -> None:
        blank = np.zeros((rows, self.shape.row_bytes), np.uint8)
        other = dict(parameters)
        self.answer_two(parameters, other, blank, np.zeros(rows, np.uint8)).block_until_ready()

    def is_ready(self, rows: int) -> bool:
        """Whether what was to be prepared for so many rows is."""
        return self._prepared[rows].done()

    def wait_for(self, rows: int) -> None:
        """Returns when it is."""
        self._prepared[rows].result()

    def check(self, parameters: Parameters, rows: np.ndarray, count: int = 64) -> float:
        """Holds the accelerator's answers to `count` of the rows against numpy's.

        Answers the largest relative difference, and stops the run if it is too large: games
        played with a network that computes something else teach nothing.
        """
        # Rounding to bf16 costs one or two hundredths over a deep tower; a wrong layout costs all.
        limit = 0.002 if network.serving_kind() == jnp.float32 else 0.1
        serving = self.serve(parameters)
        # Batches of the one compiled size; where games are few, random bytes are positions too.
        batches = [rows]
        random = np.random.default_rng(0)
        while len(batches) * len(rows) < count:
            batches.append(random.integers(0, 256, rows.shape, dtype=np.uint8))
        found = np.concatenate([np.asarray(self.answer(serving, batch)) for batch in batches])
        found = found[:count].astype(np.float32)
        expected = reference.answers(self.shape, parameters, np.concatenate(batches)[:count])
        worst = 0.0
        for part in (slice(0, self.shape.policy), slice(self.shape.policy, None)):
            one, other = (
                value[:, part] - value[:, part].mean(axis=1, keepdims=True)
                for value in (found, expected)
            )
            # A fresh net says nearly nothing, and nearly nothing cannot be compared relatively.
            size = max(np.linalg.norm(other), 0.1 * np.sqrt(other.size))
            worst = max(worst, float(np.linalg.norm(one - other) / size))
        if not worst <= limit:
            device = jax.devices()[0].device_kind
            raise Trouble(
                f"{device} and the CPU disagree on {count} positions by {worst:.4f}, "
                f"more than {limit}",
                "training there would teach nonsense: check the accelerator's driver and the "
                "version of JAX, or run with JAX_PLATFORMS=cpu",
            )
        return worst

    def ceiling(self, parameters: Parameters, rows: np.ndarray, seconds: float = 0.3) -> float:
        """Evaluations per second when nothing but the network runs, rows already there."""
        serving = self.serve(parameters)
        there = jax.device_put(rows)
        self._one(serving, there).block_until_ready()
        started, batches = time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            last = [self._one(serving, there) for _ in range(4)][-1]
            last.block_until_ready()
            batches += 4
        return batches * len(rows) / (time.perf_counter() - started)


class PoolRunner:
    """A pool, its buffers, and the answers it waits for."""

    def __init__(self, pool, shape: Shape, evaluate: Callable[[np.ndarray, np.ndarray], jax.Array]):
        self.pool = pool
        self.rows = np.zeros((pool.rows, shape.row_bytes), np.uint8)
        self.nets = np.zeros(pool.rows, np.uint8)
        self.evaluate = evaluate
        self.turns = 0
        self._pending: jax.Array | None = None
        # A turn and the clock's reading at its end are seen together.
        self._counting = threading.Lock()
        self._stepped: float | None = None
        self._counted: float | None = None

    def turn(self) -> None:
        """Waits for the answers, searches on, and sends off the next rows."""
        answers = None
        if self._pending is not None:
            # The buffers below may be written again only now: what was sent has arrived.
            answers = np.asarray(self._pending).astype(np.float16, copy=False).view(np.uint16)
        with self._counting:
            native(self.pool.step, answers, self.rows, self.nets)
            self._stepped = time.monotonic()
            if self._counted is None:
                self._counted = self._stepped
        self._pending = self.evaluate(self.rows, self.nets)
        self._pending.copy_to_host_async()
        self.turns += 1

    def take_counts(self) -> Counts:
        """What happened in whole turns since this was last asked.

        Rows are sent off at the end of one turn and answered by the end of the next, so all that is
        counted happened between the two times, and nothing else did.
        """
        with self._counting:
            counts = json.loads(self.pool.statistics())
            began, self._counted = self._counted, self._stepped
            return Counts(counts, began or 0.0, self._stepped or 0.0)


@dataclasses.dataclass(frozen=True)
class Counts:
    """Counts of a pool, and the times between which all of it happened."""

    counts: dict
    began: float
    ended: float


class ThreadGroup:
    """A thread for each pool runner, for runs that need not be deterministic."""

    def __init__(self, size: int):
        self._threads = concurrent.futures.ThreadPoolExecutor(size, "pool-runner")
        self._running: list[concurrent.futures.Future] = []
        self._is_finishing = False

    def start(self, turn: Callable[[], bool | None]) -> concurrent.futures.Future:
        """Takes turns in a thread, until `turn` returns true or the group finishes."""

        def run() -> None:
            while not self._is_finishing and not turn():
                pass

        self._running.append(self._threads.submit(run))
        return self._running[-1]

    def check(self) -> None:
        """Raises what was raised in a thread."""
        for thread in self._running:
            if thread.done():
                thread.result()

    def finish(self) -> None:
        """Returns when every thread has finished its turn. The runners can take further turns."""
        self._is_finishing = True
        self._threads.shutdown(wait=True)
