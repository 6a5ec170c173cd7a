"""Player backed by a Gomoku engine that speaks the Gomocup protocol.

    gomocup:command=./pbrain-engine
    gomocup:command=(wine pbrain-engine.exe),time=5

The protocol is that of the manager Piskvork: https://plastovicka.github.io/protocl2en.htm. On
15,15,5 the engine is sent:

    START 15                      before each game; RECTSTART 7,5 for 5 rows and 7 columns
    INFO timeout_turn 1000        milliseconds for a move, and max_memory, rule 0 and some more
    TURN 7,7                      the other side's stone, if the game continues, else the board
    BOARD                         the complete board: a line per stone with its column, its row,
    7,7,2                         and 1 for the engine's stones or 2 for the other side's
    DONE
    BEGIN                         an empty board
    END                           at the end

Some engines rely on the order of the stones, so a board is sent in the order of the game that the
engine has played; other boards from the centre outwards, X first and both sides alternating. While
a move is awaited, up to 10,000 lines that begin with MESSAGE, DEBUG, SUGGEST, UNKNOWN or ERROR are
skipped. Any other output before a query is an error. Rule 0 is free style: five or more stones in a
row win, as in `Rules`; `anyk=true` says that this engine plays the k of the rules.

It is queried on each board once and the answer is cached, so it is a pure player and can be
certified although its thinking time is limited. `time=SECONDS` is the limit per move that it is
sent. If it has not answered `timeout=SECONDS` after the query, by default 5 s after that limit, or
plays illegally, ends, or writes anything else, it is killed, and the error names the board.
"""

import re
from collections.abc import Container
from functools import partial
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players.programs.program_player import Program, ProgramError, ProgramPlayer
from tttenv.utils.arrays import at_least
from tttenv.utils.untrusted import MEBIBYTE

FIVE = 5  # in a row, which all engines play
UNLIMITED = 2**31 - 1  # milliseconds: the `time_left` of a match without a limit
GRACE = 5.0  # seconds that a move may exceed the limit sent to the engine
MEMORY = 350 * MEBIBYTE  # bytes: the limit that an engine is sent, that of tournaments
LONGEST_LINE = 65_536  # bytes
MOST_LINES = 10_000  # lines skipped before an answer
MOST_GAMES = 10_000  # whose order of stones is kept
QUOTED = 60  # characters of a line quoted in a message
MOVE = re.compile(r"([+-]?[0-9]{1,6}) *, *([+-]?[0-9]{1,6})")  # column and row
REMARKS = {"MESSAGE", "DEBUG", "SUGGEST"}  # lines that an engine may write at any time
REFUSALS = {"UNKNOWN", "ERROR"}  # of a command; while a move is awaited, it still follows


class Gomocup(ProgramPlayer):
    """A player backed by an engine, to which it is the manager; for the arguments see `gomocup`."""

    def __init__(
        self, rules: Rules, command: str, time: float, timeout: float, start: float
    ) -> None:
        launch = partial(Program, command, LONGEST_LINE, rb"[\r\n]", quit_command="END")
        super().__init__(rules, command, launch)
        self.time, self.timeout, self.start = time, timeout, start
        self.sent: list[int] = []  # the stones on the engine's board, cells in order of play
        self.games: dict[bytes, list[int]] = {}  # the same for boards after the engine's moves

    def handshake(self, program: Program) -> None:
        """Send the size of the board and the limits."""
        self._start(program)
        infos = [f"timeout_turn {round(self.time * 1000)}", "timeout_match 0"]
        infos += [f"max_memory {MEMORY}", "rule 0", "game_type 1"]  # its opponent is a program
        program.write("".join(f"INFO {info}\n" for info in infos), self.start)

    def ask(self, program: Program, board: Boards) -> list[int]:
        """Return the engine's cell on a board (cells,).

        Raises:
            ProgramError: if it fails, or answers with no legal move.
        """
        board = np.asarray(board, np.int8)
        order = self._order(board)
        if self.sent and order[:-1] != self.sent:
            self._start(program)
        for number, line in enumerate(program.available_lines()):
            if line and _word(line) not in REMARKS | REFUSALS:
                raise ProgramError(f"wrote {line[:QUOTED]!r} before it was queried")
            if number == MOST_LINES:
                raise ProgramError(f"wrote {MOST_LINES:,} lines before it was queried")
        if not order:
            query = ["BEGIN"]
        elif order[:-1] == self.sent:
            query = [f"TURN {_written(self.rules, order[-1])}"]
        else:
            sides = (1 if board[cell] == 1 else 2 for cell in order)
            stones = zip(order, sides, strict=True)
            query = ["BOARD", *(f"{_written(self.rules, cell)},{side}" for cell, side in stones)]
            query.append("DONE")
        lines = "\n".join([f"INFO time_left {UNLIMITED}", *query, ""])
        program.write(lines, self.timeout)
        cell = _read(_next(program, REMARKS | REFUSALS), self.rules, board)
        after = board.copy()
        after[cell] = 1
        if len(self.games) >= MOST_GAMES:
            self.games.clear()
        self.sent = self.games[after.tobytes()] = [*order, cell]
        return [cell]

    def _order(self, board: Boards) -> list[int]:
        """Return the cells of the stones on a board (cells,) in their likely order of play.

        A board that follows one of the engine's own games by a stone continues it.
        """
        theirs = np.flatnonzero(board == -1)
        found = []
        for last in theirs.tolist():
            before = board.copy()
            before[last] = 0
            if before.tobytes() in self.games:
                found.append([*self.games[before.tobytes()], last])
        if found:
            return max(found, key=lambda order: order[:-1] == self.sent)
        mine = np.flatnonzero(board == 1)
        sides = (mine, theirs) if len(mine) == len(theirs) else (theirs, mine)
        outwards = [_from_the_centre(self.rules, cells) for cells in sides]
        return [cell for pair in zip_longest(*outwards) for cell in pair if cell is not None]

    def _start(self, program: Program) -> None:
        """Make the engine set up an empty board."""
        m, n = self.rules.m, self.rules.n
        command = f"START {n}" if m == n else f"RECTSTART {n},{m}"
        program.write(f"{command}\n", self.start)
        answer = _next(program, REMARKS)
        if _word(answer) != "OK":
            raise ProgramError(f"answered {command!r} with {answer[:QUOTED]!r}, not with 'OK'")
        self.sent = []


def _written(rules: Rules, cell: int) -> str:
    return f"{cell % rules.n},{cell // rules.n}"


def _from_the_centre(rules: Rules, cells: NDArray[np.int64]) -> list[int]:
    """Sort cells by their distance from the centre of the board."""
    rows, columns = 2 * (cells // rules.n) - rules.m + 1, 2 * (cells % rules.n) - rules.n + 1
    nearest: list[int] = cells[np.argsort(rows**2 + columns**2, kind="stable")].tolist()
    return nearest


def _read(line: str, rules: Rules, board: Boards) -> int:
    """Parse the cell of an engine's move on a board (cells,)."""
    found = MOVE.fullmatch(line)
    if not found:
        raise ProgramError(f"answered {line[:QUOTED]!r}, not a column and a row as in '7,7'")
    column, row = int(found[1]), int(found[2])
    if not (0 <= column < rules.n and 0 <= row < rules.m):
        raise ProgramError(f"plays {column},{row}, off the board")
    cell = row * rules.n + column
    if board[cell] != 0:
        raise ProgramError(f"plays {column},{row}, which is taken")
    return cell


def _next(program: Program, passed_over: Container[str]) -> str:
    """Return the next nonempty line whose first word is not one to skip."""
    for _ in range(MOST_LINES):
        line = program.read_line()
        if line and _word(line) not in passed_over:
            return line
    raise ProgramError(f"wrote {MOST_LINES:,} lines without an answer, the last {line[:QUOTED]!r}")


def _word(line: str) -> str:
    """Return the word that a line begins with, in upper case, or an empty string for a move."""
    return re.split("[^A-Za-z]", line, maxsplit=1)[0].upper()


def gomocup(
    rules: Rules,
    command: str = "",
    time: float = 1.0,
    timeout: float | None = None,
    start: float = 30.0,
    anyk: bool = False,
) -> ProgramPlayer:
    """Return a player that queries an engine over the Gomocup protocol.

    Args:
        rules: the game, of five in a row.
        command: the engine and its arguments, split as a shell would.
        time: limit in seconds per move that the engine is sent.
        timeout: maximum seconds per move; by default 5 more than `time`.
        start: maximum seconds to answer START.
        anyk: whether it plays the rules' k in a row, not only five.

    Raises:
        ValueError: for rules other than five in a row without `anyk`, and for limits out of
            range; when queried, if the engine fails.
    """
    if not command.strip():
        raise ValueError("gomocup needs the command of an engine: gomocup:command=./pbrain-engine")
    if rules.k != FIVE and not anyk:
        raise ValueError(
            f"Gomocup engines play five in a row, not {rules.k}: set anyk=true if this one"
            f" plays {rules}"
        )
    at_least(0.001, time=time, timeout=timeout, start=start)
    if time * 1000 > UNLIMITED:
        raise ValueError(f"time must be at most {UNLIMITED // 1000:,} s, not {time:g}")
    limit = time + GRACE if timeout is None else timeout
    return Gomocup(rules, command, time, limit, start)
