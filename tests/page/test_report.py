"""Report in a real browser, from file://: played, clicked, read, compared with exact numbers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from page_browser import marks
from page_data import parsed, tables
from test_scripts import KEYS

from tttenv import Rules, player
from tttenv.certificates.all_positions import TINY, blunders
from tttenv.exact import positions, solve, tabulate
from tttenv.game.symmetry import orbits
from tttenv.players import PLAYERS

ROOT = Path(__file__).parents[2]
RULES = Rules()


@pytest.mark.parametrize("width", ["desktop", "phone"])
def test_the_explorer_shows_all_classes_and_where_a_player_may_blunder(opened, shipped, width):
    page = opened(shipped, "", width)
    game = positions(RULES)
    _, classes = orbits(RULES, game.boards)

    def check(expected):
        """Check the number of positions by ply, one per class with an expected value."""
        total = with_move = 0
        for ply in range(10):
            page.locator(f"[name=ply][value='{ply}']").check(force=True)
            here = np.unique(classes[game.ply(ply)][expected[game.ply(ply)]])
            assert page.locator("#tiles li").count() == len(here)
            total += len(here)
            with_move += page.locator("#tiles a", has_text="to move").count()
        return total, with_move

    assert check(np.ones(len(game), bool)) == (765, 627)
    assert " of 765 positions have " in page.inner_text("#counted")
    for name in ("maskable_ppo", "first"):
        page.select_option("#whose", label=f"where {name} may blunder")
        spec = f"{ROOT}/checkpoints/{name}" if name == "maskable_ppo" else name
        check(blunders(solve(RULES), tabulate(RULES, player(spec)).table))
    page.locator("[name=ply][value='3']").check(force=True)
    page.locator("#tiles a").first.click()
    board = marks(page)
    assert board.count("_") == 6
    assert (page.input_value("#seat"), page.input_value("#overlay")) == ("both", "player")
    at = game.index(RULES.parse(board))
    first = tabulate(RULES, player("first")).table[at]
    assert ((first > TINY) & ~solve(RULES).optimal[at]).any()


def test_no_path_of_the_maker_stands_in_the_report(opened, shipped):
    page = opened(shipped)
    shown = tables(page.locator("#data").text_content())["players"]
    folders = {f.parent.name for f in ROOT.glob("checkpoints/*/card.json")}
    assert {player["spec"] for player in shown} == folders | {*PLAYERS}


def test_the_benchmark_tells_of_every_player_and_learner_and_ends_with_its_report(
    opened, benchmarked
):
    told, folder = benchmarked
    found, learners = json.loads((folder / "o/benchmark.json").read_text()), ["td0", "qtable"]
    names = [*PLAYERS, *(f"{name} 0" for name in learners)]
    assert [row["player"] for row in found["players"]] == names
    assert [row["learner"] for row in found["learners"]] == learners
    assert all(set(row) >= KEYS for row in found["players"])
    assert {row["player"]: row["unbeatable"] for row in found["players"]}["minimax"]
    assert all(re.search(rf"^ *{name} ", told, re.MULTILINE) for name in (*PLAYERS, *learners))
    assert "tensorboard --logdir r" in told
    for name in learners:
        assert [*(folder / "r" / f"{name}-0").glob("*tfevents*")]
    assert told.splitlines()[-1].split()[1] == (folder / "o/report.html").resolve().as_uri()
    page = opened(folder / "o/report.html")
    assert page.locator("#board button").count() == 9


def test_the_file_is_small_and_its_policy_lets_nothing_else_in(browser, shipped):
    text = shipped.read_text(encoding="utf-8")
    assert len(text.encode()) < 3_000_000
    attributes = [part.attributes for part in parsed(text)]
    names = {name for each in attributes for name in each}
    assert not [n for n in names if n.startswith("on") or n in ("style", "src", "srcset")]
    (policy,) = (each["content"] for each in attributes if "http-equiv" in each)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = browser.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(shipped.as_uri())
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'),"
        " {textContent: 'window.ran = true'}))"
    )
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in message for message in messages)
    page.close()
