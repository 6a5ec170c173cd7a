"""Larger boards in the page: their players' moves, proofs of positions, and whole games."""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from page_browser import CALM, SIZES, click, faults, fits, fragment, marks, stop_clock
from page_data import report_of, with_card
from page_games import exact_rank, play, settled, stones_left

from tttenv import Rules, player
from tttenv.exact import positions, solve
from tttenv.game.line_board_kernel import NONE, new_line_board, set_stones
from tttenv.game.outcomes_kernel import LOST, WON
from tttenv.game.symmetry import maps
from tttenv.game.threat_sequences_kernel import judge, new_threat_stack
from tttenv.players import bundled
from tttenv.proofs.move_values import MoveValues
from tttenv.report import data, larger
from tttenv.report.build import PAGE, SHARED, WORKER

NAMES = ("alphazero_444", "alphazero_554", "alphazero_664", "alphazero_995")


@pytest.fixture(scope="module")
def shown():
    """Return the page's data of each network, by name."""
    return {one.name: one for one in larger.from_specs(list(NAMES))}


@pytest.fixture(scope="module")
def inside(browser):
    """Yield a function that runs one of `larger.js` in the scope of the worker's own scripts."""
    page = browser.new_page()
    files = [("shared", name) for name in SHARED] + [("worker", name) for name in WORKER]
    scripts = [PAGE / folder / f"{name}.js" for folder, name in files]
    scripts.append(Path(__file__).with_name("larger.js"))
    text = "\n".join(script.read_text(encoding="utf-8") for script in scripts)

    def run(name, rules, **given):
        given["rules"] = {"m": rules.m, "n": rules.n, "k": rules.k}
        call = f"return asked.{name}(given, gameOf(given.rules));"
        return page.evaluate(f"async (given) => {{{text}\n{call}}}", given)

    yield run
    page.close()


def sampled(rules, count, rng, policy=None):
    """Return undecided boards of all numbers of stones, optionally from games against a policy."""
    found = []
    while len(found) < count:
        board, seat = rules.start(), int(rng.integers(2))
        while not rules.over(board):
            found.append(board)
            own = policy is not None and np.count_nonzero(board) % 2 == seat
            cell = (
                policy(board[None])[0].argmax() if own else rng.choice(np.flatnonzero(board == 0))
            )
            board = rules.play(board, int(cell))
    rows = rng.choice(len(found), count, replace=False)
    return np.array(found)[rows]


def test_lines_and_symmetries_are_those_of_the_library(inside):
    for size in ((3, 3, 3), (4, 5, 4), (7, 4, 3), (15, 15, 5)):
        rules = Rules(*size)
        lines, images = inside("linesAndMaps", rules)
        assert lines == rules.lines.tolist()
        assert images == maps(rules).tolist()


# Players.


def network_of(one):
    about, packed = one.network.about, str(one.network.weights)
    return {"channels": about["channels"], "blocks": about["blocks"], "packed": packed}


@pytest.mark.parametrize(
    ("name", "rules", "count"),
    [
        ("alphazero_444", Rules(4, 4, 4), 300),
        ("alphazero_554", Rules(5, 5, 4), 300),
        ("alphazero_664", Rules(6, 6, 4), 300),
        ("alphazero_995", Rules(9, 9, 5), 100),
        ("alphazero_995", Rules(15, 15, 5), 30),
    ],
)
def test_networks_move_as_in_the_library(inside, shown, name, rules, count):
    policy, rng = player(name, rules), np.random.default_rng(0)
    own = sampled(rules, 50, rng, policy)
    boards = np.concatenate([sampled(rules, count, rng), own])
    told = inside("moves", rules, network=network_of(shown[name]), boards=boards.tolist())
    assert told == policy(boards).argmax(axis=1).tolist()


def test_what_a_network_would_play_is_a_distribution_over_the_empty_cells(inside, shown):
    rules, name = Rules(9, 9, 5), "alphazero_995"
    boards = sampled(rules, 20, np.random.default_rng(7))
    given = {"network": network_of(shown[name]), "boards": boards.tolist()}
    shares, moves = (np.array(inside(what, rules, **given)) for what in ("policies", "moves"))
    assert (shares[boards != 0] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[range(20), moves] > 0.999 * shares.max(axis=1)).all()


@pytest.mark.parametrize("name", ["random", "first", "tactical", "threats"])
@pytest.mark.parametrize("size", [(4, 4, 4), (15, 15, 5)])
def test_players_without_weights_are_those_of_the_library(inside, name, size):
    rules, count = Rules(*size), 300 if size[0] < 9 else 40
    boards = sampled(rules, count, np.random.default_rng(4))
    told = np.array(inside("chances", rules, player=name, boards=[absolute(b) for b in boards]))
    if name != "threats":
        np.testing.assert_allclose(told, player(name, rules)(boards), atol=1e-12)
        return
    assert (told.max(axis=1) == 1).all()  # one legal move, which wins or blocks where one can
    assert (boards[told > 0] == 0).all()
    forced = player("tactical", rules)(boards)
    urgent = forced.max(axis=1) > 1 / (boards == 0).sum(axis=1)
    assert (forced[urgent][told[urgent] > 0] > 0).all()


# What lines decide.


def crowded(rules, count, rng):
    """Return undecided boards with 10 to 26 stones at random in a window of 6 by 6 cells."""
    window = [r * rules.n + c for r in range(2, 8) for c in range(2, 8)]
    found = []
    while len(found) < count:
        board = rules.start()
        for cell in rng.choice(window, rng.integers(10, 27), replace=False):
            after = rules.play(board, int(cell))
            if rules.over(after):
                break
            board = after
        found.append(board)
    return np.array(found)


def judged(rules, after, lines, stack, limit):
    """Return the library's judgement of a move for its side: 1, -1, or 0 if it is open."""
    set_stones(lines, after)
    found, forced = judge(lines, 0, stack, limit)
    if found in (WON, LOST):
        return -1 if found == WON else 1
    if forced == NONE:
        return 0
    set_stones(lines, rules.play(after, forced))
    return int(judge(lines, 0, stack, limit)[0] == WON)


@pytest.mark.parametrize("size", [(9, 9, 5), (15, 15, 5), (8, 9, 4)])
def test_wins_by_threats_are_those_of_the_library(inside, size):
    rules = Rules(*size)
    boards = crowded(rules, 3000 // rules.cells, np.random.default_rng(6))
    lines, stack = new_line_board(rules), new_threat_stack(rules.cells)
    counts = Counter()
    told = proved(inside, rules, boards, 0, "swept")
    for number, (board, moves) in enumerate(zip(boards, told, strict=True)):
        for cell, low, high, stones in moves:
            after = rules.play(board, cell)
            if rules.lost(after):
                assert (low, high, stones) == (1, 1, 1)
                continue
            value = low if low == high else 0
            sequence = judged(rules, after, lines, stack, 10_000)
            assert value in (0, sequence), (rules.format(board), cell)
            counts["missed"] += value != sequence  # the page tries fewer threats
            counts[value, stones] += 1
            if number < 3:  # which is slow
                soon, least = stones_left(rules, board, cell)
                assert (value, stones) == (soon, least) if soon else stones is None
    assert counts["missed"] < 0.03 * counts.total()
    assert set(counts) >= {(1, 2), (-1, 2), (-1, None), (0, None)}


# Proofs.


def absolute(board):
    """Return a board seen by the side to move as 1 for X and -1 for O."""
    return (board * (1 if np.count_nonzero(board) % 2 == 0 else -1)).tolist()


def proved(inside, rules, boards, limit, what="proved"):
    return inside(what, rules, boards=[absolute(board) for board in boards], limit=limit)


@pytest.mark.parametrize(("size", "count"), [((3, 3, 3), 4520), ((3, 4, 3), 400), ((4, 3, 4), 400)])
def test_all_is_known_of_small_games_with_the_number_of_stones(inside, size, count):
    rules = Rules(*size)
    decisions = positions(rules).decisions
    which = np.random.default_rng(3).choice(decisions, min(count, len(decisions)), replace=False)
    boards = positions(rules).boards[which]
    told = proved(inside, rules, boards, 1_000_000, "counted")
    for board, number, (moves, whole) in zip(boards, which, told, strict=True):
        ranks = solve(rules).move_ranks[number]
        for cell, low, high, stones in moves:
            value, left = exact_rank(rules, board, cell)
            assert (low, high, stones) == (value, value, left), number
        value, left = exact_rank(rules, board, int(ranks.argmax()))
        assert whole == {"low": value, "high": value, "stones": left}


@pytest.mark.parametrize("size", [(4, 4, 4), (5, 5, 4), (6, 6, 4), (4, 5, 4)])
def test_proofs_agree_with_the_librarys_prover(inside, size):
    rules = Rules(*size)
    boards = sampled(rules, 60, np.random.default_rng(3))
    boards = boards[np.count_nonzero(boards, axis=1) >= rules.cells // 4][:25]
    told = proved(inside, rules, boards, 3000)
    prover, decided = MoveValues(rules, 300_000), 0
    for board, bounds in zip(boards, told, strict=True):
        known = prover.bounds(board)
        assert [cell for cell, _, _ in bounds] == np.flatnonzero(board == 0).tolist()
        for cell, low, high in bounds:
            assert low <= known.at_most[cell]
            assert known.at_least[cell] <= high
            decided += low == high
    assert decided > 0.9 * np.count_nonzero(boards == 0)


@pytest.mark.parametrize(("line", "most"), [([12], 0), ([12, 0, 6], 1)])
def test_a_certificate_bounds_the_value_only_where_the_network_moved_so(inside, shown, line, most):
    """alphazero_554 opens in the middle and never loses: O can draw at the most."""
    network = network_of(shown["alphazero_554"])
    assert abs(inside("mostBy", Rules(5, 5, 4), network=network, line=line)) == most


# Games.


def shows(page, place, text):
    """Wait until an element shows a text that matches a regular expression as a whole."""
    page.locator(f"#{place}", has_text=re.compile(f"^{text}$")).wait_for(state="attached")


def labels(page):
    return page.locator("#board button").evaluate_all("all => all.map(b => b.ariaLabel)")


@pytest.mark.parametrize(
    ("name", "rules", "seat"),
    [
        ("mcts", Rules(3, 3, 3), "O"),
        ("alphazero_444", Rules(4, 4, 4), "X"),
        ("alphazero_554", Rules(5, 5, 4), "O"),
        ("alphazero_664", Rules(6, 6, 4), "O"),
        ("tactical", Rules(4, 5, 4), "X"),
        ("threats", Rules(9, 9, 5), "O"),
    ],
)
def test_whole_games_by_clicks(opened, file, name, rules, seat):
    page = opened(file, f"#play={name}&rules={rules}&seat={seat}&show=values", **CALM)
    play(page, rules, name, seat, np.random.default_rng(5))
    again = opened(file, fragment(page), **CALM)
    assert marks(again, rules.n) == marks(page, rules.n)
    page.click("#back")
    assert marks(page, rules.n).count("_") > marks(again, rules.n).count("_")


def test_a_blunder_is_told_where_it_is_proved(opened, file):
    page = opened(file, "#play=alphazero_554&rules=5,5,4&seat=O", **CALM)
    settled(page)
    assert page.inner_text("#proof") == "Proved: a draw; 4 of 24 moves keep it."
    assert page.text_content("#bar-text") == "draw"
    click(page, 0)
    settled(page)  # that a1 loses is proved; the winner's stones may still be counted
    shows(page, "notes", r"Your blunder: a1 loses in \d; b2 d2 b4 d4 draw\.")
    shows(page, "proof", r"Proved: X wins in \d\.")
    assert labels(page)[0] == "a1, O, blunder"
    assert page.locator("#moves button").nth(1).inner_text() == "a1??"
    assert page.get_attribute("#bar", "aria-label").startswith("Value of the position: X wins in ")


def test_an_open_three_is_a_win_and_who_leaves_it_open_is_told(opened, file):
    """X does not stop O's three with two open ends; O wins on either side of it."""
    line = "h8.g8.i9.g7.j10.g6.a1"
    page = opened(file, f"#rules=15,15,5&seat=both&show=values&moves={line}", **CALM)
    page.locator("#proof", has_text="Proved: O wins in 2").wait_for(state="attached")
    won = [label for label in labels(page) if "win" in label]
    assert won == ["g5, empty, win in 2", "g9, empty, win in 2"]
    page.locator("#moves", has_text="a1?!").wait_for()  # whether X was lost already is not known
    assert page.inner_text("#notes") == "X's a1 loses in 2; g5 g9 k11 l12 are not known to lose."


def test_values_that_are_not_known_are_a_networks_heat_and_never_question_marks(opened, file):
    link = "#play=threats&rules=15,15,5&seat=both&show=values&moves=h8.g8.i9.g7"
    page = opened(file, link, **CALM)
    heat = "all => all.map(b => parseInt(b.style.getPropertyValue('--heat')))"
    page.wait_for_function(
        f"() => ({heat})([...document.querySelectorAll('#board button')])[126] > 90"
    )
    found = page.locator("#board button").evaluate_all(heat)  # g9 stops the two
    assert sum(5 < one < 90 for one in found) > 5
    assert "?" not in page.inner_text("#board")
    assert "the yellower a cell" in page.inner_text("#play .legend")


def test_a_proof_that_takes_long_goes_on_quietly(opened, file):
    page = opened(file, "#play=first&seat=both&rules=9,9,5", **CALM)
    stop_clock(page)
    page.evaluate("location.hash = '#play=first&seat=both&rules=9,9,5&moves=e5'")
    shows(page, "proof", "Proving what this position is worth….*")
    proof = "[data-proving=true]:text('Not known yet: too many games lead on from here.')"
    while not page.locator(f"#proof{proof}").count():  # three seconds after a short look
        page.clock.run_for(1000)
        assert not page.locator("#proof", has_text="Not known:").count()  # it has not ended


def test_a_finger_chooses_a_small_cell_before_it_plays(opened, file):
    page = opened(file, "#play=first&rules=15,15,5&seat=X", "phone", has_touch=True, **CALM)
    cell = page.locator("#board button").nth(112)
    cell.tap()
    assert page.inner_text("#status") == "h8? Tap it again to play it."
    assert set(marks(page, 15)) == {"_"}
    cell.tap()
    assert marks(page, 15)[112] == "X"
    page = opened(file, "#play=first&rules=5,5,4&seat=X", "phone", has_touch=True, **CALM)
    page.locator("#board button").nth(12).tap()
    assert marks(page, 5)[12] == "X"


@pytest.mark.parametrize("size", ["desktop", "tablet"])
def test_beside_every_board_stand_the_status_and_the_moves(opened, file, size):
    page = opened(file, "#play=first&seat=both&moves=a1", size, **CALM)
    for name in ("4,4,4", "9,9,5", "15,15,5"):
        page.select_option("#rules", name)
        click(page, 0)
        board = page.locator("#board").bounding_box()
        for part in ("#status", "#proof", "#record"):
            box = page.locator(part).bounding_box()
            assert box["x"] > board["x"] + board["width"], part
            assert box["y"] + box["height"] < SIZES[size][1] / 2, part
        assert board["y"] + board["height"] <= SIZES[size][1]
        assert page.evaluate("scrollY") == 0
        assert fits(page)


def test_the_table_fits_and_a_lost_game_is_replayed_by_a_click(opened, file):
    page = opened(file, "", **CALM)
    assert (
        page.evaluate(
            "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#larger .scroll'))"
        )
        <= 0
    )
    row = page.locator(".larger tr", has_text="alphazero_664").inner_text()
    assert "O cannot hold 6,6,4" in row
    figure = page.locator(".games figure", has_text="O cannot hold 6,6,4: lost after 11 stones")
    assert figure.locator("text").all_text_contents() == ["7", "8", "9", "10", "11"]
    stop_clock(page)
    figure.locator(".replay").click()
    assert page.inner_text("#play-title") == "alphazero_664 as O"
    assert page.locator("#moves li").count() == 11
    assert set(marks(page, 6)) == {"_"}
    page.clock.run_for(11 * 700)
    assert page.inner_text("#status").startswith("X wins.")
    assert "O cannot hold 6" in page.inner_text("#about")


def test_a_click_counts_although_the_board_is_drawn_anew_meanwhile(opened, file):
    page = opened(file, "#play=first&rules=5,5,4&seat=X&show=values", **CALM)
    settled(page)
    page.locator("#board button").nth(6).hover()
    page.mouse.down()
    page.evaluate("() => document.getElementById('overlay').dispatchEvent(new Event('change'))")
    page.mouse.up()
    assert marks(page, 5)[6] == "X"


def test_boards_are_picked_from_the_first_list_and_links_lead_to_any(opened, file):
    page = opened(file, "#play=first", **CALM)
    names = page.locator("#rules option").evaluate_all("all => all.map(one => one.value)")
    assert (names[0], names[-1]) == ("3,3,3", "15,15,5")
    for name, cells in (("9,9,5", 81), ("4,4,4", 16), ("3,3,3", 9)):
        page.select_option("#rules", name)
        assert page.locator("#board button").count() == cells
        assert marks(page, int(cells**0.5)) == "_" * cells
    page.select_option("#seat", "O")
    page.select_option("#rules", "15,15,5")  # larger than the board of any network
    settled(page)
    assert marks(page, 15).index("X") == 112  # h8
    assert (
        page.locator("#player option").nth(1).inner_text().startswith("alphazero_995, trained on ")
    )
    page = opened(file, "#play=threats&rules=4,5,3&seat=both&moves=b2.e4.D1", **CALM)
    assert page.input_value("#rules") == "4,5,3"
    assert marks(page, 5) == "___X__X____________O"
    for wrong in ("rules=2,3,3", "rules=16,15,5", "rules=5,5,6", "rules=x", "rules=5,5,4&moves=f1"):
        page.evaluate("link => void (location.hash = link)", f"#play=first&seat=X&{wrong}")
        page.get_by_text("The link shows no possible game").wait_for()


@pytest.mark.parametrize(
    ("never", "told"),
    [
        (True, "Certified: never loses as X, in all {:,} positions that it can reach."),
        (None, "As X it is not certified: its certificate was not finished."),
        (False, "As X it can be beaten."),
    ],
)
def test_a_certificate_that_did_not_end_is_no_proof_that_it_can_be_beaten(
    opened, tmp_path, never, told
):
    folder = Path(bundled.folder("alphazero_554"))  # on smaller boards the page computes it
    found = json.loads((folder / "card.json").read_text())["certificate"]
    found["never_loses"]["X"] = never
    found["worst_case"]["X"] = 0 if never else None
    place = with_card(folder, tmp_path / "mine", certificate=found)
    out = tmp_path / "report.html"
    report_of(out, "first", str(place))
    page = opened(out, "#play=mine&rules=5,5,4&seat=O", **CALM)
    assert told.format(found["reached"]["X"]) in page.inner_text("#about")


STATES = {
    "large": ("#play=threats&rules=15,15,5&seat=X&show=values", lambda page: click(page, 112)),
    "proved": ("#play=alphazero_664&rules=6,6,4&seat=O&show=values", settled),
    "watched": ("#watch=first&against=random&rules=15,15,5", lambda page: page.click("#pause")),
    "chances": ("#play=tactical&rules=9,9,5&seat=both&show=player&moves=e5", lambda page: None),
}


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_nothing_wrong_on_larger_boards_and_all_fits(opened, file, size, scheme):
    page = opened(file, "", size, color_scheme=scheme, **CALM)
    for name, (link, reach) in STATES.items():
        page.evaluate("link => void (location.hash = link)", link)
        page.wait_for_function("link => history.state?.game.includes('rules')", arg=link)
        reach(page)
        assert not faults(page, "#play"), name
        assert fits(page), name
        page.evaluate("location.hash = '#question'")
        page.wait_for_function("() => history.state?.game === '#question'")


@pytest.mark.parametrize("zoom", [2, 4])  # as WCAG 2.2 asks for text, and for reflow
def test_enlarged_nothing_is_cut_off(opened, file, zoom):
    page = opened(file, "#play=threats&rules=9,9,5&seat=X&show=values", **CALM)
    page.set_viewport_size({"width": 1280 // zoom, "height": 1024 // zoom})
    assert fits(page)


def test_what_the_page_cannot_play_is_left_out(tmp_path, shown, monkeypatch):
    folder, rules = bundled.folder("alphazero_444"), Rules(4, 4, 4)
    certificate = shown["alphazero_444"].certificate
    assert data.network(folder, "a", rules, certificate).about["name"] == "a"
    choices = ({}, {"tolerance": 0.1, "canonical": True}, {"tolerance": 2**-14, "canonical": False})
    for number, choice in enumerate(choices):
        place = with_card(folder, tmp_path / str(number), choice=choice)
        assert data.network(place, "a", rules, certificate) is None
    reinforce = bundled.folder("reinforce_444")
    assert data.network(reinforce, "a", rules, certificate) is None
    assert data.network(folder, "a", Rules(16, 15, 5), certificate) is None
    monkeypatch.setattr(larger, "POSITIONS", 1)
    (one,) = larger.from_specs([f"{folder}:simulations=4"])
    assert one.network is None
