"""The nets of a run: the candidates, the best of them, and the best ones before it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from skirmish.zero import checkpoint, learner
from skirmish.zero.network import Parameters
from skirmish.zero.session import Session
from skirmish.zero.trainee import Trainee


@dataclasses.dataclass
class Candidate:
    """A net that was gated, or waits for it, with all it takes to go back to it."""

    number: int
    state: learner.State
    serving: Parameters


class NetRegistry:
    """Numbers the nets of a run, and keeps them.

    The best is in `best.safetensors` to play with, and in `checkpoints` to learn on from; every
    candidate is in `nets` by its number.
    """

    def __init__(self, session: Session, trainee: Trainee, is_resumed: bool):
        self.session = session
        self.trainee = trainee
        self.best = self._best_of_the_run() if is_resumed else self._copy_of_trainee(0)
        # Past nets to play against, as far as they are still here.
        self._past: dict[int, Parameters] = {}
        for number in session.counters.promoted:
            path = self._path(number)
            if path.exists():
                found, _ = checkpoint.load_net(path, trainee.accelerator.shape)
                self._past[number] = trainee.accelerator.serve(found)
        # The net the league plays against.
        self.opponent = trainee.serving

    def _candidate(self, number: int, state: learner.State) -> Candidate:
        return Candidate(number, state, self.trainee.accelerator.serve(state.averaged))

    def _copy_of_trainee(self, number: int) -> Candidate:
        return self._candidate(number, self.trainee.copy(self.trainee.state))

    def _best_of_the_run(self) -> Candidate:
        """The best net with its optimiser, or the net alone where only that was copied."""
        counters, trainee = self.session.counters, self.trainee
        net = self.session.folder / "best.safetensors"
        whole = self.session.folder / "checkpoints" / "best.safetensors"
        if whole.exists():
            state, about = checkpoint.load_state(whole, trainee.state)
            number, elo = about["net"], about["elo"]
        elif net.exists():
            # Without the optimiser's state: it starts anew, and so it would after a rollback.
            parameters, about = checkpoint.load_net(net, trainee.accelerator.shape)
            state = learner.fresh(trainee.recipe, parameters)
            number, elo = about["trained"]["net"], about["trained"]["family_elo"]
        else:
            return self._copy_of_trainee(counters.best)
        # A kill may have come between writing the best net and the latest state.
        if number > counters.best:
            counters.best, counters.best_elo = number, elo
            counters.net = max(counters.net, number)
            counters.promoted.append(number)
        return self._candidate(number, state)

    def open_candidate(self) -> Candidate:
        """A copy of the trainee as it is now, with the next number."""
        self.session.counters.net += 1
        return self._copy_of_trainee(self.session.counters.net)

    def promote(self, candidate: Candidate, elo: float) -> None:
        """The candidate is the best from now on."""
        counters = self.session.counters
        self.best = candidate
        counters.best, counters.best_elo = candidate.number, elo
        counters.promoted.append(candidate.number)
        self._past[candidate.number] = candidate.serving
        self.keep_best()

    def choose_opponent(self) -> None:
        """Another opponent for the league. Games under way change theirs, which does no harm."""
        if self._past:
            random = np.random.default_rng(self.session.seed(2000, self.session.counters.step))
            self.opponent = self._past[int(random.choice(sorted(self._past)))]

    # --- files --------------------------------------------------------------------------------

    def _path(self, number: int) -> Path:
        return self.session.folder / "nets" / f"{number:04}.safetensors"

    def keep(self, candidate: Candidate, elo: float) -> None:
        """Saves a candidate, whatever the verdict."""
        self._write(self._path(candidate.number), candidate.number, candidate.state, elo)

    def keep_best(self) -> None:
        """Saves the best net, to play with and to roll back to."""
        folder, elo = self.session.folder, self.session.counters.best_elo
        self._write(folder / "best.safetensors", self.best.number, self.best.state, elo)
        checkpoint.save_state(
            folder / "checkpoints" / "best.safetensors",
            self.best.state,
            {"net": self.best.number, "elo": elo},
        )

    def keep_latest(self) -> None:
        """Saves the latest weights, gated or not, to continue from."""
        path, counters = self.session.folder / "latest.safetensors", self.session.counters
        self._write(path, counters.net, self.trainee.state, counters.best_elo)

    def _write(self, path: Path, number: int, state: learner.State, elo: float) -> None:
        counters, settings = self.session.counters, self.session.settings
        trained = {
            "minutes": round(self.session.minutes, 3),
            "minutes_before": round(counters.minutes_before, 3),
            "steps": int(state.step),
            "games": counters.games,
            "samples": counters.samples,
            "commit": settings.commit,
            "net": number,
            "family_elo": round(elo, 1),
            "settings": dataclasses.asdict(settings),
        }
        shape = self.trainee.accelerator.shape
        checkpoint.save_net(path, state.averaged, shape, settings.game, settings.options, trained)
