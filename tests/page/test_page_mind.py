"""The picture of all games of a player in the page."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from page_browser import CALM, faults, fits, fragment, marks

from tttenv import Rules, draw_games

SHOWN = "[...'XO'].map(at => document.querySelector(`[data-seat=${at}] svg > g`).outerHTML)"
LOST = ".mind-seat:nth-child(1)"  # mcts as O


def numbers(tree):
    """Return all coordinates of a tree's paths by their class."""
    paths = {part.get("class"): part.get("d") for part in tree if part.get("d")}
    return {kind: np.array(re.findall(r"-?\d+", d), int) for kind, d in paths.items()}


def assert_same(found, wanted):
    """Compare trees: as many nodes, each where the other is but for rounding."""
    assert found.keys() - {"trail"} == wanted.keys()
    for kind, there in wanted.items():
        assert found[kind].shape == there.shape, kind
        assert np.abs(found[kind] - there).max() <= 1, kind


@pytest.mark.parametrize("name", ["mcts", "selfplay", "tactical"])
def test_the_page_draws_the_same_trees_as_python(opened, shipped, name):
    page = opened(shipped, f"#games={name}", **CALM)
    drawn = ElementTree.fromstring(draw_games(Rules(), name))[3:]
    for here, there in zip(page.evaluate(SHOWN), drawn, strict=True):
        assert_same(numbers(ElementTree.fromstring(here)), numbers(there))


def test_a_tree_is_walked_by_keys_saved_and_played_on_from(opened, shipped, tmp_path):
    page = opened(shipped, "#games=mcts", **CALM)
    tree, words = (page.locator(f"{LOST} {part}") for part in (".mind-tree", "[role=status]"))
    assert words.text_content() == "a1 c3 c1 b1 a3 a2 b2mcts loses."
    steps = [("Up", "a2"), ("Down", "b2"), ("Right", "c2"), ("Left", "b2"), ("Up", "a2")]
    for key, last in steps:
        tree.press(f"Arrow{key}")
        assert words.locator("b").text_content()[-2:] == last
    with page.expect_download() as saved:
        page.locator("#mind-save").click()
    saved.value.save_as(tmp_path / "mcts.svg")
    found = ElementTree.parse(tmp_path / "mcts.svg").getroot()
    wanted = ElementTree.fromstring(draw_games(Rules(), "mcts"))
    assert [part.tag for part in found] == [part.tag for part in wanted]
    for here, there in zip(found[3:], wanted[3:], strict=True):
        assert_same(numbers(here), numbers(there))
    tree.press("Enter")
    assert fragment(page) == "#play=mcts&seat=X&moves=a1.c3.c1.b1.a3.a2&setup=6"
    assert marks(page) == "XOXO__X_O"
    assert not page.locator("#mind").is_visible()


@pytest.mark.parametrize("touch", [False, True])
def test_a_game_is_replayed_back_returns_to_it_and_a_click_only_chooses(opened, shipped, touch):
    page = opened(shipped, "#games=mcts&seat=O&moves=a1.c3.b1.c1.a2.c2", has_touch=touch, **CALM)
    tree, chosen = (page.locator(f"{LOST} {part}") for part in (".mind-tree", "b"))
    tree.press("Enter")
    page.locator("#moves button").last.click()
    assert page.locator("#play-title").text_content() == "A game that mcts wins as O"
    assert not re.search("[Yy]our? |Try again", page.locator(".beside .told").inner_text())
    page.go_back()
    assert chosen.text_content() == "a1 c3 b1 c1 a2 c2"
    (tree.tap if touch else tree.click)()
    assert chosen.text_content() == "The empty board"


def test_a_pasted_bot_loses_where_it_has_no_answer(opened, shipped):
    page = opened(shipped, **CALM)
    page.locator("#bot-code").fill("X________ 4\n")  # plays O, and one move
    page.locator("#bot-judge").click()
    page.locator("#bot-games").click()
    seats = page.locator(".mind-seat h3").all_text_contents()
    assert seats == [
        "your bot as X: ● 0 won ● 0 drawn ● 1 lost ",
        "your bot as O: ● 0 won ● 0 drawn ● 15 lost ",
    ]
    page.locator(".mind-position button").first.click()
    assert "&seat=both&as=X" in fragment(page)


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_trees_fit_and_can_be_read(opened, shipped, size, scheme):
    page = opened(shipped, "#games=mcts", size, color_scheme=scheme, **CALM)
    assert fits(page)
    assert page.evaluate("mind.scrollWidth <= mind.clientWidth")
    assert not faults(page, "#mind")
    page.keyboard.press("Escape")
    assert not page.locator("#mind").is_visible()
    page.wait_for_function("location.hash === ''")
