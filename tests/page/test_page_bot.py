"""A visitor's own bot, pasted into the page, is judged there as by the library."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from bots import BOTS
from page_browser import CALM, fragment, marks, verdict

from tttenv import Rules, certify, player
from tttenv.exact import positions

RULES = Rules()
PERFECT = BOTS["list/XO-blank/board-mark/cell, perfect"].javascript
EXCEPT = PERFECT.replace("move(", "inner(") + (  # another move on a board, under a condition
    "\nlet n = 0; const seen = new Set();\nfunction move(board, mark) {"
    "\n  return board.join() === '%s' && (%s) ? 1 : inner(board, mark);\n}"
)
PASTED = tomllib.loads(Path(__file__).with_name("pasted.toml").read_text(encoding="utf-8"))
TEXTS = {  # what is pasted, and what the page says of it
    kind: {
        text.replace("PERFECT", PERFECT): row["said"]
        for row in PASTED[kind]
        for text in row["texts"]
    }
    for kind in ("usual", "hostile")
}
TEXTS["except"] = {
    EXCEPT % (row["board"], condition): row["said"]
    for row in PASTED["except"]
    for condition in row["conditions"]
}
TEXTS["hostile"]["/".ljust(200_001, "/")] = "^A bot has at most 200,000 letters"


def table(name, low):
    """Return a player's first move on every board, as rows of text; cells count from `low`."""
    boards = positions(RULES).boards
    boards = boards[~RULES.over(boards)]
    cells = player(name, RULES)(boards).argmax(axis=1)
    rows = zip(boards, cells, strict=True)
    return "\n".join(f'"{RULES.format(board)}": {cell + low},' for board, cell in rows)


def begin(page, text):
    """Paste a bot, and press the button."""
    page.locator("#bot-code").evaluate("(box, text) => (box.value = text)", text)
    page.locator("#bot-judge").click()


def verdict_text(page):
    """Return what the page says in the end of the bot."""
    status = "document.getElementById('bot-status').textContent"
    page.wait_for_function(f"() => !/^Ask/.test({status})", timeout=60_000)
    return page.evaluate(status)


def judge(page, text):
    """Paste a bot, and return what the page says of it."""
    begin(page, text)
    return verdict_text(page)


def test_every_form_of_bot_is_judged_rightly_or_not_at_all(opened, shipped):
    page = opened(shipped, **CALM)
    texts = {name: bot for name, bot in BOTS.items() if bot.javascript}
    assert {name: verdict(judge(page, bot.javascript)) for name, bot in texts.items()} == {
        name: (bot.loses, bot.blunders) for name, bot in texts.items()
    }


def test_the_form_is_said_and_can_be_chosen(opened, shipped):
    page = opened(shipped, **CALM)
    judge(page, "(board) => [Math.floor(board.indexOf('') / 3), board.indexOf('') % 3]")
    said = 'Read as 9 cells of "X", "O", ""; bot is called with the board and answers [row, column]'
    assert page.locator("#bot-form").text_content() == said + "."
    page.locator("#bot-otherwise summary").click()
    page.locator("#bot-answer").select_option("cell")
    assert re.match(r"Not understood: .* it returned \[\d, \d\]\.$", verdict_text(page))
    page.locator("#bot-answer").select_option("pair")
    assert re.match("As X it can be .*As O it can be ", verdict_text(page))
    page.locator("#bot-shape").focus()
    page.keyboard.press("ArrowDown")
    assert re.match("Not understood: ", verdict_text(page))
    assert page.evaluate("document.activeElement.id") == "bot-shape"


def test_a_bot_of_one_seat_is_judged_in_it(opened, shipped):
    page = opened(shipped, **CALM)
    for name in ("only O, by its mark", "only O"):
        assert judge(page, BOTS[name].javascript) == "It does not play X. As O it never loses."
    throws = BOTS["only O, by its mark"].javascript.replace("return null", "throw 'I am O'")
    assert judge(page, throws.replace('"X") throw', '"O") throw')).endswith("does not play O.")
    judge(page, BOTS["only O"].javascript)
    assert page.locator("#bot-lose").is_hidden()
    page.get_by_role("link", name="Play it as X").click()
    assert fragment(page).startswith("#play=pasted%20bot&seat=X&bot=1I")
    assert page.inner_text("#about").endswith(". It does not play X. As O it never loses.")
    assert page.locator("#lose-X").is_hidden()


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_pasted_is_judged_or_refused_in_a_sentence(kind, opened, shipped):
    page = opened(shipped, **CALM)
    found = {text: judge(page, text) for text in TEXTS[kind]}
    wrong = {text: said for text, said in found.items() if not re.search(TEXTS[kind][text], said)}
    assert not wrong


def test_a_judgement_ends_with_stop_or_with_the_next(opened, shipped):
    page = opened(shipped, **CALM)
    waits = "for (const t = Date.now(); Date.now() < t + 9; ); return inner(board, mark);"
    slow = PERFECT.replace("move(", "inner(") + f"function move(board, mark) {{ {waits} }}"
    begin(page, slow)
    page.get_by_text(re.compile("Asked about .* s left")).wait_for()
    page.get_by_role("button", name="Stop").click()
    assert verdict_text(page) == "Stopped."
    assert page.evaluate("document.activeElement.id") == "bot-judge"
    begin(page, slow)
    assert judge(page, PERFECT).startswith("Unbeatable")
    page.wait_for_timeout(1500)  # longer than the first waits until it says something again
    assert verdict_text(page).startswith("Unbeatable")


@pytest.mark.parametrize(
    ("name", "low"), [("minimax", 1), ("selfplay", 0), ("dqn", 0), ("first", 1), ("reinforce", 0)]
)
def test_a_pasted_table_has_the_verdict_and_the_lost_games_of_certify(name, low, opened, shipped):
    chosen = player(name, RULES)

    def firsts(boards):
        return np.eye(9)[chosen(boards).argmax(axis=1)]

    exact = certify(RULES, firsts)
    said = judge(opened(shipped, **CALM), table(name, low))
    assert said.startswith("Unbeatable") == exact.unbeatable
    for seat, line in exact.losing_line.items():
        found = re.search(rf"As {seat} it can be beaten: ([a-c1-3 ]+)\.", said)
        assert (found is None) == (line is None)
        assert found is None or len(found[1].split()) == len(line)
    assert ("perfect in every position" in said) == (exact.blunders == 0 and exact.unbeatable)


def test_the_lost_game_is_shown_and_the_bot_plays_on(opened, shipped):
    page = opened(shipped, **CALM)
    judge(page, "hello there")
    page.get_by_role("button", name="Restore the example").click()
    page.locator("#bot-judge").click()
    page.locator("#bot-lose").click()
    page.locator("#moves button").last.click()
    page.get_by_role("button", name="Now beat it yourself").click()
    assert page.input_value("#seat") in "XO"
    page.go_back()
    page.locator("#leaderboard tbody a").first.click()
    assert page.input_value("#seat") == "X"  # not both sides, as in the replay
    page.locator("#bot-play").click()
    assert "your bot" in page.locator("#play-title").text_content()


# The link of a verdict.

EVIL = "<img src=x onerror=alert(1)>"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"], **CALM}
CODE, SAID, TORN = (PASTED["link"][key] for key in ("code", "said", "torn"))


def test_a_code_holds_the_moves_and_nothing_else_is_one(inside):
    assert inside("return codeLaw();") == []


def copied(page, way):
    """Return what a button of the verdict copies."""
    page.locator(f"#bot-{way}").click()
    page.locator(f"#bot-{way}").get_by_text("Copied").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("name", ["only O, loses as O", "list/XO-blank/board-mark/cell, perfect"])
def test_the_link_of_a_bot_has_its_verdict_and_its_moves_elsewhere(name, opened, shipped):
    page = opened(shipped, **CLIPBOARD)
    judge(page, BOTS[name].javascript)
    page.fill("#bot-name", EVIL)
    text, link = copied(page, "text"), copied(page, "link")
    assert page.inner_text("#bot-said").startswith("Copied. It opens only where this file is")
    again = opened(shipped, "#" + link.partition("#")[2], **CLIPBOARD)
    assert again.inner_text("#play-title") == f"Can you beat {EVIL}? You are X."
    assert again.inner_text("#notes").startswith("Proved over all its games: ")
    assert copied(again, "link") == link
    assert re.sub(r"\(.*", "", copied(again, "text")) == re.sub(r"\(.*", "", text)
    for line in re.findall(r"As O it can be beaten: (.*)\.", text):
        for place in line.split()[::2]:
            again.locator(f"#board [data-place={place}]").click()
        assert again.inner_text("#play-title") == f"You beat {EVIL}."
        page.goto(again.url)
        assert marks(page) == marks(again)


@pytest.mark.parametrize("code", [*TORN, "1A" + "A" * 9999])
def test_an_address_without_a_whole_bot_says_so(code, opened, shipped):
    page = opened(shipped, f"#play=b&seat=O&moves=a1&bot={code}", **CALM)
    assert page.inner_text("#notes").startswith("The link was cut off or changed:")
    assert page.input_value("#seat") == "both"
    assert marks(page) == "X________"
    assert page.locator("#bot-ways").is_hidden()


def test_a_linked_bot_answers_in_its_own_games_only(opened, shipped):
    page = opened(shipped, f"#play=mcts&seat=O&moves=a1&bot={CODE}", **CALM)
    assert page.inner_text("#notes").startswith("This game has moves that the linked bot does not")
    assert page.input_value("#seat") == "both"
    assert SAID in page.text_content("#bot-status")
    page.evaluate("to => (location.hash = to)", to := f"#watch=mcts&against=first&bot={CODE}")
    page.get_by_text("mcts (linked) as X against first as O").wait_for()
    assert fragment(page) == to
