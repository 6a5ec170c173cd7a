"""Player taught in the page: certified there and by the library, and reproducible."""

import base64
import json
import re
from collections import defaultdict

import numpy as np
import pytest
from page_browser import faults, fragment

from tttenv import Rules, certify, player
from tttenv.exact import Tabulated, positions, tabulate
from tttenv.report import data

RULES = Rules()
SEEDS = 50
CALM = {"reduced_motion": "reduce"}


def taught(inside, seed, games=20_000):
    """Return the page's certificate of a player, its number of games, its table and its values."""
    return next(all_taught(inside, [seed], games))


def all_taught(inside, seeds, games=20_000):
    """Yield the same for several seeds."""
    for found in inside(f"return {list(seeds)}.map((seed) => taught(seed, {games}));"):
        table = np.frombuffer(base64.b64decode(found["table"]), "<f8").reshape(-1, RULES.cells)
        values = np.frombuffer(base64.b64decode(found["values"]), "<f8")
        yield found["certificate"], found["games"], Tabulated(RULES, table), values


def assert_same(told, exact):
    """Assert that two certificates agree in each field, numbers to 1e-12."""
    assert set(told) == set(exact)
    for key, value in exact.items():
        pairs = [(told[key], value)]
        if isinstance(value, dict):
            pairs = [(told[key].pop(part), value[part]) for part in value]
            assert not told[key], key
        for one, other in pairs:
            if isinstance(other, float):
                one, other = [one], [other]
            if isinstance(other, list) and isinstance(other[0], float):
                assert len(one) == len(other), key
                assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 1e-12, key
            else:
                assert one == other, key


def test_fifty_seeds_are_certified_by_the_page_and_again_by_the_library(inside):
    count = 0
    for first in range(0, SEEDS, 25):
        for told, games, table, _ in all_taught(inside, range(first, first + 25)):
            assert told["unbeatable"]
            assert games < 20_000
            assert_same(told, certify(RULES, table).to_dict())
            count += 1
    assert count == SEEDS


@pytest.mark.parametrize("name", ["td0", "tactical", "random", "first", "epsilon", "lms"])
def test_the_page_certifies_other_players_as_the_library_does(inside, name):
    table = tabulate(RULES, player(name))
    packed = base64.b64encode(table.table.astype("<f8").tobytes()).decode()
    told = inside(f"return certificateOf(unpack('{packed}', Float64Array));")
    assert_same(told, certify(RULES, table).to_dict())


def td0(seed, games):
    """Return the values of each class after `games` games, by another implementation."""
    game, mask, now = positions(RULES), 2**32 - 1, seed

    def below(limit):
        nonlocal now
        now = (now + 0x9E3779B9) & mask
        mixed = (now ^ (now >> 16)) * 0x85EBCA6B & mask
        mixed = (mixed ^ (mixed >> 13)) * 0xC2B2AE35 & mask
        return (mixed ^ (mixed >> 16)) * limit >> 32

    classes = data.classes().tolist()
    values = defaultdict(float, {classes[n]: 1.0 for n in np.flatnonzero(game.lost).tolist()})
    after = [[int(to) for to in row if to >= 0] for row in game.successors]
    for _ in range(games):
        opening, at, stones = below(7), 0, 0
        while after[at]:
            random = stones < opening or below(10) < 3
            worth = [values[classes[to]] for to in after[at]]
            best = [to for to, value in zip(after[at], worth, strict=True) if value == max(worth)]
            among = after[at] if random else best
            to = among[below(len(among))]
            if not random:
                values[classes[at]] += 0.5 * (-values[classes[to]] - values[classes[at]])
            at, stones = to, stones + 1
    return [values[number] for number in range(max(classes) + 1)]


@pytest.mark.parametrize(("seed", "games"), [(0, 400), (1, 400), (77, 1500), (2**32 - 1, 300)])
def test_the_same_seed_gives_the_same_values_bit_for_bit_in_another_program(inside, seed, games):
    _, played, _, values = taught(inside, seed, games)
    assert played == games
    assert values.tolist() == td0(seed, games)


def certificate(page):
    return json.loads(page.locator("#certificate").text_content())


def learned(page):
    """Wait for the end of the lesson, and return it."""
    page.locator("#teach-play").wait_for()
    return page.inner_text("#teach-status")


def test_a_link_teaches_and_the_player_is_played_and_certified_on_the_board(opened, file, inside):
    page = opened(file, "#train=7", **CALM)
    assert learned(page).startswith("Certified: never loses, in both seats.")
    assert page.evaluate("document.getElementById('teach').getBoundingClientRect().top") < 100
    told, games, _, _ = taught(inside, 7)
    assert f" {games:,} games" in page.inner_text("#teach-status")
    page.click("#teach-play")
    assert page.inner_text("#about-name") == "trained 7"
    assert_same(certificate(page), told)
    assert page.inner_text("#about").endswith("✓ Never loses, as X or O.")
    again = opened(file, fragment(page), **CALM)  # another's page knows no lesson
    assert again.inner_text("#about-name") == "trained 7"
    assert_same(certificate(again), told)


def test_stopped_early_it_loses_and_taught_on_it_does_not(opened, file, inside):
    page = opened(file)
    page.click("#teach-how summary")
    page.fill("#teach-seed", "3")
    page.click("#teach-start")
    page.click("#teach-stop")
    games = int(re.search(r"Stopped at (\d+) games. It can be beaten", learned(page))[1])
    name = f"trained 3 ({games} games)"
    told, _, _, _ = taught(inside, 3, games)
    page.get_by_role("button", name="Watch it lose", exact=True).click()
    assert page.inner_text("#about-name") == name
    assert_same(certificate(page), told)
    assert page.locator("#moves button").count() == len(told["losing_line"]["O"])
    page.locator("#moves button").last.click()
    assert page.inner_text("#status").startswith(f"X wins. {name} (O) lost at move ")
    page.get_by_role("link", name="Beat it (you are X)").click()
    assert page.input_value("#seat") == "X"
    page.get_by_role("button", name="Train it on").click()
    page.click("#teach-play")
    straight, _, _, _ = taught(inside, 3)
    assert page.inner_text("#about-name") == "trained 3"
    assert_same(certificate(page), straight)


def test_forged_names_of_taught_players_are_no_players(opened, file):
    for end in ("4294967296", "x", "1 (99999 games)", "1 (150 games)"):
        page = opened(file, f"#play={(name := f'trained {end}')}")
        assert "trained" not in page.inner_text("#about-name"), name
    page = opened(file, "#train=99999999999")
    assert "nothing yet" in page.inner_text("#teach-status")


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_no_violation_while_and_after_teaching(opened, file, size, scheme):
    page = opened(file, "", size, color_scheme=scheme, **CALM)
    for button in (None, "Train one", "Train another"):
        if button:
            page.get_by_role("button", name=button, exact=True).click()
            learned(page)
        assert not faults(page, "#teach")
