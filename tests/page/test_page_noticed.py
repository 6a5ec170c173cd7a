"""Random games in the page: the same by their link, a bet on them, and how the player loses."""

import re

import pytest
from page_browser import CALM, faults, fits, fragment
from page_data import report_of


def dots(page):
    """Return the number of red dots, and what is said of the games once all are played."""
    page.locator("#noticed-bet").wait_for()
    red = page.get_attribute("#noticed-dots .lost", "d").count("M")
    return (
        red,
        page.get_attribute("#noticed-dots", "aria-label"),
        page.inner_text("#noticed-status"),
    )


@pytest.mark.parametrize("name", ["mcts", "tactical"])
def test_a_link_plays_the_same_games_again(opened, shipped, name):
    page = opened(shipped, "")
    page.select_option("#noticed-player", label=name)
    page.click("#noticed-10000")
    red, label, told = first = dots(page)
    won, drawn, lost = (
        int(number.replace(",", "")) for number in re.findall(r"(?:won|drew|lost) ([\d,]+)", told)
    )
    assert (won + drawn + lost, lost) == (10_000, red)
    assert dots(opened(shipped, fragment(page), **CALM)) == first
    link = re.sub("seed=.*", "seed=4294967295", fragment(page))
    assert dots(opened(shipped, link, **CALM))[1] != label


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_after_the_bet_the_opponent_that_wins_every_game_is_shown(opened, shipped, size, scheme):
    page = opened(shipped, "#noticed=mcts&games=100&seed=1", size, color_scheme=scheme, **CALM)
    assert dots(page)[:2] == (0, "100 games; lost: none")
    assert page.locator("#noticed-lose:visible").count() == 0
    page.get_by_role("button", name="Yes", exact=True).press("Enter")
    answer = page.inner_text("#noticed-answer")
    assert answer.startswith("It can be beaten, though no game here shows it. Computed over all")
    missed = f"{100 * (188 / 189) ** 100:.1f} % of all samples of 100 games miss that."
    assert answer.endswith(f", it loses one game in 189 to random moves; {missed}")
    assert not faults(page, "#noticed")
    assert fits(page)
    page.get_by_role("button", name="Meet the opponent that wins every game").click()
    assert page.inner_text("#play-title") == "How mcts loses as O"
    page.locator("#status", has_text="X wins.").wait_for()


@pytest.mark.parametrize(
    "link", ["mcts&games=1e9&seed=1", "mcts&games=100&seed=-1", "minimax&games=100&seed=1", "%"]
)
def test_what_a_forged_link_says_is_not_played(opened, shipped, link):
    page = opened(shipped, f"#noticed={link}", **CALM)
    assert page.get_attribute("#noticed-dots", "aria-label") == "0 games; lost: none"


def test_where_no_player_can_be_beaten_there_is_no_such_section(opened, tmp_path):
    report_of(tmp_path / "report.html", "minimax")
    page = opened(tmp_path / "report.html", "#noticed=minimax&games=100&seed=1", **CALM)
    assert page.locator("#noticed:visible, nav [href='#noticed']:visible").count() == 0
