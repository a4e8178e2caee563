"""The learner: losses fall, schedules rise and fall, averages follow."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from conftest import compiled_losses, compiled_step, random_rows, random_targets, rows_of_every_density

from skirmish.zero import learner, network
from skirmish.zero.learner import LOSSES, Recipe
from skirmish.zero.network import Architecture, Shape


@pytest.fixture
def shape() -> Shape:
    # One board will do here: a torus learns and is kept like any other.
    return Shape(height=3, width=5, planes=7, scalars=2, policy_planes=4, wraps=False)


def blind(shape: Shape, architecture: Architecture, targets: np.ndarray) -> dict:
    """The net that looks at nothing and makes the best of it: it says the same of every board."""
    parameters = {
        name: np.zeros(size, np.float32)
        for name, size in network.tensor_shapes(shape, architecture).items()
    }
    targets = targets.astype(np.float32)
    value_end = shape.policy + 3
    # All moves are on the first plane.
    parameters["policy.out.bias"][0] = 20
    parameters["value.out.bias"][:] = np.log(targets[:, shape.policy : value_end].mean(axis=0) + 1e-6)
    parameters["ownership.bias"][:] = np.arctanh(targets[:, value_end:-2].mean())
    parameters["score.bias"][:] = np.arctanh(targets[:, -2].mean())
    parameters["moves_left.bias"][:] = np.median(targets[:, -1])
    return parameters


def test_every_loss_falls_on_a_task_that_can_be_learned(shape, architecture):
    # A wide margin: of 22 seeds, and of 22 times rounding noise on weights and targets, none left
    # more than a fifth of any loss (`moves_left`), whatever the processor. At a rate that does not
    # fall, chance decides where the last step leaves the weights, and with `random_rows` a guess
    # knows the length of a game to a tenth.
    recipe, steps = Recipe(), 500
    state = learner.fresh(recipe, network.initial(shape, architecture, 1))
    step = compiled_step(shape, recipe)
    rows = rows_of_every_density(shape, 256)
    targets = random_targets(shape, rows)
    for number in range(steps):
        rate = learner.rate_at(2e-3, number, 30, "cosine", number / steps)
        state, _ = step(state, rows, targets, jnp.float32(rate))
    assert int(state.step) == steps
    losses = compiled_losses(shape, recipe)
    _, guessed = losses(blind(shape, architecture, targets), rows, targets)
    # The average trails the weights and arrives with them.
    for parameters in (state.parameters, state.averaged):
        _, learned = losses(parameters, rows, targets)
        for name, before, after in zip(LOSSES, guessed, learned):
            assert after < 0.5 * before, f"{name}: {before} by guessing, {after} by learning"


def test_the_losses_of_a_flat_net_are_those_of_a_guess(shape, architecture):
    parameters = {
        name: jnp.zeros_like(value)
        for name, value in network.initial(shape, architecture, 1).items()
    }
    rows = random_rows(shape, 64)
    targets = random_targets(shape, rows)
    _, values = compiled_losses(shape, Recipe())(parameters, rows, targets)
    named = dict(zip(LOSSES, np.asarray(values)))
    assert named["policy"] == pytest.approx(np.log(shape.policy), rel=1e-3)
    assert named["value"] == pytest.approx(np.log(3), rel=1e-3)
    assert named["ownership"] == pytest.approx(2 * np.log(2), rel=1e-3)


def test_a_head_that_is_sure_of_the_wrong_thing_is_pulled_back(shape, architecture):
    rows = random_rows(shape, 64)
    targets = random_targets(shape, rows)
    parameters = network.initial(shape, architecture, 1)

    def pull(name: str, bias: float) -> float:
        moved = {**parameters, f"{name}.bias": jnp.full((1,), bias)}
        gradient, _ = compiled_losses(shape, Recipe())(moved, rows, targets)
        return float(gradient[f"{name}.bias"][0])

    for name in ("ownership", "score", "moves_left"):
        for bias in (-20.0, 20.0):
            assert pull(name, bias) * np.sign(bias) > 0.01, name


def test_samples_without_a_policy_target_do_not_dilute_the_policy_loss(shape, architecture):
    parameters = network.initial(shape, architecture, 1, lively=True)
    rows = random_rows(shape, 64)
    targets = random_targets(shape, rows)
    half = targets.copy()
    half[32:, : shape.policy] = 0
    # The same 64 rows as they are and twice the first half: one shape to compile.
    losses = compiled_losses(shape, Recipe())
    twice = np.concatenate([rows[:32], rows[:32]]), np.concatenate([targets[:32], targets[:32]])
    _, whole = losses(parameters, *twice)
    _, mixed = losses(parameters, rows, half)
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
