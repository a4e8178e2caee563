"""The gate: its verdicts, on the numbers of `skirmish.ratings`."""

from __future__ import annotations

import pytest

from skirmish.ratings import Tally
from skirmish.zero import gate
from skirmish.zero.gate import DISCARDED, KEPT, PROMOTED


def test_the_elo_of_a_run_sums_careful_numbers():
    sweep = Tally(wins=200, pairs=(0, 0, 0, 0, 100))
    assert gate.careful_elo(sweep) == pytest.approx(1041.3, abs=0.1)
    assert gate.careful_elo(Tally(wins=10, losses=10)) == 0
    assert gate.careful_elo(Tally()) == 0


def test_verdicts_at_their_borders():
    assert gate.verdict(Tally()) == KEPT
    assert gate.verdict(Tally(wins=208, losses=192)) == PROMOTED
    assert gate.verdict(Tally(wins=207, losses=193)) == KEPT
    # 400 single games: the error bar is 4.9 %.
    assert gate.verdict(Tally(wins=182, losses=218)) == KEPT
    assert gate.verdict(Tally(wins=178, losses=222)) == DISCARDED
    # Too few games to roll anything back.
    assert gate.verdict(Tally(losses=20)) == KEPT


def test_a_few_bad_pairs_are_not_yet_a_verdict():
    # 2½ points of 10, in five pairs of 0, 0, ½, ½ and 1½. A normal distribution with the spread of
    # the sample would say 25 % ± 24.0 and roll the net back; Student's says ± 38.0.
    tally = Tally(wins=1, draws=3, losses=6, pairs=(2, 2, 0, 1, 0))
    assert tally.percent == "25.0 % ± 38.0"
    assert gate.verdict(tally, least_games=10) == KEPT
