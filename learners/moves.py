"""Boards and the moves to answer them with: from the solved game, or from CSV files, checked."""

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learners.boards import Shown
from tttenv.exact import positions, solve
from tttenv.files import write
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.kernels.types import Boards, Probs
from tttenv.untrusted import MEGABYTE, read_bytes, shown

LONGEST = 64 * MEGABYTE  # bytes of a CSV file
MOST = 1_000_000  # rows of one
TEST = [-1, 0, 0, 1, -1, -1, 0, 0, 1]  # the published test board


class Moves(NamedTuple):
    """Boards and what to play on them."""

    boards: Boards  # (rows, cells), seen by the side to move
    replies: Probs  # (rows, cells): the share of each move, those of a row sum to one

    def at(self, rows: NDArray[Any]) -> "Moves":
        """Some of the rows, by number or by a mask."""
        return Moves(self.boards[rows], self.replies[rows])

    def turned(self, cells: NDArray[np.int64]) -> "Moves":
        """The images of all rows under one map each, (rows, cells)."""
        turn = np.take_along_axis
        return Moves(turn(self.boards, cells, axis=1), turn(self.replies, cells, axis=1))


def solved(rules: Rules) -> Moves:
    """One board of every class that is undecided, with all its optimal moves alike."""
    solution, rows = solve(rules), np.sort(np.concatenate(Shown(positions(rules), True).rows))
    optimal = solution.optimal[rows]
    return Moves(solution.positions.boards[rows], optimal / optimal.sum(axis=1, keepdims=True))


def stand_in(rules: Rules, count: int, rng: np.random.Generator) -> Moves:
    """Some random boards with O to move, one a class, each with its first optimal move."""
    boards, replies = solved(rules)
    second = np.flatnonzero(rules.seat(boards) == 1)
    rows = rng.choice(second, min(count, len(second)), replace=False)
    return Moves(boards[rows], np.eye(rules.cells)[replies[rows].argmax(axis=1)])


def read_csv(rules: Rules, path: str | Path) -> tuple[Moves, list[str]]:
    """The rows of a CSV file that can be believed, and what is wrong with each of the others.

    Each row is a board, cell by cell 1 mine, -1 theirs, 0 empty, and the cell of the best reply.

    Raises:
        ValueError: if the file cannot be read, is too large or no row can be believed.
    """
    name = shown(path)
    try:
        text = read_bytes(Path(path), LONGEST).decode("utf-8")
        lines = [
            (n, row) for n, row in enumerate(csv.reader(io.StringIO(text, newline="")), 1) if row
        ]
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"no moves can be read from {name}: {shown(error)}") from None
    if len(lines) > MOST:
        raise ValueError(f"no moves can be read from {name}: it has over {MOST:,} rows")
    good, complaints = [], []
    for number, row in lines:
        complaint = _complaint(rules, row)
        if complaint:
            complaints.append(f"{name}, line {number}: {shown(complaint)}")
        else:
            good.append([int(part) for part in row])
    if not good:
        raise ValueError(f"no row of {name} can be believed; {(complaints or ['it is empty'])[0]}")
    table = np.array(good, np.int64)
    return Moves(table[:, :-1].astype(np.int8), np.eye(rules.cells)[table[:, -1]]), complaints


def left_out(path: str | Path, believed: int, complaints: list[str]) -> str:
    """One sentence on the rows of a file that `read_csv` does not believe: how many, and the first.

    Args:
        path: of the file.
        believed: how many rows it does.
        complaints: what is wrong with each of the others.
    """
    if not complaints:
        return ""
    count, first = len(complaints), complaints[0].removeprefix(f"{shown(path)}, ")
    verb = "is" if count == 1 else "are"
    return f"{count:,} of {count + believed:,} rows of {shown(path)} {verb} left out: {first}"


def export_csv(rules: Rules, path: str | Path) -> int:
    """Write `solved(rules)` as `read_csv` reads it, a row for each optimal move; how many rows."""
    moves = solved(rules)
    which, replies = np.nonzero(moves.replies)
    table = io.StringIO(newline="")
    csv.writer(table).writerows(np.column_stack([moves.boards[which], replies]).tolist())
    write(Path(path), table.getvalue())
    return len(which)


def images(rules: Rules, moves: Moves) -> Moves:
    """All images of all rows under the symmetries, (rows * maps, cells)."""
    turns, count = maps(rules), len(moves.boards)
    every = moves.at(np.repeat(np.arange(count), len(turns)))
    return every.turned(np.tile(turns, (count, 1)))


def turned_twice(rules: Rules, moves: Moves, count: int, rng: np.random.Generator) -> Moves:
    """As published: random rows, two transforms each of five, and the test board taken out.

    That gives the eight images unevenly, and those of the test board stay.
    """
    first, second = maps(rules)[rng.integers(1, 6, (2, count))]
    rows = moves.at(rng.integers(0, len(moves.boards), count))
    found = rows.turned(first).turned(second)
    return found.at((found.boards != TEST).any(axis=1))


def _complaint(rules: Rules, row: list[str]) -> str | None:
    """What is wrong with a row of a CSV file, if anything."""
    try:
        *board, reply = (int(part) for part in row)
    except ValueError:
        return f"whole numbers are wanted, not {','.join(row)}"
    try:
        checked = rules.check(board)
    except ValueError as error:
        return str(error)
    if not 0 <= reply < rules.cells or checked[reply]:
        return f"reply {reply} cannot be played on {rules.format(checked)}"
    solution = solve(rules)
    at = solution.positions.index(checked)
    if not solution.optimal[at, reply]:
        best = np.flatnonzero(solution.optimal[at]).tolist()
        return f"reply {reply} on {rules.format(checked)} loses value; optimal are {best}"
    return None
