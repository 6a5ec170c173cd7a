"""Snapshots along a learning curve in the page: their moves, descriptions and games."""

from pathlib import Path

import pytest
from page_browser import CALM, fragment

from tttenv import Rules, certify
from tttenv.certificates import snapshots
from tttenv.certificates.curve import Curve
from tttenv.game.rules import name_of
from tttenv.players.stored.checkpoint import read_card

RULES = Rules()
SHIPPED = Path(__file__).parents[2] / "checkpoints"
NAMES = ["reinforce", "td0"]


def kept(name):
    """Return the curve of a bundled player, and its snapshots by step."""
    card = read_card(SHIPPED / name)
    found = snapshots.read(SHIPPED / name, card, RULES, Curve.from_card(card))
    curve = Curve.from_card(card)
    return curve, {at: snapshots.table_of(RULES, moves) for at, moves in found.items()}


def told(certificate):
    """Return the page's sentence on who can beat a player, and how soon."""
    lines = certificate.losing_line
    if not lines["X"] and not lines["O"]:
        return "It never loses."
    stones = {seat: (len(line or ()) + (seat == "O")) // 2 for seat, line in lines.items()}
    words = {seat: f"loses in {n}" if n else "never loses" for seat, n in stones.items()}
    return f"As X it {words['X']}, as O it {words['O']}."


@pytest.mark.parametrize("name", NAMES)
def test_every_player_along_a_curve_is_told_as_it_is_certified(opened, shipped, name):
    page = opened(shipped)
    curve, tables = kept(name)
    figure = page.locator(f"figure[data-name={name}]")
    figure.get_by_role("button", name=name, exact=True).click()
    slider, output = figure.locator("#learner-stop"), figure.locator("#learner-text")
    slider.focus()
    page.keyboard.press("Home")
    for step, table in tables.items():
        exact = certify(RULES, table)
        words = output.inner_text()
        assert words == slider.get_attribute("aria-valuetext")
        assert words.startswith(
            f"After {step:,} steps, {curve.seconds[curve.steps.index(step)]:.1f}"
        )
        x, o = (f"{exact.worst_case[seat]:.0f}".replace("-", "\u2212") for seat in "XO")
        assert f"worst case as X {x}, as O {o}. {told(exact)}" in words
        link = figure.get_by_role("link")
        opening = f"Its first move: {name_of(RULES, int(table.table[0].argmax()))} 100 %"
        assert figure.locator(".mind").first.get_attribute("aria-label") == opening
        verb = "Play" if exact.unbeatable else "Beat"
        assert link.inner_text() == f"{verb} it at step {step:,}"
        page.keyboard.press("ArrowRight")
    assert slider.input_value() == slider.get_attribute("max") == str(len(tables) - 1)


def test_from_the_curve_to_the_board_and_its_blunders(opened, shipped):
    page = opened(shipped, **CALM)
    curve, tables = kept("reinforce")
    step = next(iter(tables))
    page.locator("figure[data-name=reinforce] button").first.click()
    page.locator("#learner-stop").focus()
    page.keyboard.press("Home")
    page.locator("#learner-play").focus()
    page.keyboard.press("Enter")
    assert f"against reinforce, step {step}" in page.locator("#play-title").inner_text()
    assert page.locator("#player").evaluate("s => s.selectedOptions[0].textContent") == "reinforce"
    assert page.locator("#about").inner_text().endswith("It can be beaten.")
    assert f"here after 0 of its {curve.steps[-1]} steps" in page.locator("#about").inner_text()
    link = fragment(page)
    page.go_back()
    assert page.evaluate("document.activeElement.textContent") == f"Beat it at step {step}"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "whose"
    assert f"reinforce, step {step} may blunder" in page.locator("#counted").inner_text()
    again = opened(shipped, link, **CALM)
    assert f"against reinforce, step {step}" in again.locator("#play-title").inner_text()


@pytest.mark.parametrize("name", ["td0, step 1", "td0, step 99999", "first, step 0", ", step 0"])
def test_a_step_that_is_not_kept_is_no_player(opened, shipped, name):
    page = opened(shipped, f"#play={name}&seat=X")
    assert "not on this page" in page.locator("#notes").inner_text()
