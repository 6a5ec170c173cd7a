"""Forms of bots: how a board is written, how a bot is called and how its answer is read.

The rows of `bot_forms.json` are shared with the page. It needs the standard library only.
"""

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("bot_forms.json").read_text())
SHAPES, STONES, ARGUMENTS, ANSWERS = (
    {row["key"]: row for row in TABLE[part] if row.get("only", "python") == "python"}
    for part in ("shapes", "stones", "arguments", "answers")
)
OTHER = {"X": "O", "O": "X"}


class Form(NamedTuple):
    """The calling convention of a bot and the format of its answers, by keys of the table."""

    shape: str
    stones: str
    empty: str
    arguments: str
    answer: str

    def __str__(self) -> str:
        return f"{self.shape}/{self.stones}-{self.empty}/{self.arguments}/{self.answer}"

    @classmethod
    def of(cls, text: str) -> "Form":
        """Parse a form such as rows/XO-null/board/pair.

        Args:
            text: its parts, separated by "/".

        Raises:
            ValueError: for a part that is not in the table.
        """
        parts = text.split("/")
        if len(parts) != 4:
            raise ValueError(f"a form is written like rows/XO-null/board/pair, not {text}")
        stones, _, empty = parts[1].rpartition("-")
        form = cls(parts[0], stones, empty, *parts[2:])
        known: list[tuple[str, Sequence[str]]] = [
            (form.shape, [*SHAPES]),
            (form.stones, [*STONES]),
            (form.empty, STONES.get(stones, {}).get("empties", ())),
            (form.arguments, [*ARGUMENTS]),
            (form.answer, [*ANSWERS]),
        ]
        for part, keys in known:
            if part not in keys:
                raise ValueError(f"{text}: {part!r} is unknown; known are {', '.join(keys)}")
        if form.problem:
            raise ValueError(f"{text}: {form.problem}")
        return form

    @property
    def problem(self) -> str:
        """Why there is no such form though each of its parts is known, or ""."""
        sides = {"mark", "marks", "turn"} & {*self.arguments.split("-")}
        if sides and "mine" in STONES[self.stones]:  # a bot that plays O only would play both
            return f"{self.stones} is a view of the side to move, which then gets no mark"
        letters = [isinstance(cell, str) and len(cell) == 1 for cell in self.cells("XO_")]
        return "" if self.shape != "text" or all(letters) else "a string has a letter for each cell"

    def described(self, m: int, n: int) -> str:
        """Return the form in words, for boards of `m` rows and `n` columns."""
        row, shape = STONES[self.stones], SHAPES[self.shape]["text"]
        if (m, n) != (3, 3):
            sizes = {"list": f"{m * n} cells", "rows": f"{m} rows", "array": f"an array of {m * n}"}
            shape = sizes.get(self.shape, f"an array of {m} x {n}")
        stones = [repr(row[one]) for one in ("X", "O", "mine", "theirs") if one in row]
        if "mine" in row:
            stones = [f"{stones[0]} (of the side to move)", stones[1]]
        empty = TABLE["empties"][self.empty]
        shown = repr(self.empty_at(0)) + ", …" * isinstance(empty, dict)
        called, answers = ARGUMENTS[self.arguments]["text"], ANSWERS[self.answer]["text"]
        return f"{shape} of {', '.join([*stones, shown])}; {called}; answers {answers}"

    def empty_at(self, cell: int) -> Any:
        """Return what stands in an empty cell."""
        empty = TABLE["empties"][self.empty]
        if not isinstance(empty, dict):
            return empty
        number = cell + empty["from"]
        return str(number) if empty.get("as") == "text" else number

    def marks(self, board: str) -> tuple[Any, Any]:
        """Return the marks of the side to move and of the other side."""
        row, side = STONES[self.stones], side_of(board)
        return (row["mine"], row["theirs"]) if "mine" in row else (row[side], row[OTHER[side]])

    def cells(self, board: str) -> list[Any]:
        """Return the cells of a board in this form, row by row."""
        side, (mine, theirs) = side_of(board), self.marks(board)
        marks = {side: mine, OTHER[side]: theirs}
        return [marks[c] if c in marks else self.empty_at(i) for i, c in enumerate(board)]

    def shaped(self, board: str, n: int) -> Any:
        """Return a new board of `n` columns in this form."""
        cells = self.cells(board)
        if self.shape in ("array", "grid"):
            mixed = len({type(cell) for cell in cells}) > 1
            array = sys.modules["numpy"].array(cells, dtype=object if mixed else None)
            return array if self.shape == "array" else array.reshape(-1, n)
        if self.shape == "text":
            return "".join(cells)
        if self.shape == "rows":
            return [cells[at : at + n] for at in range(0, len(cells), n)]
        first = {"list1": 1, "dict1": 1}.get(self.shape, 0)
        if self.shape.startswith("dict"):
            return dict(enumerate(cells, first))
        return [self.empty_at(0)] * first + cells

    def flat(self, board: Any) -> list[Any]:
        """Return the cells of a bot's board in this form."""
        board = _plain(board)
        if self.shape in ("rows", "grid"):
            return [cell for row in board for cell in row]
        if self.shape.startswith("dict"):
            return [board[key] for key in sorted(board)]
        return list(board)[self.shape == "list1" :]


def side_of(board: str) -> str:
    """Return the side to move on a board, written as text of X, O and _."""
    return "X" if board.count("X") == board.count("O") else "O"


def _plain(value: Any) -> Any:
    """Return an array or a number of numpy as lists and numbers of Python."""
    return value.tolist() if hasattr(value, "tolist") else value


def _whole(value: Any) -> int:
    """Return a whole number, or raise ValueError."""
    value = _plain(value)
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _named(value: Any, names: Sequence[str]) -> Any:
    """Return the entry or the attribute of a value with the first of the names that it has."""
    if isinstance(value, dict):
        return next(value[name] for name in names if name in value)
    if isinstance(value, (str, list, tuple)):
        raise ValueError
    return next(getattr(value, name) for name in names if hasattr(value, name))


def _unscored(value: Any, place: str) -> Any:
    """Return the cell or the pair that stands beside a score, which is first or last."""
    parts = list(_plain(value))
    score = parts.pop(0 if place == "first" else -1)
    if not isinstance(score, (int, float)):
        raise ValueError
    return parts[0] if len(parts) == 1 else parts


def _cell_of(value: Any, row: dict[str, Any], n: int) -> int:
    """Return the cell that an answer names, by its row of the table; raise any error if none."""
    first: int = row.get("from", 0)
    if "rows" in row:
        value = _named(value, row["rows"]), _named(value, row["columns"])
    elif "names" in row:
        value = _named(value, row["names"])
    if "score" in row:
        value = _unscored(value, row["score"])
    if row["of"] == "cell":
        return _whole(value) - first
    if row["of"] == "name":  # the number of the row and the letter of the column
        value = int(value[1:]) - 1, "abcdefghijklmnopqrstuvwxyz".index(value[0].lower())
    line, column = (_whole(part) - first for part in _plain(value))
    if not (line >= 0 and 0 <= column < n):
        raise ValueError
    return line * n + column


class Reply(NamedTuple):
    """The value that a call returned, with the board passed to it, or its failure."""

    value: Any = None
    given: Any = None
    failure: str = ""
    drew: bool = False  # whether random numbers were drawn
    timed: bool = False  # whether a clock was read

    @property
    def refused(self) -> bool:
        """Whether the call raised an error or returned None, and perhaps played on its board."""
        return self.value is None


def read(reply: Reply, form: Form, board: str, n: int) -> int | None:
    """Return the legal cell that a reply plays in a form, or None."""
    try:
        if form.answer == "played":
            return _played(reply, form, board)
        cell = _cell_of(reply.value, ANSWERS[form.answer], n)
        return cell if 0 <= cell < len(board) and board[cell] == "_" else None
    except BaseException:  # whatever the value does that a bot returned, until it is stopped
        return None


def _played(reply: Reply, form: Form, board: str) -> int | None:
    """Return the cell of the stone that the bot has put on its board or returned on another."""
    before, mine = form.cells(board), form.marks(board)[0]
    for after in (reply.value, reply.given):
        with contextlib.suppress(Exception):
            cells = form.flat(after)
            new = [i for i, (a, b) in enumerate(zip(before, cells, strict=True)) if a != b]
            if len(new) == 1 and board[new[0]] == "_" and cells[new[0]] == mine:
                return new[0]
    return None
