"""The network: unpacking of rows, agreement with its numpy definition, names and sizes."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import random_rows

from skirmish.zero import learner, network, reference
from skirmish.zero.learner import Recipe
from skirmish.zero.network import Architecture, Shape
from skirmish.zero.pools import Accelerator


def test_a_row_is_unpacked_bit_by_bit(shape):
    rows = random_rows(shape, 9)
    planes, scalars = jax.jit(lambda rows: network.unpack(shape, rows))(rows)
    expected_planes, expected_scalars = reference.unpack(shape, rows)
    np.testing.assert_array_equal(planes, expected_planes)
    np.testing.assert_allclose(scalars, expected_scalars, rtol=1e-6)


def test_one_bit_lights_one_square():
    shape = Shape(height=2, width=3, planes=2, scalars=1, policy_planes=1, wraps=False)
    row = np.zeros((1, shape.row_bytes), np.uint8)
    # Plane 1, row 1, column 2: bit 1*6 + 5 = 11, so bit 3 of byte 1.
    row[0, 1] = 1 << 3
    row[0, 2] = 51
    planes, scalars = network.unpack(shape, jnp.asarray(row))
    assert planes.shape == (1, 2, 3, 2)
    assert float(planes.sum()) == 1.0
    assert float(planes[0, 1, 2, 1]) == 1.0
    assert float(scalars[0, 0]) == pytest.approx(0.2)


def test_the_network_agrees_with_its_definition(shape, architecture):
    parameters = network.initial(shape, architecture, 3, lively=True)
    # Biases start at zero; here they must be seen to be added.
    random = np.random.default_rng(5)
    parameters = {
        name: value + 0.1 * random.standard_normal(value.shape).astype(np.float32)
        for name, value in parameters.items()
    }
    # Saturated, a hyperbolic tangent would agree with anything.
    for name in ("score.weight", "ownership.weight"):
        parameters[name] = 0.02 * parameters[name]
    rows = random_rows(shape, 16)
    said = jax.jit(lambda p, rows: network.forward(shape, p, rows))(parameters, rows)
    expected = reference.forward(shape, parameters, rows)
    assert said.keys() == expected.keys()
    for name in expected:
        assert said[name].shape == expected[name].shape, name
        np.testing.assert_allclose(said[name], expected[name], atol=2e-5, rtol=2e-5, err_msg=name)
        assert expected[name].std() > 1e-3, f"{name} says the same of everything"


def test_an_answer_is_policy_then_win_draw_loss(shape, architecture):
    parameters = network.initial(shape, architecture, 3, lively=True)
    rows = random_rows(shape, 4)
    answer = np.asarray(network.answers(shape, parameters, jnp.asarray(rows)))
    assert answer.dtype == network.exchanged_kind()
    assert answer.shape == (4, shape.answer_length)
    np.testing.assert_allclose(answer, reference.answers(shape, parameters, rows), atol=0.01)


def test_nothing_compiled_for_a_cpu_has_halves_in_it(shape, architecture):
    parameters = network.initial(shape, architecture, 3)
    rows = random_rows(shape, 4)
    state = learner.fresh(Recipe(), parameters)
    targets = np.zeros((4, shape.target_length), network.exchanged_kind())
    step = jax.jit(functools.partial(learner.step, shape, Recipe()))
    answers = jax.jit(functools.partial(network.answers, shape))
    for compiled in (step.lower(state, rows, targets, 1e-3), answers.lower(parameters, rows)):
        assert "f32" in compiled.as_text() and "f16" not in compiled.as_text()


def test_each_row_is_answered_by_the_net_it_names(shape, architecture):
    first = network.initial(shape, architecture, 3, lively=True)
    second = network.initial(shape, architecture, 4, lively=True)
    rows = random_rows(shape, 6)
    accelerator = Accelerator(shape)
    nets = np.asarray([0, 1, 1, 0, 1, 0], np.uint8)
    mixed = np.asarray(accelerator.answer_two(first, second, rows, nets))
    one = np.asarray(accelerator.answer(first, rows))
    other = np.asarray(accelerator.answer(second, rows))
    np.testing.assert_array_equal(accelerator.answer_two(first, first, rows, nets), one)
    np.testing.assert_array_equal(mixed[[0, 3, 5]], one[[0, 3, 5]])
    np.testing.assert_array_equal(mixed[[1, 2, 4]], other[[1, 2, 4]])


def test_a_torus_written_out_as_matrices_says_the_same(shape, architecture):
    parameters = network.initial(shape, architecture, 3, lively=True)
    written = network.unrolled(shape, parameters)
    assert (written["stem.weight"].ndim == 2) == shape.wraps
    rows = random_rows(shape, 6)
    said, expected = (network.forward(shape, p, rows) for p in (written, parameters))
    for name in expected:
        np.testing.assert_allclose(said[name], expected[name], atol=2e-5, rtol=2e-5, err_msg=name)


def test_a_fresh_net_has_the_promised_tensors_and_says_nearly_nothing(shape):
    architecture = Architecture.of(channels=16, blocks=6)
    assert architecture.pooled == (2, 5)
    parameters = network.initial(shape, architecture, 1)
    sizes = network.tensor_shapes(shape, architecture)
    assert {name: value.shape for name, value in parameters.items()} == sizes
    assert network.architecture_of(parameters) == architecture
    answer = reference.answers(shape, parameters, random_rows(shape, 8))
    assert np.abs(answer).max() < 0.3
    again = network.initial(shape, architecture, 1)
    for name, value in parameters.items():
        np.testing.assert_array_equal(value, again[name])


def test_a_shape_reads_back_and_a_missing_part_is_named(shape):
    assert Shape.from_json(shape.to_json()) == shape
    part = shape.to_json()
    del part["wraps"]
    with pytest.raises(Exception, match="wraps"):
        Shape.from_json(part)
