"""The net in training: when a step is due, its losses, and its weights as games use them."""

from __future__ import annotations

import collections
import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np

from skirmish.zero import learner
from skirmish.zero.errors import Trouble
from skirmish.zero.pools import Accelerator, native
from skirmish.zero.session import Session
from skirmish.zero.settings import Settings

# At most so many training steps after one pool's turn: games must not wait for learning.
BURST = 4
# Losses are read so many steps late, when they have long been computed.
LATE = 4


def recipe_of(settings: Settings) -> learner.Recipe:
    """What the settings say about a training step."""
    return learner.Recipe(
        weight_decay=settings.weight_decay,
        clip=settings.clip,
        average_decay=settings.average_decay,
        ownership_weight=settings.ownership_weight,
        score_weight=settings.score_weight,
        moves_left_weight=settings.moves_left_weight,
    )


class Trainee:
    """The training state, and `serving`, its averaged weights as self-play uses them."""

    def __init__(
        self,
        session: Session,
        accelerator: Accelerator,
        window,
        recipe: learner.Recipe,
        state: learner.State,
    ):
        self.session = session
        self.accelerator = accelerator
        self.window = window
        self.recipe = recipe
        self.state = state
        # Steps the optimiser's moments have seen. The state has the number too, but on the device.
        self._age = int(state.step)
        self.serving = accelerator.serve(state.averaged)
        self.train_step = learner.compiled_step(accelerator.shape, recipe)
        # Copies: a step gives its state's memory back.
        self.copy = jax.jit(lambda state: jax.tree.map(jnp.copy, state))
        self._unread: collections.deque = collections.deque()
        self._recent: list[np.ndarray] = []

    def prepare(self, compiler: concurrent.futures.Executor) -> None:
        """Has the training step compiled while the first games are played."""
        self._is_prepared = compiler.submit(self._warm_up)

    def _warm_up(self) -> None:
        batch, shape = self.session.settings.batch, self.accelerator.shape
        rows = np.zeros((batch, shape.row_bytes), np.uint8)
        targets = np.zeros((batch, shape.target_length), np.float16)
        spare = self.copy(self.state)
        self.train_step(spare, rows, targets, jnp.float32(0.0))[1].block_until_ready()

    def learn(self, held: int) -> bool:
        """Takes the steps that are due, a few at a time, with so many samples in the window.
        False where none was."""
        settings, counters = self.session.settings, self.session.counters
        is_early = held < settings.start_samples or counters.games < settings.start_games
        if is_early or not self._is_prepared.done():
            return False
        self._is_prepared.result()
        due = (counters.samples * settings.reuse - counters.drawn) / settings.batch
        if due >= 8 * BURST:
            # More steps than there is time for: skip the backlog rather than fall behind for ever.
            counters.drawn = int(counters.samples * settings.reuse - 8 * BURST * settings.batch)
        for _ in range(min(int(due), BURST)):
            if settings.steps and counters.step >= settings.steps:
                return True
            self._step()
        return due >= 1

    def _step(self) -> None:
        settings, counters = self.session.settings, self.session.counters
        shape = self.accelerator.shape
        # New memory each time: the last batch may still be on its way to the accelerator.
        rows = np.empty((settings.batch, shape.row_bytes), np.uint8)
        targets = np.empty((settings.batch, shape.target_length), np.uint16)
        seed = (settings.seed << 32) ^ counters.drawn
        native(self.window.sample, settings.batch, seed, rows, targets)
        rate = learner.rate_at(
            settings.learning_rate,
            # Young moments take every gradient for the largest there is: four steps at the full
            # rate cost a net 90 Elo.
            self._age,
            settings.warmup_steps,
            settings.schedule,
            self.session.fraction,
        )
        self.state, losses = self.train_step(
            self.state, rows, targets.view(np.float16), jnp.float32(rate)
        )
        losses.copy_to_host_async()
        counters.step += 1
        self._age += 1
        counters.drawn += settings.batch
        self._unread.append(losses)
        self._read_losses(all_but=LATE)
        if counters.step % settings.refresh_steps == 0:
            self.serving = self.accelerator.serve(self.state.averaged)

    def _read_losses(self, all_but: int) -> None:
        while len(self._unread) > all_but:
            losses = np.asarray(self._unread.popleft())
            if not np.isfinite(losses).all():
                named = ", ".join(
                    name for name, value in zip(learner.LOSSES, losses) if not np.isfinite(value)
                )
                session = self.session
                raise Trouble(
                    f"the loss is NaN or infinite ({named}) near step {session.counters.step}",
                    f"the last good checkpoint is kept in `{session.folder / 'checkpoints'}`: "
                    "`--resume` with a lower `--learning-rate` goes on from it",
                )
            self._recent.append(losses)

    def drain(self) -> None:
        """Waits for all losses: when this returns, every one of them was finite."""
        self._read_losses(all_but=0)

    def take_losses(self) -> dict[str, float] | None:
        """The mean of each loss since this was last asked."""
        recent, self._recent = self._recent, []
        return dict(zip(learner.LOSSES, map(float, np.mean(recent, axis=0)))) if recent else None

    def go_back(self, state: learner.State) -> None:
        """Forgets what was learned since the state, moments and all."""
        self.drain()
        self.state = self.copy(state)
        self._age = int(state.step)
        self.serving = self.accelerator.serve(self.state.averaged)
