"""Networks that play in the page on larger boards: their moves, and what is proved of positions."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from page_browser import fragment

from learners.residual_net import planes_of
from tttenv import Rules
from tttenv.cli import report
from tttenv.exact import positions, solve
from tttenv.game.symmetry import maps
from tttenv.players import bundled
from tttenv.players.checkpoint import load
from tttenv.proofs.move_values import MoveValues
from tttenv.report import larger, networks
from tttenv.report.build import PAGE, WORKER

NAMES = ("alphazero_444", "alphazero_554", "alphazero_664")
EVIL = "<img src=x onerror=alert(1)>"
CALM = {"reduced_motion": "reduce"}
by_network = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def shown():
    """What the page knows of each network, by name."""
    return {one.name: one for one in larger.from_specs(list(NAMES))}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A report of one player on the page's own board and of the networks."""
    folder = tmp_path_factory.mktemp("networks")
    none = folder / "none.json"
    report.make(folder / "report.html", report.Contents(none, none, ["first", *NAMES]))
    return folder / "report.html"


@pytest.fixture(scope="module")
def inside(browser):
    """Runs JavaScript in the scope of the worker's own scripts."""
    page = browser.new_page()
    texts = [(PAGE / "worker" / f"{name}.js").read_text(encoding="utf-8") for name in WORKER]

    def run(code, given):
        return page.evaluate("(given) => {" + "\n".join([*texts, code]) + "}", given)

    yield run
    page.close()


def sampled(rules, count, rng, policy=None):
    """Undecided boards of all numbers of stones; with a policy, those of games against it."""
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


@by_network
def test_the_page_moves_as_the_library_does(inside, shown, name):
    game, rules = shown[name].network, shown[name].rules
    policy, rng = load(bundled.folder(name)), np.random.default_rng(0)
    boards = np.concatenate([sampled(rules, 1000, rng), sampled(rules, 50, rng, policy)])
    code = "const network = new Network(given[0]); return given[1].map((b) => network.move(b));"
    assert inside(code, [game, boards.tolist()]) == policy(boards).argmax(axis=1).tolist()


@by_network
def test_the_planes_are_those_of_the_library(inside, shown, name):
    game, rules = shown[name].network, shown[name].rules
    boards = sampled(rules, 150, np.random.default_rng(1))
    code = "const board = new Board(given[0]); return given[1].map((b) => [...planesOf(board, b)]);"
    expected = planes_of(rules)(boards).numpy().reshape(len(boards), -1)
    assert (np.array(inside(code, [game, boards.tolist()])) == expected).all()
    assert (expected.reshape(len(boards), 14, -1) != 0).any(axis=(0, 2)).all()  # each plane is seen


def facts(rules):
    return {"lines": rules.lines.tolist(), "maps": maps(rules).tolist()}


PROVE = """
const solver = new Solver(given[0]);
return given[1].map((position) => {
  const values = new MoveValues(solver, position, 1);
  for (const move of values.undecided()) values.improve(move, given[2]);
  return values.bounds();
});"""


def absolute(board):
    """A board seen by the side to move as 1 for X and -1 for O."""
    return (board * (1 if np.count_nonzero(board) % 2 == 0 else -1)).tolist()


@pytest.mark.parametrize(("size", "count"), [((3, 3, 3), 4520), ((3, 4, 3), 400), ((4, 3, 4), 400)])
def test_proofs_are_the_exact_values_of_small_games(inside, size, count):
    rules = Rules(*size)
    game, solution = positions(rules), solve(rules)
    which = np.flatnonzero(~game.over)
    which = np.random.default_rng(2).choice(which, min(count, len(which)), replace=False)
    told = inside(PROVE, [facts(rules), [absolute(game.boards[n]) for n in which], 1_000_000])
    for number, bounds in zip(which, told, strict=True):
        exact = [
            [cell, *2 * [-int(solution.values[after])]]
            for cell, after in enumerate(game.successors[number].tolist())
            if after >= 0
        ]
        assert bounds == exact


@pytest.mark.parametrize("size", [(4, 4, 4), (5, 5, 4), (6, 6, 4), (4, 5, 4)])
def test_proofs_agree_with_the_librarys_prover(inside, size):
    rules = Rules(*size)
    boards = sampled(rules, 60, np.random.default_rng(3))
    boards = boards[np.count_nonzero(boards, axis=1) >= rules.cells // 4][:25]
    told = inside(PROVE, [facts(rules), [absolute(board) for board in boards], 3000])
    prover, decided = MoveValues(rules, 300_000), 0
    for board, bounds in zip(boards, told, strict=True):
        known = prover.bounds(board)
        assert [cell for cell, _, _ in bounds] == np.flatnonzero(board == 0).tolist()
        for cell, low, high in bounds:
            assert low <= known.at_most[cell]
            assert known.at_least[cell] <= high
            decided += low == high
    assert decided > 0.9 * np.count_nonzero(boards == 0)


def test_the_values_of_whole_games_are_the_known_ones(inside):
    code = """return given.map((game) => {
      const solver = new Solver(game);
      const empty = Array(game.maps[0].length).fill(0);
      return [0, 1].map((side) => solver.prove(empty, side, 0, 100000));
    });"""
    told = inside(
        code, [facts(Rules(*size)) for size in ((3, 3, 3), (4, 4, 4), (6, 6, 4), (4, 3, 3))]
    )
    assert told == [[-1, -1], [-1, -1], [1, -1], [1, -1]]  # 4,3,3 and 6,6,4 are won by X


def test_without_nodes_nothing_is_claimed(inside):
    rules = Rules(5, 5, 4)
    (bounds,) = inside(PROVE, [facts(rules), [[0] * 25], 1])
    assert all((low, high) == (-1, 1) for _, low, high in bounds)


def labels(page):
    return page.locator("#field-board button").evaluate_all("all => all.map(b => b.ariaLabel)")


def stones(page, rules):
    """The board as the labels tell it: 1 for X, -1 for O; the cells' names are checked."""
    found = []
    for cell, label in enumerate(labels(page)):
        name, content = label.split(", ")[:2]
        assert name == f"{'abcdef'[cell % rules.n]}{cell // rules.n + 1}"
        found.append({"X": 1, "O": -1, "empty": 0}[content])
    return np.array(found, np.int8)


def settled(page):
    """The status, when the network has moved and all that will be proved is."""
    page.locator("#field-status", has_text=re.compile("Your turn|win|draw")).wait_for()
    proof = page.locator("#field-proof")
    proof.filter(has_not_text="Proving").wait_for(state="attached", timeout=60_000)
    return page.inner_text("#field-status")


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("alphazero_444", "X"),
        ("alphazero_444", "O"),
        ("alphazero_554", "O"),
        ("alphazero_664", "O"),
    ],
)
def test_whole_games_by_clicks(opened, file, shown, name, seat):
    rules, policy = shown[name].rules, load(bundled.folder(name))
    page = opened(file, f"#field={name}&seat={seat}", **CALM)
    page.check("#field-show")
    values, own = MoveValues(rules, 300_000), 1 if seat == "X" else -1
    rng, worst = (
        np.random.default_rng(5),
        shown[name].certificate.worst_case["XO"["OX".index(seat)]],
    )
    while "Your turn" in (told := settled(page)):
        board = stones(page, rules)
        seen = board * own
        known = values.bounds(seen)
        for cell, label in enumerate(labels(page)):
            if hint := re.search("win|draw|loss", label):
                value = {"win": 1, "draw": 0, "loss": -1}[hint[0]]
                assert known.at_least[cell] <= value <= known.at_most[cell]
                assert value <= -worst  # the certificate of the network
        cell = int(rng.choice(np.flatnonzero(board == 0)))
        page.locator("#field-board button").nth(cell).click()
        after = seen.copy()
        after[cell] = 1
        if not rules.over(-after):
            settled(page)
            after[policy(-after[None])[0].argmax()] = -1
        assert (stones(page, rules) * own == after).all()
    board = stones(page, rules) * own
    lost = bool(rules.lost(board)) and not bool(rules.lost(-board))
    assert told.endswith(f"{name} wins." if lost else "The game is a draw.")
    page.click("#field-back")
    assert (stones(page, rules) == 0).sum() > (board == 0).sum()


def test_a_blunder_is_told_only_where_it_is_proved(opened, file):
    page = opened(file, "#field=alphazero_554&seat=O", **CALM)
    settled(page)
    assert "4 of 24 moves keep it" in page.inner_text("#field-proof")
    page.locator("#field-board button").first.click()
    settled(page)
    assert page.inner_text("#field-notes .note p") == "a1 loses; b2 d2 b4 d4 draw."
    assert labels(page)[0] == "a1, O, a blunder"
    assert "Proved: a loss" in page.inner_text("#field-proof")
    page.click("#field-back")
    assert not page.locator("#field-notes .note").count()
    page.locator("#field-board button").nth(6).click()  # b2
    settled(page)
    assert not page.locator("#field-notes .note").count()


@pytest.mark.parametrize(
    ("never", "told"),
    [
        (True, "Certified: never loses as X, in all 31,710 positions that it can come to."),
        (None, "As X it is not certified: its certificate did not come to an end."),
        (False, "As X it is not certified: it can be beaten."),
    ],
)
def test_a_certificate_that_did_not_end_is_no_proof_that_it_can_be_beaten(
    opened, tmp_path, never, told
):
    folder = Path(bundled.folder("alphazero_444"))
    found = json.loads((folder / "card.json").read_text())["certificate"]
    found["never_loses"]["X"] = never
    found["worst_case"]["X"] = 0 if never else None
    place = changed(folder, tmp_path / "mine", certificate=found)
    out = tmp_path / "report.html"
    report.make(out, report.Contents(out, out, ["first", str(place)]))
    page = opened(out, "#field=mine&seat=O", **CALM)
    assert page.inner_text("#field-certificate") == told


def test_what_stands_there_already_is_not_read_out_again(opened, file):
    page = opened(file, "#field=alphazero_554&seat=O", **CALM)
    settled(page)
    page.locator("#field-board button").first.click()
    settled(page)
    assert page.locator("#field-notes .note").count()
    page.evaluate(
        """() => {
            window.count = 0;
            const watcher = new MutationObserver((list) => (window.count += list.length));
            for (const name of ["status", "certificate", "proof", "notes"])
                watcher.observe(document.getElementById(`field-${name}`), {childList: true});
        }"""
    )
    page.check("#field-show")  # all is drawn again
    assert any(re.search("win|draw|loss", label) for label in labels(page))
    assert page.evaluate("count") == 0


def test_taking_back_to_the_start_leaves_the_keyboard_its_place(opened, file):
    page = opened(file, "#field=alphazero_444&seat=X", **CALM)
    page.locator("#field-board button").first.click()
    settled(page)
    page.focus("#field-back")
    page.keyboard.press("Enter")
    back = page.locator("#field-back[aria-disabled=true]")
    assert back.evaluate("button => button === document.activeElement")
    page.keyboard.press("Enter")
    assert "Your turn, you play X" in page.inner_text("#field-status")


def test_a_larger_game_stops_one_that_goes_on_by_itself(opened, file):
    page = opened(file)
    page.select_option("#seat", "none")
    page.locator("#watch").scroll_into_view_if_needed()
    page.click("#watch")
    page.locator("#pause", has_text="Pause").wait_for()
    page.select_option("#field-seat", "O")
    page.locator("#pause", has_text=re.compile("Start|Go on")).wait_for()
    page.wait_for_timeout(900)
    assert fragment(page).startswith("#field=")


def test_the_larger_board_by_keyboard_and_without_violations(opened, file):
    from axe_playwright_python.sync_playwright import Axe

    page = opened(file, "#field=alphazero_664&seat=O", "phone", color_scheme="dark", **CALM)
    settled(page)
    page.check("#field-show")
    page.locator("#field-board button").first.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    settled(page)
    assert labels(page)[31].startswith("b6, O")
    assert "always wins as X" in page.inner_text("#field-certificate")
    assert "Proved: a loss" in page.inner_text("#field-proof")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for size in ("phone", "desktop"):
        if size == "desktop":
            page = opened(file, "#field=alphazero_444&seat=O", **CALM)
            settled(page)
            page.check("#field-show")
            settled(page)
        assert not Axe().run(page, context="#field").response["violations"]


def test_a_networks_name_stays_text_and_links_to_unknown_ones_do_nothing(opened, tmp_path):
    shutil.copytree(bundled.folder("alphazero_444"), tmp_path / EVIL)
    out = tmp_path / "report.html"
    report.make(out, report.Contents(out, tmp_path / "none", ["first", str(tmp_path / EVIL)]))
    page = opened(out, "#field=nobody&seat=O", **CALM)
    assert "Your turn, you play X" in page.inner_text("#field-status")
    page.select_option("#field-seat", "O")
    settled(page)
    assert page.locator("img").count() == 0
    assert page.inner_text("#field-game option").endswith(EVIL)


def test_the_policy_lets_only_the_worker_in(file):
    text = file.read_text(encoding="utf-8")
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "worker-src blob:" in policy.split("; ")
    assert policy.count("blob:") == 1
    assert "default-src 'none'" in policy
    assert len(text.encode()) < 3_000_000


def changed(folder, place, **card):
    """A copy of a checkpoint with other entries in its card."""
    shutil.copytree(folder, place)
    told = json.loads((place / "card.json").read_text()) | card
    (place / "card.json").write_text(json.dumps(told))
    return place


def test_what_the_page_cannot_play_is_left_out(tmp_path, shown):
    folder, rules = bundled.folder("alphazero_444"), Rules(4, 4, 4)
    certificate = shown["alphazero_444"].certificate
    assert networks.packed(folder, "a", rules, certificate)["name"] == "a"
    choices = ({}, {"tolerance": 0.1, "canonical": True}, {"tolerance": 2**-14, "canonical": False})
    for number, choice in enumerate(choices):
        place = changed(folder, tmp_path / str(number), choice=choice)
        assert networks.packed(place, "a", rules, certificate) is None
    reinforce = bundled.folder("reinforce_444")
    assert networks.packed(reinforce, "a", rules, certificate) is None
    assert networks.packed(folder, "a", Rules(8, 8, 5), certificate) is None
    (one,) = larger.from_specs([f"{folder}:simulations=4"], positions=1)
    assert one.network is None


def test_weights_that_are_no_numbers_are_left_out(tmp_path, shown, monkeypatch):
    from learners.training import checkpoint

    folder, certificate = Path(bundled.folder("alphazero_444")), shown["alphazero_444"].certificate
    config, weights = checkpoint.load_weights(folder, "alphazero")
    weights["net.last.bias"][3] = float("nan")
    monkeypatch.setattr(checkpoint, "load_weights", lambda *_: (config, weights))
    assert networks.packed(folder, "a", Rules(4, 4, 4), certificate) is None
