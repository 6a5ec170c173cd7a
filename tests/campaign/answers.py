"""Attack on the parser by hostile answers: only a cell named without doubt is read as a move.

A case is 10,000 answers, put together from tags, brackets, JSON, cells, look-alikes and rubbish, on
random positions of games of several sizes. A reading by plain string methods judges the parser:

- no answer raises anything or takes over a second;
- a move that is read is an empty cell, and in the form that counts (the last tag, else JSON objects
  and brackets, else the whole answer) no other cell is named;
- without a move the reason is one of the four.
"""

import json
import random
import time
from pathlib import Path

import numpy as np

from tttenv import Rules, text
from tttenv.exact import positions
from tttenv.game.notation import name_of

from .running import Log

ANSWERS = 10_000  # of a case
GAMES = [Rules(), Rules(2, 4, 3), Rules(3, 4, 3)]
REASONS = ("none", "ambiguous", "taken", "off the board")
PIECES = [
    *("<move>", "</move>", "<MOVE>", "</Move>", "<move", "/move>", "< move>", "<move >"),
    *(
        "[",
        "]",
        "{",
        "}",
        '{"move": ',
        '"move"',
        ":",
        ",",
        " ",
        "\n",
        "\t",
        '"',
        "'",
        "*",
        "`",
        ".",
    ),
    *(
        "a1",
        "b2",
        "C3",
        "d1",
        "s19",
        "a0",
        "a01",
        "0",
        "4",
        "8",
        "11",
        "12",
        "007",
        "-1",
        "+4",
        "4.0",
    ),
    *("1e0", "0x4", "true", "null", "NaN", "[[", "]]", "{}", "\\u0034", "\\", "\x00", "\u200b"),
    *("\u0664", "\uff14", "\u2460", "\u04301", "\u017f1", "\u212a1", "\ud83d\ude00"),
    *("I play b2.", "the centre", "move", "4 or 5", "<think>", "</think>", "[4]", '{"move": "b2"}'),
]


class Answers:
    """Family of cases described above."""

    def __init__(self, place: Path, log: Log) -> None:
        self.log, self.total = log, None

    def case(self, number: int, rng: random.Random) -> None:
        """Parse many answers on one position."""
        rules = rng.choice(GAMES)
        game = positions(rules)
        board = game.boards[rng.choice(np.flatnonzero(~game.over).tolist())]
        for _ in range(ANSWERS):
            answer = _answer(rng)
            started = time.perf_counter()
            try:
                found = text.parse(rules, board, answer)
            except Exception as error:
                self.log.fail("an answer raises", f"{answer!r}: {error!r}")
                continue
            self.log.most("seconds", time.perf_counter() - started)
            if found.cell is None:
                self.log.check(found.reason in REASONS, "another reason", f"{answer!r}: {found}")
                continue
            self.log.count("moves")
            self.log.check(not board[found.cell], "a taken cell is read", f"{answer!r}: {found}")
            own = {str(found.cell), name_of(rules, found.cell)}
            named = _named(answer)
            right = bool(named) and all(name in own for name in named)
            self.log.check(right, "a move is read with doubt", f"{answer!r}: {found}, {named}")
        self.log.count("answers", ANSWERS)

    def close(self) -> None:
        """Do nothing, since nothing is left open."""


def _answer(rng: random.Random) -> str:
    """Return a random answer."""
    pieces = rng.choices(PIECES, k=rng.choice((1, 2, 3, 3, 4, 5, 6, 8, 12)))
    if not rng.randrange(50):
        pieces.insert(rng.randrange(len(pieces)), rng.choice(PIECES) * rng.choice((9, 99, 9999)))
    if not rng.randrange(4):
        pieces = ["<move>", *pieces[:2], "</move>"]
    return "".join(pieces)


def _named(answer: str) -> list[str]:
    """Return the cells named in the form that counts, in lower case, by string methods alone."""
    low = "".join(letter.lower() if letter.isascii() else letter for letter in answer)
    if "<move>" in low or "</move>" in low:
        inside = low.rpartition("</move>")[0].rpartition("<move>")[2]
        return [_bare(inside)]
    named = [part.partition("]")[0].strip() for part in low.split("[")[1:] if "]" in part]
    named = [name for name in named if _is_cell(name)]
    for part in answer.split("{")[1:]:
        inside, closed, _ = part.partition("}")
        try:
            move = json.loads(f"{{{inside}}}").get("move") if closed else None
        except (ValueError, RecursionError):
            continue
        named += [_bare(str(move).lower())] if _is_cell(_bare(str(move).lower())) else []
    return named or [_bare(low.strip().strip("*`_.\"'"))]


def _bare(name: str) -> str:
    """Return a name without the brackets around it."""
    name = name.strip()
    inside = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    return inside.strip()


def _is_cell(name: str) -> bool:
    """Return whether a text is a number or a coordinate, on the board or not."""
    digits = name[1:] if name[:1] in set("abcdefghijklmnopqrs") else name
    plain = digits.isascii() and digits.isdigit()
    return plain and (not digits.startswith("0") or name == "0") and len(digits) <= 3
