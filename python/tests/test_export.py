"""ONNX models against the answers that the tests of the CPU runtime are held against."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

onnxruntime = pytest.importorskip("onnxruntime")
export = pytest.importorskip("skirmish.export")

GOLDEN = Path(__file__).parents[2] / "crates/zero/tests/data/golden.safetensors"


@pytest.mark.parametrize("name", ["plain", "torus"])
def test_an_exported_net_gives_the_same_answers(name, tmp_path):
    golden = load_file(GOLDEN)
    net, model = tmp_path / "net.safetensors", tmp_path / "net.onnx"
    net.write_bytes(golden[f"{name}.net"].tobytes())
    export.to_onnx(net, model)

    session = onnxruntime.InferenceSession(model)
    planes, scalars = session.get_inputs()
    rows, sizes = golden[f"{name}.rows"], planes.shape[1:]
    packed, scalars = np.split(rows, [rows.shape[1] - scalars.shape[1]], axis=1)
    bits = np.unpackbits(packed, axis=1, bitorder="little", count=np.prod(sizes))
    policy, value = session.run(
        ["policy", "value"],
        {
            "planes": bits.reshape(-1, *sizes).astype(np.float32),
            "scalars": scalars.astype(np.float32) / 255,
        },
    )
    answers = np.concatenate([policy, value], axis=1)
    np.testing.assert_allclose(answers, golden[f"{name}.answers"], atol=1e-4)


def test_a_net_is_exported_for_another_board(tmp_path):
    net, model = tmp_path / "net.safetensors", tmp_path / "net.onnx"
    net.write_bytes(load_file(GOLDEN)["plain.net"].tobytes())
    export.to_onnx(net, model, height=8, width=7)
    planes, scalars = onnxruntime.InferenceSession(model).get_inputs()
    assert planes.shape[1:] == [5, 8, 7]


def test_a_stranger_s_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no description"):
        export.to_onnx(GOLDEN, tmp_path / "net.onnx")
