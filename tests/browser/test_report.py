"""The page of a tournament, as a teacher opens it."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

# An agent that says something a careless page would run, then breaks the rules.
RUDE = """
import sys
def choose(state):
    print("<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>", file=sys.stderr)
    return "nonsense"
"""


@pytest.fixture(scope="session")
def folder(skirmish, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tournament")
    (folder / "rude.py").write_text(RUDE)
    skirmish(
        *("tournament", "--game", "amazons", "--option", "size=6", "--format", "round-robin"),
        *("--agents", "random", "greedy", "alphabeta:depth=1", f"python:{folder / 'rude.py'}"),
        *("--games", "2", "--seed", "4", "--analyse", "alphabeta:depth=1", "--out", folder / "out", "--quiet"),
    )
    return folder / "out"


@pytest.fixture(scope="session")
def records(folder):
    games = map(json.loads, (folder / "games.jsonl").read_text().splitlines())
    return {game["tournament"]["number"]: game for game in games}


def test_everything_is_there(visit, folder, records):
    page = visit(folder / "report.html")
    assert page.locator("#standings tbody tr").count() == 4
    assert page.locator("table.games tbody tr").count() == len(records) == 12
    assert page.locator("svg[role=img]").count() == 2
    for picture in page.locator("svg[role=img]").all():
        assert picture.get_attribute("aria-label")
    assert "illegal-move" in page.locator("#faults").text_content()


def test_what_an_agent_said_is_shown_and_not_run(visit, folder):
    page = visit(folder / "report.html")
    assert "window.pwned = 1" in page.locator("#faults pre").first.text_content()
    assert page.evaluate("window.pwned") is None
    assert page.locator("#faults img, #faults script").count() == 0


def test_tables_sort_and_games_are_sifted(visit, folder):
    page = visit(folder / "report.html")
    names = page.locator("#standings tbody th")
    by_name = page.locator("#standings thead button", has_text="agent")
    by_name.click()
    assert names.all_text_contents() == ["alphabeta", "greedy", "random", "rude"]
    by_name.click()
    assert names.all_text_contents() == ["rude", "random", "greedy", "alphabeta"]
    page.locator("#standings thead button", has_text="score").click()
    assert names.all_text_contents()[0] == "rude"
    page.select_option("select[name=agent]", label="greedy")
    assert page.locator("table.games tbody tr:visible").count() == 6
    assert page.locator("form.filter output").text_content() == "6 of 12 games"
    page.select_option("select[name=end]", value="illegal-move")
    assert page.locator("table.games tbody tr:visible").count() == 2


def test_a_game_is_watched_by_keyboard_to_its_end(visit, folder, records, skirmish):
    number = next(n for n, record in records.items() if record["result"]["termination"] == "normal")
    page = visit(folder / "report.html")
    page.locator(f"[data-watch='{number}']").focus()
    page.keyboard.press("Enter")
    player = page.get_by_role("dialog")
    player.wait_for()
    assert player.locator(".caption").text_content() == "The start"
    turns = len(records[number]["events"])
    assert player.locator(".turns li").count() == turns
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert player.locator(".caption").text_content().startswith("2. ")
    page.keyboard.press("ArrowLeft")
    assert player.locator(".caption").text_content().startswith("1. ")
    page.keyboard.press("End")
    assert player.locator(".status").text_content() == records[number]["result"]["sentence"]
    # The board is that of the rules: as many arrows as turns, and the pieces where `replay` has them.
    spoken = player.locator(".board td .unseen").all_text_contents()
    assert spoken.count("arrow") == turns
    shown = skirmish("replay", folder / "games.jsonl", "--game", number, "--turn", turns)
    # One more stands in the legend.
    assert shown.count("■") + shown.count("*") == turns + 1
    page.keyboard.press("Home")
    page.get_by_role("button", name="play", exact=True).click()
    page.select_option("select[name=speed]", value="50")
    expect(player.locator(".caption")).to_contain_text(re.compile(r"^([3-9]|\d\d)\. "))
    page.keyboard.press("Escape")
    assert not player.is_visible()


def test_a_link_opens_its_game(visit, folder):
    page = visit(folder / "report.html")
    page.evaluate("location.hash = '#game-2'")
    page.get_by_role("dialog").wait_for()
    assert page.locator("#player-title").text_content().startswith("Game 2.")


def test_a_mistake_leads_to_its_turn(visit, folder):
    page = visit(folder / "report.html")
    page.locator("#mistakes summary").click()
    link = page.locator("#mistakes li a").first
    game, turn = re.findall(r"\d+", link.text_content())
    link.click()
    page.get_by_role("dialog").wait_for()
    assert page.locator("#player-title").text_content().startswith(f"Game {game}.")
    # The board after the turn, which is told to be the mistake it is.
    assert page.locator("#player input[type=range]").input_value() == turn
    expect(page.locator("#player .mistake")).to_contain_text("was better by")
    expect(page.locator("#player .turns [aria-current]")).to_be_in_viewport()


def long_game(records):
    """A game that its agents have played: some end with the first turn of the rude one."""
    return next(number for number, game in sorted(records.items()) if len(game["events"]) > 3)


def test_a_link_of_an_old_page_still_leads_to_its_board(visit, folder, records):
    page = visit(folder / "report.html")
    page.evaluate(f"location.hash = '#game-{long_game(records)}-ply-3'")
    page.get_by_role("dialog").wait_for()
    assert page.locator("#player input[type=range]").input_value() == "3"


def test_what_an_engine_thought_stands_under_its_turn(visit, folder, records):
    number, turn = next(
        (number, turn)
        for number, game in sorted(records.items())
        for turn, event in enumerate(game["events"], 1)
        if "info" in event and "value" in event["info"]
    )
    page = visit(folder / "report.html")
    page.evaluate(f"location.hash = '#game-{number}-turn-{turn}'")
    page.get_by_role("dialog").wait_for()
    expect(page.locator("#player .thought")).to_contain_text("thought: ")


def test_one_game_is_a_page(visit, skirmish, folder, records, tmp_path):
    html = tmp_path / "game.html"
    number = str(long_game(records))
    skirmish(
        *("analyse", folder / "games.jsonl", "--game", number, "--agent", "alphabeta:depth=1"),
        *("--html", html),
    )
    for width in (360, 1200):
        page = visit(html, viewport={"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="watch the game").click()
        player = page.get_by_role("dialog")
        player.wait_for()
        page.keyboard.press("ArrowRight")
        assert player.locator(".caption").text_content().startswith("1. ")
        page.keyboard.press("Escape")
        page.evaluate(f"location.hash = '#game-{number}-turn-3'")
        player.wait_for()
        assert player.locator("input[type=range]").input_value() == "3"


def test_a_phone_shows_it_without_scrolling_sideways(visit, folder):
    phone = dict(viewport={"width": 360, "height": 700}, color_scheme="dark", has_touch=True)
    page = visit(folder / "report.html", **phone)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("[data-watch='1']").tap()
    page.get_by_role("dialog").wait_for()
    board = page.locator("#player .board").bounding_box()
    assert 0 <= board["x"] and board["x"] + board["width"] <= 360


def test_it_can_be_printed_and_read_without_its_script(visit, folder):
    page = visit(folder / "report.html", java_script_enabled=False)
    assert page.locator("#standings tbody tr").count() == 4
    assert page.locator("[data-watch]").first.is_hidden()
    page.emulate_media(media="print")
    assert page.locator("form.filter").is_hidden()
    assert len(page.pdf()) > 10_000


def test_a_screen_reader_finds_its_way(visit, folder):
    page = visit(folder / "report.html")
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("h1").count() == 1
    for table in page.locator("section table:not(.board)").all():
        assert table.locator("thead th:not([scope])").count() == 0
        if not table.locator("xpath=ancestor::details").count():
            assert table.locator("caption").count() == 1
    for control in page.locator("button, select, input").all():
        named = control.evaluate(
            "e => e.ariaLabel || e.textContent.trim() || (e.labels && e.labels.length)"
        )
        assert named
