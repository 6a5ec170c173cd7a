"""The only move, every day: the same boards everywhere, one good move on each, and the streak."""

import re

import numpy as np
import pytest
from page_browser import CALM, SIZES, faults, fits, stop_clock
from page_daily import DAYS, script, written

from tttenv import Rules
from tttenv.game.rules import name_of
from tttenv.proofs.move_values import MoveValues

VALUES = {"loses": -1, "draws": 0, "wins": 1}
REFUSE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused') }})"


def share(page):
    """Return the result, which is shown where the clipboard is refused."""
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    page.click("#daily-copy")
    return page.inner_text("#daily-share")


@pytest.mark.parametrize("date", DAYS)
def test_one_move_alone_keeps_the_value_and_the_others_are_refuted(opened, shipped, date):
    page = opened(shipped, "", **CALM)
    played = page.evaluate(script(date, [0] * 5))
    assert [written(one) for one in played] == DAYS[date]
    for board, one in zip(DAYS[date], played, strict=True):
        name, moves, _ = board.split()
        rules = Rules(*map(int, name.split(",")))
        names = [name_of(rules, cell) for cell in range(rules.cells)]
        position = rules.start()
        for move in moves.split("."):
            position = rules.play(position, names.index(move))
        low, high = MoveValues(rules).bounds(position)
        free = np.flatnonzero(position == 0)
        assert (low == high)[free].all()
        kept = free[low[free] == low.max()]
        assert (low.max() >= 0, len(free) >= 3) == (True, True)
        assert [names[cell] for cell in kept] == [one["right"]]
        said = low[names.index(one["cell"])]
        assert [VALUES[word] for word in VALUES if word in one["text"].partition(";")[0]] == [said]
    page.click("#daily-values")
    page.get_by_text("Proved: ").wait_for()


def test_the_streak_counts_days_in_a_row_with_storage_or_without(opened, shipped):
    for refused in (False, True):
        page = opened(shipped, "", **CALM)
        page.evaluate(REFUSE if refused else "localStorage.setItem('only-move', '{\"day\": []}')")
        for date, streak in (("2026-11-27", 1), ("2026-11-28", 2), ("2026-11-30", 1)):
            page.clock.set_fixed_time(f"{date}T12:00:00")
            results = [one["text"] for one in page.evaluate(script(date, [0] * 5))]
            squares = "".join("🟥🟩"[text.startswith("Right: ")] for text in results)
            score = f"{date}: {squares.count('🟩')}/5"
            days = f", played {streak} days in a row" if streak > 1 else ""
            assert share(page) == f"The only move, tic-tac-toe {score} {squares}{days}"
            assert page.inner_text("#daily-date") == score + days
        if not refused:
            page.reload()
            assert page.inner_text("#daily-date") == score
        page.evaluate(script("2026-11-27", [1] * 5))
        assert "in a row" not in share(page)


@pytest.mark.parametrize(
    "date", ["2026-02-30", "2025-12-31", "9999-01-01", "", "<img src=x onerror=alert(1)>"]
)
def test_a_date_without_boards_is_named_in_a_line_above_those_of_today(opened, shipped, date):
    page = opened(shipped, f"#daily={date}", **CALM)
    note = page.inner_text("#daily-note")
    assert re.fullmatch(f"“{re.escape(date)}” .* These are today's boards.", note)
    assert page.inner_text("#daily-date") == page.evaluate("new Date().toLocaleDateString('sv')")


@pytest.mark.parametrize(("size", "scheme"), [*zip(SIZES, ("light", "dark", "dark"), strict=True)])
def test_a_board_by_keyboard_is_refuted_stone_by_stone_and_not_asked_again(
    opened, shipped, size, scheme
):
    page = opened(shipped, "#daily=2026-06-15", size, color_scheme=scheme)
    stop_clock(page)
    page.locator("#daily-board button").first.focus()
    for key, said in (("ArrowRight", ""), ("ArrowLeft", "Not a1: it draws; only c1 wins.")):
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        assert page.inner_text("#daily-result") == said
    marked = page.locator("#daily-board .right, #daily-board .wrong")
    for stones, count in ((7, 1), (8, 1), (9, 1), (9, 1), (9, 1), (9, 1), (6, 2), (6, 2)):
        assert (page.locator("#daily-board svg").count(), marked.count()) == (stones, count)
        page.clock.run_for(700)
    assert page.get_by_label("c1, empty, the only move").inner_text() == "!"
    assert page.get_attribute("#daily-row", "aria-label").startswith("1 wrong, 2 open")
    page.clock.resume()  # axe waits
    assert (fits(page), faults(page, "#daily")) == (True, [])
    page.click("#daily-next")
    assert page.locator("#daily-board svg").count() == 5
