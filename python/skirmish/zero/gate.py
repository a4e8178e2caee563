"""Whether a net became stronger: scores, error bars, Elo, and the verdict on a candidate.

Pure functions of the results of a match. The two games of a pair start from one opening with the
seats exchanged; they are not independent, and together they vary less, so pairs are counted as
pairs. The same sums as `strength.rs` does for every other contest.
"""

from __future__ import annotations

import dataclasses
import math

# Where a difference stops meaning anything: a score of 99.997 %.
MOST_ELO = 1800.0
# Standard deviations to either side of the mean that hold 95 %.
Z = 1.959964

PROMOTED = "promoted"
KEPT = "kept"
DISCARDED = "discarded"


@dataclasses.dataclass(frozen=True)
class Tally:
    """Results of one side. `pairs` counts pairs by the points won in them: 0, ½, 1, 1½, 2."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The part of the points that was won; a half where nothing was played."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else 0.5

    @property
    def standard_error(self) -> float:
        """The standard error of the score."""
        if 2 * sum(self.pairs) == self.games and self.games:
            points, weights = (0.0, 0.25, 0.5, 0.75, 1.0), self.pairs
        else:
            # A match cut short holds half pairs; then single games are all there is to count.
            points, weights = (0.0, 0.5, 1.0), (self.losses, self.draws, self.wins)
        count = sum(weights)
        if not count:
            return 0.5
        mean = self.score
        spread = sum(weight * (point - mean) ** 2 for point, weight in zip(points, weights))
        # A sweep has no spread of its own. One result of the other kind could always have been
        # next: that much uncertainty is left.
        return math.sqrt(max(spread / count, 0.25 / count) / count)

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of the score."""
        return Z * self.standard_error

    @property
    def percent(self) -> str:
        """The score and its error, for people."""
        return f"{100 * self.score:.1f} % ± {100 * self.error:.1f}"

    @property
    def elo(self) -> float:
        """The difference in Elo that the results speak for."""
        return elo_of(self.score)

    @property
    def careful_elo(self) -> float:
        """The same with one more game drawn than was played, so that a sweep is a number: ratings
        of a family are sums of these."""
        return elo_of((self.score * self.games + 0.5) / (self.games + 1))

    @property
    def elo_error(self) -> float:
        """Half the width of its 95 % interval."""
        return (elo_of(self.score + self.error) - elo_of(self.score - self.error)) / 2


def elo_of(score: float) -> float:
    """The difference in Elo that a score stands for, within ±`MOST_ELO`."""
    if score <= 0.0:
        return -MOST_ELO
    if score >= 1.0:
        return MOST_ELO
    # Adding nothing turns a minus zero into a plain one.
    return min(max(-400.0 * math.log10(1.0 / score - 1.0), -MOST_ELO), MOST_ELO) + 0.0


def verdict(tally: Tally, *, promote_at: float = 0.52, least_games: int = 40) -> str:
    """What becomes of a candidate after a match against the best net.

    `promoted` from `promote_at` of the points on; `discarded`, and training rolled back, when even
    the upper end of the error bar is below a half; `kept` in between: it goes on learning, and the
    best stays the best. A gate that demanded certainty to promote would never pass anything in a
    short run; one that rolled back on bad luck would forget honest progress.
    """
    if tally.games < least_games:
        return KEPT
    if tally.score >= promote_at:
        return PROMOTED
    if tally.score + tally.error < 0.5:
        return DISCARDED
    return KEPT
