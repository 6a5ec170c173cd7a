"""Claims about the seven features: they hold, and changes of a proof are detected."""

import copy
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tttenv import Rules, certify
from tttenv.certificates.certificate import Certificate
from tttenv.exact import Tabulated, positions, solve
from tttenv.game.features import forks, seven

ROOT = Path(__file__).parents[2]
FILE = ROOT / "checkpoints" / "seven.json"
SCRIPT = [sys.executable, str(ROOT / "scripts" / "seven.py")]
HERE = os.environ | {"PYTHONPATH": str(ROOT)}
GAME = positions(Rules())


@pytest.fixture(scope="module")
def data():
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def proofs():
    """Return the modules of the script."""
    from scripts.seven_features import claims, features, proof

    return {"claims": claims, "features": features, "proof": proof}


def greedy(columns, weights):
    """Return the player of these weights without the script's help: the first of ties."""
    worth = np.where(GAME.successors >= 0, (columns @ np.array(weights))[GAME.successors], -np.inf)
    cells = worth.argmax(axis=1)
    return Tabulated(Rules(), np.eye(9)[cells] * ~GAME.over[:, None])


def test_the_committed_claims_hold(tmp_path):
    done = subprocess.run(
        [*SCRIPT, "--check"], capture_output=True, text=True, cwd=tmp_path, env=HERE
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "hold" in done.stdout


def test_what_is_claimed(data):
    assert data["unbeatable_possible"] == {"X": True, "O": False}
    assert data["proved"] is True
    assert {row["ties"] for row in data["answers"] if row["seat"] == "O" and "no" in row} == {
        *("first", "mixed", "distinct"),
    }
    assert FILE.stat().st_size < 200_000


def test_the_best_weights_lose_exactly_what_is_proved_the_least(data):
    found = certify(Rules(), greedy(seven(Rules(), -GAME.boards), data["best_weights"]))
    assert found == Certificate.from_dict(data["best"])
    assert found.worst_case == {"X": 0, "O": -1}
    assert found.vs_random["O"][2] == pytest.approx(Fraction(data["best_losses"]), abs=1e-12)
    below = [row["losing_below"] for row in data["answers"] if "no" in row]
    assert data["best_losses"] in below


def test_one_more_feature_makes_weights_unbeatable_in_both_seats(data):
    (row,) = data["lacking"]
    assert row["feature"] == "their_forks"
    boards = -GAME.boards
    columns = np.column_stack([seven(Rules(), boards), forks(Rules(), -boards)])
    found = certify(Rules(), greedy(columns, row["weights"]))
    assert found == Certificate.from_dict(row["certificate"])
    assert found.unbeatable


def test_the_reason_in_two_boards_by_hand(data):
    """An edge must be worth more than a corner on one board, a corner more on the other."""
    first, second = data["why"]
    assert (first["board"], first["keeps"]) == ("X___O___X", [1, 3, 5, 7])
    assert (second["board"], second["keeps"]) == ("O___X___X", [2, 6])
    assert first["difference"] == [0, 0, 0, 0, -1, 0, 0]
    assert second["difference"] == [0, 0, 0, 0, 1, 0, 0]


def test_kindest_ties_are_not_claimed_since_there_weights_can_be_unbeatable():
    columns = seven(Rules(), -GAME.boards)
    worth = np.where(GAME.successors >= 0, columns[:, 6][GAME.successors], -np.inf)
    best = (worth == worth.max(axis=1, keepdims=True)) & solve(Rules()).optimal
    assert best.any(axis=1)[GAME.decisions].all()
    assert certify(Rules(), Tabulated.uniform_over(Rules(), best)).unbeatable


def test_weights_drawn_at_random_never_contradict_the_proof(data):
    """Every random player fails where the tree says: at a twig it does not have, or at a leaf."""
    columns, rng = seven(Rules(), -GAME.boards), np.random.default_rng(0)
    tree = next(row["no"] for row in data["answers"] if row["ties"] == "first" and "no" in row)
    for _ in range(300):
        cells, at = greedy(columns, rng.normal(size=7)).table.argmax(axis=1), tree
        while at is not None and "at" in at:
            board = Rules().parse(at["at"])
            at = at["moves"].get(str(cells[GAME.index(board)]))
        assert at is None  # a leaf would say that these weights do not exist


def leaves(tree):
    if "moves" not in tree:
        yield tree
    else:
        for twig in tree["moves"].values():
            yield from leaves(twig)


def branches(tree):
    if "moves" in tree:
        yield tree
        for twig in tree["moves"].values():
            yield from branches(twig)


def sums(tree):
    return [leaf["sum"] for leaf in leaves(tree) if "sum" in leaf]


DAMAGE = {
    "a multiplier raised": lambda tree: max(sums(tree), key=len)[0].__setitem__(2, 7),
    "a multiplier below zero": lambda tree: sums(tree)[0][0].__setitem__(2, -1),
    "a term undone": lambda tree: sums(tree)[0].extend([*t, -n] for *t, n in sums(tree)[0][:]),
    "a multiplier in fractions": lambda tree: sums(tree)[0][0].__setitem__(2, 1.0),
    "a term left out": lambda tree: max(sums(tree), key=len).pop(),
    "an empty sum": lambda tree: sums(tree)[0].clear(),
    "another cell": lambda tree: sums(tree)[0][0].__setitem__(1, 9),
    "a choice not made": lambda tree: sums(tree)[0][0].__setitem__(0, "XOX______"),
    "a twig left out": lambda tree: list(branches(tree))[-1]["moves"].popitem(),
    "a twig too many": lambda tree: list(branches(tree))[-1]["moves"].update({"9": {"sum": []}}),
    "a board not reached": lambda tree: list(branches(tree))[1].update(at="XXO______"),
    "a board twice": lambda tree: list(branches(tree))[1].update(at=tree["at"]),
    "no board": lambda tree: tree.update(at="nothing"),
    "more than a branch": lambda tree: tree.update(sum=[]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_proof_is_refused(data, proofs, damage):
    for row in data["answers"]:
        if "no" in row:
            below = row["losing_below"] and Fraction(row["losing_below"])
            kind = proofs["features"].Question
            question = kind(row["seat"], row["ties"], tuple(row["added"]), below)
            tree = copy.deepcopy(row["no"])
            proofs["proof"].check(question, tree)
            DAMAGE[damage](tree)
            with pytest.raises(ValueError, match=r"proof|board|parse|is \d+ of"):
                proofs["proof"].check(question, tree)


def test_a_branch_on_a_board_that_is_not_reached_is_refused(data, proofs):
    question = proofs["features"].Question("O")
    board = "XXO______"
    keeps = question.open_to(int(GAME.index(Rules().parse(board))))
    wrapped = {"at": board, "moves": {str(cell): data["answers"][0]["no"] for cell in keeps}}
    with pytest.raises(ValueError, match="not reached"):
        proofs["proof"].check(question, wrapped)


@pytest.mark.parametrize("said", ["1/2", "1/945", "much"])
def test_a_false_count_of_losses_is_refused(data, proofs, said):
    row = next(row for row in data["answers"] if row["losing_below"])
    tree = copy.deepcopy(row["no"])
    next(leaf for leaf in leaves(tree) if "losses" in leaf)["losses"] = said
    below = Fraction(row["losing_below"])
    question = proofs["features"].Question("O", losing_below=below)
    with pytest.raises(ValueError, match="of the games are lost, which is wrong or too few"):
        proofs["proof"].check(question, tree)


def change(data, path, value):
    *way, last = path
    for key in way:
        data = data[key]
    data[last] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["unbeatable_possible", "O"], True),
        (["best_weights", 4], -3.0),
        (["best", "worst_case", "O"], 0.0),
        (["best_losses"], "1/945"),
        (["lacking", 0, "weights", 7], 0),
        (["answers"], []),
        (["answers", 0, "added"], ["their_forks"]),
        (["answers", 4, "yes"], [0, 0, 0, 0, 0, 0, 0]),
        (["answers", 6, "yes"], [0, 5, -5, 0, 1, 1, 12, -2]),
        (["why", 0, "difference"], [0] * 7),
        (["not_enough"], []),
    ],
    ids=str,
)
def test_a_false_claim_is_refused(data, proofs, path, value):
    false = copy.deepcopy(data)
    change(false, path, value)
    with pytest.raises(ValueError, match=r"\w"):
        proofs["claims"].verify(false)


@pytest.mark.parametrize(
    ("content", "named"),
    [("", "JSON"), ("[]", "does not hold"), ("{}", "best_weights"), (None, "No such file")],
)
def test_a_bad_file_is_named_in_one_line(tmp_path, content, named):
    file = tmp_path / "claims.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    command = [*SCRIPT, "--file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=HERE)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "claims.json" in done.stderr
    assert named in done.stderr


def test_the_summary_says_what_is_proved():
    done = subprocess.run(SCRIPT, capture_output=True, text=True, cwd=ROOT, env=HERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nno ") + done.stdout.startswith("no ") == 5
    assert "with their_forks" in done.stdout
