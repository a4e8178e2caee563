"""How the network learns: losses, one optimiser step, and the averaged weights.

A step is one jitted function of fixed shape from state and batch to state and losses. Nothing in
it depends on the wall clock or on a hidden generator: the learning rate comes in as a number, so
the same batches give the same weights, and a run that was cut in two ends where an uncut one does.
"""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from skirmish.zero import network
from skirmish.zero.network import Parameters, Shape


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What a step needs to know besides the batch. The auxiliary weights are small on purpose:
    they shape the trunk early on and must not outvote the two losses the search lives by."""

    weight_decay: float = 1e-4
    clip: float = 1.0
    average_decay: float = 0.995
    policy_weight: float = 1.0
    value_weight: float = 1.0
    ownership_weight: float = 0.15
    score_weight: float = 0.1
    moves_left_weight: float = 0.05


class State(NamedTuple):
    """Everything a step changes."""

    parameters: Parameters
    averaged: Parameters
    optimiser: optax.OptState
    step: jax.Array


LOSSES = ("policy", "value", "ownership", "score", "moves_left", "total")


def optimiser(recipe: Recipe) -> optax.GradientTransformation:
    """AdamW behind a clipped gradient, without its learning rate, which `step` multiplies in."""
    return optax.chain(
        optax.clip_by_global_norm(recipe.clip),
        # A second moment with a memory of 50 steps: targets move while the net learns.
        optax.scale_by_adam(b1=0.9, b2=0.98, eps=1e-8),
        optax.add_decayed_weights(
            recipe.weight_decay,
            # Biases are offsets, not complexity.
            mask=lambda tree: {name: not name.endswith("bias") for name in tree},
        ),
    )


def fresh(recipe: Recipe, parameters: Parameters) -> State:
    """The state before the first step."""
    # Copies, because a step gives its input's memory back: no two entries may share an array.
    copy = {name: jnp.array(value, jnp.float32) for name, value in parameters.items()}
    averaged = {name: jnp.array(value, jnp.float32) for name, value in parameters.items()}
    return State(copy, averaged, optimiser(recipe).init(copy), jnp.zeros((), jnp.int32))


def _bounded(logit: jax.Array, target: jax.Array) -> jax.Array:
    """How far `tanh(logit)` is from a target between -1 and 1: twice the relative entropy of the
    two, each taken as the mean of something that is 1 or -1. Near zero that is the squared error.

    The squared error itself is flat wherever the tangent is: a head that the first steps had driven
    to the wrong end stayed there, in 1 of 30 nets at a learning rate of 3e-3. Here the gradient is
    the error.
    """
    wanted = jnp.clip((1.0 + target) / 2.0, 0.0, 1.0)
    entropy = -jax.scipy.special.xlogy(wanted, wanted)
    entropy -= jax.scipy.special.xlogy(1.0 - wanted, 1.0 - wanted)
    return 2.0 * (jax.nn.softplus(2.0 * logit) - 2.0 * wanted * logit - entropy)


def losses(
    shape: Shape, recipe: Recipe, parameters: Parameters, rows: jax.Array, targets: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The total loss, and all of `LOSSES` in order."""
    said = network.logits(shape, network.cast(parameters, network.serving_kind()), rows)
    targets = targets.astype(jnp.float32)
    policy_end = shape.policy
    value_end = policy_end + 3
    cells_end = value_end + shape.cells
    policy_target = targets[:, :policy_end]
    value_target = targets[:, policy_end:value_end]
    ownership_target = targets[:, value_end:cells_end]
    score_target, moves_target = targets[:, cells_end], targets[:, cells_end + 1]

    # A sample without a policy target (all zeros) teaches the other heads only.
    taught = jnp.sum(policy_target)
    policy = -jnp.sum(policy_target * jax.nn.log_softmax(said["policy"])) / jnp.maximum(taught, 1.0)
    value = -jnp.mean(jnp.sum(value_target * jax.nn.log_softmax(said["value"]), axis=1))
    ownership = jnp.mean(_bounded(said["ownership"], ownership_target))
    score = jnp.mean(_bounded(said["score"], score_target))
    # Lengths have a long tail, so far misses count linearly.
    moves_left = jnp.mean(optax.huber_loss(said["moves_left"], moves_target, delta=0.25))
    total = (
        recipe.policy_weight * policy
        + recipe.value_weight * value
        + recipe.ownership_weight * ownership
        + recipe.score_weight * score
        + recipe.moves_left_weight * moves_left
    )
    return total, jnp.stack([policy, value, ownership, score, moves_left, total])


def step(
    shape: Shape, recipe: Recipe, state: State, rows: jax.Array, targets: jax.Array, rate: jax.Array
) -> tuple[State, jax.Array]:
    """One step on one batch. Answers the new state and the losses before the step."""
    gradient, seen = jax.grad(
        lambda parameters: losses(shape, recipe, parameters, rows, targets), has_aux=True
    )(state.parameters)
    updates, moments = optimiser(recipe).update(gradient, state.optimiser, state.parameters)
    parameters = jax.tree.map(lambda p, u: p - rate * u, state.parameters, updates)
    # A young average must not remember the random net it began as.
    count = state.step.astype(jnp.float32)
    decay = jnp.minimum(recipe.average_decay, (1.0 + count) / (10.0 + count))
    averaged = jax.tree.map(lambda a, p: decay * a + (1.0 - decay) * p, state.averaged, parameters)
    return State(parameters, averaged, moments, state.step + 1), seen


def compiled_step(shape: Shape, recipe: Recipe):
    """`step` as a jitted function of state, rows, targets (an array of numpy) and learning rate.

    The state's memory is reused, so a caller must keep no part of the state it passes in.
    """

    def one(state, rows, targets, rate):
        return step(shape, recipe, state, rows, targets, rate)

    compiled = jax.jit(one, donate_argnums=(0,))

    def call(state, rows, targets, rate):
        return compiled(state, rows, targets.astype(network.exchanged_kind(), copy=False), rate)

    return call


def rate_at(
    peak: float, step: int, warmup_steps: int, schedule: str, fraction_done: float
) -> float:
    """The learning rate: a linear rise, then constant, or a cosine down to a tenth at the end.

    The cosine follows the part of the run that is over, not a number of steps: it is not known
    beforehand how many steps fit into a rental.
    """
    rise = min(1.0, (step + 1) / max(warmup_steps, 1))
    if schedule == "cosine":
        fall = 0.1 + 0.9 * 0.5 * (1.0 + math.cos(math.pi * min(max(fraction_done, 0.0), 1.0)))
        return peak * rise * fall
    return peak * rise
