"""Makes `golden.safetensors`: tiny random nets, rows, and the answers that JAX gives.

An implementation of the network that shares nothing with the one in Rust, kept as short as its
definition. Run it with Python, jax and safetensors where this file lies, when the definition
changes.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save, save_file

SHAPE = {"height": 5, "width": 6, "planes": 5, "scalars": 2, "policy_planes": 2}
CHANNELS, BLOCKS, POOLED, ROWS = 8, 3, [2], 4


def make_net(random):
    def tensor(*shape):
        scale = np.sqrt(2 / np.prod(shape[:-1])) if len(shape) > 1 else 0.1
        return (random.normal(size=shape) * scale).astype(np.float16)

    planes, scalars, moves = SHAPE["planes"], SHAPE["scalars"], SHAPE["policy_planes"]
    c = CHANNELS
    net = {
        "stem.weight": tensor(3, 3, planes, c),
        "stem.scalars": tensor(scalars, c),
        "stem.bias": tensor(c),
        "policy.squares.weight": tensor(c, 32),
        "policy.squares.bias": tensor(32),
        "policy.pool.weight": tensor(2 * c, 32),
        "policy.out.weight": tensor(32, moves),
        "policy.out.bias": tensor(moves),
        "value.hidden.weight": tensor(2 * c, 64),
        "value.hidden.bias": tensor(64),
        "value.out.weight": tensor(64, 3),
        "value.out.bias": tensor(3),
        "ownership.weight": tensor(c, 1),
        "ownership.bias": tensor(1),
        "score.weight": tensor(64, 1),
        "score.bias": tensor(1),
        "moves_left.weight": tensor(64, 1),
        "moves_left.bias": tensor(1),
    }
    for i in range(BLOCKS):
        for half in ("first", "second"):
            net[f"block.{i}.{half}.weight"] = tensor(3, 3, c, c)
            net[f"block.{i}.{half}.bias"] = tensor(c)
        if i in POOLED:
            net[f"block.{i}.pool.weight"] = tensor(2 * c, c)
            net[f"block.{i}.pool.bias"] = tensor(c)
    return net


def answers(net, wraps, x, s):
    """The network, on boards [N, height, width, planes] and scalars [N, scalars]."""
    net = {name: jnp.asarray(array, jnp.float32) for name, array in net.items()}
    relu = jax.nn.relu

    def convolution(x, weight):
        x = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="wrap" if wraps else "constant")
        numbers = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(
            x, weight, (1, 1), "VALID", dimension_numbers=numbers, precision="highest"
        )

    def pool(x):
        return jnp.concatenate([x.mean((1, 2)), x.max((1, 2))], -1)

    h = convolution(x, net["stem.weight"]) + net["stem.bias"]
    h += (s @ net["stem.scalars"])[:, None, None]
    for i in range(BLOCKS):
        first, second = f"block.{i}.first", f"block.{i}.second"
        a = convolution(relu(h), net[f"{first}.weight"]) + net[f"{first}.bias"]
        if i in POOLED:
            g = pool(relu(a))
            a += (g @ net[f"block.{i}.pool.weight"] + net[f"block.{i}.pool.bias"])[:, None, None]
        h += convolution(relu(a), net[f"{second}.weight"]) + net[f"{second}.bias"]
    t = relu(h)
    g = pool(t)
    p = t @ net["policy.squares.weight"] + net["policy.squares.bias"]
    p = relu(p + (g @ net["policy.pool.weight"])[:, None, None])
    logits = p @ net["policy.out.weight"] + net["policy.out.bias"]
    v = relu(g @ net["value.hidden.weight"] + net["value.hidden.bias"])
    outcomes = v @ net["value.out.weight"] + net["value.out.bias"]
    return jnp.concatenate([logits.transpose(0, 3, 1, 2).reshape(len(x), -1), outcomes], -1)


def main():
    random = np.random.default_rng(1)
    height, width, planes = SHAPE["height"], SHAPE["width"], SHAPE["planes"]
    golden = {}
    for name, wraps in (("plain", False), ("torus", True)):
        net = make_net(random)
        about = {
            "format": 1,
            "game": "amazons",
            "options": {"size": f"{height}x{width}"},
            "shape": {**SHAPE, "wraps": wraps},
            "channels": CHANNELS,
            "blocks": BLOCKS,
            "pooled": POOLED,
            "trained": {"minutes": 0, "steps": 0},
        }
        bits = random.random((ROWS, planes, height, width)) < 0.4
        scalars = random.integers(0, 256, (ROWS, SHAPE["scalars"]), np.uint8)
        packed = np.packbits(bits.reshape(ROWS, -1), axis=1, bitorder="little")
        expected = answers(
            net,
            wraps,
            jnp.asarray(bits.transpose(0, 2, 3, 1), jnp.float32),
            jnp.asarray(scalars, jnp.float32) / 255,
        )
        file = save(net, metadata={"skirmish": json.dumps(about)})
        golden[f"{name}.net"] = np.frombuffer(file, np.uint8)
        golden[f"{name}.rows"] = np.concatenate([packed, scalars], axis=1)
        golden[f"{name}.answers"] = np.asarray(expected, np.float32)
    save_file(golden, "golden.safetensors")


if __name__ == "__main__":
    main()
