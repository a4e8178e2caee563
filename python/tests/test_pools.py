"""Pools and windows through the native module, and the accelerator that answers them."""

from __future__ import annotations

import json

import jax.numpy as jnp
import numpy as np
import pytest

from skirmish import _native
from skirmish.zero import network, reference
from skirmish.zero.errors import Trouble
from skirmish.zero.matches import Contest, tally_of
from skirmish.zero.network import Architecture, Shape
from skirmish.zero.pools import Accelerator, PoolRunner, native, open_pool

GAMES = [
    ("amazons", {"size": "4x4"}),
    ("watch-your-back", {}),
    ("in-trap", {}),
]
SMALL = {"games": 16, "simulations": 8, "fast_simulations": 4, "opening_plies": 2}


def runner_of(game: str, options: dict, **settings):
    pool = open_pool(game, options, {"kind": "self_play", "seed": 5, **SMALL, **settings})
    shape = Shape.from_json(pool.shape())
    accelerator = Accelerator(shape)
    parameters = network.initial(shape, Architecture.of(8, 2), 1, lively=True)
    return accelerator, parameters, PoolRunner(
        pool, shape, lambda rows, nets: accelerator.answer(parameters, rows)
    )


def test_games_become_samples_and_are_the_same_every_time():
    game, options = GAMES[0]
    kept = []
    for _ in range(2):
        _, _, runner = runner_of(game, options)
        for _ in range(300):
            runner.turn()
        kept.append(runner.pool.take_games())
    assert kept[0] == kept[1]
    found = json.loads(_native.inspect(kept[0]))
    assert found["games"] > 0 and found["torn_bytes"] == 0

    window = _native.Window(game, json.dumps(options), 10_000)
    games, whole = window.add(kept[0])
    assert games == found["games"]
    assert whole == len(window) == window.len > 0
    # A torn frame at the end is dropped, not fatal.
    assert window.add(kept[0][:-5])[1] < whole
    shape = Shape.from_json(window.shape())
    rows = np.zeros((32, shape.row_bytes), np.uint8)
    targets = np.zeros((32, shape.target_length), np.uint16)
    window.sample(32, 7, rows, targets)
    again = np.zeros_like(rows), np.zeros_like(targets)
    window.sample(32, 7, *again)
    np.testing.assert_array_equal(rows, again[0])
    np.testing.assert_array_equal(targets, again[1])
    values = targets.view(np.float16).astype(np.float32)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[:, : shape.policy].sum(axis=1), 1.0, atol=0.01)
    value = values[:, shape.policy : shape.policy + 3]
    np.testing.assert_allclose(value.sum(axis=1), 1.0, atol=0.01)
    window.set_capacity(10)
    assert len(window) == 10


@pytest.mark.parametrize("game, options", GAMES, ids=[game for game, _ in GAMES])
def test_every_game_is_answered_and_counted(game, options):
    accelerator, parameters, runner = runner_of(game, options)
    for _ in range(20):
        runner.turn()
    counts = json.loads(runner.pool.statistics())
    assert counts["evaluations"] == counts["rows"] == 19 * 16
    assert (runner.nets == 0).all()
    assert accelerator.check(parameters, runner.rows) < 0.002
    assert accelerator.ceiling(parameters, runner.rows, seconds=0.01) > 0
    runner.pool.set_simulations(16, 4)


def test_playing_in_bf16_passes_the_check_and_a_wrong_answer_does_not(monkeypatch):
    shape = Shape(height=6, width=6, planes=9, scalars=3, policy_planes=2, wraps=False)
    rows = np.random.default_rng(3).integers(0, 256, (64, shape.row_bytes), dtype=np.uint8)
    parameters = network.initial(shape, Architecture.of(32, 6), 1, lively=True)
    monkeypatch.setattr(network, "serving_kind", lambda: jnp.bfloat16)
    assert 1e-4 < Accelerator(shape).check(parameters, rows) < 0.03
    monkeypatch.setattr(
        reference, "unpack", lambda shape, rows: (0 * unpack(shape, rows)[0], unpack(shape, rows)[1])
    )
    with pytest.raises(Trouble, match="disagree"):
        Accelerator(shape).check(parameters, rows)


unpack = reference.unpack


def test_a_net_against_itself_ends_even_and_half_pairs_do_not_count():
    game, options = GAMES[0]
    accelerator, parameters, _ = runner_of(game, options)
    settings = {"kind": "match", "seed": 3, **SMALL}
    contest = Contest(accelerator, game, options, settings, parameters, parameters, name="itself")
    for _ in range(5000):
        if contest.turn():
            break
    tally = contest.tally()
    assert contest.is_done and contest.about == {"name": "itself"}
    # The same moves with the seats exchanged: every pair is shared.
    assert tally.games == 16 and tally.score == 0.5 and tally.pairs == (0, 0, 8, 0, 0)
    cut = tally_of({"games": 5, "done": False, "wins": 4, "draws": 0, "losses": 1, "pairs": [2, 1]})
    assert cut.games == 4 and cut.score == 0.75 and cut.pairs == (0, 0, 1, 0, 1)
    half = tally_of({"games": 2, "done": False, "wins": 1, "draws": 1, "losses": 0, "pairs": [1.5]})
    assert (half.wins, half.draws, half.losses) == (1, 1, 0)


def test_complaints_of_the_native_module_carry_their_hints():
    with pytest.raises(Trouble) as trouble:
        open_pool("game17", {}, SMALL)
    assert trouble.value.text().startswith("error: ")
    with pytest.raises(Trouble, match="pairs"):
        open_pool("amazons", {"size": "4x4"}, {**SMALL, "kind": "match", "games": 3})
    pool = open_pool("amazons", {"size": "4x4"}, SMALL)
    with pytest.raises(Trouble, match="rows"):
        native(pool.step, None, np.zeros(3, np.uint8), np.zeros(16, np.uint8))
