"""The settings of a run: what they mean, their defaults, and how the command line gives them."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from skirmish.zero.errors import Trouble


def setting(default, meaning: str, **more):
    return dataclasses.field(default=default, metadata={"meaning": meaning, **more})


@dataclasses.dataclass
class Settings:
    """Everything that decides how a run goes. A 0 means: what fits this machine."""

    game: str = setting("", "the game, as `skirmish games` lists it")
    options: dict = dataclasses.field(
        default_factory=dict, metadata={"meaning": "the game's options, as a JSON object"}
    )
    minutes: float = setting(5.0, "minutes of wall clock for this call, everything included")
    steps: int = setting(0, "end after so many training steps in all; schedules then follow them")
    seed: int = setting(1, "what everything random is drawn from")
    deterministic: bool | None = setting(
        None, "let counts, never timing, decide what is learned when; the default on a CPU"
    )

    channels: int = setting(64, "channels of the network")
    blocks: int = setting(6, "residual blocks of the network")

    games: int = setting(0, "games at once in each self-play pool")
    pools: int = setting(0, "self-play pools that run at once")
    league: float = setting(0.2, "part of the games played against past nets")
    simulations: str = setting("32-64-128", "simulations of a full search, by equal parts of the run")
    fast_simulations: int = setting(0, "simulations of a fast search; 0 for a quarter of a full one")
    full_chance: float = setting(0.25, "part of the searches that are full")
    considered: int = setting(16, "moves the root considers")
    opening_plies: int = setting(4, "random turns before the search takes over, at most")
    resign_below: float = setting(-0.95, "give up below this value; -1 never")

    batch: int = setting(0, "samples per training step")
    reuse: float = setting(4.0, "how often each sample is learned from, on average")
    window: int = setting(0, "samples in the replay window at first")
    largest_window: int = setting(2_000_000, "samples in it at most; it grows with the run")
    start_samples: int = setting(0, "samples before training starts")
    # The first games to end are the short ones. Learning from them alone costs strength: 90 Elo
    # within four minutes where In-Trap went on from a net that played well already.
    start_games: int = setting(0, "games that end before training starts; 0 for all at once")
    learning_rate: float = setting(1e-3, "learning rate at its peak")
    schedule: str = setting("constant", "the rate after warm-up", choices=("constant", "cosine"))
    warmup_steps: int = setting(100, "steps over which the learning rate rises")
    weight_decay: float = setting(1e-4, "decay of the weights, as in AdamW")
    clip: float = setting(1.0, "largest norm of a gradient")
    average_decay: float = setting(0.995, "memory of the averaged weights, per step")
    ownership_weight: float = setting(0.15, "weight of the ownership loss")
    score_weight: float = setting(0.1, "weight of the final-score loss")
    moves_left_weight: float = setting(0.05, "weight of the moves-left loss")
    refresh_steps: int = setting(20, "steps between renewals of the weights that self-play uses")

    gate_minutes: float = setting(0.0, "minutes between candidates; 0 for a sixth of the run")
    gate_steps: int = setting(0, "training steps between candidates, instead of minutes")
    gate_games: int = setting(400, "games of a candidate against the best")
    gate_simulations: int = setting(32, "simulations in matches")
    promote_at: float = setting(0.52, "score from which a candidate becomes the best")
    anchors: list = dataclasses.field(
        default_factory=lambda: ["random", "greedy"],
        metadata={"meaning": "an agent to measure against; may be given several times", "flag": "anchor"},
    )
    # As many as at the gate: another number would be another shape to compile.
    anchor_games: int = setting(400, "games against each anchor")
    anchor_times: int = setting(4, "how often the anchors are met before the end")

    progress_seconds: float = setting(10.0, "seconds between lines of progress")
    checkpoint_minutes: float = setting(2.0, "minutes between checkpoints")
    final_seconds: float = setting(0.0, "seconds kept for the last matches; 0 for a tenth of the run")
    commit: str = setting("", "the commit this was built from, noted in every net")

    def resolve(self, is_cpu: bool) -> None:
        """Fills in what depends on the machine, and complains about what cannot be."""
        defaults = (
            {"games": 64, "pools": 2, "batch": 128, "window": 20_000, "start_samples": 1_000}
            if is_cpu
            else {"games": 8192, "pools": 3, "batch": 2048, "window": 250_000, "start_samples": 20_000}
        )
        for name, value in defaults.items():
            if not getattr(self, name):
                setattr(self, name, value)
        self.start_games = self.start_games or self.games * self.pools
        if self.deterministic is None:
            # On a CPU nothing is gained by timing, and one seed means one run.
            self.deterministic = is_cpu
        self.gate_minutes = self.gate_minutes or max(self.minutes / 6, 0.25)
        self.final_seconds = self.final_seconds or min(max(6.0 * self.minutes, 5.0), 60.0)
        if not self.game:
            raise Trouble("no game is named", "add `--game amazons`, or another that networks play")
        if not 0 < self.minutes <= 43_200:
            raise Trouble(f"minutes = {self.minutes}", "it must be a number up to 43200")
        if self.minutes * 60 <= self.final_seconds + 5 and not self.steps:
            raise Trouble(
                f"{self.minutes:g} minutes leave no time to learn",
                f"give more than {(self.final_seconds + 5) / 60:.2g}, or fewer `--final-seconds`",
            )
        for name in ("gate_games", "anchor_games"):
            if getattr(self, name) % 2 or getattr(self, name) < 2:
                raise Trouble(
                    f"{name} = {getattr(self, name)}",
                    "matches are played in pairs: give 2, 4 or any other even number",
                )
        for name, low, high in (
            ("league", 0.0, 0.9),
            ("full_chance", 0.01, 1.0),
            ("reuse", 0.01, 1000.0),
            ("pools", 1, 64),
            ("games", 1, 1 << 20),
            ("start_games", 1, 1 << 40),
            ("batch", 1, 1 << 20),
            ("average_decay", 0.0, 0.999999),
        ):
            if not low <= getattr(self, name) <= high:
                raise Trouble(f"{name} = {getattr(self, name)}", f"it must be {low:g} to {high:g}")
        self.simulations_at(0.0)

    def simulations_at(self, fraction_done: float) -> int:
        """Simulations of a full search when this part of the run is over."""
        try:
            counts = [int(part) for part in str(self.simulations).split("-")]
        except ValueError:
            counts = []
        if not counts or min(counts) < 1:
            raise Trouble(
                f"simulations = `{self.simulations}`", "write a number, or some like `32-64-128`"
            )
        return counts[min(int(max(fraction_done, 0.0) * len(counts)), len(counts) - 1)]

    def fast_simulations_at(self, fraction_done: float) -> int:
        return self.fast_simulations or max(self.simulations_at(fraction_done) // 4, 4)

    def window_at(self, samples: int) -> int:
        """Samples to keep after so many have been made: growing, but slower than the run, so that
        the oldest and weakest games leave while the window stays varied."""
        growth = max(samples / self.window, 1.0) ** 0.65
        return min(int(self.window * growth), max(self.largest_window, self.window))


# What a resumed run may not change, because its weights and games depend on it.
FIXED = ("game", "options", "channels", "blocks")


def parser() -> argparse.ArgumentParser:
    """The command line: one flag per setting."""
    command = argparse.ArgumentParser(
        prog="python -m skirmish.zero.train",
        description="Trains a network by self-play: games, learning, gating, checkpoints.",
    )
    command.add_argument("--out", required=True, metavar="FOLDER", help="where the run is kept")
    command.add_argument("--resume", action="store_true", help="go on with the run in that folder")
    command.add_argument("--from", dest="origin", metavar="NET", help="start from this net's weights")
    for field in dataclasses.fields(Settings):
        flag = "--" + field.metadata.get("flag", field.name).replace("_", "-")
        common = {"dest": field.name, "default": argparse.SUPPRESS, "help": field.metadata["meaning"]}
        if field.name == "options":
            command.add_argument(flag, metavar="JSON", **common)
        elif field.name == "anchors":
            command.add_argument(flag, action="append", metavar="AGENT", **common)
        elif field.name == "deterministic":
            command.add_argument(flag, action=argparse.BooleanOptionalAction, **common)
        else:
            more = {"choices": field.metadata["choices"]} if "choices" in field.metadata else {}
            if not more:
                more["metavar"] = field.name.upper().split("_")[-1]
                common["help"] += f" [{field.default}]" if field.default != "" else ""
            command.add_argument(flag, type=type(field.default), **more, **common)
    return command


def read(arguments: dict, folder: Path, resume: bool) -> Settings:
    """The settings of this call: its own flags over those the run began with."""
    given = dict(arguments)
    if "options" in given and isinstance(given["options"], str):
        try:
            given["options"] = json.loads(given["options"])
        except ValueError as reason:
            raise Trouble(
                f"the options `{given['options']}` are no JSON: {reason}",
                """write them like '{"size":"8x8"}'""",
            ) from None
        if not isinstance(given["options"], dict):
            raise Trouble("the options are no JSON object", """write them like '{"size":"8x8"}'""")
    settings = Settings()
    if resume:
        path = folder / "settings.json"
        try:
            kept = json.loads(path.read_text())
        except (OSError, ValueError) as reason:
            raise Trouble(
                f"`{path}` cannot be read: {reason}", "leave out `--resume` to begin a new run"
            ) from None
        known = {field.name for field in dataclasses.fields(Settings)}
        for name, value in kept.items():
            if name in known:
                setattr(settings, name, value)
        for name in FIXED:
            if name in given and given[name] != getattr(settings, name):
                raise Trouble(
                    f"the run has {name} = {getattr(settings, name)}, not {given[name]}",
                    "leave it out to go on with that run, or begin another with `--from` its net",
                )
        if "minutes" in given:
            # Minutes say when this call ends, so steps given to an earlier one do not.
            settings.steps = 0
    for name, value in given.items():
        setattr(settings, name, value)
    return settings
