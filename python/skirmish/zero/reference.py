"""The network again, in numpy, as its definition reads: slow, and sharing no code with `network`.

Every run first lets the accelerator and this file answer the same positions and stops if they
disagree; the tests hold both against each other as well.
"""

from __future__ import annotations

import numpy as np


def unpack(shape, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Planes and scalars of the rows, bit by bit."""
    planes = np.zeros((len(rows), shape.height, shape.width, shape.planes), np.float32)
    for plane in range(shape.planes):
        for cell in range(shape.cells):
            bit = plane * shape.cells + cell
            column, row = cell % shape.width, cell // shape.width
            planes[:, row, column, plane] = (rows[:, bit // 8] >> (bit % 8)) & 1
    return planes, rows[:, shape.plane_bytes :].astype(np.float32) / 255.0


def convolve(x: np.ndarray, weight: np.ndarray, wraps: bool) -> np.ndarray:
    """A 3×3 cross-correlation as nine shifted products."""
    height, width = x.shape[1:3]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="wrap" if wraps else "constant")
    total = np.zeros((*x.shape[:3], weight.shape[3]), np.float32)
    for row in range(3):
        for column in range(3):
            window = padded[:, row : row + height, column : column + width]
            total += window @ weight[row, column]
    return total


def forward(shape, parameters: dict, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Everything the network says of these rows."""
    p = {name: np.asarray(value, np.float32) for name, value in parameters.items()}

    def relu(x):
        return np.maximum(x, 0)

    def whole_board(x):
        return np.concatenate([x.mean(axis=(1, 2)), x.max(axis=(1, 2))], axis=1)

    def everywhere(x):
        return x[:, None, None, :]

    planes, scalars = unpack(shape, rows)
    h = convolve(planes, p["stem.weight"], shape.wraps) + p["stem.bias"]
    h = h + everywhere(scalars @ p["stem.scalars"])
    i = 0
    while f"block.{i}.first.weight" in p:
        a = convolve(relu(h), p[f"block.{i}.first.weight"], shape.wraps) + p[f"block.{i}.first.bias"]
        if f"block.{i}.pool.weight" in p:
            g = whole_board(relu(a))
            a = a + everywhere(g @ p[f"block.{i}.pool.weight"] + p[f"block.{i}.pool.bias"])
        h = h + convolve(relu(a), p[f"block.{i}.second.weight"], shape.wraps)
        h = h + p[f"block.{i}.second.bias"]
        i += 1
    t = relu(h)
    g = whole_board(t)
    squares = t @ p["policy.squares.weight"] + p["policy.squares.bias"]
    squares = relu(squares + everywhere(g @ p["policy.pool.weight"]))
    logits = squares @ p["policy.out.weight"] + p["policy.out.bias"]
    v = relu(g @ p["value.hidden.weight"] + p["value.hidden.bias"])
    count = len(rows)
    return {
        "policy": np.moveaxis(logits, 3, 1).reshape(count, -1),
        "value": v @ p["value.out.weight"] + p["value.out.bias"],
        "ownership": np.tanh(t @ p["ownership.weight"] + p["ownership.bias"]).reshape(count, -1),
        "score": np.tanh(v @ p["score.weight"] + p["score.bias"])[:, 0],
        "moves_left": (v @ p["moves_left.weight"] + p["moves_left.bias"])[:, 0],
    }


def answers(shape, parameters: dict, rows: np.ndarray) -> np.ndarray:
    """Policy logits, then win, draw and loss."""
    said = forward(shape, parameters, rows)
    return np.concatenate([said["policy"], said["value"]], axis=1)
