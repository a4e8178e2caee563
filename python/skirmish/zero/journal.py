"""What a run tells: lines for people on standard error, and the same as data in `log.jsonl`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        # JSON has no word for it, and readers should not have to guess.
        return round(value, 6) if value == value and abs(value) != float("inf") else None
    return value


class Journal:
    """Appends events to the log and tells people about them."""

    def __init__(self, folder: Path, quiet: bool = False):
        self._file = open(folder / "log.jsonl", "ab")
        self._is_terminal = sys.stderr.isatty() and not quiet
        self._quiet = quiet
        self._live = ""
        self._shown = 0.0

    def log(self, event: str, text: str = "", **facts) -> None:
        """One event: a line in the log, and `text` for people."""
        line = json.dumps({"event": event, **_plain(facts)}, ensure_ascii=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        if text:
            self.say(text)

    def say(self, text: str) -> None:
        """One line for people."""
        if self._quiet:
            return
        if self._live:
            sys.stderr.write("\r\x1b[K")
            self._live = ""
        print(text, file=sys.stderr, flush=True)

    def live(self, text: str) -> None:
        """The line at the bottom of a terminal, at most four times a second."""
        now = time.monotonic()
        if self._is_terminal and now - self._shown > 0.25:
            self._shown = now
            self._live = text
            sys.stderr.write("\r\x1b[K" + text[:110])
            sys.stderr.flush()

    def close(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")
        self._file.close()


def short(number: float) -> str:
    """A number for people: 1234567 is 1.23M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        # What three digits would round up to a thousand of a unit is one of the next.
        if abs(number) >= 0.9995 * size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"
