"""Nets as ONNX models, for programs that cannot read Skirmish's net files.

``python -m skirmish.export net.safetensors net.onnx`` exports for the board the net was trained
on; ``--height`` and ``--width`` choose another one, since a net is fully convolutional.

The model has the inputs ``planes`` [N, planes, height, width] and ``scalars`` [N, scalars], and
the outputs ``policy`` [N, policy_planes * height * width] and ``value`` [N, 3]: logits, as they are
described in the contract of rows and answers. What only training asks for is left out.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open

# The first version with padding that wraps around, and with a file format for it.
OPSET = 19
IR_VERSION = 9


class _Graph:
    """A graph in the making: each method adds a node and returns the name of its output."""

    def __init__(self, tensors: dict[str, np.ndarray], wraps: bool):
        self.tensors = tensors
        self.wraps = wraps
        self.nodes = []
        self.initializers = {}

    def constant(self, name: str, array: np.ndarray) -> str:
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes) -> str:
        output = output or f"{kind.lower()}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def convolution(self, x: str, name: str, bias: bool = True) -> str:
        """A 3x3 convolution, or a 1x1 one where the weights are a matrix."""
        weight = self.tensors[f"{name}.weight"]
        weight = weight if weight.ndim == 4 else weight[None, None]
        inputs = [self.constant(f"{name}.weight", weight.transpose(3, 2, 0, 1))]
        if bias:
            inputs.append(self.constant(f"{name}.bias", self.tensors[f"{name}.bias"]))
        pad = weight.shape[0] // 2
        if self.wraps and pad:
            pads = self.constant("wrap.pads", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
            x, pad = self.node("Pad", x, pads, mode="wrap"), 0
        return self.node("Conv", x, *inputs, pads=[pad] * 4)

    def dense(self, x: str, weight: str, bias: str | None = None, output: str | None = None) -> str:
        """A fully connected layer on [N, inputs]."""
        inputs = [self.constant(weight, self.tensors[weight])]
        if bias:
            inputs.append(self.constant(bias, self.tensors[bias]))
        return self.node("Gemm", x, *inputs, output=output)

    def on_squares(self, x: str) -> str:
        """[N, channels] as what can be added to all squares."""
        axes = self.constant("square.axes", np.array([2, 3], np.int64))
        return self.node("Unsqueeze", x, axes)

    def pool(self, x: str) -> str:
        """The mean and the largest of every channel: [N, 2 * channels]."""
        parts = self.node("GlobalAveragePool", x), self.node("GlobalMaxPool", x)
        return self.node("Flatten", self.node("Concat", *parts, axis=1))


def to_onnx(
    net_path: str | Path,
    onnx_path: str | Path,
    height: int | None = None,
    width: int | None = None,
) -> None:
    """Writes the net as an ONNX model for boards of one size, by default its own."""
    with safe_open(net_path, framework="numpy") as file:
        text = (file.metadata() or {}).get("skirmish")
        if text is None:
            raise ValueError(f"`{net_path}` is not a net of Skirmish: it has no description")
        about = json.loads(text)
        if about["format"] != 1:
            raise ValueError(f"`{net_path}` has format {about['format']}; this version reads 1")
        tensors = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}

    shape = about["shape"]
    height, width = height or shape["height"], width or shape["width"]
    graph = _Graph(tensors, shape["wraps"])

    if shape["scalars"] > 0:
        whole = graph.dense("scalars", "stem.scalars", "stem.bias")
        h = graph.convolution("planes", "stem", bias=False)
        h = graph.node("Add", h, graph.on_squares(whole))
    else:
        h = graph.convolution("planes", "stem")
    for block in range(about["blocks"]):
        name = f"block.{block}"
        a = graph.convolution(graph.relu(h), f"{name}.first")
        if block in about["pooled"]:
            g = graph.pool(graph.relu(a))
            whole = graph.dense(g, f"{name}.pool.weight", f"{name}.pool.bias")
            a = graph.node("Add", a, graph.on_squares(whole))
        h = graph.node("Add", h, graph.convolution(graph.relu(a), f"{name}.second"))
    t = graph.relu(h)
    g = graph.pool(t)

    whole = graph.on_squares(graph.dense(g, "policy.pool.weight"))
    p = graph.relu(graph.node("Add", graph.convolution(t, "policy.squares"), whole))
    graph.node("Flatten", graph.convolution(p, "policy.out"), output="policy")
    v = graph.relu(graph.dense(g, "value.hidden.weight", "value.hidden.bias"))
    graph.dense(v, "value.out.weight", "value.out.bias", output="value")

    def description(name: str, *sizes: int):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *sizes])

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            about["game"],
            [
                description("planes", shape["planes"], height, width),
                description("scalars", shape["scalars"]),
            ],
            [
                description("policy", shape["policy_planes"] * height * width),
                description("value", 3),
            ],
            list(graph.initializers.values()),
        ),
        producer_name="skirmish",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, {"skirmish": text})
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, onnx_path)


def main() -> None:
    parser = argparse.ArgumentParser(description="Export a net as an ONNX model.")
    parser.add_argument("net", type=Path)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--height", type=int, help="rows of the board [that of the net]")
    parser.add_argument("--width", type=int, help="columns of the board [that of the net]")
    arguments = parser.parse_args()
    to_onnx(arguments.net, arguments.onnx, arguments.height, arguments.width)


if __name__ == "__main__":
    main()
