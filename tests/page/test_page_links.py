"""Addresses of the page: shared positions, history, games to watch, and the head."""

import re
import shlex
import shutil
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from page_browser import CALM, SIZES, click, fits, fragment, marks, stop_clock
from page_data import parsed, report_of
from PIL import Image

from tttenv import Rules, certify, player
from tttenv.cli import console, report
from tttenv.exact import tabulate
from tttenv.report.build import PREVIEW, checked_url

ROOT = Path(__file__).parents[2]
RULES = Rules()
EVIL = "<img src=x onerror=alert(1)>"


# Positions.


@pytest.mark.parametrize("seat", ["X", "O", "both"])
def test_links_round_trip(opened, file, seat):
    page = opened(file, f"#play=td0&seat={seat}&show=values", **CALM)
    for _ in range(6):
        free = marks(page).find("_")
        click(page, free)
        link = fragment(page)
        assert re.fullmatch(r"#play=td0&seat=\w+&show=values&moves=[abc1-3.]+", link)
        again = opened(file, link, **CALM)
        assert marks(again) == marks(page)
        assert fragment(again) == fragment(page)
        assert again.inner_text("#status") == page.inner_text("#status")
        for name in ("#player", "#seat", "#overlay"):
            assert again.input_value(name) == page.input_value(name)
        if "Your turn" not in page.inner_text("#status"):
            break


@pytest.mark.parametrize(
    "moves", ["55", "1425389", "x", "b2.b2", "a1.b2.a2.c3.a3.b1", "d1", "b2..a1"]
)
def test_impossible_games_are_reported(opened, file, moves):
    page = opened(file, f"#play=td0&seat=X&moves={moves}", **CALM)
    assert "no possible game" in page.inner_text("#notes .warning")
    assert marks(page) == "_" * 9
    assert fragment(page).endswith("#play=td0&seat=X")


@pytest.mark.parametrize("name", ["nobody", EVIL, "n" * 5000, ""])
@pytest.mark.parametrize("kind", ["play={}&seat=X", "watch={}&against=first"])
def test_an_unknown_player_is_reported_as_text_and_nobody_answers(opened, file, kind, name):
    page = opened(file, f"#{kind.format(name)}&moves=a1", **CALM)
    told = page.inner_text("#notes .warning")
    assert told.startswith(f"The link names “{name[:39]}")
    assert len(told) < 120
    assert page.locator("#notes img").count() == 0
    assert marks(page) == "X________"
    assert page.input_value("#seat") == "both"
    assert name == "" or name not in fragment(page)


def in_view(page):
    """Return whether the board and its remarks are visible."""
    height = page.evaluate("innerHeight")
    boxes = [page.locator(name).bounding_box() for name in ("#board", "#notes", "#status")]
    return all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)


@pytest.mark.parametrize("size", SIZES)
def test_a_link_opens_on_the_board(opened, file, size):
    page = opened(file, "#play=mcts&seat=both&show=values&moves=a1.b2", size, **CALM)
    assert in_view(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("location.hash = '#play=mcts&seat=both&moves=a1.b2.c3'")
    page.wait_for_function("document.querySelectorAll('#moves li').length === 3")
    assert in_view(page)
    assert fits(page)


def test_the_link_is_copied_and_the_button_says_so(browser, file):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{file.as_uri()}#play=first&seat=both&moves=a1.b2")
    href = page.evaluate("location.href")
    page.click("#copy")
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == href
    told = "Copied. It opens only where this file is: send the file too, or publish it."
    assert page.inner_text("#notes").startswith(told)
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    page.click("#copy")
    page.locator("#link").wait_for()
    assert page.input_value("#link") == href
    selected = "document.querySelector('#link').selectionEnd"
    assert page.evaluate(selected) == len(href)
    context.close()


# Games that play themselves.


@pytest.mark.parametrize(("name", "seat"), [("tactical", "O"), ("random", "X"), ("first", "X")])
def test_a_lost_game_plays_by_itself_stone_by_stone(opened, file, name, seat):
    page = opened(file, f"#play={name}&seat=X", "phone", **CALM)
    stop_clock(page)
    line = certify(RULES, name).losing_line[seat]
    page.click(f"#lose-{seat}")
    assert in_view(page)
    board = RULES.start()
    for cell in line:
        assert marks(page) == RULES.format(board)
        page.clock.run_for(700)
        board = RULES.play(board, cell)
    assert marks(page) == RULES.format(board)
    winner = "O" if seat == "X" else "X"
    assert page.inner_text("#status").startswith(f"{winner} wins. {name} ({seat}) lost at move ")
    page.click("#earlier")
    page.click("#onward")
    assert page.input_value("#seat") == "both"
    click(page, line[-1])
    assert marks(page) == RULES.format(board)
    page.go_back()
    assert page.input_value("#seat") == "X"
    assert marks(page) == "_" * 9
    page.select_option("#player", label="minimax")
    assert page.locator("#lose-X, #lose-O").filter(visible=True).count() == 0
    assert page.inner_text("#about").endswith("✓ Never loses, as X or O.")


@pytest.mark.parametrize("way", ["the play section", "a link"])
def test_two_players_play_by_themselves(opened, file, way):
    page = opened(file, "#watch=tactical&against=first" if way == "a link" else "", **CALM)
    stop_clock(page)
    if way == "a link":
        page.click("#pause")
    else:
        page.click("#start-net")
        page.select_option("#seat", "none")
        page.select_option("#watch-x", label="tactical")
        page.select_option("#watch-o", label="first")
        page.click("#watch")
    assert page.inner_text("#play-title") == "tactical as X against first as O"
    assert in_view(page)
    policies = {"X": tabulate(RULES, player("tactical")), "O": tabulate(RULES, player("first"))}
    board, bars = RULES.start(), set()
    while not RULES.over(board):
        assert marks(page) == RULES.format(board)
        bars.add(page.get_attribute("#bar", "aria-label"))
        mover = "XO"[marks(page).count("_") % 2 == 0]
        page.clock.run_for(700)
        (cell,) = (c for c in range(9) if marks(page)[c] != RULES.format(board)[c])
        assert policies[mover](board[None])[0, cell] > 0
        board = RULES.play(board, cell)
    assert len(bars) > 1
    assert re.search(r"(lost|away) at move \d: [abc][123]\.", page.inner_text("#status"))
    assert page.inner_text("#pause") == "Play it again"
    page.click("#again")
    assert page.input_value("#seat") in "XO"
    page.go_back()
    assert "watch=tactical&against=first" in fragment(page)


# The command to certify again.


def test_the_command_to_certify_again_is_quoted_for_a_shell(opened, tmp_path):
    name = "x'; touch PWNED; '"
    shutil.copytree(ROOT / "checkpoints/td0", tmp_path / name)
    out = tmp_path / "report.html"
    report_of(out, f"{tmp_path / name}/")
    page = opened(out)
    page.click("#start-net")
    page.click("#play summary")
    words = ["tttenv", "certify", str(tmp_path / name), "--json"]
    assert shlex.split(page.inner_text("#command")) == words


# The head.


def head(file):
    """Return the contents of a page's meta elements by name, and the address of its icon."""
    starts = [part for part in parsed(file.read_text(encoding="utf-8")) if part.kind == "start"]
    (icon,) = (part.attributes for part in starts if part.tag == "link")
    assert icon["rel"] == "icon"
    metas = [part.attributes for part in starts if part.tag == "meta"]
    named = {meta.get("property") or meta.get("name"): meta.get("content") for meta in metas}
    return named, icon["href"]


def test_the_head_describes_the_page_and_names_a_picture_only_where_it_is_published(tmp_path):
    out = tmp_path / "report.html"
    report_of(out, "first", "minimax")
    meta, icon = head(out)
    assert meta["og:title"]
    assert meta["description"] == meta["og:description"]
    assert meta["description"].startswith("2 players of tic-tac-toe, 1 of them proved")
    assert not {"og:image", "og:url"} & set(meta)
    assert icon.startswith("data:image/svg+xml,")
    assert ElementTree.fromstring(unquote(icon.partition(",")[2])).tag.endswith("svg")
    for url, image in (
        ("https://name.example/project", "https://name.example/project/preview.png"),
        ("https://name.github.io/project/a", "https://name.github.io/project/a/preview.png"),
        ("https://name.example/a/report.html", "https://name.example/a/preview.png"),
        ('http://name.example/"><script>', 'http://name.example/"><script>/preview.png'),
    ):
        report_of(out, "first", url=url)
        assert head(out)[0]["og:image"] == image
        text = out.read_text(encoding="utf-8")
        assert "<script>/preview" not in text
        assert ('href="https://github.com/name/project"' in text) == (".github.io" in url)


def test_the_workflow_that_publishes_the_page_calls_the_report_as_it_is():
    text = (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
    (line,) = re.findall(r"python scripts/report\.py (.*)", text)
    given = console.parse(report.Arguments, "report.py", shlex.split(line))
    assert given.out == Path("site/report/index.html")
    assert given.url == "$ADDRESS/report"
    (picture,) = re.findall(r"cp (\S+) site/report/", text)
    assert (ROOT / picture).name == PREVIEW
    with Image.open(ROOT / picture) as shown:
        assert shown.size == (1200, 630)


@pytest.mark.parametrize(
    "url", ["", "name.example", "javascript:alert(1)", "https://", "https://a b/", "ftp://a/", "/a"]
    + ["https://a\n/", "https://é/", "https://[", "https://a/" + "b" * 500]
)  # fmt: skip
def test_an_address_that_is_none_of_the_web_is_refused_in_a_line(url):
    with pytest.raises(ValueError, match="page's address must look like") as refusal:
        checked_url(url)
    assert "\n" not in str(refusal.value)
