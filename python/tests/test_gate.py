"""The gate: the numbers of `strength.rs`, and the verdicts."""

from __future__ import annotations

import random

import pytest

from skirmish.zero import gate
from skirmish.zero.gate import DISCARDED, KEPT, PROMOTED, Tally


def test_three_quarters_of_the_points_are_191_elo():
    tally = Tally(wins=60, draws=30, losses=10)
    assert tally.score == 0.75
    assert tally.elo == pytest.approx(190.85, abs=0.01)
    # By hand: variance (60·0.0625 + 30·0.0625 + 10·0.5625)/100 = 0.1125, error 0.03354.
    assert tally.standard_error == pytest.approx(0.033541, abs=1e-6)


def test_pairs_that_split_say_more_than_single_games():
    single = Tally(wins=100, losses=100)
    paired = Tally(wins=100, losses=100, pairs=(10, 0, 80, 0, 10))
    assert paired.standard_error < 0.7 * single.standard_error
    assert paired.score == single.score == 0.5


def test_a_sweep_is_a_bound_and_nothing_played_is_a_half():
    sweep = Tally(wins=200, pairs=(0, 0, 0, 0, 100))
    assert sweep.elo == gate.MOST_ELO
    assert 0 < sweep.standard_error < 0.02
    assert sweep.careful_elo == pytest.approx(1041.3, abs=0.1)
    assert Tally(wins=10, losses=10).careful_elo == 0
    assert Tally().score == 0.5
    assert gate.verdict(Tally()) == KEPT


def test_verdicts_at_their_borders():
    assert gate.verdict(Tally(wins=208, losses=192)) == PROMOTED
    assert gate.verdict(Tally(wins=207, losses=193)) == KEPT
    # 400 single games: the error bar is 4.9 %.
    assert gate.verdict(Tally(wins=182, losses=218)) == KEPT
    assert gate.verdict(Tally(wins=178, losses=222)) == DISCARDED
    # Too few games to roll anything back.
    assert gate.verdict(Tally(losses=20)) == KEPT


def test_the_error_bar_holds_the_truth_about_95_times_in_100():
    seed = 20261115
    generator = random.Random(seed)
    held = 0
    for _ in range(1000):
        points = [0] * 5
        wins = losses = 0
        for _ in range(100):
            pair = [generator.random() < 0.55 for _ in range(2)]
            wins += sum(pair)
            losses += 2 - sum(pair)
            points[2 * sum(pair)] += 1
        tally = Tally(wins=wins, losses=losses, pairs=tuple(points))
        held += abs(tally.score - 0.55) <= tally.error
    assert 925 <= held <= 975, f"held {held} times, seed {seed}"
