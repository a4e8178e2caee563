"""How strong players are, and how sure that is: the arithmetic of every rating in Skirmish.

Each number comes from the crate `skirmish-ratings`, which rates tournaments and matches too, so a
result means the same wherever it is read. Intervals hold 95 %, and every number is finite whatever
the results are. `docs/ratings.md` explains the methods.

    >>> from skirmish.ratings import Tally
    >>> tally = Tally(wins=10, pairs=(0, 0, 0, 0, 5))
    >>> f"{tally.score:.0%} ± {tally.error:.1%}"
    '100% ± 43.4%'
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Iterable, Literal, Sequence

from skirmish import _native

__all__ = [
    "MOST_ELO",
    "Duel",
    "Estimate",
    "Ratings",
    "Sprt",
    "Tally",
    "Verdict",
    "bradley_terry",
    "elo_of",
    "score_of",
]


def elo_of(score: float) -> float:
    """The difference in Elo that a score (0 to 1) stands for, within ±`MOST_ELO`."""
    return _native.ratings_elo_of(score)


def score_of(elo: float) -> float:
    """The score that is expected of a difference in Elo."""
    return _native.ratings_score_of(elo)


MOST_ELO: float = elo_of(1.0)
"""Elo beyond this is given as this: a score of 99.997 %."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width of the interval: what is written after a ±."""
        return (self.high - self.low) / 2


@dataclasses.dataclass(frozen=True)
class Tally:
    """Results of one player against another.

    `pairs` counts pairs of games (one opening, played from both seats) by the points won in them:
    0, ½, 1, 1½, 2. The two games of a pair are not independent, so where every game belongs to a
    pair, pairs are counted in place of games.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.draws + self.losses

    @functools.cached_property
    def _numbers(self) -> tuple:
        return _native.ratings_tally(self._results)

    @property
    def _results(self) -> tuple:
        return self.wins, self.draws, self.losses, list(self.pairs)

    @property
    def score(self) -> float:
        """The part of the points that was won; a half where nothing was played."""
        return self._numbers[0]

    @property
    def standard_error(self) -> float:
        """The standard error of the score."""
        return self._numbers[1]

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of the score."""
        return self._numbers[2]

    @property
    def elo(self) -> Estimate:
        """The difference in Elo, within ±`MOST_ELO`."""
        return Estimate(*self._numbers[3])

    @property
    def normalised_elo(self) -> Estimate:
        """The difference in normalised Elo, which does not depend on how many games are drawn."""
        return Estimate(*self._numbers[4])

    @property
    def likelihood_of_superiority(self) -> float:
        """How likely it is that the first player is the stronger one."""
        return self._numbers[5]

    @property
    def percent(self) -> str:
        """The score and its error as text."""
        return f"{100 * self.score:.1f} % ± {100 * self.error:.1f}"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Where a sequential test stands.

    At or below `lower` the claim is rejected, at or above `upper` it is accepted; in between
    `decision` is "open", and more games are needed.
    """

    log_likelihood_ratio: float
    lower: float
    upper: float
    decision: Literal["open", "rejected", "accepted"]


@dataclasses.dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test: is the difference `elo1` rather than `elo0`?

    `alpha` is how often a difference of `elo0` may be taken for `elo1`, `beta` the reverse.
    Differences are in Elo ("logistic") or in normalised Elo ("normalised").
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    scale: Literal["logistic", "normalised"] = "logistic"

    def judge(self, tally: Tally) -> Verdict:
        """Where the test stands after these results; a `ValueError` where it is no test."""
        if self.scale not in ("logistic", "normalised"):
            raise ValueError(
                f"a test on the scale `{self.scale}`\nhint: `logistic` or `normalised`"
            )
        ratio, lower, upper, is_accepted = _native.ratings_sprt(
            tally._results,
            self.elo0,
            self.elo1,
            self.alpha,
            self.beta,
            self.scale == "normalised",
        )
        decision = {None: "open", False: "rejected", True: "accepted"}[is_accepted]
        return Verdict(ratio, lower, upper, decision)


@dataclasses.dataclass(frozen=True)
class Duel:
    """One game of two players, who are numbers from 0.

    `points` are those of the player who moved first: 1, ½ or 0. Games of the same two players with
    the same `sample` are not independent (the two games of one opening) and are taken together.
    """

    first: int
    second: int
    points: float
    sample: int


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Elo by player, relative to the mean of all players, and what moving first is worth."""

    players: Sequence[Estimate]
    first_move: Estimate


def bradley_terry(
    players: int,
    games: Iterable[Duel],
    *,
    prior: float = 1.0,
    replicates: int = 1000,
    seed: int = 0,
) -> Ratings:
    """Rates `players` players by all their games at once, with an advantage of moving first.

    `prior` is the weight of two games that were not played, one won and one lost against an average
    player; they keep ratings finite. The intervals come from `replicates` rounds of a Bayesian
    bootstrap drawn from `seed`.
    """
    listed = [(game.first, game.second, game.points, game.sample) for game in games]
    found, first_move = _native.ratings_bradley_terry(players, listed, prior, replicates, seed)
    return Ratings([Estimate(*player) for player in found], Estimate(*first_move))
