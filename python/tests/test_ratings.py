"""The statistics from Python: the very numbers that `crates/ratings` is tested on."""

from __future__ import annotations

import math
import random
import subprocess
import sys

import pytest

from skirmish.ratings import (
    MOST_ELO,
    Duel,
    Estimate,
    Sprt,
    Tally,
    bradley_terry,
    elo_of,
    score_of,
)


def pairs(*counts: int) -> Tally:
    lost, less, even, more, won = counts
    wins, draws, losses = even + more + 2 * won, less + more, 2 * lost + less + even
    return Tally(wins, draws, losses, counts)


def test_a_sweep_of_ten_games_in_five_pairs_is_sure_of_less_than_it_looks():
    # Wilson's interval at its end, over pairs: z²/(n + z²) with n = 5.
    tally = Tally(wins=10, pairs=(0, 0, 0, 0, 5))
    z = 1.959963984540054
    assert tally.error == pytest.approx(z * z / (5 + z * z), abs=1e-12)
    assert tally.percent == "100.0 % ± 43.4"
    assert tally.elo == Estimate(MOST_ELO, elo_of(1 - tally.error), MOST_ELO)


def test_three_quarters_of_the_points_are_191_elo():
    tally = Tally(wins=60, draws=30, losses=10)
    assert tally.score == 0.75 and tally.games == 100
    assert tally.elo.value == pytest.approx(190.85, abs=0.01)
    # By hand: variance (60·0.0625 + 30·0.0625 + 10·0.5625)/99 = 0.11364, error 0.03371; 95 % of
    # Student's distribution with 99 degrees of freedom lie within 1.98422.
    assert tally.standard_error == pytest.approx(0.033710, abs=1e-6)
    assert tally.error == pytest.approx(1.98422 * 0.033710, abs=1e-5)
    assert tally.elo.low == pytest.approx(elo_of(0.683112), abs=0.1)
    assert tally.elo.high == pytest.approx(elo_of(0.816888), abs=0.1)
    assert score_of(elo_of(0.31)) == pytest.approx(0.31, abs=1e-12)


def test_elo_is_what_fastchess_finds():
    near = lambda expected: pytest.approx(expected, rel=0.01)
    tally = Tally(wins=136, draws=111, losses=96)
    assert tally.elo.value == near(40.70) and tally.elo.error == near(30.43)
    assert tally.normalised_elo.value == near(49.77)
    assert tally.likelihood_of_superiority == near(0.9960)
    tally = pairs(34, 54, 31 + 32, 64, 75)
    assert tally.elo.value == near(55.58) and tally.elo.error == near(27.65)
    assert tally.normalised_elo.value == near(57.94)


def test_nothing_played_is_a_half_and_everything_is_possible():
    nothing = Tally()
    assert (nothing.score, nothing.games) == (0.5, 0)
    assert nothing.elo == Estimate(0.0, -MOST_ELO, MOST_ELO)
    assert math.copysign(1, nothing.elo.value) == 1
    assert nothing.likelihood_of_superiority == pytest.approx(0.5)


def test_pairs_that_split_vary_less_than_single_games():
    single = Tally(wins=100, losses=100)
    paired = Tally(wins=100, losses=100, pairs=(10, 0, 80, 0, 10))
    assert paired.standard_error < 0.7 * single.standard_error
    assert paired.score == single.score == 0.5


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


def test_the_ratio_is_what_fastchess_finds():
    verdict = Sprt(0, 2, scale="normalised").judge(pairs(365, 16_618, 36_229, 16_974, 390))
    assert verdict.log_likelihood_ratio == pytest.approx(2.25, abs=0.02)
    assert verdict.decision == "open"
    verdict = Sprt(0, 2).judge(pairs(871, 26_175, 55_983, 26_678, 821))
    assert verdict.log_likelihood_ratio == pytest.approx(-4.98, abs=0.03)
    assert verdict.decision == "rejected"
    assert verdict.lower == pytest.approx(math.log(0.05 / 0.95))
    assert Sprt(0, 20).judge(pairs(0, 0, 10, 30, 60)).decision == "accepted"


@pytest.mark.parametrize(
    "test", [Sprt(5, 5), Sprt(alpha=0), Sprt(beta=0.5), Sprt(scale="elo")], ids=str
)
def test_what_is_no_test_is_refused(test):
    with pytest.raises(ValueError, match="hint: "):
        test.judge(Tally())


def test_a_player_that_wins_three_games_of_four_is_191_elo_stronger():
    # Both move first equally often, and as well: no advantage, and the closed form for two players.
    games = [Duel(0, 1, 1.0 if index < 30 else 0.0, index) for index in range(40)]
    games += [Duel(1, 0, 0.0 if index < 30 else 1.0, 40 + index) for index in range(40)]
    bare = bradley_terry(2, games, prior=0, replicates=0)
    assert bare.players[0].value - bare.players[1].value == pytest.approx(190.85, abs=0.1)
    assert bare.first_move.value == pytest.approx(0, abs=0.1)
    one, other = (bradley_terry(2, games, seed=seed) for seed in (7, 7))
    assert one == other
    first, second = one.players
    assert second.high < first.low
    # A third player without games: nothing but the prior.
    assert bradley_terry(3, games).players[2].error > 300


def test_importing_the_statistics_imports_nothing_else():
    script = "import sys, skirmish.ratings; sys.exit('numpy' in sys.modules or 'jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
