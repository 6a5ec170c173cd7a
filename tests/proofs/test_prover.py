"""The prover against enumeration and published values, and the checker against broken proofs."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tttenv
from tttenv.exact import positions, solve
from tttenv.game.rules import Rules
from tttenv.proofs import checker, proof_file, recording, search_checkpoint
from tttenv.proofs import prover as prover_module
from tttenv.proofs.checker import checked
from tttenv.proofs.proof_file import KIND, STEALING, WINS
from tttenv.proofs.prover import ProofProgress, Prover
from tttenv.proofs.search_checkpoint import SavedSearch
from tttenv.utils.tensor_file import header

ENUMERABLE = [
    Rules(m, n, k)
    for m, n in itertools.product(range(1, 5), range(1, 16))
    if m <= n and m * n <= 15
    for k in range(2, n + 1)
]
# Values from outside: C. Y. Lee (5,5,4), Hales and Jewett (N,N,N), Hsu et al. (7,7,5); 4,8,4 and
# larger boards take longer and are proved by `tttenv prove`.
PUBLISHED = {
    "3,3,3": 0,
    "4,4,4": 0,
    "4,5,4": 0,
    "4,6,4": 0,
    "4,7,4": 0,
    "5,5,4": 0,
    "5,5,5": 0,
    "6,6,5": 0,
    "6,6,6": 0,
    "7,7,6": 0,
    "7,7,5": 0,
    "3,4,3": 1,
    "5,6,4": 1,
    "6,6,4": 1,
}
SMALL = ["3,3,3", "3,4,3", "4,4,4", "4,5,4", "5,5,5"]


def written(folder: Path, rules: Rules, board: object = None) -> Path:
    """Return the file of a proof of the board."""
    file = folder / "proof.safetensors"
    proof = tttenv.prove(rules, board)
    proof.save(file)
    return file


def parts(file: Path) -> tuple[dict, dict]:
    """Return the arrays and the metadata of a proof's file, to be changed."""
    metadata = header(file.read_bytes(), file).metadata
    return {name: array.copy() for name, array in load_file(file).items()}, metadata


@pytest.mark.parametrize("text", PUBLISHED)
def test_values_are_the_published_ones_and_every_proof_holds(text: str, tmp_path: Path) -> None:
    rules = Rules.of(text)
    proof = tttenv.prove(rules)
    assert proof.value == PUBLISHED[text]
    proof.save(tmp_path / "proof")
    found = checked(tmp_path / "proof")
    assert (found.rules, found.value) == (rules, PUBLISHED[text])
    assert not found.board.any()


@pytest.mark.parametrize("text", ["3,3,3", "2,4,3", "2,5,2"])
def test_every_position_has_the_value_that_enumeration_finds(text: str) -> None:
    rules = Rules.of(text)
    _agrees(rules, positions(rules).decisions[:: max(1, len(positions(rules).decisions) // 5_000)])


def _agrees(rules: Rules, rows: np.ndarray) -> None:
    game, values, prover = positions(rules), solve(rules).values, Prover(rules)
    for row in rows:
        board = game.boards[row]
        value = prover.prove(board).value
        assert value is not None
        mine = value if rules.seat(board) == 0 else -value
        assert mine == values[row], rules.format(board)


@pytest.mark.parametrize("text", ["3,3,3", "3,4,3", "3,4,4"])
def test_proofs_of_any_position_hold(text: str, tmp_path: Path) -> None:
    rules, file = Rules.of(text), tmp_path / "proof"
    game, prover = positions(rules), Prover(rules)
    for row in game.decisions[:: len(game.decisions) // 150]:
        proof = prover.prove(game.boards[row])
        proof.save(file)
        found = checked(file)
        assert found.value == proof.value
        assert (found.board == game.boards[row]).all()


@pytest.mark.parametrize("text", SMALL)
def test_a_proof_with_one_number_changed_is_refused_or_still_true(
    text: str, tmp_path: Path
) -> None:
    """Another number can be another right move; nothing wrong may ever be shown."""
    rules = Rules.of(text)
    file, rng = written(tmp_path, rules), np.random.default_rng(0)
    arrays, metadata = parts(file)
    refused = 0
    for _ in range(300):
        broken = {name: array.copy() for name, array in arrays.items()}
        name = str(rng.choice([name for name, array in arrays.items() if array.size]))
        at = rng.integers(broken[name].size)
        broken[name][at] = rng.choice([-1, 0, 1, 2, 3, 4, 5, 6, 7, rules.cells, 32767])
        save_file(broken, file, metadata)
        message = ""
        try:
            assert tttenv.check_proof(file) == PUBLISHED[text]
        except ValueError as error:
            refused += 1
            message = str(error)
        assert "\n" not in message
    assert refused > 100


def test_a_proof_without_its_end_or_with_more_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, Rules(4, 4, 4))  # a move, replies to it, and their leaves
    arrays, metadata = parts(file)
    for end in range(arrays["X"].size):  # whatever is missing at the end
        save_file(arrays | {"X": arrays["X"][:end].copy()}, file, metadata)
        with pytest.raises(ValueError, match=f"number {end} about X is wrong"):
            tttenv.check_proof(file)
    save_file(arrays | {"X": np.append(arrays["X"], np.int16(0))}, file, metadata)
    with pytest.raises(ValueError, match="about X is wrong"):
        tttenv.check_proof(file)


@pytest.mark.parametrize(
    "change",
    [
        {"value": "1"},
        {"value": "-1"},
        {"X": WINS},
        {"X": STEALING},
        {"rules": "3,4,3"},
        {"board": "X________"},
        {"board": "XXXOO____"},
        {"kind": "x"},
        {"X positions": "3"},
        {"X positions": "9" * 30},
    ],
    ids=str,
)
def test_a_proof_that_claims_something_else_is_refused(change: dict, tmp_path: Path) -> None:
    file = written(tmp_path, Rules(3, 3, 3))
    arrays, metadata = parts(file)
    assert metadata["kind"] == KIND
    save_file(arrays, file, metadata | change)
    with pytest.raises(ValueError, match=r"^[^\n]*(proof|proves)[^\n]*$"):
        tttenv.check_proof(file)


def test_strategy_stealing_is_for_the_empty_board_and_the_second_player(tmp_path: Path) -> None:
    rules = Rules(3, 3, 3)
    board = rules.parse("X___O____")
    file = written(tmp_path, rules, board)
    assert tttenv.check_proof(file) == 0
    arrays, metadata = parts(file)
    save_file(arrays | {"O": np.zeros(0, np.int16)}, file, metadata | {"O": STEALING})
    with pytest.raises(ValueError, match="strategy stealing"):
        tttenv.check_proof(file)


def test_files_that_are_no_proofs_are_refused_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    for content in (b"", b"x" * 100, b"\xff" * 8, b"{}" + b"\0" * 50):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"^[^\n]*$"):
            tttenv.check_proof(file)
    with pytest.raises(FileNotFoundError):
        tttenv.check_proof(tmp_path / "none")
    whole = written(tmp_path, Rules(4, 5, 4)).read_bytes()
    for end in range(0, len(whole), 37):
        file.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"^[^\n]*$"):
            tttenv.check_proof(file)


def test_a_proof_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch) -> None:
    file = written(tmp_path, Rules(4, 5, 4))
    monkeypatch.setattr(checker, "MEMORY", 1_000)
    with pytest.raises(ValueError, match="needs more than"):
        tttenv.check_proof(file)


def test_nodes_that_run_out_leave_the_value_open_and_the_search_goes_on() -> None:
    rules = Rules(4, 6, 4)
    whole = tttenv.prove(rules)
    prover = Prover(rules)
    proof = prover.prove(nodes=500)
    assert (proof.value, proof.at_least, proof.at_most) == (None, 0, 1)
    assert proof.nodes <= 501
    with pytest.raises(ValueError, match="no proof to save"):
        proof.save("never-written")
    assert not Path("never-written").exists()
    assert prover.prove().value == 0
    assert tttenv.prove(rules).nodes == whole.nodes  # a search depends on nothing but the board
    seen: list[ProofProgress] = []
    Prover(rules).prove(watch=seen.append)
    assert seen[-1].nodes == whole.nodes


@pytest.mark.parametrize("text", ["4,5,4", "5,5,4", "5,6,4"])
def test_looking_up_from_time_to_time_changes_nothing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, found = Rules.of(text), []
    for slice_ in (10**9, 1_000, 7):
        monkeypatch.setattr(prover_module, "SLICE", slice_)
        proof = tttenv.prove(rules)
        proof.save(tmp_path / "proof")
        numbers = {name: a.tolist() for name, a in load_file(tmp_path / "proof").items()}
        found.append((proof.value, proof.nodes, numbers))
    assert found[0] == found[1] == found[2]


def test_an_interrupted_search_goes_on_from_where_it_was() -> None:
    rules = Rules(4, 6, 4)
    whole = tttenv.prove(rules).nodes
    prover, searched = Prover(rules), []

    def interrupt(progress: ProofProgress) -> None:
        searched.append(progress.nodes)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prover.prove(nodes=1_000, watch=interrupt)
    assert prover.prove(rules.parse("XO" + "_" * 22)).value == 0  # another position in between
    rest = prover.prove()
    assert rest.value == 0
    assert searched == [1_000]
    assert rest.nodes < whole


@pytest.mark.parametrize(("text", "name"), [("4,5,4", "record"), ("5,6,4", "record_threats")])
def test_recording_that_is_interrupted_ends_at_once_and_loses_nothing(
    text: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, file = Rules.of(text), tmp_path / "proof"
    proof, calls = tttenv.prove(rules), itertools.count(1)
    record = getattr(recording, name)

    def pressed(*args: object) -> int:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return record(*args)

    monkeypatch.setattr(recording, "SLICE", 10)  # positions in each call
    monkeypatch.setattr(recording, name, pressed)
    with pytest.raises(KeyboardInterrupt):
        proof.save(tmp_path / "never")
    assert not (tmp_path / "never").exists()
    search_checkpoint.write(tmp_path / "search", SavedSearch(proof.prover, proof.board, 0, 0.0))
    proof.save(file)
    assert tttenv.check_proof(file) == proof.value
    again = search_checkpoint.read(tmp_path / "search", 2**30)
    rest = again.prover.prove(again.board)
    assert rest.value == proof.value
    assert rest.nodes < proof.nodes / 10
    rest.save(file)
    assert tttenv.check_proof(file) == proof.value


def test_proofs_of_positions_become_parts_of_a_proof(tmp_path: Path) -> None:
    rules, taken = Rules(5, 6, 4), 0
    move = int(Prover(rules).recorded_win(rules.start(), "X").numbers[0])
    for reply in (move - 1, move + 1, move + rules.n):
        board, far, part = rules.start(), rules.cells - 1, tmp_path / f"{reply}.safetensors.xz"
        board[[move, reply]] = 1, -1
        made, more = Prover(rules), board.copy()
        more[far] = -1  # a stone more, so that this is not what a search of the whole finds
        recorder = recording.WinRecorder(made.quiet("X"), made.searches["X"])
        recorder.attack(more)
        numbers = np.array([-1, far, *recorder.numbers], np.int16)
        claim = proof_file.Claim(WINS, numbers, recorder.positions)
        proof_file.write(part, rules, board, 1, {"X": claim})
        assert part.read_bytes().startswith(b"\xfd7zXZ")
        prover = Prover(rules)
        prover.use(part)
        prover.prove().save(tmp_path / "whole")
        assert tttenv.check_proof(tmp_path / "whole") == 1
        group = np.array([-2, *sorted([reply, far]), *recorder.numbers], np.int16).tobytes()
        taken += group in proof_file.read(tmp_path / "whole").claims["X"].numbers.tobytes()
    assert taken > 0


@pytest.mark.parametrize(
    ("text", "position"), [("5,6,4", "_" * 14 + "X" + "_" * 15), ("4,4,4", ""), ("3,4,3", "")]
)
def test_a_part_proves_a_win_of_the_same_game_by_a_move(
    text: str, position: str, tmp_path: Path
) -> None:
    rules, file = Rules.of(text), tmp_path / "part"
    tttenv.prove(rules, rules.parse(position) if position else None).save(file)
    with pytest.raises(ValueError, match="part does not prove a win of 5,6,4 by a move"):
        Prover(Rules(5, 6, 4)).use(file)


def test_a_damaged_compressed_proof_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "proof.xz"
    tttenv.prove(Rules(3, 4, 3)).save(file)
    data = file.read_bytes()
    for damaged in (data[:-20], data[:40] + b"x" + data[41:], b"", b"x"):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"proof\.xz"):
            tttenv.check_proof(file)


@pytest.mark.parametrize("memory", [20_000, 2**24])
def test_quiet_moves_are_found_in_little_memory(
    memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, roots = Rules(9, 9, 5), []
    prover, board = Prover(rules, memory), rules.start()
    board[[40, 30, 0, 8]] = 1, 1, -1, -1
    quiet = prover.quiet("X")
    forget = quiet._forget

    def counted() -> object:
        roots.append(forget())
        assert not roots[-1].children
        return roots[-1]

    monkeypatch.setattr(quiet, "_forget", counted)
    prover.prove(board).save(tmp_path / "proof")
    assert tttenv.check_proof(tmp_path / "proof") == 1
    assert bool(roots) == (memory < 2**24)


@pytest.mark.parametrize("memory", [200_000, 2_000_000])
def test_a_search_that_goes_on_keeps_within_its_memory(tmp_path: Path, memory: int) -> None:
    rules, file = Rules(4, 6, 4), tmp_path / "search"
    prover = Prover(rules)
    prover.prove(nodes=20_000)
    search_checkpoint.write(file, SavedSearch(prover, rules.start(), 20_000, 1.0))
    found = search_checkpoint.read(file, 2**30).prover
    kept = {side: int(search.table.filled[0]) for side, search in found.searches.items()}
    size = file.stat().st_size
    again = search_checkpoint.read(file, max(memory, size)).prover
    tables = [search.table for search in again.searches.values()]
    used = sum(t.entries.nbytes + t.zones.nbytes + t.left.nbytes for t in tables)
    assert used <= max(memory, size)
    for side, search in again.searches.items():
        assert kept[side] / 2 <= search.table.filled[0] <= kept[side]
    assert again.prove(nodes=400_000).value == 0


def test_boards_and_limits_that_are_wrong_are_refused() -> None:
    rules = Rules(3, 3, 3)
    for board in ([1] * 9, [0] * 8, [1, 1, 1, -1, -1, 0, 0, 0, 0], "X"):
        with pytest.raises(ValueError, match="board"):
            tttenv.prove(rules, board)


def test_the_largest_board_is_searched_within_its_nodes() -> None:
    """What a line of five is worth on 19 by 19 is not found in 300 nodes, but nothing breaks."""
    proof = tttenv.prove(Rules(19, 19, 5), nodes=300)
    assert proof.value is None
    four = Rules(19, 19, 5).start()
    four[[0, 1, 2, 3]], four[[40, 80, 120, 160]] = 1, -1
    assert tttenv.prove(Rules(19, 19, 5), four).value == 1
