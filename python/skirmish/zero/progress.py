"""How a run gets on: rates, losses and lengths, every few seconds."""

from __future__ import annotations

import collections
import json
import shutil
import subprocess
import threading

import jax

from skirmish.zero.journal import Journal, short
from skirmish.zero.pools import Flight
from skirmish.zero.replay import Replay
from skirmish.zero.self_play import SelfPlay
from skirmish.zero.session import Session
from skirmish.zero.student import Student


class Progress:
    """Tells how a run gets on, and counts its games as it does."""

    def __init__(
        self,
        session: Session,
        journal: Journal,
        self_play: SelfPlay,
        replay: Replay,
        student: Student,
    ):
        self.session = session
        self.journal = journal
        self.self_play = self_play
        self.replay = replay
        self.student = student
        self._busy = Busy()
        self._turns_told: dict[Flight, int] = {}

    def begin(self, ceiling: float) -> None:
        """From here on rates are measured. `ceiling` is the most evaluations per second."""
        self._ceiling = ceiling
        self._told = self.session.elapsed

    def close(self) -> None:
        """Nothing more will be told."""
        self._busy.close()

    @property
    def is_due(self) -> bool:
        """Whether it is time to tell again."""
        return self.session.elapsed - self._told >= self.session.settings.progress_seconds

    def show(self) -> None:
        """The line at the bottom of a terminal."""
        counters = self.session.counters
        self.journal.live(
            f"{self.session.minutes:.2f} min · step {counters.step} · {short(counters.games)} games · "
            f"{short(counters.samples)} samples · window {short(self.replay.held)} · "
            f"net {counters.best} is the best"
        )

    def tell(self) -> None:
        """One event in the log, about the time since the last one."""
        session, counters = self.session, self.session.counters
        seconds = max(session.elapsed - self._told, 1e-6)
        self._told = session.elapsed
        sums, means, asked = self._statistics()
        counters.evaluations += int(sums["evaluations"])
        losses = self.student.take_losses()
        shown = (
            ""
            if losses is None
            else f", losses {losses['policy']:.3f} policy {losses['value']:.3f} value"
        )
        rate = sums["evaluations"] / seconds
        self.journal.log(
            "progress",
            f"{session.minutes:.2f} min: step {counters.step}, {short(counters.games)} games "
            f"({sums['games'] / seconds:.1f}/s, {means.get('game_length', 0):.0f} long), "
            f"{short(rate)} evaluations/s ({100 * rate / self._ceiling:.0f} % of the ceiling), "
            f"window {short(self.replay.held)}{shown}",
            minutes=session.minutes,
            step=counters.step,
            games=counters.games,
            games_per_second=sums["games"] / seconds,
            evaluations=counters.evaluations,
            evaluations_per_second=rate,
            positions_per_second=sums["searches"] / seconds,
            pure_inference_per_second=self._ceiling,
            ceiling_fraction=rate / self._ceiling,
            batch_fill=sums["evaluations"] / asked if asked else None,
            gpu_busy=self._busy.take(),
            samples=counters.samples,
            drawn=counters.drawn,
            window=self.replay.held,
            losses=losses,
            policy_entropy=means.get("policy_entropy"),
            game_length=means.get("game_length"),
            first_player_score=means.get("first_player_score"),
            resigned=sums["resigned"] / sums["games"] if sums["games"] else None,
            draws=sums["draws"] / sums["games"] if sums["games"] else None,
            simulations=self.self_play.simulations,
            best=counters.best,
        )

    def _statistics(self) -> tuple[dict[str, float], dict[str, float], int]:
        """Sums and means over the flights since they were last asked, and the rows they sent."""
        sums: dict[str, float] = collections.defaultdict(float)
        parts: dict[str, list[tuple[float, float]]] = collections.defaultdict(list)
        asked = 0
        for flight in self.self_play.flights:
            counts = json.loads(flight.pool.statistics())
            for name in ("games", "evaluations", "searches", "resigned", "draws"):
                sums[name] += counts[name]
            for name, weight in (
                ("game_length", "games"),
                ("first_player_score", "games"),
                ("policy_entropy", "full_searches"),
            ):
                if counts[name] is not None:
                    parts[name].append((counts[name], counts[weight]))
            asked += (flight.turns - self._turns_told.get(flight, 0)) * len(flight.rows)
            self._turns_told[flight] = flight.turns
        means = {
            name: sum(value * weight for value, weight in part) / sum(weight for _, weight in part)
            for name, part in parts.items()
        }
        return sums, means, asked


class Busy:
    """How busy the GPU is, as its driver reports it every second; silent where there is none."""

    def __init__(self):
        self._seen: list[float] = []
        self._process = None
        if jax.default_backend() == "gpu" and shutil.which("nvidia-smi"):
            query = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
            try:
                self._process = subprocess.Popen(
                    [*query, "-l", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
            except OSError:
                return
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            try:
                self._seen.append(float(line) / 100.0)
            except ValueError:
                return

    def take(self) -> float | None:
        """The mean since this was last asked."""
        seen, self._seen = self._seen, []
        return round(sum(seen) / len(seen), 3) if seen else None

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
