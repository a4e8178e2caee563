"""How a run gets on: rates, losses and lengths, every few seconds."""

from __future__ import annotations

import collections
import dataclasses
import shutil
import subprocess
import threading

import jax

from skirmish.zero.journal import Journal, short
from skirmish.zero.pools import Counts
from skirmish.zero.replay import Replay
from skirmish.zero.self_play import SelfPlay
from skirmish.zero.session import Session
from skirmish.zero.trainee import Trainee


class Progress:
    """Tells how a run gets on, and counts its games as it does."""

    def __init__(
        self,
        session: Session,
        journal: Journal,
        self_play: SelfPlay,
        replay: Replay,
        trainee: Trainee,
    ):
        self.session = session
        self.journal = journal
        self.self_play = self_play
        self.replay = replay
        self.trainee = trainee
        self._busy = Busy()

    def begin(self, ceiling: float) -> None:
        """From here on progress is told. `ceiling` is how many evaluations per second the network
        made when nothing else ran."""
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
        self._told = session.elapsed
        rates = Rates.of([runner.take_counts() for runner in self.self_play.runners])
        counters.evaluations += rates.evaluations
        losses = self.trainee.take_losses()
        shown = (
            ""
            if losses is None
            else f", losses {losses['policy']:.3f} policy {losses['value']:.3f} value"
        )
        rate = rates.evaluations_per_second
        # The ceiling was measured for a moment, perhaps before the clocks had risen or with one
        # batch at a time: what has been seen since can be done, too.
        self._ceiling = max(self._ceiling, rate)
        length = "" if rates.game_turns is None else f", {rates.game_turns:.0f} turns long"
        self.journal.log(
            "progress",
            f"{session.minutes:.2f} min: step {counters.step}, {short(counters.games)} games "
            f"({rates.games_per_second:.1f}/s{length}), "
            f"{short(rate)} evaluations/s ({100 * rate / self._ceiling:.0f} % of the ceiling), "
            f"window {short(self.replay.held)}{shown}",
            minutes=session.minutes,
            step=counters.step,
            games=counters.games,
            games_per_second=rates.games_per_second,
            evaluations=counters.evaluations,
            evaluations_per_second=rate,
            positions_per_second=rates.positions_per_second,
            pure_inference_per_second=self._ceiling,
            ceiling_fraction=rate / self._ceiling,
            batch_fill=rates.batch_fill,
            gpu_busy=self._busy.take(),
            samples=counters.samples,
            drawn=counters.drawn,
            window=self.replay.held,
            losses=losses,
            policy_entropy=rates.policy_entropy,
            game_turns=rates.game_turns,
            first_player_score=rates.first_player_score,
            resigned=rates.resigned,
            draws=rates.draws,
            simulations=self.self_play.simulations,
            best=counters.best,
        )


@dataclasses.dataclass(frozen=True)
class Rates:
    """What pools did in some time, as rates and means; None where there was nothing to take one of.

    Each is a ratio of counts of the same games, searches or rows, over the time in which they
    happened.
    """

    evaluations: int
    evaluations_per_second: float
    games_per_second: float
    positions_per_second: float
    batch_fill: float | None
    game_turns: float | None
    first_player_score: float | None
    policy_entropy: float | None
    resigned: float | None
    draws: float | None

    @classmethod
    def of(cls, parts: list[Counts]) -> Rates:
        """Taken together."""
        sums: dict[str, float] = collections.defaultdict(float)
        for part in parts:
            for name, count in part.counts.items():
                sums[name] += count or 0
        # A pool that did not move since it was last asked has nothing to say about any time.
        moved = [part for part in parts if part.ended > part.began]
        seconds = max((part.ended for part in moved), default=0.0)
        seconds -= min((part.began for part in moved), default=0.0)

        def per_second(name: str) -> float:
            return sums[name] / seconds if seconds else 0.0

        def mean(name: str, of: str) -> float | None:
            whole = sum((part.counts[name] or 0) * part.counts[of] for part in parts)
            return whole / sums[of] if sums[of] else None

        def share(name: str, of: str) -> float | None:
            return sums[name] / sums[of] if sums[of] else None

        return cls(
            evaluations=int(sums["evaluations"]),
            evaluations_per_second=per_second("evaluations"),
            games_per_second=per_second("games"),
            positions_per_second=per_second("searches"),
            batch_fill=share("evaluations", "rows"),
            game_turns=share("turns", "games"),
            first_player_score=mean("first_player_score", "games"),
            policy_entropy=mean("policy_entropy", "full_searches"),
            resigned=share("resigned", "games"),
            draws=share("draws", "games"),
        )


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
