"""What survives: checkpoints with everything a run needs to go on, and nets to play with.

A checkpoint is one safetensors file whose metadata holds the counters, so that weights and
counters cannot come from different moments; the JSON file beside it is a copy for people. Both
are written under another name, forced to the disk and renamed: a run killed at any moment leaves
the previous checkpoint whole.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import jax
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from skirmish.zero import learner, network
from skirmish.zero.errors import Trouble
from skirmish.zero.network import Architecture, Shape

FORMAT = 1


def replace(path: Path, content: bytes) -> None:
    """Writes a whole file or leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".partial")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _flatten(state: learner.State) -> dict[str, np.ndarray]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return {
        jax.tree_util.keystr(path, simple=True, separator="."): np.asarray(leaf)
        for path, leaf in leaves
    }


def save_state(path: Path, state: learner.State, counters: dict) -> None:
    """Keeps the whole state of the learner and the counters of the run."""
    tensors = _flatten(state)
    for name, value in tensors.items():
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise Trouble(
                f"`{name}` holds numbers that are not finite, so this state is not kept",
                "the last good checkpoint is still there: `--resume` goes on from it, "
                "with a lower `--learning-rate`",
            )
    text = json.dumps({"format": FORMAT, **counters})
    replace(path, save(tensors, metadata={"skirmish": text}))
    replace(path.with_suffix(".json"), (json.dumps(json.loads(text), indent=2) + "\n").encode())


def load_state(path: Path, like: learner.State) -> tuple[learner.State, dict]:
    """Reads a checkpoint into a state built as `like`."""
    tensors, counters = _read(path)
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    found = []
    for key, leaf in leaves:
        name = jax.tree_util.keystr(key, simple=True, separator=".")
        if name not in tensors or tensors[name].shape != leaf.shape:
            what = f"shaped {tensors[name].shape}" if name in tensors else "missing"
            raise Trouble(
                f"`{path}` does not fit this run: `{name}` is {what}, not {tuple(leaf.shape)}",
                "resume with the game, options, channels and blocks the run began with; "
                "its settings.json names them",
            )
        found.append(jax.numpy.asarray(tensors[name]))
    if len(tensors) != len(found):
        raise Trouble(
            f"`{path}` holds {len(tensors)} tensors where this run has {len(found)}",
            "resume with the settings the run began with; its settings.json names them",
        )
    return jax.tree_util.tree_unflatten(structure, found), counters


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = json.loads((file.metadata() or {}).get("skirmish", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except FileNotFoundError:
        raise Trouble(f"there is no `{path}`", "name a file that a training run wrote") from None
    except (SafetensorError, OSError, ValueError) as reason:
        raise Trouble(
            f"`{path}` cannot be read: {reason}", "it must be a whole safetensors file"
        ) from None
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise Trouble(
            f"`{path}` carries no metadata of format {FORMAT} under `skirmish`",
            "only files that this version of Skirmish wrote can be read",
        )
    return tensors, metadata


def save_net(
    path: Path,
    parameters: network.Parameters,
    shape: Shape,
    game: str,
    options: dict,
    trained: dict,
) -> None:
    """Writes a net to play with: half precision, with everything a reader needs to know."""
    architecture = network.architecture_of(parameters)
    tensors = {name: np.asarray(value).astype(np.float16) for name, value in parameters.items()}
    for name, value in tensors.items():
        if not np.isfinite(value).all():
            raise Trouble(
                f"`{name}` does not fit into half precision, so no net is written",
                "training has diverged: go back to an earlier net with a lower `--learning-rate`",
            )
    metadata = {
        "format": FORMAT,
        "game": game,
        "options": options,
        "shape": shape.to_json(),
        "channels": architecture.channels,
        "blocks": architecture.blocks,
        "pooled": list(architecture.pooled),
        "trained": trained,
    }
    replace(path, save(tensors, metadata={"skirmish": json.dumps(metadata)}))


def load_net(path: Path, shape: Shape | None = None) -> tuple[network.Parameters, dict]:
    """Reads a net, in single precision. With `shape`, checks that it plays such boards: the size
    of the board may differ, what is shown of a square may not."""
    tensors, metadata = _read(Path(path))
    own = Shape.from_json(metadata["shape"])
    if shape is not None:
        for what in ("planes", "scalars", "policy_planes", "wraps"):
            if getattr(own, what) != getattr(shape, what):
                raise Trouble(
                    f"`{path}` was trained for {what} = {getattr(own, what)}, "
                    f"this game needs {getattr(shape, what)}",
                    f"it plays {metadata.get('game')}; start from a net of the same game, or fresh",
                )
    architecture = Architecture(
        metadata["channels"], metadata["blocks"], tuple(metadata["pooled"])
    )
    for name, size in network.tensor_shapes(own, architecture).items():
        if name not in tensors or tensors[name].shape != size:
            raise Trouble(
                f"`{path}` lacks `{name}` of shape {size}", "the file is damaged or not a net"
            )
    return {
        name: jax.numpy.asarray(value.astype(np.float32)) for name, value in tensors.items()
    }, metadata
