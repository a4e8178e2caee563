"""The verdict on a candidate after a match against the best net.

Pure functions of the results of the match. The numbers are those of `skirmish.ratings`, the same as
for every other match; only the decisions are made here.
"""

from __future__ import annotations

from skirmish.ratings import Tally, elo_of

PROMOTED = "promoted"
KEPT = "kept"
DISCARDED = "discarded"


def careful_elo(tally: Tally) -> float:
    """The difference in Elo with one more game drawn than was played, so that a sweep does not come
    out at the limit: the Elo of a run is the sum of these."""
    return elo_of((tally.score * tally.games + 0.5) / (tally.games + 1))


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
