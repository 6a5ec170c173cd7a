"""Strict parsing of moves from answers, which never guesses a move that is not named."""

import json
import re
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from tttenv.game.rules import COLUMNS, Rules
from tttenv.utils.arrays import described

LONGEST = 1_000_000  # characters of an answer
OFF = -1  # stands for every cell that is not on the board
_CELL = r"(0|[1-9][0-9]{0,2}|[a-s][1-9][0-9]?)"  # a number, or a coordinate
_FLAGS = re.ASCII | re.IGNORECASE
_TAG = re.compile(r"<(/?)move>", _FLAGS)
_ALONE = re.compile(rf"\[\s*{_CELL}\s*\]|{_CELL}", _FLAGS)
_BRACKETED = re.compile(rf"\[\s*{_CELL}\s*\]", _FLAGS)
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Parsed:
    """The move parsed from an answer, or the reason why there is none."""

    cell: int | None  # a legal move
    reason: str = ""  # "none", "ambiguous", "taken" or "off the board" if there is no move


def parse(rules: Rules, board: ArrayLike, answer: str) -> Parsed:
    """Parse the move from an answer.

    A cell is a number from 0 or a coordinate such as b2. The last `<move>...</move>` counts.
    Without this tag, JSON objects such as `{"move": "b2"}` and cells in brackets such as `[4]`
    count, if all of them name the same cell. Without these, the whole answer has to be a cell.
    Cells mentioned elsewhere in the text do not count.

    Args:
        rules: the game.
        board: (cells,), in the view of the side to move; undecided.
        answer: the model's answer.

    Raises:
        ValueError: for a board that is finished or cannot be reached, or a non-string answer.
    """
    position = rules.check(board)
    if not isinstance(answer, str):
        raise ValueError(f"an answer must be a string, not {described(answer)}")
    named = _named(answer) if len(answer) <= LONGEST else []
    if named is None:
        return Parsed(None, "ambiguous")
    cells = {_cell(rules, name) for name in named}
    if len(cells) != 1:
        return Parsed(None, "ambiguous" if cells else "none")
    (cell,) = cells
    if cell == OFF:
        return Parsed(None, "off the board")
    return Parsed(None, "taken") if position[cell] else Parsed(cell)


def _named(answer: str) -> list[str] | None:
    """Return the cells that an answer names as its move; None if a tag or object is malformed."""
    tags = list(_TAG.finditer(answer))
    if tags:
        if len(tags) < 2 or tags[-2][1] or not tags[-1][1]:  # its last move is not closed
            return None
        return _alone(answer[tags[-2].end() : tags[-1].start()])
    named = [match[1] for match in _BRACKETED.finditer(answer)]
    for match in _OBJECT.finditer(answer):
        moves = _json_moves(match[0])
        if len(moves) > 1:
            return None
        named += [name for move in moves for name in _alone(str(move))]
    return named or _alone(answer.strip().strip("*`_.\"'"))


def _alone(text: str) -> list[str]:
    """Return the cell that makes up the whole text, if any."""
    match = _ALONE.fullmatch(text.strip())
    return [match[1] or match[2]] if match else []


def _json_moves(text: str) -> list[Any]:
    """Return the texts and integers under the key "move" in a JSON object."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return []
    return [value for key, value in pairs if key == "move" and type(value) in (int, str)]


def _cell(rules: Rules, name: str) -> int:
    """Return the index of a cell from its number or coordinate; OFF if it is not on the board."""
    if name.isdigit():
        return int(name) if int(name) < rules.cells else OFF
    column, row = COLUMNS.index(name[0].lower()), int(name[1:]) - 1
    return row * rules.n + column if column < rules.n and row < rules.m else OFF
