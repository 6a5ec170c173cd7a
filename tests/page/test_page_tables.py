"""Tables and figures of the page: the library's numbers, at every width and on paper."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from page_browser import faults

from tttenv import Rules, certify
from tttenv.certificates import phrases
from tttenv.certificates.curve import Curve
from tttenv.game.rewards import RESULTS
from tttenv.players import PLAYERS
from tttenv.players.stored.checkpoint import read_card
from tttenv.report import charts
from tttenv.report.load_players import from_specs

ROOT = Path(__file__).parents[2]
RULES = Rules()
MINUS = "\u2212"


@pytest.fixture(scope="module")
def several(benchmarked):
    """Return the report of a small benchmark."""
    return benchmarked[1] / "o/report.html"


def rows_of(page, selector="#leaderboard tbody tr"):
    """Return the texts of all cells by column heading, by the link or text of their row."""
    return page.locator(selector).evaluate_all(
        """all => Object.fromEntries(all.map(row => [
          (row.querySelector('th a') ?? row.querySelector('th')).textContent,
          Object.fromEntries([...row.querySelectorAll('td')].map(cell => [
            cell.dataset.head, cell.textContent]))]))"""
    )


def minus(text):
    return text.replace("-", MINUS)


def cells_of(found):
    """Return a certificate's numbers as the leaderboard shows them, by heading."""
    odds, worst = found["vs_random"], found["worst_case"]
    return {
        "Verdict": "never loses" if found["unbeatable"] else "can be beaten",
        "Against random moves, %": "".join(
            seat + "".join(map(phrases.share, odds[seat])) for seat in "XO"
        ),
        "Worst case": "".join(seat + minus(phrases.value(worst[seat])) for seat in "XO"),
        "Optimal moves, %": phrases.share(found["optimal_moves"]["all"]),
        "Blunders": f"{found['blunders']:,}",
    }


# The leaderboard


def test_the_leaderboard_is_what_certify_prints(opened, shipped, run_here):
    page = opened(shipped)
    rows, strengths = rows_of(page), []
    assert set(rows) == {f.parent.name for f in ROOT.glob("checkpoints/*/card.json")} | {*PLAYERS}
    for name, row in rows.items():
        row["Verdict"] = row["Verdict"].removesuffix(" 20 of 20 seeds unbeatable")
        folder = ROOT / "checkpoints" / name
        found = certify(RULES, name).to_dict() if name in PLAYERS else None
        found = found or read_card(folder)["certificate"]
        assert cells_of(found).items() <= row.items()
        wins = sum(found["vs_random"][seat][0] for seat in "XO")
        worst = round(sum(found["worst_case"].values()), 9)
        strengths.append((found["unbeatable"], worst, wins))
    assert strengths == sorted(strengths, reverse=True)
    page.click("#start-net")
    page.click("#play summary")
    for name in ("dqn", "tactical"):
        page.select_option("#player", label=name)
        prefix, command = page.inner_text("#command").split(" ", 1)
        assert (prefix, command) == ("tttenv", f"certify '{name}' --json")
        told = json.loads(run_here("certify.py", *shlex.split(command)[1:]).stdout)
        assert told.pop("player") == name
        assert json.loads(page.text_content("#certificate")) == told
        assert cells_of(told).items() <= rows[name].items()


def test_bars_and_dots_stand_where_their_numbers_say(opened, shipped):
    page = opened(shipped)
    for name in ("genetic", "first", "epsilon"):
        row = page.locator("#leaderboard tbody tr", has=page.get_by_role("link", name=name))
        certificate = from_specs([name])[0].certificate
        for lane, seat in enumerate("XO"):
            bar = row.locator("svg.bar").nth(lane)
            whole = bar.bounding_box()["width"]
            for kind, share in zip(RESULTS, certificate.vs_random[seat], strict=True):
                part = bar.locator(f".{kind}")
                width = part.bounding_box()["width"] if part.count() else 0
                assert width / whole == pytest.approx(share, abs=0.01)
            dot = row.locator(f"svg.dots circle.{seat.lower()}").get_attribute("cx")
            place = float(dot.rstrip("%")) / 100
            worst = certificate.worst_case[seat]
            room = charts.ROOM / 100
            assert (place - room) / (1 - 2 * room) - 1 == pytest.approx(worst, abs=1e-3)


def test_the_leaderboard_sorts_by_mouse_and_by_keyboard(opened, shipped):
    page = opened(shipped)
    table = page.locator("#leaderboard")
    strongest_first = list(rows_of(page))

    def column(heading):
        return [row[heading] for row in rows_of(page).values()]

    def number(text):
        return int(text.replace(",", ""))

    table.get_by_role("button", name="Blunders").click()
    blunders = list(map(number, column("Blunders")))
    assert blunders == sorted(blunders)  # the best on top
    assert table.locator("th[aria-sort=ascending]").inner_text().startswith("Blunders")
    page.keyboard.press("Enter")
    assert list(map(number, column("Blunders"))) == sorted(blunders, reverse=True)
    page.keyboard.press("Enter")
    assert list(rows_of(page)) == strongest_first
    assert table.locator("[aria-sort]").count() == 0
    table.get_by_role("button", name="Worst case").click()
    assert list(rows_of(page))[-1] == "first"
    table.get_by_role("button", name="Player").click()
    assert next(iter(rows_of(page))) == min(rows_of(page))
    table.get_by_role("button", name="Seconds").click()
    assert column("Seconds")[-1] == ""  # what is missing stands last
    seconds = [float(text.split()[0]) for text in column("Seconds") if text]
    assert seconds == sorted(seconds)
    page.get_by_role("link", name="genetic").click()
    assert page.inner_text("#about-name") == "genetic"


def test_on_a_phone_a_row_shows_its_rest_on_a_tap(opened, shipped):
    page = opened(shipped, "", "phone")
    row = page.locator("#leaderboard tbody tr").first
    blunders = row.locator("[data-head='Blunders']")
    bar, more = row.locator("svg.bar").first, row.locator("button.more")
    assert row.locator("th a").is_visible()
    assert row.locator(".verdict").is_visible()
    assert bar.is_visible()
    assert not blunders.is_visible()
    more.click()
    assert blunders.is_visible()
    assert more.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Enter")
    assert not blunders.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# Curves

CURVE = Curve(
    [0, 5, 10, 15],
    [0.0, 0.5, 1.0, 1.5],
    {"X": [-1, -1, 0, 0], "O": [-1, -0.25, -0.25, 0]},
    [0.5, 0.75, 0.9, 1.0],
)


@pytest.mark.parametrize("over", ["steps", "seconds"])
def test_a_curve_passes_through_measured_points_and_steps_between_them(over):
    drawn = charts.curve_svg(CURVE, over, "label")
    places = dict(re.findall(r'class="steps (\w+)" d="([^"]+)"', drawn))
    series = {"good": [100 * share for share in CURVE.optimal], "x": CURVE.worst["X"]}
    series["o"] = CURVE.worst["O"]
    assert set(places) == set(series)
    for name, path in places.items():
        begin, *rest = re.findall(r"([MHV])([\d.]+)(?: ([\d.]+))?", path)
        assert [kind for kind, *_ in rest] == ["H", "V"] * (len(CURVE.steps) - 1)
        xs = [float(begin[1]), *(float(x) for kind, x, _ in rest if kind == "H")]
        ys = [float(begin[2]), *(float(y) for kind, y, _ in rest if kind == "V")]
        along = np.interp(getattr(CURVE, over), [0, getattr(CURVE, over)[-1]], [36, 310])
        assert xs == pytest.approx(along, abs=0.01)
        top, bottom = (22, 82) if name == "good" else (118, 178)
        ends = [50, 100] if name == "good" else [-1, 0]
        assert ys == pytest.approx(np.interp(series[name], ends, [bottom, top]), abs=0.01)


# Sections


def test_every_section_that_is_shown_has_a_link_in_order(opened, shipped):
    page = opened(shipped)
    sections = page.locator("main > section:not([hidden])").evaluate_all(
        "all => all.map(s => s.id)"
    )
    links = page.locator("nav a:not([hidden])").evaluate_all("all => all.map(a => a.hash.slice(1))")
    assert links == sections


# Widths, paper, colours


@pytest.mark.parametrize(("scheme", "width"), [("light", "phone"), ("dark", "desktop")])
def test_axe_finds_nothing_in_the_tables(opened, several, scheme, width):
    page = opened(several, "", width, color_scheme=scheme)
    for more in page.locator("button.more:visible").all()[:3]:
        more.click()
    page.select_option("#whose", label="where tactical may blunder")
    sections = ["leaderboard", "curves", "larger", "explorer"]
    assert not faults(page, *(f"#{name}" for name in sections))
