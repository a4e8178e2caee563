"""Pages in a real browser: Debian's Chromium, driven by Playwright.

`SKIRMISH` is the program under test, `SKIRMISH_BROWSER` the browser where it is not found by name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
# Milliseconds until a page that never does what is waited for fails: long enough for any machine.
PATIENCE = 600_000


@pytest.fixture(scope="session")
def skirmish():
    """Runs the program; it must do as it is told."""
    program = os.environ.get("SKIRMISH", str(ROOT / "target/release/skirmish"))

    def run(*arguments: object) -> str:
        words = [program, *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    return run


@pytest.fixture(scope="session")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("SKIRMISH_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    assert found, "no browser is installed: `apt-get install chromium`, or set SKIRMISH_BROWSER"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found,
            timeout=PATIENCE,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                  "--disable-quic",
                  "--disable-background-networking", "--disable-component-update", "--disable-sync"],
        )  # fmt: skip
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens a file. Whatever the page complains of, or asks the network for, fails the test."""
    pages, wrong = [], []

    def open_page(path: Path, **context):
        page = browser.new_context(**context).new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url),
        )
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert not wrong
