"""Page for a player that may forfeit, such as a language model."""

import numpy as np
import pytest
from page_browser import click
from page_data import report_of

from tttenv import Rules, player
from tttenv.players import FOREIGN
from tttenv.utils.registry import Row

RULES = Rules()
SILENT = RULES.parse("X________")


class Forgetful:
    """Perfect player that forfeits after a stone in the first corner."""

    forfeits = True

    def __init__(self):
        self.best = player("minimax:ties=first")

    def __call__(self, boards):
        """Return probabilities (batch, cells); zeros are forfeits."""
        probs = self.best(boards)
        return np.where((boards == SILENT).all(axis=1)[:, None], 0.0, probs)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a report of this player alone."""
    folder = tmp_path_factory.mktemp("forfeits")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tttenv.players.language.llm.llm", lambda rules: Forgetful())
        assert "llm" in FOREIGN.rows
        assert isinstance(FOREIGN.rows["llm"], Row)
        report_of(folder / "report.html", "llm")
    return folder / "report.html"


def test_a_game_ends_where_the_opponent_has_no_legal_answer(file, opened):
    page = opened(file, "#play=llm&seat=X")
    click(page, 0)
    page.locator("#status", has_text="answer").wait_for()
    assert page.inner_text("#status").startswith("llm has no legal answer. You win. You beat llm, ")
    click(page, 8)  # changes nothing: the game is over
    assert page.inner_text("#status").startswith("llm has no legal answer. You win. You beat llm, ")
    page.keyboard.press("n")
    click(page, 4)
    page.locator("#status", has_text="Your turn").wait_for()
    assert page.locator("#status").inner_text() == "Your turn."


def test_its_lost_game_and_its_certificate_say_where_it_ended(file, opened):
    page = opened(file, "#play=llm&seat=X")
    assert page.locator(".lede").inner_text().startswith("One player, proved beatable")
    lost = page.locator("#lose-O")
    assert lost.inner_text() == "Watch it lose as O, in 1 stone"
    lost.click()
    page.locator("#status", has_text="answer").wait_for()
    assert page.locator("#status").inner_text() == "llm has no legal answer. X wins."
    page.locator("summary", has_text="Its certificate").click()
    assert "a1, then no legal answer" in page.locator("#certificate-table").inner_text()
