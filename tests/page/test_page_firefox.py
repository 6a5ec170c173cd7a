"""Page in Firefox: its first screen, games by mouse and keyboard, larger boards."""

import pytest
from firefox import firefox

from tttenv import Rules, player
from tttenv.cli import report

SIZES = ((1440, 900), (1024, 768), (390, 844))
MARKS = """[...document.querySelectorAll('#board button')].map((b) =>
  ({ X: 'X', O: 'O' })[b.ariaLabel.split(', ')[1][0]] ?? '_').join('')"""
MADE = "!document.querySelector('[aria-busy]') && !document.querySelector('html.first')"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a report of some players and of a network."""
    folder = tmp_path_factory.mktemp("firefox")
    none = folder / "none.json"
    specs = ["first", "selfplay", "alphazero_554"]
    report.make(folder / "report.html", report.Contents(none, none, specs))
    return folder / "report.html"


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
    assert page.run(MARKS) == "O___X____"
    assert page.run("document.querySelectorAll('#board button')[1].ariaLabel") == "b1, empty, draw"
    page.click("#back")
    assert page.run(MARKS) == "_" * 9


def test_a_larger_board_by_keyboard_with_proofs_and_a_link(page, file):
    opened(page, file, "#play=alphazero_554&rules=5,5,4&seat=O&show=values", SIZES[2])
    page.until("document.getElementById('proof').textContent.includes('Proved: a draw')")
    page.run("document.querySelector('#board [tabindex=\"0\"]').focus()")
    page.press("Up", "Left")  # to b2, one of the four moves that hold
    page.click("#board button[tabindex='0']")
    page.until("document.querySelectorAll('#moves li').length === 3")
    rules = Rules(5, 5, 4)
    board = rules.parse("______O_____X____________")
    cell = int(player("alphazero_554")(board[None])[0].argmax())
    assert page.run(MARKS)[cell] == "X"
    assert page.run("location.hash").startswith("#play=alphazero_554&rules=5,5,4&seat=O")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")


def test_the_largest_board_is_watched(page, file):
    opened(page, file, "#watch=threats&against=tactical&rules=15,15,5")
    page.click("#pause")
    page.until("document.querySelectorAll('#moves li').length >= 2")
    page.click("#pause")
    assert text(page, "moves").startswith("h8")


def test_one_is_taught_until_it_is_certified(page, file):
    opened(page, file, "#teach=1")
    page.until("document.getElementById('teach-status').textContent.startsWith('Certified')")


def test_a_pasted_bot_is_judged(page, file):
    opened(page, file)
    page.click("#bot-judge")
    page.until("document.getElementById('bot-status').textContent.startsWith('As O it can be ')")
