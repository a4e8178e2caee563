"""The games of a run: on the disk in shards, and in the window that is learned from."""

from __future__ import annotations

import concurrent.futures
import os
from pathlib import Path

from skirmish.zero.pools import PoolRunner, native
from skirmish.zero.settings import Settings

# A shard is closed at this size, so that the newest games can travel without the old ones.
SHARD_BYTES = 8 << 20


class Replay:
    """Finished games on their way to the disk and into the window.

    `counters` are the run's: games and samples in all, and in which shard they are.
    """

    def __init__(self, folder: Path, settings: Settings, window, counters):
        self.folder = folder
        self.settings = settings
        self.window = window
        self.counters = counters
        # How much is in the window: asking it would mean waiting for the thread that adds.
        self.held = len(window)
        self._shard = None
        self._shard_name = ""
        # Reading samples from finished games is left to a thread where timing may decide.
        self._helper = concurrent.futures.ThreadPoolExecutor(1, "collector")
        self._reading: list[concurrent.futures.Future] = []

    def read_back(self) -> None:
        """The newest shards that fill the window.

        Games after the checkpoint count as well: they are whole frames, or torn ones that the
        window drops.
        """
        capacity = self.settings.window_at(self.counters.samples)
        chosen: list[Path] = []
        found = 0
        for path in sorted(self.folder.glob("*.shard"), reverse=True):
            if found >= capacity:
                break
            chosen.append(path)
            found += self.counters.shards.get(path.name, 0)
        self.window.set_capacity(capacity)
        for path in reversed(chosen):
            native(self.window.add, path.read_bytes())
        self.held = len(self.window)

    def collect(self, runners: list[PoolRunner]) -> None:
        """Takes the games that the runners have finished."""
        while self._reading and (self.settings.deterministic or self._reading[0].done()):
            self._count(self._reading.pop(0).result())
        for runner in runners:
            frames = runner.pool.take_games()
            if frames:
                self._reading.append(self._helper.submit(self.keep, frames))
                if self.settings.deterministic:
                    self._count(self._reading.pop(0).result())

    def settle(self) -> None:
        """Waits for what is still being read."""
        while self._reading:
            self._count(self._reading.pop(0).result())

    def keep(self, frames: bytes) -> tuple[str, int, int]:
        """Writes games down and adds them to the window. Answers the shard, and how many games and
        samples."""
        if self._shard is None or self._shard.tell() > SHARD_BYTES:
            if self._shard is not None:
                self._shard.close()
            # Always a new file: one that a crash tore must not be written on.
            number = 1 + max((int(path.stem) for path in self.folder.glob("*.shard")), default=0)
            self._shard_name = f"{number:04}.shard"
            self._shard = open(self.folder / self._shard_name, "ab")
        self._shard.write(frames)
        self._shard.flush()
        games, samples = native(self.window.add, frames)
        return self._shard_name, games, samples

    def _count(self, kept: tuple[str, int, int]) -> None:
        name, games, added = kept
        self.counters.games += games
        self.counters.samples += added
        self.counters.shards[name] = self.counters.shards.get(name, 0) + added
        capacity = self.settings.window_at(self.counters.samples)
        self.window.set_capacity(capacity)
        self.held = min(self.held + added, capacity)

    def sync(self) -> None:
        """What was kept is on the disk when this returns."""
        if self._shard is not None:
            os.fsync(self._shard.fileno())

    def close(self) -> None:
        """Ends the thread and the shard."""
        self._helper.shutdown(wait=True)
        if self._shard is not None:
            self._shard.close()
