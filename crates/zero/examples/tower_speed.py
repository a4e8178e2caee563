"""Compares the tower with ONNX Runtime: the same nets, one core each, in turns.

``python crates/zero/examples/tower_speed.py target/release/examples/tower_speed`` from the root
of the repository, with onnx, onnxruntime and safetensors installed. Each round asks both; CPU
time and the best of the rounds count, since others may share the machine.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).parents[3] / "python"))
from skirmish.export import to_onnx  # noqa: E402

BATCHES = (1, 8, 32)
ROUNDS = 3


def tower(binary: str, folder: str) -> dict[str, list[float]]:
    lines = subprocess.run([binary, folder], check=True, text=True, capture_output=True).stdout
    words = [line.split() for line in lines.splitlines()[1:]]
    return {name: [float(speed) for speed in speeds[:3]] for name, *speeds in words}


def onnx_runtime(model: Path) -> list[float]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    random = np.random.default_rng(1)
    speeds = []
    for batch in BATCHES:
        feed = {}
        for given in session.get_inputs():
            shape = [batch, *given.shape[1:]]
            feed[given.name] = (random.random(shape) < 0.25).astype(np.float32)
        best = 0.0
        for _ in range(5):
            start, evaluations = time.process_time(), 0
            while time.process_time() - start < 0.15:
                session.run(None, feed)
                evaluations += batch
            best = max(best, evaluations / (time.process_time() - start))
        speeds.append(best)
    return speeds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = {}, {}
        for _ in range(ROUNDS):
            for name, speeds in tower(sys.argv[1], folder).items():
                ours[name] = np.maximum(ours.get(name, 0), speeds)
                net = Path(folder) / f"{name}.safetensors"
                to_onnx(net, net.with_suffix(".onnx"))
                speeds = onnx_runtime(net.with_suffix(".onnx"))
                theirs[name] = np.maximum(theirs.get(name, 0), speeds)
    print("| net @ board | batch | tower | ONNX Runtime | ratio |\n|---|---|---|---|---|")
    for name in ours:
        for batch, our, their in zip(BATCHES, ours[name], theirs[name]):
            print(f"| {name} | {batch} | {our:,.0f} | {their:,.0f} | {our / their:.2f} |")


if __name__ == "__main__":
    main()
