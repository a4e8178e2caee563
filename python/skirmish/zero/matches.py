"""Matches between the turns of self-play: candidates against the best net, and the anchors."""

from __future__ import annotations

import concurrent.futures
import json
from typing import Callable

from skirmish.ratings import Tally
from skirmish.zero import gate
from skirmish.zero.net_registry import Candidate, NetRegistry
from skirmish.zero.journal import Journal
from skirmish.zero.network import Parameters
from skirmish.zero.pools import Accelerator, ThreadGroup, PoolRunner, open_pool
from skirmish.zero.session import Session
from skirmish.zero.trainee import Trainee

# Beyond this score another hundred games against the anchor measure nothing new.
SWEPT = 0.985


def tally_of(results: dict) -> Tally:
    """What a match pool's results say so far."""
    pairs = [0] * 5
    for points in results["pairs"]:
        pairs[round(2 * points)] += 1
    if results["done"]:
        return Tally(results["wins"], results["draws"], results["losses"], tuple(pairs))
    # Cut short, only whole pairs count: half a pair favours the side with the better seat. Their
    # points are known, not how they were made, and points are all that matters here.
    games, halves = 2 * len(results["pairs"]), round(2 * sum(results["pairs"]))
    wins, draws = divmod(halves, 2)
    return Tally(wins, draws, games - wins - draws, tuple(pairs))


class Contest:
    """One match.

    `kind` is "match" (network 0 against network 1) or "anchor" (network 0 against an agent);
    `about` is what its verdict will need.
    """

    def __init__(
        self,
        accelerator: Accelerator,
        game: str,
        options: dict,
        settings: dict,
        first: Parameters,
        second: Parameters,
        **about,
    ):
        self.kind = settings["kind"]
        self.about = about
        self.runner = PoolRunner(
            open_pool(game, options, settings),
            accelerator.shape,
            lambda rows, nets: accelerator.answer_two(first, second, rows, nets),
        )
        self.is_done = False
        # Its thread, where a thread group plays it.
        self.thread: concurrent.futures.Future | None = None

    def turn(self) -> bool:
        """Plays on; true when the match is over."""
        self.runner.turn()
        # Asking costs a walk over all games, so not every time.
        if self.runner.turns % 16 == 0:
            self.tally()
        return self.is_done

    def tally(self) -> Tally:
        """How it stands."""
        results = json.loads(self.runner.pool.results())
        self.is_done = results["done"]
        return tally_of(results)


class Matches:
    """The matches under way, one at a time, and what follows from them.

    `checkpoint` keeps the latest state of the run: what a match decides must outlive a kill.
    """

    def __init__(
        self,
        session: Session,
        accelerator: Accelerator,
        trainee: Trainee,
        registry: NetRegistry,
        journal: Journal,
        checkpoint: Callable[[], None],
    ):
        self.session = session
        self.accelerator = accelerator
        self.trainee = trainee
        self.registry = registry
        self.journal = journal
        self.checkpoint = checkpoint
        self.contests: list[Contest] = []
        self._anchor_scores: dict[str, float] = {}
        self._anchors_met = 0

    def begin(self) -> None:
        """From here on it is counted when the next candidate is due."""
        self._gated, self._gated_step = self.session.elapsed, self.session.counters.step

    # --- which are played ---------------------------------------------------------------------

    def open_due(self) -> None:
        """Opens the matches whose time has come."""
        session, settings = self.session, self.session.settings
        if settings.gate_steps:
            due = session.counters.step - self._gated_step >= settings.gate_steps
        else:
            due = session.elapsed - self._gated >= settings.gate_minutes * 60
            # A candidate at the very end is gated anyway.
            due = due and session.elapsed + settings.gate_minutes * 30 < session.deadline
        if due and not self._is_open("match"):
            self.open_gate()
        if not settings.steps and session.counters.step:
            moment = (self._anchors_met + 1) / (settings.anchor_times + 1)
            is_time = session.elapsed / session.deadline > moment
            if self._anchors_met < settings.anchor_times and is_time:
                self._anchors_met += 1
                if not self._is_open("anchor"):
                    self.open_anchors()

    def _is_open(self, kind: str) -> bool:
        return any(contest.kind == kind for contest in self.contests)

    def open_gate(self) -> None:
        """A copy of the trainee as it is now meets the best net, if there is anything new in it."""
        session = self.session
        if session.counters.step == self._gated_step:
            return
        self._gated, self._gated_step = session.elapsed, session.counters.step
        candidate, best = self.registry.open_candidate(), self.registry.best
        self._open(
            "match",
            session.settings.gate_games,
            candidate.serving,
            best.serving,
            session.seed(3000, candidate.number),
            candidate=candidate,
            against=best,
        )
        self.registry.choose_opponent()

    def open_anchors(self) -> None:
        """The trainee as it is now meets the agents whose strength is known."""
        session, counters = self.session, self.session.counters
        # Weights between two candidates go by the number of the earlier one, and by their step.
        serving = self.accelerator.serve(self.trainee.state.averaged)
        for index, anchor in enumerate(session.settings.anchors):
            # At the end, every anchor is met once more for the record.
            if not session.stop_reason and self._anchor_scores.get(anchor, 0.0) > SWEPT:
                continue
            self._open(
                "anchor",
                session.settings.anchor_games,
                serving,
                serving,
                session.seed(4000 + index, counters.step),
                anchor=anchor,
                net=counters.net,
                step=counters.step,
            )

    def _open(
        self, kind: str, games: int, first: Parameters, second: Parameters, seed: int, **about
    ) -> None:
        session, settings = self.session, self.session.settings
        self.accelerator.wait_for(games)
        pool_settings = {
            **session.pool_settings(kind, games, seed),
            # Matches are about strength: every search is a full one.
            "simulations": settings.gate_simulations,
            "fast_simulations": settings.gate_simulations,
            "full_chance": 1.0,
        }
        if kind == "anchor":
            pool_settings["anchor"] = about["anchor"]
        self.contests.append(
            Contest(
                self.accelerator,
                settings.game,
                settings.options,
                pool_settings,
                first,
                second,
                minutes=session.minutes,
                **about,
            )
        )

    # --- how they are played ------------------------------------------------------------------

    def turn(self) -> None:
        """Plays on. One at a time: each turn costs as much as it waits, however many games are
        in it."""
        for contest in self.contests[:1]:
            if contest.turn():
                self.conclude(contest)

    def attend(self, threads: ThreadGroup) -> None:
        """The same with a thread group. One at a time, so that each is over soon."""
        for contest in self.contests[:1]:
            if contest.thread is None:
                contest.thread = threads.start(contest.turn)
            elif contest.thread.done():
                contest.thread.result()
                self.conclude(contest)

    def finish(self) -> None:
        """The last matches, in the time kept for them.

        One that began in self-play goes on; then come the last candidate and the anchors.
        """
        session, settings = self.session, self.session.settings
        limit = settings.minutes * 60 - min(3.0, 0.2 * settings.final_seconds)
        if settings.steps:
            limit = max(limit, session.elapsed + settings.final_seconds)
        self._play_out(limit - 0.6 * max(limit - session.elapsed, 0.0))
        self.open_gate()
        self.open_anchors()
        self._play_out(limit)

    def _play_out(self, limit: float) -> None:
        session = self.session
        while self.contests and session.elapsed < limit and session.stop_reason != "interrupted":
            for contest in list(self.contests):
                if contest.turn():
                    self.conclude(contest)
        # What could not be finished is decided by its whole pairs, which may be too few.
        for contest in list(self.contests):
            self.conclude(contest)

    # --- what follows -------------------------------------------------------------------------

    def conclude(self, contest: Contest) -> None:
        """Writes a match down and draws the consequences."""
        self.contests.remove(contest)
        tally = contest.tally()
        facts = {
            "games": tally.games,
            "score": tally.score,
            "error": tally.error,
            "elo": tally.elo.value,
            "elo_error": tally.elo.error,
            "is_complete": contest.is_done,
        }
        if contest.kind == "match":
            self._conclude_gate(tally, facts, **contest.about)
        elif tally.games:
            self._conclude_anchor(tally, facts, **contest.about)

    def _conclude_anchor(
        self, tally: Tally, facts: dict, *, minutes: float, step: int, net: int, anchor: str
    ) -> None:
        self._anchor_scores[anchor] = tally.score
        self.journal.log(
            "anchor",
            f"{minutes:.2f} min: {tally.percent} against {anchor} in {tally.games} games",
            minutes=minutes,
            step=step,
            net=net,
            anchor=anchor,
            **facts,
        )

    def _conclude_gate(
        self,
        tally: Tally,
        facts: dict,
        *,
        minutes: float,
        candidate: Candidate,
        against: Candidate,
    ) -> None:
        settings, counters = self.session.settings, self.session.counters
        if not tally.games:
            # Too late in the run for a single pair: the net is kept, nothing is said about it.
            self.registry.keep(candidate, counters.best_elo)
            self.journal.log(
                "ungated",
                f"{minutes:.2f} min: net {candidate.number} came too late to be gated",
                minutes=minutes,
                net=candidate.number,
            )
            return
        verdict = gate.verdict(
            tally,
            promote_at=settings.promote_at,
            least_games=min(40, settings.gate_games),
        )
        family_elo = counters.best_elo + gate.careful_elo(tally)
        # In the log of gates, Elo is the candidate's in this run, net 0 being at zero.
        facts |= {"elo": family_elo, "elo_difference": tally.elo.value}
        self.registry.keep(candidate, family_elo)
        if verdict == gate.PROMOTED:
            self.registry.promote(candidate, family_elo)
            self.checkpoint()
        elif verdict == gate.DISCARDED:
            # What was learned since the best net made it weaker.
            self.trainee.go_back(self.registry.best.state)
            # Nothing new to gate until something is learned again, and for as long as usual.
            self.begin()
            self.checkpoint()
        self.journal.log(
            "gate",
            f"{minutes:.2f} min: net {candidate.number} {verdict} against net {against.number}: "
            f"{tally.percent} in {tally.games} games, {tally.elo.value:+.0f} Elo",
            minutes=minutes,
            net=candidate.number,
            against=against.number,
            verdict=verdict,
            steps=int(candidate.state.step),
            **facts,
        )
