"""The rates in the log of a run: each of one population, over the time it happened in."""

from __future__ import annotations

import pytest
from test_pools import GAMES, runner_of

from skirmish.zero import pools
from skirmish.zero.pools import Counts
from skirmish.zero.progress import Rates


def counts(**given) -> dict:
    names = ("rows", "games", "turns", "searches", "full_searches", "evaluations", "draws")
    blank = dict.fromkeys((*names, "resigned"), 0)
    return {**blank, "first_player_score": None, "policy_entropy": None, **given}


def test_rates_are_taken_over_the_time_in_which_the_turns_were():
    # The first pool was asked in the middle of a turn: what it counts ended at 4 s.
    first = Counts(counts(rows=300, evaluations=240, games=3, turns=60), 0.0, 4.0)
    second = Counts(counts(rows=200, evaluations=200, games=1, turns=40, draws=1), 1.0, 5.0)
    idle = Counts(counts(), 5.0, 5.0)
    rates = Rates.of([first, second, idle])
    assert rates.evaluations == 440 and rates.evaluations_per_second == 88
    assert rates.games_per_second == 0.8
    assert rates.game_turns == 25 and rates.draws == 0.25 and rates.batch_fill == 0.88


def test_means_are_weighted_by_what_they_are_means_of():
    first = Counts(counts(games=3, first_player_score=1.0), 0.0, 1.0)
    second = Counts(counts(games=1, first_player_score=0.0, full_searches=8, policy_entropy=2.0), 0.0, 1.0)
    rates = Rates.of([first, second])
    assert rates.first_player_score == 0.75 and rates.policy_entropy == 2.0


def test_nothing_played_has_no_length():
    for rates in (Rates.of([]), Rates.of([Counts(counts(), 3.0, 3.0)])):
        assert rates.evaluations_per_second == rates.games_per_second == 0
        assert rates.game_turns is rates.batch_fill is rates.resigned is None


def test_no_pool_answers_more_than_it_was_given_time_for(monkeypatch):
    """However the asking falls between turns: by a clock that a turn moves on, each batch takes one
    second, so the rate is one batch a second."""
    now = [100.0]
    monkeypatch.setattr(pools.time, "monotonic", lambda: now[0])
    game, options = GAMES[0]
    _, _, runner = runner_of(game, options)
    for turns, wait in ((1, 5.0), (3, 0.0), (1, 0.25), (0, 9.0), (7, 0.5)):
        for _ in range(turns):
            now[0] += 1.0
            runner.turn()
        now[0] += wait
        rates = Rates.of([runner.take_counts()])
        assert rates.evaluations_per_second <= 16
        assert rates.batch_fill is None or rates.batch_fill == 1.0


def test_games_that_go_on_are_no_part_of_the_length_of_a_game():
    game, options = GAMES[0]
    _, _, runner = runner_of(game, options)
    lengths = []
    for _ in range(60):
        runner.turn()
        lengths.append(Rates.of([runner.take_counts()]).game_turns)
    # Sixteen squares less eight amazons: each turn burns one.
    assert all(length is None or 1 <= length <= 8 for length in lengths)
    assert any(length is not None for length in lengths)
