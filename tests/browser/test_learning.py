"""The page of a training run."""

from __future__ import annotations

import shutil
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "nets/runs/in-trap-4"


def test_the_page_of_a_run_is_whole(visit, skirmish, tmp_path):
    shutil.copytree(RUN, tmp_path / "run")
    skirmish("zero", "report", tmp_path / "run")
    for width in (360, 1200):
        page = visit(tmp_path / "run/report.html", viewport={"width": width, "height": 800})
        assert page.locator("figure").count() == 10
        # The log is an old one: it has no true lengths of games, and that figure says so instead.
        assert page.locator("figure svg[role=img]").count() == 9
        assert page.locator("text=nothing measured yet").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
