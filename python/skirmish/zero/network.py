"""The network: a residual tower as plain functions over a dictionary of named arrays.

The names and the shapes of the tensors are a promise to every other reader of a net file (the
runtime that plays on a CPU, the export to ONNX), so they are written out here instead of being
left to a layer library. Everything is fully convolutional: one set of tensors plays any size of
board.

A position arrives as a *row* of bytes: bit planes, plane by plane, packed from the lowest bit,
then one byte per scalar. Rows are unpacked on the accelerator, because copying whole planes
there costs more than the network itself.
"""

from __future__ import annotations

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np

from skirmish.zero.errors import Trouble

# Widths of the two heads. Part of the file format's promise, so not a setting.
POLICY_WIDTH = 32
VALUE_WIDTH = 64

Parameters = dict[str, jax.Array]


@dataclasses.dataclass(frozen=True)
class Shape:
    """What a game shows the network, and how many moves the network may name."""

    height: int
    width: int
    planes: int
    scalars: int
    policy_planes: int
    wraps: bool

    @staticmethod
    def from_json(text: str | dict) -> "Shape":
        """Reads the shape as the native pool and the net files write it."""
        value = json.loads(text) if isinstance(text, str) else text
        try:
            return Shape(**{field.name: value[field.name] for field in dataclasses.fields(Shape)})
        except KeyError as missing:
            raise Trouble(
                f"the shape of the board lacks {missing}",
                "the native module and the Python files must come from the same wheel",
            ) from None

    def to_json(self) -> dict:
        """As net files keep it."""
        return dataclasses.asdict(self)

    @property
    def cells(self) -> int:
        return self.height * self.width

    @property
    def plane_bytes(self) -> int:
        return (self.planes * self.cells + 7) // 8

    @property
    def row_bytes(self) -> int:
        return self.plane_bytes + self.scalars

    @property
    def policy(self) -> int:
        return self.policy_planes * self.cells

    @property
    def answer_length(self) -> int:
        return self.policy + 3

    @property
    def target_length(self) -> int:
        return self.policy + 3 + self.cells + 2


@dataclasses.dataclass(frozen=True)
class Architecture:
    """How large the tower is. `pooled` names the blocks that also look at the whole board."""

    channels: int = 64
    blocks: int = 6
    pooled: tuple[int, ...] = ()

    @staticmethod
    def of(channels: int, blocks: int) -> "Architecture":
        """The usual tower of that size: every third block pools."""
        return Architecture(channels, blocks, tuple(i for i in range(blocks) if i % 3 == 2))


def tensor_shapes(shape: Shape, architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Every tensor of the network by its name in net files."""
    channels = architecture.channels
    tensors: dict[str, tuple[int, ...]] = {
        "stem.weight": (3, 3, shape.planes, channels),
        "stem.scalars": (shape.scalars, channels),
        "stem.bias": (channels,),
    }
    for i in range(architecture.blocks):
        tensors[f"block.{i}.first.weight"] = (3, 3, channels, channels)
        tensors[f"block.{i}.first.bias"] = (channels,)
        if i in architecture.pooled:
            tensors[f"block.{i}.pool.weight"] = (2 * channels, channels)
            tensors[f"block.{i}.pool.bias"] = (channels,)
        tensors[f"block.{i}.second.weight"] = (3, 3, channels, channels)
        tensors[f"block.{i}.second.bias"] = (channels,)
    tensors |= {
        "policy.squares.weight": (channels, POLICY_WIDTH),
        "policy.squares.bias": (POLICY_WIDTH,),
        "policy.pool.weight": (2 * channels, POLICY_WIDTH),
        "policy.out.weight": (POLICY_WIDTH, shape.policy_planes),
        "policy.out.bias": (shape.policy_planes,),
        "value.hidden.weight": (2 * channels, VALUE_WIDTH),
        "value.hidden.bias": (VALUE_WIDTH,),
        "value.out.weight": (VALUE_WIDTH, 3),
        "value.out.bias": (3,),
        "ownership.weight": (channels, 1),
        "ownership.bias": (1,),
        "score.weight": (VALUE_WIDTH, 1),
        "score.bias": (1,),
        "moves_left.weight": (VALUE_WIDTH, 1),
        "moves_left.bias": (1,),
    }
    return tensors


def _starts_small(name: str) -> bool:
    # Without normalisation a deep tower stays calm only if every block begins as (nearly) nothing,
    # and an answer that begins flat lets the search, not a random net, make the first games.
    outputs = ("policy.out.", "value.out.", "ownership.", "score.", "moves_left.")
    return name.endswith("second.weight") or name.startswith(outputs)


def initial(shape: Shape, architecture: Architecture, seed: int, *, lively: bool = False) -> Parameters:
    """Fresh parameters, drawn on the CPU so that one seed means one net on every machine.

    A `lively` net has outputs and blocks of full size from the start: it says something different
    about every position, which is what a comparison of two machines needs.
    """
    random = np.random.default_rng(seed)
    parameters = {}
    for name, size in tensor_shapes(shape, architecture).items():
        if name.endswith("bias"):
            parameters[name] = np.zeros(size, np.float32)
            continue
        inputs = int(np.prod(size[:-1]))
        spread = np.sqrt(2.0 / max(inputs, 1))
        if name == "stem.scalars":
            spread = np.sqrt(2.0 / (9 * shape.planes))
        if _starts_small(name):
            # Full-size blocks would double the variance each; divide it among them.
            blocks = max(architecture.blocks, 1)
            spread *= (1.0 / np.sqrt(blocks) if "block" in name else 1.0) if lively else 0.01
        parameters[name] = (spread * random.standard_normal(size)).astype(np.float32)
    return {name: jnp.asarray(value) for name, value in parameters.items()}


def unpack(shape: Shape, rows: jax.Array, kind=jnp.float32) -> tuple[jax.Array, jax.Array]:
    """Rows of bytes as planes `[n, height, width, planes]` and scalars `[n, scalars]`."""
    count = rows.shape[0]
    bits = (rows[:, : shape.plane_bytes, None] >> jnp.arange(8, dtype=jnp.uint8)) & 1
    bits = bits.reshape(count, shape.plane_bytes * 8)[:, : shape.planes * shape.cells]
    planes = bits.reshape(count, shape.planes, shape.height, shape.width).transpose(0, 2, 3, 1)
    scalars = rows[:, shape.plane_bytes :].astype(jnp.float32) / 255.0
    return planes.astype(kind), scalars.astype(kind)


def _convolve(x: jax.Array, weight: jax.Array, wraps: bool) -> jax.Array:
    if weight.ndim == 2:
        count, height, width, _ = x.shape
        return (x.reshape(count, -1) @ weight).reshape(count, height, width, -1)
    if wraps:
        x = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="wrap")
    return jax.lax.conv_general_dilated(
        x,
        weight,
        window_strides=(1, 1),
        padding="VALID" if wraps else "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )


def unrolled(shape: Shape, parameters: Parameters) -> Parameters:
    """The same network with every convolution on a torus written out as one matrix over the board.

    That is four times the multiplications on 6×6, in the one form a GPU does at full speed:
    measured on an H200, wrapped padding made convolutions three times as slow. For answering only.
    """
    if not shape.wraps:
        return parameters
    cells = np.arange(shape.cells).reshape(shape.height, shape.width)
    # For each place of the kernel, which square it reads for which square.
    reads = np.zeros((3, 3, shape.cells, shape.cells), np.float32)
    for down in range(3):
        for right in range(3):
            source = np.roll(cells, (1 - down, 1 - right), (0, 1))
            reads[down, right, source.ravel(), cells.ravel()] = 1.0
    written = dict(parameters)
    for name, weight in parameters.items():
        if weight.ndim == 4:
            matrix = jnp.einsum("yxsd,yxio->sido", reads.astype(weight.dtype), weight)
            size = shape.cells * weight.shape[2], shape.cells * weight.shape[3]
            written[name] = matrix.reshape(size)
    return written


def _whole_board(x: jax.Array) -> jax.Array:
    mean = jnp.mean(x, axis=(1, 2), dtype=jnp.float32).astype(x.dtype)
    return jnp.concatenate([mean, jnp.max(x, axis=(1, 2))], axis=-1)


def architecture_of(parameters: dict) -> Architecture:
    """The size of the tower that these tensors make."""
    blocks = 0
    while f"block.{blocks}.first.weight" in parameters:
        blocks += 1
    pooled = tuple(i for i in range(blocks) if f"block.{i}.pool.weight" in parameters)
    return Architecture(int(parameters["stem.bias"].shape[0]), blocks, pooled)


def forward(shape: Shape, parameters: Parameters, rows: jax.Array) -> dict[str, jax.Array]:
    """Everything the network says of these rows, in the precision of its parameters.

    `policy` logits are plane by plane, as answers and targets are.
    """
    said = logits(shape, parameters, rows)
    return said | {name: jnp.tanh(said[name]) for name in ("ownership", "score")}


def logits(shape: Shape, parameters: Parameters, rows: jax.Array) -> dict[str, jax.Array]:
    """The same with `ownership` and `score` before their hyperbolic tangent, for their losses."""
    architecture = architecture_of(parameters)
    p = parameters
    kind = p["stem.weight"].dtype
    relu = jax.nn.relu
    x, scalars = unpack(shape, rows, kind)
    h = _convolve(x, p["stem.weight"], shape.wraps) + p["stem.bias"]
    h = h + (scalars @ p["stem.scalars"])[:, None, None, :]
    for i in range(architecture.blocks):
        name = f"block.{i}."
        a = _convolve(relu(h), p[name + "first.weight"], shape.wraps) + p[name + "first.bias"]
        if i in architecture.pooled:
            g = _whole_board(relu(a))
            a = a + (g @ p[name + "pool.weight"] + p[name + "pool.bias"])[:, None, None, :]
        h = h + _convolve(relu(a), p[name + "second.weight"], shape.wraps) + p[name + "second.bias"]
    t = relu(h)
    g = _whole_board(t)

    squares = t @ p["policy.squares.weight"] + p["policy.squares.bias"]
    squares = relu(squares + (g @ p["policy.pool.weight"])[:, None, None, :])
    # Answers leave in single precision: a logit rounded to eight bits is a different policy.
    wide = {"preferred_element_type": jnp.float32}
    policy = jnp.matmul(squares, p["policy.out.weight"], **wide) + p["policy.out.bias"]
    policy = policy.transpose(0, 3, 1, 2).reshape(rows.shape[0], shape.policy)

    v = relu(g @ p["value.hidden.weight"] + p["value.hidden.bias"])
    ownership = jnp.matmul(t, p["ownership.weight"], **wide) + p["ownership.bias"]
    return {
        "policy": policy,
        "value": jnp.matmul(v, p["value.out.weight"], **wide) + p["value.out.bias"],
        "ownership": ownership.reshape(rows.shape[0], shape.cells),
        "score": (jnp.matmul(v, p["score.weight"], **wide) + p["score.bias"])[:, 0],
        "moves_left": (jnp.matmul(v, p["moves_left.weight"], **wide) + p["moves_left.bias"])[:, 0],
    }


def answers(shape: Shape, parameters: Parameters, rows: jax.Array) -> jax.Array:
    """What the search asks for: policy logits, then win, draw and loss, ready to be halves."""
    said = forward(shape, parameters, rows)
    # Beyond this a half would be infinite, and a difference of two infinities is no number.
    joined = jnp.clip(jnp.concatenate([said["policy"], said["value"]], axis=1), -60_000, 60_000)
    return joined.astype(exchanged_kind())


def serving_kind():
    """The precision to play in: bf16 where the accelerator multiplies it fast, single on a CPU."""
    return jnp.float32 if jax.default_backend() == "cpu" else jnp.bfloat16


def exchanged_kind():
    """The precision of answers and targets on their way between Rust and JAX, where both are halves
    in Rust. An accelerator takes halves too, which is half of the copying. What is compiled for a
    CPU holds none: XLA converts them with instructions that older processors and some virtual
    machines lack, and fails where they do (openxla/xla#6787)."""
    return jnp.float32 if jax.default_backend() == "cpu" else jnp.float16


def cast(parameters: Parameters, kind) -> Parameters:
    """The same parameters in another precision."""
    return {name: value.astype(kind) for name, value in parameters.items()}
