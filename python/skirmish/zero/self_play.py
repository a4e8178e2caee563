"""The games that are learned from: a net against itself, and a league against those before it."""

from __future__ import annotations

from typing import Callable

from skirmish.zero.net_registry import NetRegistry
from skirmish.zero.pools import Accelerator, ThreadGroup, PoolRunner, open_pool
from skirmish.zero.session import Session
from skirmish.zero.trainee import Trainee


class SelfPlay:
    """The pool runners of self-play; the league's joins them once there is a past net."""

    def __init__(
        self, session: Session, accelerator: Accelerator, trainee: Trainee, registry: NetRegistry
    ):
        self.session = session
        self.accelerator = accelerator
        self.trainee = trainee
        self.registry = registry
        self.runners: list[PoolRunner] = []
        settings = session.settings
        league = round(settings.league / (1 - settings.league) * settings.games * settings.pools)
        # Games at once in the league; 0 where there is none.
        self.league_games = league + league % 2

    def begin(self) -> None:
        """Opens the pools in which a net plays itself."""
        settings = self.session.settings
        self.simulations = settings.simulations_at(self.session.fraction)
        for index in range(settings.pools):
            self._open(
                "self_play",
                settings.games,
                self.session.seed(index),
                lambda rows, nets: self.accelerator.answer(self.trainee.serving, rows),
            )

    def _open(self, kind: str, games: int, seed: int, evaluate: Callable) -> None:
        settings = self.session.settings
        about = self.session.pool_settings(kind, games, seed)
        pool = open_pool(settings.game, settings.options, about)
        self.runners.append(PoolRunner(pool, self.accelerator.shape, evaluate))

    def keep_up(self, threads: ThreadGroup | None) -> None:
        """Opens the league when there is an opponent, and searches as deep as the schedule
        says. With a thread group, a runner gets a thread of its own."""
        settings, session = self.session.settings, self.session
        is_waiting = self.league_games and len(self.runners) == settings.pools
        is_waiting = is_waiting and session.counters.promoted
        if is_waiting and self.accelerator.is_ready(self.league_games):
            self._open_league()
            if threads is not None:
                threads.start(self.runners[-1].turn)
        wanted = settings.simulations_at(session.fraction)
        if wanted != self.simulations:
            self.simulations = wanted
            for runner in self.runners:
                runner.pool.set_simulations(wanted, settings.fast_simulations_at(session.fraction))

    def _open_league(self) -> None:
        self.registry.choose_opponent()
        self._open(
            "league",
            self.league_games,
            self.session.seed(1000),
            lambda rows, nets: self.accelerator.answer_two(
                self.trainee.serving, self.registry.opponent, rows, nets
            ),
        )
