"""The training loop: `python -m skirmish.zero.train --game amazons --minutes 5 --out runs/x`.

One thread does everything in turn: it answers the pools of self-play, lets matches go on between
their turns, learns when enough new samples have come, and keeps checkpoints. The accelerator is
never waited for except by the pool whose answers are due, and then another pool's rows are with
it already.

What is decided by counts (when to learn, when to renew the weights of self-play) makes a run
repeatable; what is decided by the clock (gates, checkpoints, the end) makes it fit a rental.
"""

from __future__ import annotations

import time

# A rental's minutes run while JAX is being imported, too.
STARTED = time.monotonic()

import collections
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
    import jax.numpy as jnp
    import numpy as np
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
from skirmish.zero import checkpoint, gate, learner, network, settings as settings_module
from skirmish.zero.errors import Trouble
from skirmish.zero.journal import Journal, short
from skirmish.zero.network import Architecture, Shape
from skirmish.zero.pools import Accelerator, Busy, Contest, Flight, native, open_pool
from skirmish.zero.replay import Replay
from skirmish.zero.settings import Settings

# Finished games are collected every so many rounds of turns.
COLLECT_ROUNDS = 8
# Where threads fly, finished games are collected after so many seconds.
COLLECT_SECONDS = 0.2
# At most so many training steps after one pool's turn: games must not wait for learning.
BURST = 4
# Losses are read so many steps late, when they have long been computed.
LATE = 4


@dataclasses.dataclass
class Counters:
    """What a run has done so far, in all its sessions. Kept in every checkpoint."""

    minutes: float = 0.0
    sessions: int = 0
    games: int = 0
    evaluations: int = 0
    samples: int = 0
    drawn: int = 0
    step: int = 0
    # Of the net this run started from, and of those it came from in turn.
    minutes_before: float = 0.0
    net: int = 0
    best: int = 0
    best_elo: float = 0.0
    promoted: list = dataclasses.field(default_factory=list)
    shards: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Candidate:
    """A net that was gated, or waits for it, with all it takes to go back to it."""

    number: int
    state: learner.State
    serving: network.Parameters


class Run:
    """One session of a run."""

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
        self.began = time.monotonic() if began is None else began
        self.settings = settings
        # As given: what depends on the machine is decided anew wherever the run goes on.
        given = dataclasses.asdict(settings)
        self.folder = folder
        self.is_cpu = jax.default_backend() == "cpu"
        settings.resolve(self.is_cpu)
        if not resume and (folder / "checkpoints" / "latest.safetensors").exists():
            raise Trouble(
                f"there is a run in `{folder}` already", "go on with `--resume`, or name another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("checkpoints", "nets", "games"):
            (folder / name).mkdir(exist_ok=True)
        self.journal = Journal(folder, quiet)
        self.busy = Busy()
        self.stop_reason = ""
        self.counters = Counters()

        # The window knows the shape without a single game being played.
        self.window = native(
            _native.Window, settings.game, json.dumps(settings.options), settings.window
        )
        self.shape = Shape.from_json(self.window.shape())
        self.accelerator = Accelerator(self.shape)
        self.recipe = learner.Recipe(
            weight_decay=settings.weight_decay,
            clip=settings.clip,
            average_decay=settings.average_decay,
            ownership_weight=settings.ownership_weight,
            score_weight=settings.score_weight,
            moves_left_weight=settings.moves_left_weight,
        )
        self.train_step = learner.compiled_step(self.shape, self.recipe)
        # Copies: a step gives its state's memory back.
        self.copy = jax.jit(lambda state: jax.tree.map(jnp.copy, state))
        self._open_state(resume, origin)
        self.minutes_before = self.counters.minutes
        self.counters.sessions += 1
        given |= {"channels": settings.channels, "blocks": settings.blocks}
        checkpoint.replace(
            folder / "settings.json",
            (json.dumps(given, indent=2) + "\n").encode(),
        )
        if not settings.commit:
            settings.commit = commit_here()

        self.past = self.serving
        self.losses: collections.deque = collections.deque()
        self.recent: list[np.ndarray] = []
        self.contests: list[Contest] = []
        self.replay = Replay(folder / "games", settings, self.window, self.counters)
        if resume:
            self.replay.read_back()
        self.turns_told: dict[int, int] = {}
        # The threads that fly, where timing may decide.
        self.crew = concurrent.futures.ThreadPoolExecutor(settings.pools + 2, "flight")
        self.aloft: list[concurrent.futures.Future] = []
        self.is_landing = False
        self.anchor_scores: dict[str, float] = {}

    # --- what a run starts from ---------------------------------------------------------------

    def _open_state(self, resume: bool, origin: str | None) -> None:
        settings, folder = self.settings, self.folder
        architecture = Architecture.of(settings.channels, settings.blocks)
        parameters = None
        if origin and not resume:
            parameters, about = checkpoint.load_net(Path(origin), self.shape)
            architecture = network.architecture_of(parameters)
            settings.channels, settings.blocks = architecture.channels, architecture.blocks
            trained = about.get("trained") or {}
            self.counters.minutes_before = sum(
                float(trained.get(name, 0.0)) for name in ("minutes", "minutes_before")
            )
            self.journal.say(f"starting from `{origin}`, a net for {about['game']}")
        if parameters is None:
            parameters = network.initial(self.shape, architecture, settings.seed)
        self.state = learner.fresh(self.recipe, parameters)
        if resume:
            latest = folder / "checkpoints" / "latest.safetensors"
            self.state, kept = checkpoint.load_state(latest, self.state)
            names = {field.name for field in dataclasses.fields(Counters)}
            self.counters = Counters(**{k: v for k, v in kept["counters"].items() if k in names})
            self._open_best()
        else:
            state = self.copy(self.state)
            self.best = Candidate(0, state, self.accelerator.serve(state.averaged))
        self.serving = self.accelerator.serve(self.state.averaged)
        # Past nets to play against, as far as they are still here.
        self.past_nets: dict[int, network.Parameters] = {}
        for number in self.counters.promoted:
            path = self._net_path(number)
            if path.exists():
                found, _ = checkpoint.load_net(path, self.shape)
                self.past_nets[number] = self.accelerator.serve(found)

    def _open_best(self) -> None:
        """The best net with its optimiser, or what of it has travelled."""
        whole, net = (self.folder / part / "best.safetensors" for part in ("checkpoints", "."))
        if whole.exists():
            state, about = checkpoint.load_state(whole, self.state)
        elif net.exists():
            # Half the luggage: a roll-back would start the optimiser anew, and goes no further.
            parameters, kept = checkpoint.load_net(net, self.shape)
            state = learner.fresh(self.recipe, parameters)
            about = {"net": kept["trained"]["net"], "elo": kept["trained"]["family_elo"]}
        else:
            state = self.copy(self.state)
            about = {"net": self.counters.best, "elo": self.counters.best_elo}
        # A kill may have come between writing the best net and the latest state.
        number = about["net"]
        if number > self.counters.best:
            self.counters.best, self.counters.best_elo = number, about["elo"]
            self.counters.net = max(self.counters.net, number)
            self.counters.promoted.append(number)
        self.best = Candidate(number, state, self.accelerator.serve(state.averaged))

    # --- the clock ----------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Seconds of this session."""
        return time.monotonic() - self.began

    @property
    def minutes(self) -> float:
        """Minutes of the whole run."""
        return self.minutes_before + self.elapsed / 60

    @property
    def fraction(self) -> float:
        """The part of the run that is over, earlier sessions included."""
        if self.settings.steps:
            return min(self.counters.step / self.settings.steps, 1.0)
        return self.minutes / (self.minutes_before + self.settings.minutes)

    @property
    def deadline(self) -> float:
        """When self-play must stop, in seconds of this session."""
        return self.settings.minutes * 60 - self.settings.final_seconds

    # --- the run ------------------------------------------------------------------------------

    def run(self) -> str:
        """Everything, from the first check to the last net. Answers why it ended."""
        try:
            self._begin()
            self._play()
            self._finish()
        except Trouble as trouble:
            self.journal.log(
                "end", minutes=self.minutes, reason="error", error=str(trouble), hint=trouble.hint
            )
            raise
        except Exception as reason:
            # Whatever it was, the log says when and the last checkpoint stands. On a full disk the
            # log cannot say it either, and what went wrong first is what counts.
            with contextlib.suppress(OSError):
                self.journal.log("end", minutes=self.minutes, reason="error", error=repr(reason))
            raise
        finally:
            self.busy.close()
            self.replay.close()
            self.journal.close()
        return self.stop_reason

    def _seed(self, *what: int) -> int:
        parts = [self.settings.seed, self.counters.sessions, *what]
        return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> 1)

    def _pool_settings(self, kind: str, games: int, seed: int) -> dict:
        settings = self.settings
        return {
            "kind": kind,
            "games": games,
            "seed": seed,
            "simulations": settings.simulations_at(self.fraction),
            "fast_simulations": settings.fast_simulations_at(self.fraction),
            "full_chance": settings.full_chance,
            "considered": settings.considered,
            "opening_plies": settings.opening_plies,
            "resign_below": settings.resign_below,
        }

    def _begin(self) -> None:
        settings, accelerator = self.settings, self.accelerator
        self.flights: list[Flight] = []
        for index in range(settings.pools):
            pool = open_pool(
                settings.game,
                settings.options,
                self._pool_settings("self_play", settings.games, self._seed(index)),
            )
            self.flights.append(
                Flight(pool, self.shape, lambda rows, nets: accelerator.answer(self.serving, rows))
            )
        # The first positions also serve to check the accelerator: no further shape is compiled.
        first = self.flights[0]
        first.turn()
        architecture = network.architecture_of(self.state.parameters)
        lively = network.initial(self.shape, architecture, settings.seed, lively=True)
        difference = max(
            accelerator.check(parameters, first.rows) for parameters in (lively, self.state.averaged)
        )
        self.ceiling = accelerator.ceiling(self.state.averaged, first.rows)

        # What is needed later compiles while the first games are played.
        compiler = concurrent.futures.ThreadPoolExecutor(2, "compiler")
        self.step_ready = compiler.submit(self._warm_up_step)
        league = round(settings.league / (1 - settings.league) * settings.games * settings.pools)
        self.league_rows = league + league % 2
        two = sorted(
            {settings.gate_games, settings.anchor_games, self.league_rows} - {0}, reverse=True
        )
        self.two_ready = {
            rows: compiler.submit(accelerator.warm_up_two, self.serving, rows) for rows in two
        }
        compiler.shutdown(wait=settings.deterministic)
        device = jax.devices()[0]
        self.journal.log(
            "start",
            f"{settings.game} {json.dumps(settings.options)}: {settings.blocks}×{settings.channels} on "
            f"{device.device_kind}, {short(self.ceiling)} evaluations/s at most, "
            f"agrees with numpy to {difference:.2g}",
            minutes=self.minutes,
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
            pure_inference_per_second=self.ceiling,
            seconds_to_start=self.elapsed,
            settings=dataclasses.asdict(settings),
        )
        self.last_progress = self.last_checkpoint = self.last_gate = self.elapsed
        self.last_gate_step = self.counters.step
        self.anchors_met = 0
        self.simulations = settings.simulations_at(self.fraction)
        if self.counters.sessions == 1:
            # From here on a run killed at any moment can go on.
            self._save_best(0.0)
            self._save_latest()

    def _warm_up_step(self) -> None:
        batch = self.settings.batch
        rows = np.zeros((batch, self.shape.row_bytes), np.uint8)
        targets = np.zeros((batch, self.shape.target_length), np.float16)
        spare = self.copy(self.state)
        self.train_step(spare, rows, targets, jnp.float32(0.0))[1].block_until_ready()

    def _play(self) -> None:
        """Self-play, learning and matches, until the time for them is over."""
        if self.settings.deterministic:
            self._play_in_turn()
        else:
            self._play_at_once()

    def _play_in_turn(self) -> None:
        """One thing after the other, in an order that counts alone decide."""
        rounds = 0
        while not self._is_over():
            for flight in list(self.flights):
                flight.turn()
                self._play_match()
                self._learn()
            rounds += 1
            if rounds % COLLECT_ROUNDS == 0:
                self.replay.collect(self.flights)
                self._housekeeping()

    def _play_at_once(self) -> None:
        """A thread for each flight, and this one for all the rest.

        While one flight's answers are copied and its rows sent off, the others keep the cores and
        the accelerator busy; a match, which is small and waits a lot, has a thread of its own and
        costs them next to nothing.
        """
        for flight in self.flights:
            self._take_off(flight)
        collected = self.elapsed
        try:
            while not self._is_over():
                was_idle = not self._learn()
                if self.elapsed - collected > COLLECT_SECONDS:
                    collected = self.elapsed
                    self.replay.collect(self.flights)
                    self._attend_match()
                    self._housekeeping()
                    for thread in self.aloft:
                        if thread.done():
                            thread.result()
                elif was_idle:
                    time.sleep(0.001)
        finally:
            self.is_landing = True
            self.crew.shutdown(wait=True)

    def _take_off(self, flight: Flight) -> None:
        def fly() -> None:
            while not self.is_landing:
                flight.turn()

        self.aloft.append(self.crew.submit(fly))

    def _attend_match(self) -> None:
        # One at a time, so that each is over soon.
        if not self.contests:
            return
        contest = self.contests[0]
        if contest.thread is None:
            contest.thread = self.crew.submit(contest.play, lambda: self.is_landing)
        elif contest.thread.done():
            contest.thread.result()
            self._conclude(contest)

    def _play_match(self) -> None:
        # One at a time: each turn costs as much as it waits, however many games are in it.
        for contest in self.contests[:1]:
            if contest.turn():
                self._conclude(contest)

    def _is_over(self) -> bool:
        if self.elapsed >= self.deadline:
            self.stop_reason = self.stop_reason or "time"
        elif self.settings.steps and self.counters.step >= self.settings.steps:
            self.stop_reason = self.stop_reason or "steps"
        return bool(self.stop_reason)

    def _housekeeping(self) -> None:
        settings = self.settings
        if len(self.flights) == settings.pools and self.league_rows:
            if self.two_ready[self.league_rows].done() and self.counters.promoted:
                self._open_league()
        wanted = settings.simulations_at(self.fraction)
        if wanted != self.simulations:
            self.simulations = wanted
            for flight in self.flights:
                flight.pool.set_simulations(wanted, settings.fast_simulations_at(self.fraction))
        if settings.gate_steps:
            due = self.counters.step - self.last_gate_step >= settings.gate_steps
        else:
            due = self.elapsed - self.last_gate >= settings.gate_minutes * 60
            # A candidate at the very end is gated anyway.
            due = due and self.elapsed + settings.gate_minutes * 30 < self.deadline
        is_gating = any(contest.kind == "match" for contest in self.contests)
        if due and not is_gating and self.counters.step > self.last_gate_step:
            self._open_gate()
        if not settings.steps and self.counters.step:
            moment = (self.anchors_met + 1) / (settings.anchor_times + 1)
            if self.anchors_met < settings.anchor_times and self.elapsed / self.deadline > moment:
                self.anchors_met += 1
                if not any(contest.kind == "anchor" for contest in self.contests):
                    self._open_anchors()
        if self.elapsed - self.last_checkpoint >= settings.checkpoint_minutes * 60:
            self._save_latest()
        if self.elapsed - self.last_progress >= settings.progress_seconds:
            self._progress()
        self.journal.live(
            f"{self.minutes:.2f} min · step {self.counters.step} · {short(self.counters.games)} games · "
            f"{short(self.counters.samples)} samples · window {short(self.replay.held)} · "
            f"net {self.counters.best} is the best"
        )

    # --- games --------------------------------------------------------------------------------

    def _open_league(self) -> None:
        settings, accelerator = self.settings, self.accelerator
        pool = open_pool(
            settings.game,
            settings.options,
            self._pool_settings("league", self.league_rows, self._seed(1000)),
        )
        self._choose_past()
        self.flights.append(
            Flight(
                pool,
                self.shape,
                lambda rows, nets: accelerator.answer_two(self.serving, self.past, rows, nets),
            )
        )
        if not settings.deterministic:
            self._take_off(self.flights[-1])

    def _choose_past(self) -> None:
        """Another opponent for the league. Games under way change theirs, which hurts nobody."""
        if self.past_nets:
            random = np.random.default_rng(self._seed(2000, self.counters.step))
            self.past = self.past_nets[int(random.choice(sorted(self.past_nets)))]

    # --- learning -----------------------------------------------------------------------------

    def _learn(self) -> bool:
        """Takes the steps that are due, a few at a time. False where none was."""
        settings, counters = self.settings, self.counters
        if self.replay.held < settings.start_samples or not self.step_ready.done():
            return False
        self.step_ready.result()
        due = (counters.samples * settings.reuse - counters.drawn) / settings.batch
        if due >= 8 * BURST:
            # More than could be learned in time: let it go rather than fall behind for ever.
            counters.drawn = int(counters.samples * settings.reuse - 8 * BURST * settings.batch)
        for _ in range(min(int(due), BURST)):
            if settings.steps and counters.step >= settings.steps:
                return True
            self._step()
        return due >= 1

    def _step(self) -> None:
        settings, counters, shape = self.settings, self.counters, self.shape
        # New memory each time: the last batch may still be on its way to the accelerator.
        rows = np.empty((settings.batch, shape.row_bytes), np.uint8)
        targets = np.empty((settings.batch, shape.target_length), np.uint16)
        seed = (settings.seed << 32) ^ counters.drawn
        native(self.window.sample, settings.batch, seed, rows, targets)
        rate = learner.rate_at(
            settings.learning_rate,
            counters.step,
            settings.warmup_steps,
            settings.schedule,
            self.fraction,
        )
        self.state, losses = self.train_step(
            self.state, rows, targets.view(np.float16), jnp.float32(rate)
        )
        losses.copy_to_host_async()
        counters.step += 1
        counters.drawn += settings.batch
        self.losses.append(losses)
        while len(self.losses) > LATE:
            self._read_losses()
        if counters.step % settings.refresh_steps == 0:
            self.serving = self.accelerator.serve(self.state.averaged)

    def _read_losses(self) -> None:
        losses = np.asarray(self.losses.popleft())
        if not np.isfinite(losses).all():
            named = ", ".join(
                name for name, value in zip(learner.LOSSES, losses) if not np.isfinite(value)
            )
            raise Trouble(
                f"the loss is no longer a number ({named}) near step {self.counters.step}",
                f"the last good checkpoint is kept in `{self.folder / 'checkpoints'}`: `--resume` "
                "with a lower `--learning-rate` goes on from it",
            )
        self.recent.append(losses)

    # --- matches ------------------------------------------------------------------------------

    def _contest(self, kind: str, games: int, first, second, seed: int, **about) -> None:
        ready = self.two_ready.get(games)
        if ready is not None:
            ready.result()
        simulations = self.settings.gate_simulations
        settings = self._pool_settings(kind, games, seed)
        # Matches are about strength: every search is a full one.
        settings |= {"simulations": simulations, "fast_simulations": simulations, "full_chance": 1.0}
        if kind == "anchor":
            settings["anchor"] = about["anchor"]
        self.contests.append(
            Contest(
                self.accelerator,
                self.settings.game,
                self.settings.options,
                settings,
                first,
                second,
                **about,
            )
        )

    def _open_gate(self) -> None:
        """A copy of the learner as it is now becomes a candidate."""
        self.last_gate, self.last_gate_step = self.elapsed, self.counters.step
        self.counters.net += 1
        state = self.copy(self.state)
        candidate = Candidate(self.counters.net, state, self.accelerator.serve(state.averaged))
        self._contest(
            "match",
            self.settings.gate_games,
            candidate.serving,
            self.best.serving,
            self._seed(3000, candidate.number),
            candidate=candidate,
            against=self.best,
            minutes=self.minutes,
        )
        self._choose_past()

    def _open_anchors(self) -> None:
        # Weights between two candidates go by the number of the earlier one, and by their step.
        serving = self.accelerator.serve(self.state.averaged)
        for index, anchor in enumerate(self.settings.anchors):
            # Who wins every game learns nothing from another hundred, except for the record.
            if not self.stop_reason and self.anchor_scores.get(anchor, 0.0) > 0.985:
                continue
            self._contest(
                "anchor",
                self.settings.anchor_games,
                serving,
                serving,
                self._seed(4000 + index, self.counters.step),
                anchor=anchor,
                net=self.counters.net,
                minutes=self.minutes,
                step=self.counters.step,
            )

    def _conclude(self, contest: Contest) -> None:
        self.contests.remove(contest)
        tally = contest.tally()
        about = contest.about
        facts = {
            "games": tally.games,
            "score": tally.score,
            "error": tally.error,
            "elo": tally.elo,
            "elo_error": tally.elo_error,
            "is_complete": contest.is_done,
        }
        if contest.kind == "anchor" and not tally.games:
            return
        if contest.kind == "anchor":
            self.anchor_scores[about["anchor"]] = tally.score
            self.journal.log(
                "anchor",
                f"{about['minutes']:.2f} min: {100 * tally.score:.1f} % ± {100 * tally.error:.1f} "
                f"against {about['anchor']} in {tally.games} games",
                minutes=about["minutes"],
                step=about["step"],
                net=about["net"],
                anchor=about["anchor"],
                **facts,
            )
            return
        candidate, against = about["candidate"], about["against"]
        if not tally.games:
            # Too late in the run for a single pair: the net is kept, nothing is said about it.
            self._save_net(self._net_path(candidate.number), candidate, self.counters.best_elo)
            self.journal.log(
                "ungated",
                f"{about['minutes']:.2f} min: net {candidate.number} came too late to be gated",
                minutes=about["minutes"],
                net=candidate.number,
            )
            return
        verdict = gate.verdict(
            tally,
            promote_at=self.settings.promote_at,
            least_games=min(40, self.settings.gate_games),
        )
        family_elo = self.counters.best_elo + tally.careful_elo
        # In the log of gates, Elo is the candidate's in its family, net 0 being at zero.
        facts |= {"elo": family_elo, "elo_difference": tally.elo}
        self._save_net(self._net_path(candidate.number), candidate, family_elo)
        if verdict == gate.PROMOTED:
            self.best = candidate
            self.counters.best = candidate.number
            self.counters.best_elo = family_elo
            self.counters.promoted.append(candidate.number)
            self.past_nets[candidate.number] = candidate.serving
            self._save_best(family_elo)
            self._save_latest()
        elif verdict == gate.DISCARDED:
            # What was learned since the best net made it weaker: forget it, moments and all.
            self._drain()
            self.state = self.copy(self.best.state)
            self.serving = self.accelerator.serve(self.state.averaged)
            # Nothing new to gate until something is learned again.
            self.last_gate_step = self.counters.step
            self._save_latest()
        self.journal.log(
            "gate",
            f"{about['minutes']:.2f} min: net {candidate.number} {verdict} against net {against.number}: "
            f"{100 * tally.score:.1f} % ± {100 * tally.error:.1f} in {tally.games} games, "
            f"{tally.elo:+.0f} Elo",
            minutes=about["minutes"],
            net=candidate.number,
            against=against.number,
            verdict=verdict,
            steps=int(candidate.state.step),
            **facts,
        )

    # --- what is kept -------------------------------------------------------------------------

    def _net_path(self, number: int) -> Path:
        return self.folder / "nets" / f"{number:04}.safetensors"

    def _save_net(self, path: Path, candidate: Candidate, elo: float) -> None:
        counters, settings = self.counters, self.settings
        trained = {
            "minutes": round(self.minutes, 3),
            "minutes_before": round(counters.minutes_before, 3),
            "steps": int(candidate.state.step),
            "games": counters.games,
            "samples": counters.samples,
            "commit": settings.commit,
            "net": candidate.number,
            "family_elo": round(elo, 1),
            "settings": dataclasses.asdict(settings),
        }
        checkpoint.save_net(
            path, candidate.state.averaged, self.shape, settings.game, settings.options, trained
        )

    def _save_best(self, elo: float) -> None:
        self._save_net(self.folder / "best.safetensors", self.best, elo)
        checkpoint.save_state(
            self.folder / "checkpoints" / "best.safetensors",
            self.best.state,
            {"net": self.best.number, "elo": elo},
        )

    def _drain(self) -> None:
        while self.losses:
            self._read_losses()

    def _save_latest(self) -> None:
        # Only a state whose losses were all seen to be numbers replaces the last good one.
        self._drain()
        self.last_checkpoint = self.elapsed
        self.counters.minutes = self.minutes
        self.replay.sync()
        checkpoint.save_state(
            self.folder / "checkpoints" / "latest.safetensors",
            self.state,
            {
                "game": self.settings.game,
                "options": self.settings.options,
                "shape": self.shape.to_json(),
                "channels": self.settings.channels,
                "blocks": self.settings.blocks,
                "seed": self.settings.seed,
                "window": self.settings.window_at(self.counters.samples),
                "counters": dataclasses.asdict(self.counters),
            },
        )
        self.journal.log("checkpoint", minutes=self.minutes, step=self.counters.step)

    # --- what is told -------------------------------------------------------------------------

    def _progress(self) -> None:
        seconds = max(self.elapsed - self.last_progress, 1e-6)
        self.last_progress = self.elapsed
        counters, sums = self.counters, collections.defaultdict(float)
        means: dict[str, list[tuple[float, float]]] = collections.defaultdict(list)
        asked = 0
        for flight in self.flights:
            counts = json.loads(flight.pool.statistics())
            for name in ("games", "evaluations", "searches", "resigned", "draws", "settled"):
                sums[name] += counts[name]
            for name, weight in (
                ("game_length", "games"),
                ("first_player_score", "games"),
                ("policy_entropy", "full_searches"),
            ):
                if counts[name] is not None:
                    means[name].append((counts[name], counts[weight]))
            asked += (flight.turns - self.turns_told.get(id(flight), 0)) * len(flight.rows)
            self.turns_told[id(flight)] = flight.turns
        counters.games += int(sums["games"])
        counters.evaluations += int(sums["evaluations"])
        mean = {
            name: sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts)
            for name, parts in means.items()
        }
        losses = np.mean(self.recent, axis=0) if self.recent else None
        self.recent = []
        rate = sums["evaluations"] / seconds
        named = None if losses is None else dict(zip(learner.LOSSES, map(float, losses)))
        shown = (
            ""
            if named is None
            else f", losses {named['policy']:.3f} policy {named['value']:.3f} value"
        )
        self.journal.log(
            "progress",
            f"{self.minutes:.2f} min: step {counters.step}, {short(counters.games)} games "
            f"({sums['games'] / seconds:.1f}/s, {mean.get('game_length', 0):.0f} long), "
            f"{short(rate)} evaluations/s ({100 * rate / self.ceiling:.0f} % of the ceiling), "
            f"window {short(self.replay.held)}{shown}",
            minutes=self.minutes,
            step=counters.step,
            games=counters.games,
            games_per_second=sums["games"] / seconds,
            evaluations=counters.evaluations,
            evaluations_per_second=rate,
            positions_per_second=sums["searches"] / seconds,
            pure_inference_per_second=self.ceiling,
            ceiling_fraction=rate / self.ceiling,
            batch_fill=sums["evaluations"] / asked if asked else None,
            gpu_busy=self.busy.take(),
            samples=counters.samples,
            drawn=counters.drawn,
            window=self.replay.held,
            losses=named,
            policy_entropy=mean.get("policy_entropy"),
            game_length=mean.get("game_length"),
            first_player_score=mean.get("first_player_score"),
            resigned=sums["resigned"] / sums["games"] if sums["games"] else None,
            draws=sums["draws"] / sums["games"] if sums["games"] else None,
            simulations=self.simulations,
            best=counters.best,
        )

    def _finish(self) -> None:
        """The last matches, in the time kept for them, and the last checkpoint."""
        self.replay.collect(self.flights)
        self.replay.settle()
        self._progress()
        self._save_latest()
        if self.stop_reason in ("time", "steps"):
            # A match that began in self-play goes on; then the last candidate and the anchors.
            limit = self.settings.minutes * 60 - min(3.0, 0.2 * self.settings.final_seconds)
            if self.settings.steps:
                limit = max(limit, self.elapsed + self.settings.final_seconds)
            self._play_out(limit - 0.6 * max(limit - self.elapsed, 0.0))
            # What could not be finished is judged by its whole pairs, which may be too few.
            for contest in list(self.contests):
                self._conclude(contest)
            if self.counters.step > self.last_gate_step:
                self._open_gate()
            self._open_anchors()
            self._play_out(limit)
            for contest in list(self.contests):
                self._conclude(contest)
        self._save_latest()
        # What was learned last, gated or not: a good place to go on from.
        last = Candidate(self.counters.net, self.state, self.serving)
        self._save_net(self.folder / "latest.safetensors", last, self.counters.best_elo)
        self.journal.log(
            "end",
            f"ended ({self.stop_reason}) after {self.minutes:.2f} minutes and {self.counters.step} steps: "
            f"net {self.counters.best} is the best, in `{self.folder / 'best.safetensors'}`",
            minutes=self.minutes,
            step=self.counters.step,
            reason=self.stop_reason,
            best=self.counters.best,
            games=self.counters.games,
            samples=self.counters.samples,
            evaluations=self.counters.evaluations,
        )

    def _play_out(self, limit: float) -> None:
        while self.contests and self.elapsed < limit and self.stop_reason != "interrupted":
            for contest in list(self.contests):
                if contest.turn():
                    self._conclude(contest)

    def interrupt(self, *_signal) -> None:
        """Ends the run at the next round with a checkpoint; asked twice, at once."""
        if self.stop_reason == "interrupted":
            raise KeyboardInterrupt
        self.stop_reason = "interrupted"
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
