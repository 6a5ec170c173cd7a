"""Random games in the page: the same by their link, a guess if none is lost, and how to win."""

import re

import pytest
from page_browser import CALM, faults, fits, fragment
from page_data import report_of

from tttenv import Rules, certify


def played(page):
    """Return the number of red dots, and what is said of the games once all are played."""
    page.locator("#noticed-status", has_text="lost").wait_for()
    dots = page.locator("#noticed-dots")
    red = dots.locator(".lost").get_attribute("d").count("M")
    return red, dots.get_attribute("aria-label"), page.inner_text("#noticed-status")


def test_a_link_plays_the_same_games_again(opened, shipped):
    page = opened(shipped)
    page.click("#noticed-10000")
    red, label, told = first = played(page)
    counts = re.findall(r"(?:won|drew|lost) ([\d,]+)", told)
    won, drawn, lost = (int(count.replace(",", "")) for count in counts)
    assert (won + drawn + lost, lost) == (10_000, red)
    assert played(opened(shipped, link := fragment(page), **CALM)) == first
    assert played(opened(shipped, re.sub("seed=.*", "seed=4294967295", link)))[1] != label


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_a_loss_or_a_guess_is_answered_by_the_exact_chance_and_the_opponent_is_shown(
    opened, shipped, size, scheme
):
    page = opened(shipped, "#noticed=mcts&games=100&seed=1", size, color_scheme=scheme, **CALM)
    assert played(page)[:2] == (0, "100 games; lost: none")
    for seed, name, guess in ((1, "mcts", "Yes"), (2, "tactical", None), (3, "mcts", "No")):
        page.evaluate(f"location.hash = '#noticed={name}&games=100&seed={seed}'")
        page.locator("#noticed-status", has_text=f"{name} won").wait_for()
        assert page.is_visible("#noticed-bet") is bool(guess)
        if guess:
            page.get_by_role("button", name=guess, exact=True).press("Enter")
        chance = certify(Rules(), name).vs_random["O"][2]
        games = {"mcts": "one game in 189", "tactical": f"about one game in {1 / chance:.0f}"}[name]
        missed = f"{100 * (1 - chance) ** 100:.1f} % of all samples of 100 games show no loss."
        answer = page.inner_text("#noticed-answer")
        assert answer.startswith("Right, it can be" if guess == "No" else "It can be")
        assert f" over all positions, it loses {games} to random moves; {missed}" in answer
    assert not faults(page, "#noticed")
    assert fits(page)
    page.get_by_role("button", name="Meet the opponent that wins every game").click()
    assert page.inner_text("#play-title") == "How mcts loses as O"
    page.locator("#status", has_text="X wins.").wait_for()


def test_forged_links_play_nothing_and_without_a_beatable_player_there_is_no_section(
    opened, shipped, tmp_path
):
    for link in ("mcts&games=1e9&seed=1", "mcts&games=100&seed=-1", "minimax&games=100&seed=1"):
        page = opened(shipped, f"#noticed={link}", **CALM)
        assert page.get_attribute("#noticed-dots", "aria-label") == "0 games; lost: none"
    report_of(tmp_path / "report.html", "minimax")
    page = opened(tmp_path / "report.html", "#noticed=minimax&games=100&seed=1", **CALM)
    assert page.locator("#noticed:visible, nav [href='#noticed']:visible").count() == 0
