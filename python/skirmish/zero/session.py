"""Where a run stands: what it has done so far, what time it is, and why it ends."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np

from skirmish.zero.settings import Settings


@dataclasses.dataclass
class Counters:
    """What a run has done so far, in all its sessions. Kept in every checkpoint.

    Any part of the run may read them; each is written by the one part of the run that it is about.
    """

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

    @classmethod
    def of(cls, kept: dict) -> Counters:
        """As a checkpoint kept them; what only another version counts is left out."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in kept.items() if name in names})


class Session:
    """One session of a run: what all of its parts go by."""

    def __init__(self, settings: Settings, folder: Path, counters: Counters, began: float):
        self.settings = settings
        self.folder = folder
        self.counters = counters
        # Why the run ends, once it does: "time", "steps" or "interrupted".
        self.stop_reason = ""
        self._began = began
        self._minutes_before = counters.minutes
        counters.sessions += 1

    @property
    def elapsed(self) -> float:
        """Seconds of this session."""
        return time.monotonic() - self._began

    @property
    def minutes(self) -> float:
        """Minutes of the whole run."""
        return self._minutes_before + self.elapsed / 60

    @property
    def fraction(self) -> float:
        """The part of the run that is over, earlier sessions included."""
        if self.settings.steps:
            return min(self.counters.step / self.settings.steps, 1.0)
        return self.minutes / (self._minutes_before + self.settings.minutes)

    @property
    def deadline(self) -> float:
        """When self-play must stop, in seconds of this session."""
        return self.settings.minutes * 60 - self.settings.final_seconds

    def is_over(self) -> bool:
        """Whether self-play is to stop; `stop_reason` then says why."""
        if self.elapsed >= self.deadline:
            self.stop_reason = self.stop_reason or "time"
        elif self.settings.steps and self.counters.step >= self.settings.steps:
            self.stop_reason = self.stop_reason or "steps"
        return bool(self.stop_reason)

    def seed(self, *what: int) -> int:
        """A seed of this session for something that the numbers name."""
        parts = [self.settings.seed, self.counters.sessions, *what]
        return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> 1)

    def pool_settings(self, kind: str, games: int, seed: int) -> dict:
        """The settings of a pool that is opened now."""
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
