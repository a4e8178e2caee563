"""The loop end to end on a CPU: it learns, it repeats itself, it survives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from skirmish.zero import checkpoint, learner, settings as settings_module
from skirmish.zero.errors import Trouble
from skirmish.zero.journal import short
from skirmish.zero.replay import Replay
from skirmish.zero.settings import Settings
from skirmish.zero.train import Run, main

TINY = [
    *("--game", "amazons", "--options", '{"size":"4x4"}', "--channels", "8", "--blocks", "2"),
    *("--games", "16", "--batch", "32", "--start-samples", "64", "--simulations", "8"),
    *("--gate-games", "20", "--anchor-games", "20", "--gate-simulations", "8"),
    *("--opening-plies", "1", "--anchor", "random"),
    # Steps end these runs, on the slowest machine too; the clock decides nothing in them.
    *("--minutes", "600"),
]


def events(folder: Path, kind: str) -> list[dict]:
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line for line in lines if line["event"] == kind]


def tensors(folder: Path) -> dict:
    return checkpoint._read(folder / "checkpoints" / "latest.safetensors")[0]


def test_a_net_trained_for_a_moment_beats_random(tmp_path):
    folder = tmp_path / "run"
    arguments = [
        *("--game", "amazons", "--options", '{"size":"4x4"}', "--channels", "16", "--blocks", "2"),
        *("--games", "32", "--simulations", "16", "--gate-games", "60", "--anchor-games", "60"),
        *("--gate-simulations", "16", "--opening-plies", "1", "--learning-rate", "2e-3"),
        *("--steps", "600", "--gate-steps", "200", "--minutes", "600", "--progress-seconds", "0"),
        *("--anchor", "random", "--out", str(folder)),
    ]
    assert main(arguments) == 0
    # Steps end it, then the last matches are played: the strength is in the log.
    (anchor,) = events(folder, "anchor")
    assert anchor["games"] == 60 and anchor["score"] > 0.75, anchor
    gates = events(folder, "gate")
    assert gates[0]["verdict"] == "promoted" and gates[0]["against"] == 0, gates
    assert [gate["net"] for gate in gates] == list(range(1, len(gates) + 1))
    progress = events(folder, "progress")
    assert progress[-1]["step"] == 600
    totals = [one["losses"]["total"] for one in progress if one["losses"]]
    tenth = len(totals) // 10
    assert np.mean(totals[-tenth:]) < np.mean(totals[:tenth]), totals
    assert events(folder, "end")[0]["reason"] == "steps"
    fills = [one["batch_fill"] for one in progress if one["batch_fill"] is not None]
    assert fills and all(0 < fill <= 1 for fill in fills), fills
    # Every gated net is there, and the best plays.
    for gate in gates:
        parameters, about = checkpoint.load_net(folder / "nets" / f"{gate['net']:04}.safetensors")
        assert about["game"] == "amazons" and about["trained"]["net"] == gate["net"]
    _, about = checkpoint.load_net(folder / "best.safetensors")
    assert about["trained"]["net"] == events(folder, "end")[0]["best"]


def test_one_seed_is_one_run(tmp_path):
    for name in ("one", "other"):
        assert main([*TINY, "--steps", "40", "--out", str(tmp_path / name)]) == 0
    shards = [(tmp_path / name / "games" / "0001.shard").read_bytes() for name in ("one", "other")]
    assert len(shards[0]) > 1000 and shards[0] == shards[1]
    one, other = tensors(tmp_path / "one"), tensors(tmp_path / "other")
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_with_a_thread_for_each_pool_it_learns_and_gates_as_well(tmp_path):
    folder = tmp_path / "run"
    more = ["--no-deterministic", "--steps", "120", "--gate-steps", "40", "--pools", "3"]
    assert main([*TINY, *more, "--out", str(folder)]) == 0
    assert events(folder, "end")[0]["reason"] == "steps"
    assert events(folder, "progress")[-1]["step"] == 120
    gates = events(folder, "gate")
    assert gates and all(gate["games"] == 20 for gate in gates if gate["is_complete"]), gates
    # What was learned last is there beside what was proven best. Timing decides which candidates
    # are gated here, and one that is discarded takes the learner back.
    _, about = checkpoint.load_net(folder / "latest.safetensors")
    is_taken_back = any(gate["verdict"] == "discarded" for gate in gates)
    assert about["trained"]["steps"] == 120 or is_taken_back, (about, gates)


def test_a_killed_run_goes_on_where_its_checkpoint_was(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "skirmish.zero.train", *TINY, "--out", str(folder)]
    often = ["--checkpoint-minutes", "0.02", "--gate-minutes", "0.05"]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    process = subprocess.Popen([*command, *often], env=environment, stderr=subprocess.DEVNULL)
    latest = folder / "checkpoints" / "latest.json"
    while process.poll() is None:
        time.sleep(0.2)
        if latest.exists() and json.loads(latest.read_text())["counters"]["step"] >= 100:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    # The state is what counts. Its copy for people is written after it, and may be one behind.
    kept = checkpoint._read(latest.with_suffix(".safetensors"))[1]["counters"]
    assert kept["step"] >= 100
    # A torn frame at the end of the newest shard, as a kill may leave it.
    shard = sorted((folder / "games").glob("*.shard"))[-1]
    shard.write_bytes(shard.read_bytes()[:-3])

    # Another board cannot go on with it.
    settings = {"options": '{"size":"6x6"}'}
    with pytest.raises(Trouble, match="options"):
        settings_module.read(settings, folder, resume=True)
    # And it is not begun anew by accident.
    assert main([*TINY, "--out", str(folder)]) == 2

    steps = str(kept["step"] + 30)
    assert main(["--out", str(folder), "--resume", "--steps", steps]) == 0
    counters = json.loads(latest.read_text())["counters"]
    assert counters["step"] == kept["step"] + 30
    assert counters["sessions"] == 2 and counters["minutes"] > kept["minutes"]
    assert counters["samples"] >= kept["samples"]
    starts = events(folder, "start")
    assert [start["session"] for start in starts] == [1, 2]
    assert starts[1]["step"] == kept["step"]

    # On another machine, with the smallest set of files: the state and the best net, no games.
    other = tmp_path / "other"
    for name in ("settings.json", "best.safetensors", "checkpoints/latest.safetensors"):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, other / name)
    steps = str(counters["step"] + 5)
    assert main(["--out", str(other), "--resume", "--steps", steps]) == 0
    assert events(other, "start")[0]["session"] == 3
    assert events(other, "end")[0]["step"] == counters["step"] + 5


def test_a_terminated_run_keeps_a_checkpoint_first(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "skirmish.zero.train", *TINY, "--out", str(folder)]
    # Here timing may decide, as on an accelerator: threads read games and compile.
    more = ["--no-deterministic", "--progress-seconds", "1"]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    process = subprocess.Popen([*command, *more], env=environment, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        time.sleep(0.2)
        if (folder / "log.jsonl").exists() and events(folder, "progress"):
            if events(folder, "progress")[-1]["step"] > 0:
                break
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    (end,) = events(folder, "end")
    assert end["reason"] == "interrupted"
    counters = json.loads((folder / "checkpoints" / "latest.json").read_text())["counters"]
    assert counters["step"] == end["step"] > 0


def run_of(folder: Path, **settings) -> Run:
    small = dict(
        game="amazons", options={"size": "4x4"}, channels=8, blocks=2, games=16, batch=32,
        start_samples=64, simulations="8", gate_games=20, anchor_games=20, gate_simulations=8,
        opening_plies=1, anchors=[], steps=40, minutes=600,
    )
    return Run(Settings(**{**small, **settings}), folder, False, None, quiet=True)


def test_losses_that_are_no_numbers_stop_the_run_and_the_good_checkpoint_stays(tmp_path):
    run = run_of(tmp_path)
    learn = run.trainee.train_step
    calls = []

    def poisoned(state, rows, targets, rate):
        calls.append(rate)
        # Call 1 is the one that compiles.
        return learn(state, rows, targets, rate * (np.nan if len(calls) == 20 else 1))

    run.trainee.train_step = poisoned
    run.settings.checkpoint_minutes = 0.0
    with pytest.raises(Trouble, match="NaN or (an )?infinite|not finite"):
        run.run()
    kept = tensors(tmp_path)
    assert all(np.isfinite(value).all() for value in kept.values())
    assert events(tmp_path, "end")[0]["reason"] == "error"
    latest = json.loads((tmp_path / "checkpoints" / "latest.json").read_text())
    assert latest["counters"]["step"] < 20


def test_a_candidate_that_is_clearly_worse_is_rolled_back(tmp_path):
    run = run_of(tmp_path, gate_games=100, steps=60, warmup_steps=5)
    best = {name: np.asarray(value) for name, value in run.registry.best.state.parameters.items()}
    run._begin()
    while run.counters.step < 10:
        run.self_play.runners[0].turn()
        run.replay.collect(run.self_play.runners)
        run.trainee.learn(run.replay.held)
    run.matches.open_gate()
    (contest,) = run.matches.contests
    pairs = [0.0] * 40 + [1.0] * 10

    class Lost:
        def results(self):
            return json.dumps(
                {"games": 100, "done": True, "wins": 10, "draws": 0, "losses": 90, "pairs": pairs}
            )

    contest.runner.pool = Lost()
    run.matches.conclude(contest)
    (gate,) = events(tmp_path, "gate")
    assert gate["verdict"] == "discarded" and gate["net"] == 1 and gate["against"] == 0
    for name, value in run.trainee.state.parameters.items():
        np.testing.assert_array_equal(value, best[name])
    assert run.counters.best == 0 and (tmp_path / "nets" / "0001.safetensors").exists()
    # Learning goes on from there, slowly while the optimiser knows nothing again.
    rates, learn = [], run.trainee.train_step

    def watched(state, rows, targets, rate):
        rates.append(float(rate))
        return learn(state, rows, targets, rate)

    run.trainee.train_step = watched
    run.counters.samples += 1000
    run.trainee.learn(run.replay.held)
    assert rates[0] == pytest.approx(run.settings.learning_rate / 5)
    # The best net's own copy is untouched by it.
    for name, value in run.registry.best.state.parameters.items():
        np.testing.assert_array_equal(value, best[name])
    run.journal.close()


def test_nothing_is_learned_from_the_games_that_end_first(tmp_path):
    run = run_of(tmp_path, start_games=200, start_samples=1)
    run._begin()
    while run.counters.games < 200:
        assert run.counters.step == 0
        run.self_play.runners[0].turn()
        run.replay.collect(run.self_play.runners)
        run.trainee.learn(run.replay.held)
    run.trainee.learn(run.replay.held)
    assert run.counters.step > 0
    run.journal.close()


def test_a_run_starts_from_a_net(tmp_path):
    first = run_of(tmp_path / "first", steps=20)
    first.run()
    net = tmp_path / "first" / "best.safetensors"
    arguments = [*TINY[:4], *TINY[8:], "--from", str(net), "--steps", "1"]
    arguments[3] = '{"size":"5x5"}'
    assert main([*arguments, "--out", str(tmp_path / "second")]) == 0
    kept = json.loads((tmp_path / "second" / "settings.json").read_text())
    assert (kept["channels"], kept["blocks"]) == (8, 2)


def test_minutes_of_the_nets_before_are_kept(tmp_path):
    assert main([*TINY, "--steps", "4", "--out", str(tmp_path / "one")]) == 0
    net = str(tmp_path / "one" / "best.safetensors")
    assert main([*TINY, "--steps", "4", "--out", str(tmp_path / "two"), "--from", net]) == 0
    trained = [
        checkpoint.load_net(tmp_path / name / "best.safetensors")[1]["trained"]
        for name in ("one", "two")
    ]
    assert trained[0]["minutes_before"] == 0
    assert trained[1]["minutes_before"] == pytest.approx(trained[0]["minutes"], abs=0.002)


def test_a_folder_that_cannot_be_written_is_an_error_in_words(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main([*TINY, "--steps", "4", "--out", str(tmp_path / "file" / "run")]) == 2
    said = capsys.readouterr().err
    assert "hint:" in said and "Traceback" not in said, said
    assert main([*TINY, "--minutes", "nan", "--out", str(tmp_path / "other")]) == 2


def test_a_full_disk_ends_the_run_and_what_was_kept_stays(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "run"
    assert main([*TINY, "--steps", "4", "--out", str(folder)]) == 0

    def full(self, frames):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Replay, "keep", full)
    assert main([*TINY, "--steps", "40", "--out", str(folder), "--resume"]) == 2
    assert "No space left" in capsys.readouterr().err
    monkeypatch.undo()
    assert main([*TINY, "--steps", "8", "--out", str(folder), "--resume"]) == 0
    assert events(folder, "end")[-1]["step"] == 8


def test_settings_say_what_would_be_right():
    assert Settings(simulations="32-64-128").simulations_at(0.0) == 32
    assert Settings(simulations="32-64-128").simulations_at(0.5) == 64
    assert Settings(simulations="32-64-128").simulations_at(1.5) == 128
    settings = Settings(window=1000, largest_window=3000)
    assert settings.window_at(10) == 1000
    assert 1000 < settings.window_at(2000) < 2000
    assert settings.window_at(10**9) == 3000
    for wrong in (
        dict(game=""),
        dict(simulations="many"),
        dict(gate_games=3),
        dict(anchor_games=0),
        dict(minutes=0.05),
        dict(league=1.0),
        dict(games=-5),
        dict(start_games=-1),
    ):
        with pytest.raises(Trouble) as trouble:
            Settings(**{"game": "amazons", **wrong}).resolve(True)
        assert trouble.value.hint
    assert learner.LOSSES[-1] == "total"


def test_numbers_for_people_stay_short():
    for number, said in (
        (999_700, "1M"), (999_400, "999k"), (12_345, "12.3k"), (1_234_567, "1.23M"),
        (999.7, "1k"), (37, "37"), (0, "0"), (-4_200, "-4.2k"), (2.5e9, "2.5G"),
    ):  # fmt: skip
        assert short(number) == said
