"""Run a player as a Gomocup engine, over standard input and output: `tttenv gomocup`.

The commands of a manager and their replies:

    START size                      OK, with an empty board; START columns rows, as Yixin says it
    RECTSTART columns,rows          the same on a rectangular board
    RESTART                         OK, with an empty board of the same size
    BEGIN                           a move, on an empty board
    TURN x,y                        a move, after this one of the other side
    BOARD                           nothing; then lines x,y,1 (own stones) and x,y,2 until
    DONE                            a move, on this board
    TAKEBACK x,y                    OK, without this stone
    INFO key value                  nothing; after a rule other than 0 START and moves are refused
    ABOUT                           a description of the engine
    END                             nothing; the session ends

A move is written `x,y`, column and row from 0. The reply to an unknown command begins with UNKNOWN,
to any other error with ERROR, which leaves the board unchanged. A line has at most 1,000
characters; the rest of a longer one is skipped.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

import tttenv
from tttenv.cli import console
from tttenv.cli.options import Player
from tttenv.players import is_path, player
from tttenv.utils.untrusted import first_line, shown

EXAMPLES = """
tttenv gomocup alphabeta:evaluator=patterns_15155
"""
STDOUT, STDERR = 1, 2  # file descriptors
CHUNK = 65_536  # bytes of an overlong line to read and discard at once
LONGEST_LINE = 1000  # maximum characters of a manager's line
MOST_STONES = 19 * 19 + 1  # lines of a board that are kept: one of so many is an error
LONGEST_ANSWER = 200  # maximum characters of a reply
QUOTED = 60  # characters of a line quoted in a reply
LIMITS = ("timeout_turn", "time_left")  # of a manager, in milliseconds
FREE_STYLE = 0  # the rule by which k or more in a row win
LEAST = 0.01  # minimum seconds per move
SHARE = 0.9  # of a move's limit; the rest is for overhead
MARGIN = 0.2  # seconds of the limit: a search checks its clock up to 0.15 s apart
MOVES = 20  # a move may take 1 / MOVES of the match's remaining time,
OVERHEAD = 0.06  # of which so many seconds are kept for each move that may still follow


@dataclass(frozen=True)
class Arguments:
    """Run a player as an engine for a manager of the Gomocup protocol, such as Piskvork.

    A player is a name with options, like alphabeta:time=10, a trained player like selfplay, or the
    folder of a checkpoint; see tttenv certify --help for a list. A player with the option time=
    uses at most that, or less if the manager's limits are shorter; others ignore the limits.
    The rule is free style: five or more in a row win. Boards go up to 19 by 19.

    A manager expects one file whose name starts with pbrain-, such as this script:

      #!/bin/sh
      exec tttenv gomocup alphabeta:evaluator=patterns_15155,time=10
    """

    player: Player  # name[:option=value,...] or a checkpoint's folder
    k: int = 5  # stones in a row to win; managers only support five
    seed: int = 0  # random seed of players that sample their moves


def main(args: list[str], prog: str = "tttenv gomocup") -> None:
    """Reply to a manager's commands until END or the end of input."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    smallest = f"{max(3, given.k)},{max(3, given.k)},{given.k}"
    rules = console.rules_for(None if is_path(given.player) else smallest, given.player)
    console.load_player(given.player, rules, quiet=True)  # so that it fails before any game
    if rules.k != given.k:
        raise ValueError(
            f"{given.player} plays {rules}: announce it to managers with --k {rules.k}"
        )
    engine = Engine(given.player, given.k, given.seed)
    sys.stdout.flush()
    output = os.fdopen(os.dup(STDOUT), "wb", buffering=0)
    os.dup2(STDERR, STDOUT)  # for anything that a player prints
    with output, suppress(BrokenPipeError):  # the manager may leave
        for line in lines(sys.stdin.buffer):
            answer = engine.answer(line.decode("ascii", "replace"))
            if answer is not None:
                output.write(f"{answer}\n".encode("ascii"))
            if engine.over:
                return


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream, overlong ones cut to one byte more than a line may have."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while line and not line.endswith(b"\n"):
            line = stream.readline(CHUNK)


class Engine:
    """Gomocup engine that plays a manager's games with one player; it does no input or output."""

    def __init__(self, spec: str, k: int, seed: int) -> None:
        self.spec, self.k, self.rng = spec, k, np.random.default_rng(seed)
        self.over = False  # whether the manager has sent END
        # The rule, and milliseconds for a move and for the rest of the match, if they are limited.
        self.info: dict[str, int | None] = {"rule": FREE_STYLE, **dict.fromkeys(LIMITS)}
        self.rules: tttenv.Rules | None = None  # of the game; None before START
        self.board: Any = None  # (cells,): 1 for the engine's stones, -1 for the other side's
        self.player: Any = None
        self.board_lines: list[str] | None = None  # between BOARD and DONE

    def answer(self, line: str) -> str | None:
        """Return the one-line ASCII reply to a manager's line, or None for no reply."""
        words = line if len(line) > LONGEST_LINE else line.strip()
        name, argument = (*words.split(None, 1), "", "")[:2]
        name = name.upper()
        try:
            if name == "END" and not argument:
                self.over = True
            elif self.board_lines is not None and name != "DONE":
                if words and len(self.board_lines) < MOST_STONES:
                    self.board_lines.append(words)
            elif name == "INFO":
                self._info(*argument.partition(" ")[::2])
            elif name == "BOARD":
                self.board_lines = []
            elif words:
                return self._reply(words, name, argument)
        except Exception as error:  # a player may raise any exception
            return f"ERROR {_plain(first_line(error), LONGEST_ANSWER)}"
        return None

    def _info(self, key: str, value: str) -> None:
        """Store a limit of time or the rule; ignore everything else."""
        if key.lower() in self.info and re.fullmatch(r"[+-]?[0-9]{1,15}", value.strip()):
            self.info[key.lower()] = int(value)

    def _reply(self, words: str, name: str, argument: str) -> str:
        if len(words) > LONGEST_LINE:
            raise ValueError(f"a line must have at most {LONGEST_LINE:,} characters")
        match name:
            case "ABOUT":
                spec = _plain(self.spec, LONGEST_ANSWER // 2).replace('"', "'")
                return f'name="tttenv {spec}", version="{tttenv.__version__}"'
            case "RECTSTART":
                columns, rows = _numbers(argument, 2, "columns and rows such as 7,5")
                return self._start(tttenv.Rules(rows, columns, self.k))
            case "START" if re.fullmatch("[0-9]+ +[0-9]+", argument):
                return self._reply(words, "RECTSTART", ",".join(argument.split()))
            case "START":
                (size,) = _numbers(argument, 1, "a size such as START 15")
                return self._start(tttenv.Rules(size, size, self.k))
            case "RESTART":
                self.board = self._started().start()
                return "OK"
            case "BEGIN":
                self._started()
                if self.board.any():
                    raise ValueError("BEGIN is for an empty board")
                return self._move(self.board)
            case "TURN":
                return self._move(self._after(self.board, self._cell(argument), -1))
            case "TAKEBACK":
                cell = self._cell(argument)
                if self.board[cell] == 0:
                    raise ValueError(f"there is no stone on {self._written(cell)}")
                self.board = self.board.copy()
                self.board[cell] = 0
                return "OK"
            case "DONE" if self.board_lines is not None:
                stones, self.board_lines = self.board_lines, None
                board = self._started().start()
                for line in stones:
                    column, row, whose = _numbers(line, 3, "a stone such as 7,7,1 or DONE")
                    if whose not in (1, 2):
                        raise ValueError(f"the owner must be 1 or 2, not as in {_quoted(line)}")
                    board = self._after(board, self._cell(f"{column},{row}"), 3 - 2 * whose)
                return self._move(board)
        return f"UNKNOWN command {_quoted(words.split()[0])}"

    def _start(self, rules: "tttenv.Rules") -> str:
        """Set up an empty board, and compile its player before the clock starts."""
        self._require_rule()
        if rules != self.rules:
            made = player(self.spec, rules)
            if made.limit_time(LEAST):
                made(rules.start(1))
            self.rules, self.player = rules, made
        self.board = rules.start()
        return "OK"

    def _started(self) -> "tttenv.Rules":
        """Return the rules of the current game; raise if there is no board yet."""
        if self.rules is None:
            raise ValueError("START must come first")
        return self.rules

    def _require_rule(self) -> None:
        if (rule := self.info["rule"]) != FREE_STYLE:
            raise ValueError(f"only rule 0 is played, {self.k} or more in a row, not rule {rule}")

    def _cell(self, text: str) -> int:
        """Parse a cell written as `x,y`."""
        rules = self._started()
        column, row = _numbers(text, 2, "a column and a row such as 7,7")
        if column >= rules.n or row >= rules.m:
            size = f"{rules.n} columns and {rules.m} rows"
            raise ValueError(f"{column},{row} is off the board, which has {size}")
        return row * rules.n + column

    def _written(self, cell: int) -> str:
        n = self._started().n
        return f"{cell % n},{cell // n}"

    def _after(self, board: Any, cell: int, side: int) -> Any:
        """Return the board after `side` (1 or -1) places a stone."""
        if board[cell] != 0:
            raise ValueError(f"{self._written(cell)} is taken")
        after = board.copy()
        after[cell] = side
        return after

    def _move(self, board: Any) -> str:
        """Play the player's move on a board and return it; if that fails, the game is unchanged."""
        from tttenv.policy import sample, validated

        self._require_rule()
        rules = self._started()
        own, other = int((board == 1).sum()), int((board == -1).sum())
        if other - own not in (0, 1):
            raise ValueError(
                f"with {own} own stones and {other} others it is not the engine's turn"
            )
        if rules.over(board) or rules.lost(-board):
            raise ValueError("the game is over: there is no move to play")
        turn, left = (None if (ms := self.info[one]) is None else ms / 1000 for one in LIMITS)
        self.player.limit_time(seconds_of(turn, left, (rules.cells - own - other) // 2))
        boards = board[None]
        probs = validated(boards, self.player(boards.copy()))
        cell = int(sample(probs, self.rng.random(1))[0])
        self.board = self._after(board, cell, 1)
        return self._written(cell)


def seconds_of(turn: float | None, left: float | None, moves: int) -> float | None:
    """Return the seconds for a move within a manager's limits.

    Args:
        turn: the limit of each move in seconds; 0 asks for the fastest play, None for no limit.
        left: seconds for the rest of the match; None without a limit.
        moves: the number of own moves that may still follow.

    Returns:
        At least `LEAST` seconds; None without any limit.
    """
    limits = [] if turn is None else [SHARE * turn - MARGIN]
    limits += [] if left is None else [(left - OVERHEAD * moves) / MOVES]
    return max(LEAST, float(f"{min(limits):.2g}")) if limits else None


def _numbers(text: str, count: int, what: str) -> list[int]:
    """Parse that many non-negative integers, separated by commas."""
    if not re.fullmatch(" {0,9}, {0,9}".join(["[0-9]{1,4}"] * count), text):
        raise ValueError(f"expected {what}, not {_quoted(text)}")
    return [int(number) for number in text.split(",")]


def _quoted(text: str) -> str:
    return f"'{_plain(text, QUOTED)}'"


def _plain(text: str, limit: int) -> str:
    """Convert text to printable ASCII of limited length."""
    return shown(shown(text, limit).encode("ascii", "backslashreplace").decode(), limit)
