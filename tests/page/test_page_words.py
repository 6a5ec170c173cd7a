"""Numbers and coordinates in the page, written as everywhere else."""

import numpy as np
import pytest

from tttenv import Rules
from tttenv.certificates import phrases
from tttenv.exact import positions, solve
from tttenv.report.data import classes

# The scripts of the page share the scope of one module, which nothing outside can look into: they
# are run once more in the page, with a line that hands their functions out.
HANDED_OUT = "globalThis.asked = { place, cells, percent, expected, onlyMoves };"


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


def test_the_page_knows_all_classes_in_which_one_move_of_three_keeps_a_win_or_a_draw(page):
    solved, which = solve(Rules()), classes()
    legal = positions(Rules()).successors >= 0
    kept = legal & (np.sign(solved.move_ranks) == np.sign(solved.ranks)[:, None])
    single = (kept.sum(axis=1) == 1) & (legal.sum(axis=1) >= 3) & (solved.ranks >= 0)
    found = [number for level in page.evaluate("asked.onlyMoves()") for number in level]
    assert sorted(which[found]) == sorted(set(which[single]))
    assert len(found) == 229
