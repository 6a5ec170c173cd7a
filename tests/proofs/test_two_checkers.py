"""The compiled checker and `scripts/check_proof.py` say the same of every file, good or forged."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from brute_force import ATTACKER, DEFENDER, BruteForce, Stones, after, empty
from safetensors.numpy import load_file, save_file

import tttenv
from scripts import check_proof as plain
from tttenv.exact import positions, solve
from tttenv.game.rules import Rules
from tttenv.proofs.checker import checked, verify
from tttenv.proofs.proof_file import KIND, Claim
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
    with suppress(ValueError, LookupError):
        found = plain.check(str(file), larger)
    with suppress(ValueError):
        proved = checked(file, Rules.of(larger) if larger else None)
        says, count = f"{proved.rules}: {WORDS[proved.value]}", f"{proved.positions:,}"
        by_package = f"{says}; all {count} positions of the proof hold"
    assert found == by_package
    return found


def verified(numbers: np.ndarray, about: dict[str, str], side: str) -> set[str]:
    """Return how many positions each checker's walk verifies, which need not end well."""
    moves = about["board"].count("X") - about["board"].count("O")
    cells = list(range(len(about["board"])))
    walk = plain.Walk(plain.game_of(about["rules"]), cells, about["board"], side, numbers.tolist())
    with suppress(ValueError, LookupError):
        walk.claim(about[side], side == "XO"[moves])
    rules, claim = Rules.of(about["rules"]), Claim(about[side], numbers, 10**6)
    found = verify(rules, rules.parse(about["board"]), side, claim, np.array(cells))
    return {str(walk.positions), str(found.positions)}


def claimed(
    file: Path, arrays: dict[str, np.ndarray], about: dict[str, str], side: str
) -> str | None:
    """Return what both checkers say of a file with the number of positions that either has."""
    for count in verified(arrays[side], about, side):
        save_file(arrays, file, about | {f"{side} positions": count})
        if (found := said(file)) is not None:
            return found
    return None


def forged(numbers: np.ndarray, cells: int, rng: np.random.Generator) -> np.ndarray:
    """Return numbers of which one is changed, two are swapped, or some are cut or repeated."""
    made = numbers.copy()
    i, j = sorted(rng.integers(made.size, size=2).tolist())
    match rng.integers(7):
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
        case 6:
            made = np.insert(made, i, plain.FORGET)
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
        found = claimed(file, arrays | {side: changed}, about, side)
        refused += found is None
        assert found is None or WORDS[value] in found
    assert refused > 100


def given(stones: Stones, cells: list[int]) -> Stones:
    """Return the board with the defender's stones on these cells too."""
    return tuple(DEFENDER if cell in cells else stone for cell, stone in enumerate(stones))


def loses(game: BruteForce, stones: Stones, cells: list[int]) -> bool:
    """Return whether the defender, with stones on these cells too, loses to the side to move."""
    then = given(stones, cells)
    return not game.completed(then, DEFENDER) and not game.holds(then, True)


def ending(game: BruteForce, stones: Stones) -> list[int]:
    """Return the cells on which the attacker completes a line."""
    cells = empty(stones)
    return [cell for cell in cells if game.completed(after(stones, cell, ATTACKER), ATTACKER)]


def grouped(
    game: BruteForce, stones: Stones, done: set[Stones], rng: np.random.Generator
) -> list[int]:
    """Return the numbers of a win, the attacker to move, with replies grouped at random.

    At some positions all that are done are forgotten.
    """
    if stones in done and rng.random() < 0.9:
        return [-1]
    if done and rng.random() < 0.1:
        done.clear()
        return [plain.FORGET, *grouped(game, stones, done, rng)]
    wins = [move for move in empty(stones) if not game.holds(after(stones, move, ATTACKER), False)]
    quiet = [move for move in wins if not ending(game, after(stones, move, ATTACKER))]
    move = int(rng.choice(quiet or wins))
    then, numbers, replies = after(stones, move, ATTACKER), [move], 0
    free, ends = empty(then), ending(game, then)
    if len(ends) == 1:
        numbers += grouped(game, given(then, ends), done, rng)
    elif not ends and not game.completed(then, ATTACKER):
        left = set(free)
        while left:
            group = [int(rng.choice(sorted(left)))]
            for cell in rng.permutation(free).tolist():
                if cell not in group and rng.random() < 0.5 and loses(game, then, [*group, cell]):
                    group.append(cell)
            numbers += [-len(group), *group[::-1]] if len(group) > 1 else group
            numbers += grouped(game, given(then, group), done, rng)
            left, replies = left.difference(group), replies + 1
        numbers[1:1] = [0, replies]
    done.add(stones)
    return numbers


def says(file: Path, rules: Rules, stones: Stones, numbers: list[int]) -> str | None:
    """Return what both checkers say of a file with the claim that X, to move, wins."""
    about = {"kind": KIND, "rules": str(rules), "value": "1", "X": plain.WINS}
    about["board"] = "".join("_XO"[stone] for stone in stones)
    return claimed(file, {"X": np.array(numbers, np.int16)}, about, "X")


@pytest.mark.parametrize("text", ["3,4,3", "4,3,3"])
def test_a_position_answers_a_group_of_replies_only_if_each_of_them_loses(
    text: str, tmp_path: Path
) -> None:
    rules, rng, made, refused, groups = Rules.of(text), np.random.default_rng(0), 0, 0, 0
    game, file, known = BruteForce(rules), tmp_path / "proof", positions(rules)
    rows = np.intersect1d(known.decisions, np.r_[known.ply(4)])
    while made < 50:
        board = known.boards[rng.choice(rows) if rng.random() < 0.5 else 0]
        stones = tuple((board % 3).tolist())
        group = rng.permutation(empty(stones))[: int(rng.integers(3))].tolist()
        if not loses(game, stones, group):
            continue
        numbers = [-len(group), *group] if group else []
        numbers += grouped(game, given(stones, group), set(), rng)
        assert says(file, rules, stones, numbers) is not None
        for cell in group if DEFENDER in stones else []:  # instead of the last reply
            other = board.copy()
            other[[cell, stones.index(DEFENDER)]] = -1, 0
            assert solve(rules).values[known.index(other)] == 1
        made += 1
        for cell in rng.permutation(empty(given(stones, group)))[:3].tolist():
            more = [*group, cell]
            wrong = [-len(more), *more, *numbers[len(group) + bool(group) :]]
            found = says(file, rules, stones, wrong)
            assert found is None or loses(game, stones, more)
            refused += found is None and not loses(game, stones, more)
        changed = forged(np.array(numbers, np.int16), rules.cells, rng).tolist()
        elsewhere = tuple((known.boards[rng.choice(rows)] % 3).tolist())
        for here in (stones, elsewhere):
            if changed and says(file, rules, here, changed) is not None:
                count = -min(changed[0], 0)
                assert loses(game, here, changed[1 : 1 + count])
        groups += sum(number < -1 for number in numbers[len(group) + bool(group) :])
    assert refused > 10
    assert groups > 30


def test_each_reply_is_answered_and_each_answer_answers_one(tmp_path: Path) -> None:
    rules, rng, file = Rules(3, 4, 3), np.random.default_rng(0), tmp_path / "proof"
    game, stones = BruteForce(rules), (0,) * rules.cells
    move, passes, count, *rest = grouped(game, stones, set(), rng)
    then = after(stones, move, ATTACKER)
    cell = empty(then)[0]
    alone = grouped(game, given(then, [cell]), set(), rng)
    assert says(file, rules, stones, [move, passes, count, *rest]) is not None
    for wrong in ([1, cell], [1, -2, cell, cell], [1, -1, cell], [count + 1, *rest, cell]):
        assert says(file, rules, stones, [move, passes, *wrong, *alone]) is None


def test_a_group_after_a_pass_is_refused_even_if_each_of_its_stones_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, file, single = Rules(7, 7, 4), tmp_path / "proof", []
    tttenv.prove(rules).save(file)
    numbers = load_file(file)["X"].tolist()

    class Seen(plain.Walk):
        def reply(self, least: int) -> list[int]:
            if least > 2:  # after a pass
                single.append(self.at)
            return super().reply(least)

    def holds(changed: list[int]) -> bool:
        with suppress(ValueError, KeyError, IndexError):
            Seen((7, 7, 4), range(49), "_" * 49, "X", changed).claim(plain.WINS, True)
            return True
        return False

    assert holds(numbers)
    more = [(at, cell) for at in single[:4] for cell in range(49)]
    groups = [[*numbers[:at], -2, numbers[at], cell, *numbers[at + 1 :]] for at, cell in more]
    with monkeypatch.context() as patched:
        patched.setattr(plain, "MOST", 2)
        wins = [changed for changed in groups if holds(changed)]
    assert wins
    assert not any(holds(changed) for changed in wins)
    assert all(says(file, rules, (0,) * 49, changed) is None for changed in wins)


def test_a_win_holds_on_the_larger_boards_that_its_zone_is_clear_of(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    tttenv.prove(Rules(15, 15, 4)).save(file)
    assert said(file, "17,19,4") is None  # its images are those of a square
    assert said(file, "19,19,4") == "19,19,4: X wins; all 206 positions of the proof hold"
    for other in ("14,15,4", "19,19,5", "15,14,4"):
        assert said(file, other) is None
    tttenv.prove(Rules(3, 3, 2)).save(file)  # on a larger board O has more room
    assert said(file, "5,5,2") is not None
    tttenv.prove(Rules(4, 4, 4)).save(file)
    assert said(file, "5,5,4") is None  # a draw says nothing about it


def test_a_proof_cannot_nest_passes_and_moves_without_end(tmp_path: Path) -> None:
    """The deepest walk there can be: a pass at each turn of the defender, on the largest board."""
    file, about = tmp_path / "proof", {"kind": KIND, "rules": "19,19,19", "board": "_" * 361}
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
    assert len(script.read_text(encoding="utf-8").splitlines()) < 250  # read before it is believed
