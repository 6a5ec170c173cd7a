"""The player that wins by a proof: against every reply, on larger boards, and its certificate."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tttenv
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players import player
from tttenv.players.stored.proved import Proved, proved
from tttenv.policy import greedy, sample
from tttenv.proofs import checker
from tttenv.proofs.move_values import MoveValues
from tttenv.proofs.proof_file import read, write
from tttenv.proofs.prover import Prover
from tttenv.proofs.steps_kernel import FORGET


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the files of some proofs by their games."""
    folder, files = tmp_path_factory.mktemp("proofs"), {}
    for game in ("3,4,3", "4,4,3", "6,6,4", "15,15,4", "4,4,4"):
        files[game] = folder / f"{game.replace(',', '-')}.safetensors"
        tttenv.prove(Rules.of(game)).save(files[game])
    files["6,6,4 with groups"] = with_groups(files["6,6,4"], Rules(6, 6, 4))
    files["5,6,4 divided"] = divided(Rules(5, 6, 4), folder)
    return files


def divided(rules: Rules, folder: Path) -> Path:
    """Return the file of a proof that is put together from a part for each reply."""
    prover, file = Prover(rules), folder / "divided.xz"
    move = int(prover.recorded_win(rules.start(), "X").numbers[0])
    for reply in range(rules.cells):
        board = rules.start()
        board[move] = 1
        if reply != move:
            board[reply] = -1
            tttenv.prove(rules, board).save(folder / f"{reply}.part")
            prover.use(folder / f"{reply}.part")
    prover.prove().save(file)
    return file


def with_groups(file: Path, rules: Rules) -> Path:
    """Add a corner to the replies of a win by X wherever the proof then holds still."""
    claim, places, count = read(file).claims["X"], np.arange(rules.cells), 0
    for at in reversed(range(claim.numbers.size)):
        for corner in places[[0, rules.n - 1, -rules.n, -1]]:
            first, cell, rest = np.split(claim.numbers, [at, at + 1])
            changed = np.hstack([first, [-2], cell, [corner], rest]).astype(np.int16)
            one = replace(claim, numbers=changed)
            found = checker.verify(rules, rules.start(), "X", one, places)
            if found.holds and (found.numbers, found.positions) == (changed.size, claim.positions):
                claim, count = one, count + 1
    assert count > 10
    write(file.with_name("groups"), rules, rules.start(), 1, {"X": claim})
    return file.with_name("groups")


def every_reply(boards: Boards) -> Boards:
    """Return the distinct boards after all replies."""
    rows, cells = np.nonzero(boards == 0)
    after = -boards[rows]
    after[np.arange(len(rows)), cells] = -1
    return np.unique(after, axis=0)


@pytest.mark.parametrize("game", ["3,4,3", "4,4,3", "6,6,4", "6,6,4 with groups", "5,6,4 divided"])
def test_it_wins_against_every_reply(game: str, proofs: dict[str, Path]) -> None:
    rules = Rules.of(game.split()[0])
    made, boards = player(f"proved:path={proofs[game]}", rules), rules.start(1)
    while len(boards):
        assert made.proof(boards)
        probs = made(boards)
        assert ((probs == 1).sum(axis=1) == 1).all()
        assert (probs[::-7] == made(boards[::-7])).all()
        after = rules.play(boards, probs.argmax(axis=1))
        boards = every_reply(after[~rules.lost(after)])
        assert not rules.over(boards).any()


@pytest.mark.parametrize("game", ["15,15,4", "19,19,4"])
@pytest.mark.parametrize("opponent", ["random", "tactical", "near", "far", "alphabeta:depth=2"])
def test_it_wins_all_games(game: str, opponent: str, proofs: dict[str, Path]) -> None:
    rules, rng = Rules.of(game), np.random.default_rng(0)
    made, boards = player(f"proved:path={proofs['15,15,4']}", rules), rules.start(60)
    away = abs(np.arange(rules.cells) - rules.cells // 2)
    rivals = {"near": lambda b: greedy(-away, b == 0), "far": lambda b: greedy(away, b == 0)}
    other = rivals.get(opponent) or player(opponent, rules)
    while len(boards):
        boards = rules.play(boards, made(boards).argmax(axis=1))
        boards = boards[~rules.lost(boards)]
        boards = rules.play(boards, sample(other(boards), rng.random(len(boards))))
        assert not rules.over(boards).any()


def test_its_certificate_names_the_proof_and_follows_its_moves_where_it_can(
    proofs: dict[str, Path],
) -> None:
    small = tttenv.certify(Rules(4, 4, 3), f"proved:path={proofs['4,4,3']}")
    assert small.worst_case["X"] == 1
    assert small.proof is None
    large = tttenv.certify(Rules(15, 15, 4), f"proved:path={proofs['15,15,4']}")
    assert large.proof == hashlib.sha256(proofs["15,15,4"].read_bytes()).hexdigest()
    assert (large.worst_case["X"], large.reached, large.unbeatable) == (1, {"X": 0, "O": 7}, True)
    assert tttenv.certificates.certificate.Certificate.from_dict(large.to_dict()) == large


def test_other_files_and_games_are_refused(proofs: dict[str, Path], tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    forged.write_bytes(proofs["6,6,4"].read_bytes()[:-40] + bytes(40))
    for path, game, reason in [
        (forged, "6,6,4", "proves nothing"),
        (tmp_path / "missing", "6,6,4", "there is no proof in"),
        ("a\0b", "6,6,4", "cannot be read"),
        (proofs["4,4,4"], "4,4,4", "proves a draw"),
        (proofs["6,6,4"], "5,6,4", "no smaller board"),
        (proofs["6,6,4"], "6,6,5", "no smaller board"),
    ]:
        with pytest.raises(ValueError, match=reason):
            player(f"proved:path={path}", Rules.of(game))
    assert player(f"proved:path={proofs['6,6,4']}").rules == Rules(6, 6, 4)
    with pytest.raises(ValueError, match="needs the file"):
        player("proved")


def test_a_divided_proof_is_read_in_parts_which_answer_every_reply(
    proofs: dict[str, Path], tmp_path: Path
) -> None:
    rules, source = Rules(5, 6, 4), proofs["5,6,4 divided"]
    claim, file = read(source).claims["X"], tmp_path / "proof"
    marks = np.flatnonzero(claim.numbers == FORGET).tolist()

    def made(numbers: NDArray[np.int16]) -> Proved:
        write(file, rules, rules.start(), 1, {"X": replace(claim, numbers=numbers)})
        return proved(rules, str(file))

    assert len(marks) > 10
    wrong = claim.numbers.copy()
    wrong[marks[3] + 3] = 99  # after the part's first move
    board = rules.start()
    board[wrong[[0, marks[3] - 1]]] = 1, -1
    assert made(claim.numbers).proof(board[None]) is not None
    player = made(wrong)  # no part is read yet
    assert player.strategy.moves(rules.start(1))[0] == wrong[0]
    for asked, boards in ((player, board[None]), (player.proof, rules.start(1))):
        with pytest.raises(ValueError, match="part 4 is wrong"):
            asked(boards)
    for numbers in (np.delete(claim.numbers, np.s_[marks[5] - 1 : marks[6] - 1]), wrong[1:]):
        with pytest.raises(ValueError, match="not divided by all replies to one move"):
            made(numbers)


def test_hints_name_a_winning_move_of_every_position_that_is_proved_to_be_won() -> None:
    rules, board = Rules(15, 15, 4), np.zeros(225, np.int8)
    board[[112, 0]] = 1, -1
    assert MoveValues(rules).bounds(board).at_least.max() == 1
