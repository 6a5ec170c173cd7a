"""Page in Firefox: all its sections, and a game by mouse."""

import json

import pytest
from bots import BOTS
from firefox import firefox
from page_browser import verdict
from page_daily import DAYS, script, written

SIZES = ((1440, 900), (1024, 768), (390, 844))
MADE = "!document.querySelector('[aria-busy]') && !document.querySelector('html.first')"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Yield a tab of Firefox."""
    with firefox(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(autouse=True)
def silent(page):
    """Fail at any message of the page."""
    page.messages.clear()
    yield
    assert not page.messages


def opened(page, file, fragment="", size=SIZES[0]):
    """Open the page at an address, and wait until it is complete."""
    page.open(file.as_uri() + fragment, *size)
    page.until(MADE)


def text(page, name):
    return page.run(f"document.getElementById('{name}').textContent")


@pytest.mark.parametrize("size", SIZES)
def test_all_sections_are_made_and_fit(page, file, size):
    opened(page, file, size=size)
    assert text(page, "play-title").startswith("X has a corner")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    for name in ("#tiles a", "#teach-chart svg", "#leaderboard tbody tr"):
        assert page.run(f"document.querySelectorAll('{name}').length") > 0


def test_the_question_and_a_game_by_mouse(page, file):
    opened(page, file)
    page.click("#board button", 1)
    assert text(page, "notes") == "Not b1: it loses in 3."
    opened(page, file, "#play=first&seat=X&show=values")
    page.click("#board button", 4)
    labels = "[...document.querySelectorAll('#board button')].map((b) => b.ariaLabel)"
    assert page.run(labels)[:2] == ["a1, O", "b1, empty, draw"]


def test_the_boards_of_a_day_are_those_of_chromium(page, file):
    opened(page, file)
    for date, boards in DAYS.items():
        assert [written(one) for one in page.run(script(date, [0] * 5))] == boards


def test_pasted_bots_are_judged_as_in_chromium(page, file):
    opened(page, file)
    some = [name for number, name in enumerate(BOTS) if number % 3 == 0 or "/" not in name]
    for name in some:
        bot = BOTS[name]
        if not bot.javascript:
            continue
        page.run(f"document.getElementById('bot-code').value = {json.dumps(bot.javascript)}")
        page.click("#bot-judge")
        page.until("!/^Ask/.test(document.getElementById('bot-status').textContent)")
        assert verdict(text(page, "bot-status")) == (bot.loses, bot.blunders), name
