#!/usr/bin/env python3
"""Adds games to a copy of Skirmish by docs/add-a-game.md, and uses them through the real binary.

Two games that the product does not have: Nim, whose code is taken from the page itself, and
Breakthrough, whose folder is beside this file. Each gets its folder, its page of rules and its one
line; then every command must work with it.

    tests/fifth-game/check.py

The copy is kept in the target folder, so that only what has changed is compiled again. Needs cargo,
git and Python 3.11.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
COPY = TARGET / "fifth-game" / "copy"
PAGE = "docs/add-a-game.md"
GAMES = "crates/rules/src/games"


def write(path, data):
    """Writes a file unless it is so already: what is not touched is not compiled again."""
    data = data if isinstance(data, bytes) else data.encode()
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def blocks(page):
    """The code of the page: by the file that the words before a block name, and the blocks."""
    found, named = {}, None
    for words, language, code in re.findall(r"(.*?)```(\w*)\n(.*?)```\n", page, re.DOTALL):
        for name in re.findall(r"`((?:games|docs)/nim[\w/.]+)`", words):
            named = name
        if named and language in ("rust", "markdown"):
            found.setdefault(named, code)
    return found


def copied():
    """The repository as git sees it, with the two games added."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, check=True, capture_output=True,
    ).stdout.decode()
    files = {
        name: (REPOSITORY / name).read_bytes()
        for name in listed.split("\0") if name and (REPOSITORY / name).is_file()
    }

    # The page, to the letter: a folder, a line and a page of rules for each game.
    page = blocks(files[PAGE].decode())
    for name in ("mod", "position", "notation", "show", "tests"):
        files[f"{GAMES}/nim/{name}.rs"] = page[f"games/nim/{name}.rs"].encode()
    files["docs/nim.md"] = page["docs/nim.md"].encode()
    for source in (HERE / "breakthrough").iterdir():
        files[f"{GAMES}/breakthrough/{source.name}"] = source.read_bytes()
    files["docs/breakthrough.md"] = (HERE / "breakthrough.md").read_bytes()
    listed = files[f"{GAMES}/mod.rs"].decode()
    lines, count = re.subn(
        r"(\ngame_folders! \{\n(?:    \w+,\n)+)", r"\1    nim,\n    breakthrough,\n", listed
    )
    assert count == 1, f"{GAMES}/mod.rs has no list of games"
    files[f"{GAMES}/mod.rs"] = lines.encode()

    for name, data in files.items():
        write(COPY / name, data)
    for path in sorted(COPY.rglob("*")):
        if path.is_file() and str(path.relative_to(COPY)) not in files:
            path.unlink()


def cargo(*arguments):
    # Quick to compile rather than quick to run; the dependencies are those of the other tests.
    profile = {
        "CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "0",
    }
    command = ["cargo", arguments[0], "--locked", *arguments[1:]]
    subprocess.run(command, cwd=COPY, env={**os.environ, **profile}, check=True)


class Skirmish:
    """The program, in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def says(self, *words, code=0):
        done = subprocess.run(
            [self.program, *words], cwd=self.folder, capture_output=True, text=True, timeout=600
        )
        told = f"skirmish {' '.join(words)}\n{done.stdout}{done.stderr}"
        assert done.returncode == code, f"exit code {done.returncode}, not {code}: {told}"
        assert "panicked" not in done.stderr, told
        print(f"  skirmish {' '.join(words)[:110]}", flush=True)
        return done.stdout if code < 2 else done.stderr

    def json(self, *words, code=0):
        return json.loads(self.says(*words, "--json", code=code))


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


ENGINES = ["random", "greedy", "negamax", "alphabeta", "mcts", "best"]


def rules_and_counts(skirmish):
    names = [game["name"] for game in skirmish.json("games")]
    same(names[-2:], ["nim", "breakthrough"])
    assert "captures all pieces" in skirmish.says("rules", "breakthrough")
    assert "The player who takes the last stone wins" in skirmish.says("rules", "nim")

    # What the page promises.
    shown = skirmish.says("show", "nim", "--moves", "take 3; take 1")
    promised = re.search(r"--moves 'take 3; take 1'\n(.*?)\$ cargo", (REPOSITORY / PAGE).read_text(), re.DOTALL)
    same(shown.strip(), promised[1].strip())
    same(skirmish.says("perft", "nim", "--depth", "4").split()[0], "81")

    shown = skirmish.says("show", "breakthrough", "--moves", "a2-a3; h7-g6")
    assert "white to move" in shown and "bbbbbbbb/bbbbbbb1/6b1/8/8/w7/1wwwwwww/wwwwwwww w" in shown, shown
    same(len(skirmish.json("legal", "breakthrough")["turns"]), 22)
    # 22 and 484 by hand; the others by another program.
    for size, depth, leaves in [
        ("8x8", 1, 22), ("8x8", 2, 484), ("8x8", 3, 11_132), ("2x4", 2, 6), ("2x4", 6, 220),
    ]:
        counted = skirmish.json("perft", "breakthrough", "--size", size, "--depth", str(depth))
        same(counted["leaves"], leaves)
    played = skirmish.json("playouts", "breakthrough", "--games", "50")
    same((played["games"], played["endings"]), (50, {"normal": 50}))
    error = skirmish.says("show", "breakthrough", "--size", "9", code=2)
    assert "`size` is a number like `8`" in error, error


def games(skirmish):
    for game, size in [("breakthrough", ["--size", "5x5"]), ("nim", [])]:
        match = ["match", game, *ENGINES, *size, "--games", "2", "--nodes", "60", "--seed", "5"]
        result = skirmish.json(*match)
        assert not result.get("bugs") and not result.get("faults"), result
        same([agent["games"] for agent in result["agents"]], [10] * len(ENGINES))
    # They know what they do: the rule of thumb and the random games make them better than chance.
    for engine in ["greedy", "alphabeta", "mcts"]:
        match = ["match", "breakthrough", engine, "random", "--size", "5x5", "--games", "6"]
        result = skirmish.json(*match, "--nodes", "150", "--opening", "2")
        assert result["agents"][0]["score"] >= 0.8, (engine, result["agents"])
    error = skirmish.says("match", "breakthrough", "marshal", "random", code=2)
    assert "breakthrough is played by random, greedy, negamax, alphabeta, mcts, best" in error, error

    (skirmish.folder / "mine.py").write_text("def choose(state):\n    return state.legal[0]\n")
    stub = f"cmd:'{skirmish.program}' __agent"
    small = ["--size", "3x5"]
    referee = ["referee", "breakthrough", *small, "--sandbox", "off", "--quiet"]
    skirmish.says(*referee, "python:mine.py", "greedy", "--record", "game.json")
    skirmish.says(*referee, stub, "random", "--record", "other.json")
    for name in ["game.json", "other.json"]:
        record = json.loads((skirmish.folder / name).read_text())
        same((record["game"], record["faults"] if "faults" in record else []), ("breakthrough", []))
        same(record["result"]["termination"], "normal")
        skirmish.says("verify", name)
    skirmish.says("check", "breakthrough", stub, *small, "--sandbox", "off", "--games", "1")


def after_the_game(skirmish):
    assert "wins" in skirmish.says("replay", "game.json", "--all")
    for form in ["svg", "gif", "txt"]:
        skirmish.says("export", "game.json", "-o", f"game.{form}")
        assert (skirmish.folder / f"game.{form}").stat().st_size > 500
    judged = skirmish.json("analyse", "breakthrough", "--record", "game.json", "--nodes", "50")
    record = json.loads((skirmish.folder / "game.json").read_text())
    same(len(judged["turns"]), sum("move" in event for event in record["events"]))
    seen = skirmish.json("analyse", "breakthrough", "--size", "3x5", "--nodes", "500")
    assert seen["lines"] and seen["agent"] == "best", seen

    tournament = ["tournament", "--game", "breakthrough", "--option", "size=3x5", "--games", "2"]
    agents = ["--agents", "random", "greedy", "alphabeta", "mcts"]
    limits = ["--nodes", "50", "--analyse", "alphabeta:nodes=50", "--out", "cup", "--quiet"]
    skirmish.says(*tournament, *agents, *limits)
    report = (skirmish.folder / "cup" / "report.html").read_text()
    assert "Breakthrough" in report and "alphabeta" in report
    same(len((skirmish.folder / "cup" / "games.jsonl").read_text().splitlines()), 12)


def solving(skirmish):
    # By another program: the second player wins on these boards, the first on 2x6.
    for size, winner in [("2x4", "second"), ("3x4", "second"), ("3x5", "second"), ("2x6", "first")]:
        solved = skirmish.json("solve", "breakthrough", "--size", size)
        same((solved["result"], solved["winner"]), ("win", winner))
        assert solved["line_is_complete"], solved
        line = "; ".join(solved["line"])
        shown = skirmish.says("show", "breakthrough", "--size", size, "--moves", line)
        assert f"{solved['name']} wins" in shown, shown
    # A heap of a multiple of four is lost.
    same(skirmish.json("solve", "nim", "--stones", "12")["winner"], "second")
    same(skirmish.json("solve", "nim", "--stones", "13")["winner"], "first")
    unknown = skirmish.json("solve", "breakthrough", "--nodes", "1000", code=1)
    same((unknown["result"], unknown["why"], unknown["winner"]), ("unknown", "nodes", None))
    over = skirmish.json("solve", "nim", "--position", "0 second")
    same((over["winner"], over["line"], over["line_is_complete"]), ("first", [], True))


def main():
    copied()
    # The games' own tests and laws, and the tests that go through all games.
    rules = ["--lib", "--test", "laws", "--test", "fuzz", "--", "nim", "breakthrough"]
    cargo("test", "-p", "skirmish-rules", *rules, "every_game", "unknown_game", "any_text")
    cli = ["the_demo", "the_records_of_the_demo", "the_list_of_games", "the_rules", "ascii", "keys"]
    cargo("test", "-p", "skirmish-cli", "--test", "cli", "--", *cli, "in_the_name_of_a_game")
    # Those tests have built the program. Under its usual name it would be taken for the one without
    # these games.
    program = TARGET / "fifth-game" / "skirmish"
    shutil.copy2(TARGET / "debug" / "skirmish", program)
    with tempfile.TemporaryDirectory() as folder:
        skirmish = Skirmish(str(program), Path(folder))
        for part in (rules_and_counts, games, after_the_game, solving):
            print(part.__name__.replace("_", " "), flush=True)
            part(skirmish)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"all passed, {used.ru_utime + used.ru_stime:.0f} s of CPU")


if __name__ == "__main__":
    sys.exit(main())
