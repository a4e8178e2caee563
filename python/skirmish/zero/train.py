"""The training loop: `python -m skirmish.zero.train --game amazons --minutes 5 --out runs/x`.

A run answers the pools of self-play, lets matches go on between their turns, learns when enough new
samples have come, and keeps checkpoints: on a CPU in one thread and one thing after the other, on an
accelerator with a thread for each pool. This module has the order of things; each of the parts it
puts together owns what it is about.

What is decided by counts (when to learn, when to renew the weights of self-play) makes a run
repeatable; what is decided by the clock (gates, checkpoints, the end) makes it fit a rental.
"""

from __future__ import annotations

import time

# A rental's minutes run while JAX is being imported, too.
STARTED = time.monotonic()

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

try:
    import jax
    import numpy  # noqa: F401
    import optax  # noqa: F401
    import safetensors  # noqa: F401
except ModuleNotFoundError as missing:
    if __name__ != "__main__":
        raise
    print(f"error: training needs the Python package `{missing.name}`", file=sys.stderr)
    print("hint: `pip install 'skirmish[train]'`, on a GPU with its `jax[cuda13]`", file=sys.stderr)
    sys.exit(2)

import skirmish
from skirmish import _native
from skirmish.zero import checkpoint, learner, network, settings as settings_module
from skirmish.zero.errors import Trouble
from skirmish.zero.net_registry import NetRegistry
from skirmish.zero.journal import Journal, short
from skirmish.zero.matches import Matches
from skirmish.zero.network import Architecture, Shape
from skirmish.zero.pools import Accelerator, ThreadGroup, native
from skirmish.zero.progress import Progress
from skirmish.zero.replay import Replay
from skirmish.zero.self_play import SelfPlay
from skirmish.zero.session import Counters, Session
from skirmish.zero.settings import Settings
from skirmish.zero.trainee import Trainee, recipe_of

# Finished games are collected every so many rounds of turns.
COLLECT_ROUNDS = 8
# With threads, finished games are collected after so many seconds.
COLLECT_SECONDS = 0.2


class Run:
    """One session of a run: the parts it is made of, and whose turn it is."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        resume: bool,
        origin: str | None,
        *,
        began: float | None = None,
        quiet: bool = False,
    ):
        began = time.monotonic() if began is None else began
        self.settings = settings
        # As given: what depends on the machine is decided anew wherever the run goes on.
        given = dataclasses.asdict(settings)
        settings.resolve(is_cpu=jax.default_backend() == "cpu")
        self.latest = folder / "checkpoints" / "latest.safetensors"
        if not resume and self.latest.exists():
            raise Trouble(
                f"there is a run in `{folder}` already", "go on with `--resume`, or name another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("checkpoints", "nets", "games"):
            (folder / name).mkdir(exist_ok=True)
        self.journal = Journal(folder, quiet)

        # The window knows the shape without a single game being played.
        options = json.dumps(settings.options)
        window = native(_native.Window, settings.game, options, settings.window)
        self.shape = Shape.from_json(window.shape())
        recipe = recipe_of(settings)
        state, self.counters = self._open_state(recipe, resume, origin)
        self.session = Session(settings, folder, self.counters, began)
        self.accelerator = Accelerator(self.shape)
        self.trainee = Trainee(self.session, self.accelerator, window, recipe, state)
        self.registry = NetRegistry(self.session, self.trainee, resume)
        given |= {"channels": settings.channels, "blocks": settings.blocks}
        checkpoint.replace(
            folder / "settings.json",
            (json.dumps(given, indent=2) + "\n").encode(),
        )
        if not settings.commit:
            settings.commit = commit_here()

        self.replay = Replay(folder / "games", settings, window, self.counters)
        if resume:
            self.replay.read_back()
        self.self_play = SelfPlay(self.session, self.accelerator, self.trainee, self.registry)
        self.matches = Matches(
            self.session,
            self.accelerator,
            self.trainee,
            self.registry,
            self.journal,
            self.keep_checkpoint,
        )
        self.progress = Progress(
            self.session, self.journal, self.self_play, self.replay, self.trainee
        )

    def _open_state(
        self, recipe: learner.Recipe, resume: bool, origin: str | None
    ) -> tuple[learner.State, Counters]:
        """What the run starts from: its own checkpoint, another run's net, or nothing."""
        settings, counters = self.settings, Counters()
        if origin and not resume:
            parameters, about = checkpoint.load_net(Path(origin), self.shape)
            architecture = network.architecture_of(parameters)
            settings.channels, settings.blocks = architecture.channels, architecture.blocks
            trained = about.get("trained") or {}
            counters.minutes_before = sum(
                float(trained.get(name, 0.0)) for name in ("minutes", "minutes_before")
            )
            self.journal.say(f"starting from `{origin}`, a net for {about['game']}")
        else:
            architecture = Architecture.of(settings.channels, settings.blocks)
            parameters = network.initial(self.shape, architecture, settings.seed)
        state = learner.fresh(recipe, parameters)
        if resume:
            state, kept = checkpoint.load_state(self.latest, state)
            counters = Counters.of(kept["counters"])
        return state, counters

    def run(self) -> str:
        """Everything, from the first check to the last net. Answers why it ended."""
        session = self.session
        try:
            self._begin()
            if self.settings.deterministic:
                self._play_in_turn()
            else:
                self._play_at_once()
            self._finish()
        except Trouble as trouble:
            self.journal.log(
                "end", minutes=session.minutes, reason="error", error=str(trouble), hint=trouble.hint
            )
            raise
        except Exception as reason:
            # Whatever it was, the log says when and the last checkpoint stands. On a full disk the
            # log cannot say it either, and what went wrong first is what counts.
            with contextlib.suppress(OSError):
                self.journal.log("end", minutes=session.minutes, reason="error", error=repr(reason))
            raise
        finally:
            self.progress.close()
            self.replay.close()
            self.journal.close()
        return session.stop_reason

    # --- the beginning ------------------------------------------------------------------------

    def _begin(self) -> None:
        settings, accelerator, state = self.settings, self.accelerator, self.trainee.state
        self.self_play.begin()
        # The first positions also serve to check the accelerator: no further shape is compiled.
        first = self.self_play.runners[0]
        first.turn()
        architecture = network.architecture_of(state.parameters)
        lively = network.initial(self.shape, architecture, settings.seed, lively=True)
        difference = max(
            accelerator.check(parameters, first.rows) for parameters in (lively, state.averaged)
        )
        ceiling = accelerator.ceiling(state.averaged, first.rows)

        # What is needed later compiles while the first games are played.
        compiler = concurrent.futures.ThreadPoolExecutor(2, "compiler")
        self.trainee.prepare(compiler)
        sizes = {settings.gate_games, settings.anchor_games, self.self_play.league_games} - {0}
        accelerator.prepare(compiler, self.trainee.serving, sizes)
        compiler.shutdown(wait=settings.deterministic)
        self._log_start(difference, ceiling)
        self.progress.begin(ceiling)
        self.matches.begin()
        self.last_checkpoint = self.session.elapsed
        if self.counters.sessions == 1:
            # From here on a run killed at any moment can go on.
            self.registry.keep_best()
            self.keep_checkpoint()

    def _log_start(self, difference: float, ceiling: float) -> None:
        settings, device = self.settings, jax.devices()[0]
        self.journal.log(
            "start",
            f"{settings.game} {json.dumps(settings.options)}: {settings.blocks}×{settings.channels} on "
            f"{device.device_kind}, {short(ceiling)} evaluations/s at most, "
            f"agrees with numpy to {difference:.2g}",
            minutes=self.session.minutes,
            session=self.counters.sessions,
            step=self.counters.step,
            device=device.device_kind,
            platform=device.platform,
            cores=os.cpu_count(),
            python=platform.python_version(),
            jax=jax.__version__,
            skirmish=skirmish.__version__,
            commit=settings.commit,
            shape=self.shape.to_json(),
            difference=difference,
            pure_inference_per_second=ceiling,
            seconds_to_start=self.session.elapsed,
            settings=dataclasses.asdict(settings),
        )

    # --- self-play, learning and matches, until the time for them is over ---------------------

    def _play_in_turn(self) -> None:
        """One thing after the other, in an order that counts alone decide."""
        rounds = 0
        while not self.session.is_over():
            for runner in list(self.self_play.runners):
                runner.turn()
                self.matches.turn()
                self.trainee.learn(self.replay.held)
            rounds += 1
            if rounds % COLLECT_ROUNDS == 0:
                self.replay.collect(self.self_play.runners)
                self._housekeeping(None)

    def _play_at_once(self) -> None:
        """A thread for each pool runner, and this one for all the rest.

        While one runner's answers are copied and its rows sent off, the others keep the cores and
        the accelerator busy; a match, which is small and waits a lot, has a thread of its own and
        costs them next to nothing.
        """
        session, runners = self.session, self.self_play.runners
        # One more for the league, and one for a match.
        threads = ThreadGroup(self.settings.pools + 2)
        for runner in runners:
            threads.start(runner.turn)
        collected = session.elapsed
        try:
            while not session.is_over():
                was_idle = not self.trainee.learn(self.replay.held)
                if session.elapsed - collected > COLLECT_SECONDS:
                    collected = session.elapsed
                    self.replay.collect(runners)
                    self.matches.attend(threads)
                    self._housekeeping(threads)
                    threads.check()
                elif was_idle:
                    time.sleep(0.001)
        finally:
            threads.finish()

    def _housekeeping(self, threads: ThreadGroup | None) -> None:
        self.self_play.keep_up(threads)
        self.matches.open_due()
        if self.session.elapsed - self.last_checkpoint >= self.settings.checkpoint_minutes * 60:
            self.keep_checkpoint()
        if self.progress.is_due:
            self.progress.tell()
        self.progress.show()

    def keep_checkpoint(self) -> None:
        """Keeps all it takes to go on from here."""
        # Only a state whose losses are all known to be finite replaces the last good one.
        self.trainee.drain()
        self.last_checkpoint = self.session.elapsed
        self.counters.minutes = self.session.minutes
        self.replay.sync()
        settings = self.settings
        checkpoint.save_state(
            self.latest,
            self.trainee.state,
            {
                "game": settings.game,
                "options": settings.options,
                "shape": self.shape.to_json(),
                "channels": settings.channels,
                "blocks": settings.blocks,
                "seed": settings.seed,
                "window": settings.window_at(self.counters.samples),
                "counters": dataclasses.asdict(self.counters),
            },
        )
        self.journal.log("checkpoint", minutes=self.session.minutes, step=self.counters.step)

    # --- the end ------------------------------------------------------------------------------

    def _finish(self) -> None:
        """The last games, the last matches, and the last checkpoint."""
        session, counters = self.session, self.counters
        self.replay.collect(self.self_play.runners)
        self.replay.settle()
        self.progress.tell()
        self.keep_checkpoint()
        if session.stop_reason in ("time", "steps"):
            self.matches.finish()
        self.keep_checkpoint()
        self.registry.keep_latest()
        self.journal.log(
            "end",
            f"ended ({session.stop_reason}) after {session.minutes:.2f} minutes and "
            f"{counters.step} steps: net {counters.best} is the best, "
            f"in `{session.folder / 'best.safetensors'}`",
            minutes=session.minutes,
            step=counters.step,
            reason=session.stop_reason,
            best=counters.best,
            games=counters.games,
            samples=counters.samples,
            evaluations=counters.evaluations,
        )

    def interrupt(self, *_signal) -> None:
        """Ends the run at the next round with a checkpoint; asked twice, at once."""
        if self.session.stop_reason == "interrupted":
            raise KeyboardInterrupt
        self.session.stop_reason = "interrupted"
        self.journal.say("stopping: a checkpoint is written first")


def commit_here() -> str:
    """The commit of the sources around this file, if they are a checkout at all."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def main(arguments: list[str] | None = None, began: float | None = None) -> int:
    """The command. Answers the exit status."""
    given = vars(settings_module.parser().parse_args(arguments))
    folder, resume, origin = Path(given.pop("out")), given.pop("resume"), given.pop("origin")
    try:
        run = Run(settings_module.read(given, folder, resume), folder, resume, origin, began=began)
        signal.signal(signal.SIGTERM, run.interrupt)
        signal.signal(signal.SIGINT, run.interrupt)
        run.run()
    except Trouble as trouble:
        print(trouble.text(), file=sys.stderr)
        return 2
    except OSError as reason:
        # A full disk, a folder that is a file: what was written before is whole.
        hint = "make room or name another folder; `--resume` goes on from the last checkpoint"
        print(Trouble(f"`{folder}`: {reason}", hint).text(), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(began=STARTED))
