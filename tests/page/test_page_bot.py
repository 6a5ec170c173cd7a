"""A visitor's own bot, pasted into the page, is judged there as by the library."""

import re

import numpy as np
import pytest
from page_browser import CALM, fragment

from tttenv import Rules, certify, player
from tttenv.exact import positions

RULES = Rules()
HELD = """const LINES = [[0,1,2],[3,4,5],[6,7,8],[0,3,6],[1,4,7],[2,5,8],[0,4,8],[2,4,6]];
const won = (b, s) => LINES.some((line) => line.every((cell) => b[cell] === s));
const free = (b) => b.flatMap((mark, cell) => (mark === "" ? [cell] : []));
function value(b, s) {
  const o = s === "X" ? "O" : "X";
  if (won(b, o)) return -1;
  if (!free(b).length) return 0;
  return Math.max(...free(b).map((cell) => -value(b.with(cell, s), o)));
}
"""
PERFECT = (
    HELD
    + "const move = (b, s) => free(b).reduce((best, cell) => "
    + (
        '-value(b.with(cell, s), s === "X" ? "O" : "X") >'
        ' -value(b.with(best, s), s === "X" ? "O" : "X") ? cell : best);'
    )
)
BOTS = {  # the text, and what the page says of it
    "perfect": (PERFECT, r"^Unbeatable: .* It is perfect in every position\.$"),
    "first": ('(b) => b.findIndex((mark) => mark === "")', r"As X it can be .*As O it can be "),
    "undeclared": ("function bot(b) { x = b.indexOf(''); return x }", "As X it can be beaten"),
    "random": ("(b) => Math.floor(9 * Math.random())", "As X .* No legal answer on .* 40 answers"),
    "illegal once": (
        PERFECT.replace("move = (b, s) =>", "move = (b, s) => b.join('') === 'X' ? 0 :"),
        r"^As X it never loses\. As O it can be beaten: a1, where it answers 0\. .* on 1 board,",
    ),
    "names": ('(b) => "abc"[b.indexOf("") % 3] + (1 + Math.floor(b.indexOf("") / 3))', "As X it"),
    "loop": ("(b) => { while (b[0] !== 'X') {} return b.indexOf('') }", "^No answer on _{9} .X to"),
    "error": ("async (b) => 0", "on the empty board, where it returned a promise.*number from 0"),
    "no bot": ("hello there", "^This is no function.* see below"),
}


def table(name):
    """Return a player's first move on every board, as rows of text."""
    boards = positions(RULES).boards
    boards = boards[~RULES.over(boards)]
    cells = player(name, RULES)(boards).argmax(axis=1)
    rows = zip(boards, cells, strict=True)
    return "\n".join(f'"{RULES.format(board)}": {cell},' for board, cell in rows)


def judge(page, text):
    """Paste a bot, and return what the page says of it."""
    page.locator("#bot-code").evaluate("(box, text) => (box.value = text)", text)
    page.locator("#bot-judge").click()
    status = page.locator("#bot-status")
    page.wait_for_function(
        "() => !/^Ask/.test(document.getElementById('bot-status').textContent)", timeout=60_000
    )
    return status.text_content()


@pytest.mark.parametrize("name", BOTS)
def test_each_bot_is_judged(name, opened, shipped):
    text, said = BOTS[name]
    assert re.search(said, judge(opened(shipped, **CALM), text))


@pytest.mark.parametrize("name", ["minimax", "selfplay", "dqn", "first", "reinforce"])
def test_a_pasted_table_has_the_verdict_and_the_lost_games_of_certify(name, opened, shipped):
    chosen = player(name, RULES)

    def firsts(boards):
        return np.eye(9)[chosen(boards).argmax(axis=1)]

    exact = certify(RULES, firsts)
    said = judge(opened(shipped, **CALM), table(name))
    assert said.startswith("Unbeatable") == exact.unbeatable
    for seat, line in exact.losing_line.items():
        found = re.search(rf"As {seat} it can be beaten: ([a-c1-3 ]+)\.", said)
        assert (found is None) == (line is None)
        assert found is None or len(found[1].split()) == len(line)
    assert ("perfect in every position" in said) == (exact.blunders == 0 and exact.unbeatable)


def test_the_lost_game_is_shown_and_the_bot_plays_on(opened, shipped):
    page = opened(shipped, **CALM)
    judge(page, BOTS["first"][0])
    page.locator("#bot-lose").click()
    assert page.input_value("#seat") == "both"
    page.locator("#leaderboard tbody a").first.click()
    assert page.input_value("#seat") == "X"  # not both sides, as in the replay
    page.locator("#bot-play").click()
    assert fragment(page).startswith("#play=your%20bot&seat=")
    assert "your bot" in page.locator("#play-title").text_content()
