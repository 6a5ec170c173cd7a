"""Wording of moves in the page, the same as in the terminal and the window."""

import pytest
from test_words import NAMES, lines, seen, values

from tttenv import Rules
from tttenv.certificates import phrases
from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice

__all__ = ["values"]  # a fixture
# The scripts of the page share the scope of one module, which nothing outside can look into: they
# are run once more in the page, with a line that hands their functions out.
HANDED_OUT = """
globalThis.asked = {
  walk, moves, moveRank, verdict, place, cells, losesValue, percent, expected,
  blunderText: typeof blunderText === "function" ? blunderText : () => "",
};
"""


@pytest.fixture(scope="module")
def page(browser, shipped):
    """Return the report of the bundled players, whose functions can be called."""
    opened = browser.new_context(bypass_csp=True).new_page()
    opened.goto(shipped.as_uri())
    own = opened.locator("script[type=module]").text_content()
    opened.add_script_tag(content=own + HANDED_OUT, type="module")
    opened.wait_for_function("globalThis.asked !== undefined")
    return opened


def test_only_what_is_certain_is_written_so_by_the_page(page):
    gaps = [10.0**-power for power in range(1, 14)]
    shares = [0.0, 1.0, *gaps, *(1 - gap for gap in gaps)]
    told = page.evaluate(
        "(shares) => shares.map((one) => [asked.percent(one), asked.expected(one)])",
        shares,
    )
    assert [share for share, _ in told] == list(map(phrases.share, shares))
    assert [value in ("0", "1") for _, value in told] == [
        phrases.value(share) in ("0", "+1") for share in shares
    ]


def test_the_page_says_the_value_of_every_move_in_the_same_words(values, page):
    games = lines()
    said = page.evaluate(
        """(games) => games.map((line) => {
          const { walk, moves, moveRank, verdict } = asked;
          const position = walk(line);
          return moves(position).map((cell) => [cell, verdict(moveRank(position, cell))]);
        })""",
        list(games.values()),
    )
    for board, told in zip(games, said, strict=True):
        assert dict(map(tuple, told)) == {
            cell: words.verdict(*worth) for cell, worth in values[board].items()
        }


def test_the_page_tells_every_blunder_in_the_same_words(values, page):
    games = lines()
    said = page.evaluate(
        """(games) => games.map((line) => {
          const { walk, moves, losesValue, blunderText } = asked;
          const position = walk(line);
          const bad = moves(position).filter((cell) => losesValue(position, cell));
          return bad.map((cell) => [cell, blunderText(line, cell)]);
        })""",
        list(games.values()),
    )
    advice = Advice(Rules())
    for board, told in zip(games, said, strict=True):
        sentences = {cell: advice.blunder(seen(board), cell) for cell in values[board]}
        assert dict(map(tuple, told)) == {c: text for c, text in sentences.items() if text}


def test_the_page_names_cells_by_the_same_coordinates(page):
    assert page.evaluate("asked.cells.map(asked.place)") == NAMES
