"""The compiled checker and `scripts/check_proof.py` say the same of every file, good or forged."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tttenv
from scripts import check_proof as plain
from tttenv.game.rules import Rules
from tttenv.proofs.checker import checked
from tttenv.utils.tensor_file import header

ROOT = Path(__file__).parents[2]
# Game, position and value: draws with both claims and by strategy stealing; wins with passes of
# several ranks, with images of passes, after a quiet move and of O.
PROOFS = [
    ("3,3,3", "X___O____", 0),
    ("4,4,4", "", 0),
    ("4,5,4", "", 0),
    ("3,4,3", "", 1),
    ("5,6,4", "", 1),
    ("6,6,4", "", 1),
    ("7,7,4", "", 1),
    ("4,5,3", "X_____O____________X", -1),
]
WORDS = {1: "X wins", 0: "a draw", -1: "O wins"}


@pytest.fixture(scope="module", params=PROOFS, ids=str)
def proof(request, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    text, position, value = request.param
    rules, file = Rules.of(text), tmp_path_factory.mktemp("proof") / "proof"
    tttenv.prove(rules, rules.parse(position) if position else None).save(file)
    return file, value


def said(file: Path, larger: str = "") -> str | None:
    """Return what both checkers say of a file, None if they refuse it."""
    found = by_package = None
    with suppress(ValueError, KeyError):
        found = plain.check(str(file), larger)
    with suppress(ValueError):
        proved = checked(file, Rules.of(larger) if larger else None)
        says, count = f"{proved.rules}: {WORDS[proved.value]}", f"{proved.positions:,}"
        by_package = f"{says}; all {count} positions of the proof hold"
    assert found == by_package
    return found


def verified(numbers: np.ndarray, about: dict[str, str], side: str) -> int:
    """Return how many positions a walk verifies that need not end well."""
    moves = about["board"].count("X") - about["board"].count("O")
    walk = plain.Walk(plain.game_of(about["rules"]), about["board"], side, numbers.tolist())
    first = side == "XO"[moves]
    with suppress(ValueError, KeyError):
        if about[side] == plain.WINS:
            (walk.attack if first else walk.replies)(0)
        else:
            walk.hold(int(first))
    return walk.positions


def forged(numbers: np.ndarray, cells: int, rng: np.random.Generator) -> np.ndarray:
    """Return numbers of which one is changed, two are swapped, or some are cut or repeated."""
    made = numbers.copy()
    i, j = sorted(rng.integers(made.size, size=2).tolist())
    match rng.integers(6):
        case 0:
            made[i] = rng.choice([-9, -8, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, cells, 32767, -32768])
        case 1:
            made[i] = rng.integers(cells)
        case 2:
            made[[i, j]] = made[[j, i]]
        case 3:
            made = np.concatenate([made[:i], made[j:]])
        case 4:
            made = np.concatenate([made[:j], made[i:]])
        case 5:
            made = np.append(made[: made.size - int(rng.integers(2))], np.int16(rng.integers(3)))
    return np.ascontiguousarray(made, np.int16)


def test_forged_files_are_refused_or_true_and_both_checkers_agree(
    proof: tuple[Path, int], tmp_path: Path
) -> None:
    source, value = proof
    whole = said(source)
    assert whole is not None
    assert WORDS[value] in whole
    arrays, about = load_file(source), header(source.read_bytes(), source).metadata
    rng, refused, file = np.random.default_rng(0), 0, tmp_path / "proof"
    sides = [side for side, numbers in arrays.items() if numbers.size]
    for _ in range(250):
        side = str(rng.choice(sides))
        changed = forged(arrays[side], len(about["board"]), rng)
        count = str(verified(changed, about, side))
        save_file(arrays | {side: changed}, file, about | {f"{side} positions": count})
        found = said(file)
        refused += found is None
        assert found is None or WORDS[value] in found
    assert refused > 100


def test_a_win_holds_on_the_larger_boards_that_its_zone_is_clear_of(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    tttenv.prove(Rules(15, 15, 4)).save(file)
    assert said(file, "17,19,4") is None  # its images are those of a square
    assert said(file, "19,19,4") == "19,19,4: X wins; all 284 positions of the proof hold"
    for other in ("14,15,4", "19,19,5", "15,14,4"):
        assert said(file, other) is None
    tttenv.prove(Rules(3, 3, 2)).save(file)  # on a larger board O has more room
    assert said(file, "5,5,2") is not None
    tttenv.prove(Rules(4, 4, 4)).save(file)
    assert said(file, "5,5,4") is None  # a draw says nothing about it


def test_a_proof_cannot_nest_passes_and_moves_without_end(tmp_path: Path) -> None:
    """The deepest walk there can be: a pass at each turn of the defender, on the largest board."""
    file, about = tmp_path / "proof", {"kind": plain.KIND, "rules": "19,19,19", "board": "_" * 361}
    about |= {"value": "1", "X": plain.WINS, "X positions": "0"}
    moves = [cell for cell in range(361) if (cell // 19 + 2 * (cell % 19)) % 7]
    numbers = np.array([[cell, 1] for cell in moves], np.int16).ravel()  # 1 pass after each
    save_file({"X": numbers}, file, about)
    with pytest.raises(ValueError, match=f"number {numbers.size} about X"):
        tttenv.check_proof(file)
    assert said(file) is None


def test_the_script_needs_nothing_but_python(proof: tuple[Path, int]) -> None:
    script = ROOT / "scripts/check_proof.py"
    for file, status in ((proof[0], 0), (script, 1)):
        run = subprocess.run(
            [sys.executable, "-I", "-S", script, file], capture_output=True, text=True, cwd=os.sep
        )
        assert run.returncode == status
        assert len((run.stdout + run.stderr).splitlines()) == 1
    source = script.read_text(encoding="utf-8").splitlines()
    assert len(source) <= 230  # it is read before it is believed
