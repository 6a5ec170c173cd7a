"""Strict parsing of moves from answers, which never guesses a move that is not named."""

import json
import re
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from tttenv.game.rules import COLUMNS, Rules
from tttenv.utils.arrays import described

LONGEST = 1_000_000  # characters of an answer
MOST_BROKEN = 100  # JSON objects that cannot be decoded; each takes time for the whole answer
OFF = -1  # stands for every cell that is not on the board
_CELL = r"(0|[1-9][0-9]{0,2}|[a-s][1-9][0-9]?)"  # a number, or a coordinate
_FLAGS = re.ASCII | re.IGNORECASE
_TAG = re.compile(r"<(/?)move>", _FLAGS)
_ALONE = re.compile(rf"\[\s*{_CELL}\s*\]|{_CELL}", _FLAGS)
_BRACKETED = re.compile(rf"\[\s*{_CELL}\s*\]", _FLAGS)
_BRACE = re.compile(r'\{\s*"')
_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", _FLAGS)


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
    Cells mentioned elsewhere in the text do not count, nor does anything before the end of a block
    `<think>...</think>`; a block that does not end leaves no answer.

    Args:
        rules: the game.
        board: an undecided board (cells,), seen by the side to move.
        answer: the text of a model; one of more than a million characters names no move.

    Returns:
        The legal move, or the reason why there is none.

    Raises:
        ValueError: for a board that is finished or cannot be reached, and no text as answer.
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
    thoughts = list(_THOUGHT.finditer(answer))
    if thoughts:
        if not thoughts[-1][1]:
            return []
        answer = answer[thoughts[-1].end() :]
    tags = list(_TAG.finditer(answer))
    if tags:
        if len(tags) < 2 or tags[-2][1] or not tags[-1][1]:  # its last move is not closed
            return None
        return _alone(answer[tags[-2].end() : tags[-1].start()])
    try:
        moves, text = _json_moves(answer)
    except _TwoMovesError:
        return None
    except RecursionError:
        return []
    named = [match[1] for match in _BRACKETED.finditer(text)]
    named += [name for move in moves for name in _alone(move)]
    return named or _alone(answer.strip().strip("*`_.\"'"))


def _alone(text: str) -> list[str]:
    """Return the cell that makes up the whole text, if any."""
    match = _ALONE.fullmatch(text.strip())
    return [match[1] or match[2]] if match else []


def _json_moves(answer: str) -> tuple[list[str], str]:
    """Return the moves in the JSON objects of an answer, and the text without these objects."""
    moves: list[str] = []
    outside, rest, broken = [], 0, 0
    match = _BRACE.search(answer)
    while match and broken < MOST_BROKEN:
        start = match.start()
        try:
            found, end = _DECODER.raw_decode(answer, start)
        except json.JSONDecodeError as error:
            broken, end = broken + 1, max(error.pos, start + 1)
        else:
            if named := _moves(found):
                moves += named
                outside.append(answer[rest:start])
                rest = end
        match = _BRACE.search(answer, end)
    return moves, "{}".join([*outside, answer[rest:]])


def _moves(value: Any) -> list[str]:
    """Return the texts and integers under the key "move", of the outermost objects that have it."""
    if isinstance(value, dict):
        if "move" in value:
            return [value["move"]] if isinstance(value["move"], str) else []
        value = list(value.values())
    return [move for part in value for move in _moves(part)] if isinstance(value, list) else []


class _TwoMovesError(Exception):
    """A JSON object has the key "move" twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if sum(key == "move" for key, _ in pairs) > 1:
        raise _TwoMovesError
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=str)


def _cell(rules: Rules, name: str) -> int:
    """Return the index of a cell from its number or coordinate; OFF if it is not on the board."""
    if name.isdigit():
        return int(name) if int(name) < rules.cells else OFF
    column, row = COLUMNS.index(name[0].lower()), int(name[1:]) - 1
    return row * rules.n + column if column < rules.n and row < rules.m else OFF
