"""Checkpoints: a run cut in two ends where an uncut one does, and a kill leaves a whole file."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import compiled_step, random_rows, random_targets
from safetensors import safe_open

from skirmish.zero import checkpoint, learner, network
from skirmish.zero.errors import Trouble
from skirmish.zero.learner import Recipe
from skirmish.zero.network import Shape


@pytest.fixture
def shape() -> Shape:
    # One board will do here: a torus learns and is kept like any other.
    return Shape(height=3, width=5, planes=7, scalars=2, policy_planes=4, wraps=False)



def train(shape, state, steps: range):
    step = compiled_step(shape, Recipe())
    for number in steps:
        rows = random_rows(shape, 32, seed=number)
        state, _ = step(state, rows, random_targets(shape, rows), jnp.float32(1e-3))
    return state


def test_ten_steps_are_five_saved_loaded_and_five_more_bit_for_bit(shape, architecture, tmp_path):
    def fresh():
        return learner.fresh(Recipe(), network.initial(shape, architecture, 1))

    whole = train(shape, fresh(), range(10))
    path = tmp_path / "checkpoints" / "latest.safetensors"
    checkpoint.save_state(path, train(shape, fresh(), range(5)), {"games": 7, "seed": 1})
    state, counters = checkpoint.load_state(path, fresh())
    assert counters["games"] == 7
    assert json.loads(path.with_suffix(".json").read_text())["games"] == 7
    halves = train(shape, state, range(5, 10))
    expected, found = jax.tree.leaves(whole), jax.tree.leaves(halves)
    assert len(expected) == len(found)
    for one, other in zip(expected, found):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_a_state_that_is_not_finite_never_replaces_a_good_one(shape, architecture, tmp_path):
    state = learner.fresh(Recipe(), network.initial(shape, architecture, 1))
    path = tmp_path / "latest.safetensors"
    checkpoint.save_state(path, state, {"step": 1})
    good = path.read_bytes()
    spoiled = state._replace(
        parameters={**state.parameters, "stem.bias": state.parameters["stem.bias"] * np.nan}
    )
    with pytest.raises(Trouble, match="parameters.stem.bias"):
        checkpoint.save_state(path, spoiled, {"step": 2})
    assert path.read_bytes() == good
    assert [file.name for file in tmp_path.iterdir() if "partial" in file.name] == []


def test_a_checkpoint_of_another_size_or_a_torn_one_is_refused(shape, architecture, tmp_path):
    path = tmp_path / "latest.safetensors"
    state = learner.fresh(Recipe(), network.initial(shape, architecture, 1))
    checkpoint.save_state(path, state, {})
    wider = network.Architecture.of(16, 3)
    with pytest.raises(Trouble, match="does not fit"):
        checkpoint.load_state(path, learner.fresh(Recipe(), network.initial(shape, wider, 1)))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(Trouble, match="cannot be read"):
        checkpoint.load_state(path, state)
    with pytest.raises(Trouble, match="there is no"):
        checkpoint.load_state(tmp_path / "none.safetensors", state)


def test_a_net_reads_back_with_its_metadata_and_plays_other_sizes(shape, architecture, tmp_path):
    path = tmp_path / "nets" / "0001.safetensors"
    parameters = network.initial(shape, architecture, 1, lively=True)
    trained = {"minutes": 1.5, "steps": 10}
    checkpoint.save_net(path, parameters, shape, "amazons", {"size": "3x5"}, trained)
    with safe_open(str(path), framework="numpy") as file:
        metadata = json.loads(file.metadata()["skirmish"])
        assert set(file.keys()) == set(network.tensor_shapes(shape, architecture))
        assert file.get_tensor("stem.weight").dtype == np.float16
    assert metadata == {
        "format": 1,
        "game": "amazons",
        "options": {"size": "3x5"},
        "shape": shape.to_json(),
        "channels": 8,
        "blocks": 3,
        "pooled": [2],
        "trained": trained,
    }
    larger = Shape(**{**shape.to_json(), "height": 8, "width": 8})
    read, _ = checkpoint.load_net(path, larger)
    for name, value in parameters.items():
        np.testing.assert_allclose(read[name], value, atol=1e-3, rtol=1e-3)
    other = Shape(**{**shape.to_json(), "planes": 9})
    with pytest.raises(Trouble, match="planes = 7"):
        checkpoint.load_net(path, other)
