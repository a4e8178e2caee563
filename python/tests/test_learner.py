"""The learner: losses fall, schedules rise and fall, averages follow."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from conftest import compiled_step, random_rows, random_targets

from skirmish.zero import learner, network
from skirmish.zero.learner import LOSSES, Recipe
from skirmish.zero.network import Shape


@pytest.fixture
def shape() -> Shape:
    # One board will do here: a torus learns and is kept like any other.
    return Shape(height=3, width=5, planes=7, scalars=2, policy_planes=4, wraps=False)



def test_every_loss_falls_on_a_task_that_can_be_learned(shape, architecture):
    recipe = Recipe()
    state = learner.fresh(recipe, network.initial(shape, architecture, 1))
    step = compiled_step(shape, recipe)
    rows = random_rows(shape, 256)
    targets = random_targets(shape, rows)
    seen = []
    for _ in range(150):
        state, values = step(state, rows, targets, jnp.float32(3e-3))
        seen.append(np.asarray(values))
    first, last = np.mean(seen[:3], axis=0), np.mean(seen[-3:], axis=0)
    for i, name in enumerate(LOSSES):
        assert last[i] < 0.9 * first[i], f"{name}: {first[i]} -> {last[i]}"
    assert last[LOSSES.index("policy")] < 0.6 * first[LOSSES.index("policy")]
    assert int(state.step) == 150
    # The average trails the weights and arrives with them.
    total, _ = learner.losses(shape, recipe, state.averaged, rows, targets)
    assert float(total) < 0.6 * first[-1]


def test_the_losses_of_a_flat_net_are_those_of_a_guess(shape, architecture):
    parameters = {
        name: jnp.zeros_like(value)
        for name, value in network.initial(shape, architecture, 1).items()
    }
    rows = random_rows(shape, 64)
    targets = random_targets(shape, rows)
    _, values = learner.losses(shape, Recipe(), parameters, rows, targets)
    named = dict(zip(LOSSES, np.asarray(values)))
    assert named["policy"] == pytest.approx(np.log(shape.policy), rel=1e-3)
    assert named["value"] == pytest.approx(np.log(3), rel=1e-3)
    assert named["ownership"] == pytest.approx(1.0, rel=1e-3)


def test_samples_without_a_policy_target_do_not_dilute_the_policy_loss(shape, architecture):
    parameters = network.initial(shape, architecture, 1, lively=True)
    rows = random_rows(shape, 64)
    targets = random_targets(shape, rows)
    half = targets.copy()
    half[32:, : shape.policy] = 0
    _, whole = learner.losses(shape, Recipe(), parameters, rows[:32], targets[:32])
    _, mixed = learner.losses(shape, Recipe(), parameters, rows, half)
    assert float(mixed[0]) == pytest.approx(float(whole[0]), rel=1e-5)


def test_a_step_that_goes_wrong_is_seen_in_its_losses(shape, architecture):
    recipe = Recipe()
    state = learner.fresh(recipe, network.initial(shape, architecture, 1))
    rows = random_rows(shape, 8)
    targets = random_targets(shape, rows)
    targets[3, 0] = np.nan
    _, values = compiled_step(shape, recipe)(state, rows, targets, jnp.float32(1e-3))
    assert not np.isfinite(np.asarray(values)).all()


def test_the_rate_rises_then_stays_or_falls_to_a_tenth():
    assert learner.rate_at(1.0, 0, 10, "constant", 0.0) == pytest.approx(0.1)
    assert learner.rate_at(1.0, 500, 10, "constant", 0.9) == 1.0
    assert learner.rate_at(1.0, 500, 10, "cosine", 0.5) == pytest.approx(0.55)
    assert learner.rate_at(1.0, 500, 10, "cosine", 1.0) == pytest.approx(0.1)
