"""The engine's side of the Gomocup protocol: replies to a manager's commands.

It does no input or output; `tttenv.cli.gomocup` and the tests pass it the lines. The commands and
their replies:

    START size                      OK, with an empty board
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
to any other error with ERROR, which leaves the board unchanged.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import tttenv
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players import checkpoint_of, inner_specs, player
from tttenv.policy import Player, sample, validated
from tttenv.utils.registry import parse
from tttenv.utils.untrusted import first_line, shown

LONGEST_LINE = 1000  # maximum characters of a manager's line
MOST_STONES = 19 * 19 + 1  # lines of a board that are kept: one of so many is an error
LONGEST_ANSWER = 200  # maximum characters of a reply
QUOTED = 60  # characters of a line quoted in a reply
FREE_STYLE = 0  # the rule by which k or more in a row win
SIZE = re.compile(r"[0-9]{1,4}")
PAIR = re.compile(r"([0-9]{1,4}) *, *([0-9]{1,4})")
STONE = re.compile(PAIR.pattern + r" *, *([12])")
NUMBER = re.compile(r"[+-]?[0-9]{1,15}")
LEAST = 0.01  # minimum seconds per move
SHARE = 0.9  # of a move's limit; the rest is for overhead
MARGIN = 0.2  # seconds of the limit: a search checks its clock up to 0.15 s apart
MOVES = 20  # a move may take 1 / MOVES of the match's remaining time,
OVERHEAD = 0.06  # of which so many seconds are kept for each move that may still follow
SIDES = {"1": 1, "2": -1}  # own stones and the other side's, in BOARD lines and on our boards


class RefusedError(ValueError):
    """Raised for a command that gets an ERROR reply; its message is the reason."""


@dataclass(frozen=True)
class Game:
    """A game with its board (cells,): 1 for the engine's stones, -1 for the other side's."""

    rules: Rules
    board: Boards
    opens: bool | None = None  # whether the engine is X; None while the board is empty

    def cell(self, text: str) -> int:
        """Parse a cell written as `x,y`."""
        found = PAIR.fullmatch(text)
        if not found:
            raise RefusedError(f"expected a column and a row such as 7,7, not {_quoted(text)}")
        return self.cell_at(int(found[1]), int(found[2]))

    def cell_at(self, column: int, row: int) -> int:
        """Return the index of the cell at a column and a row."""
        if column >= self.rules.n or row >= self.rules.m:
            size = f"{self.rules.n} columns and {self.rules.m} rows"
            raise RefusedError(f"{column},{row} is off the board, which has {size}")
        return row * self.rules.n + column

    def put(self, cell: int, side: int, opens: bool) -> "Game":
        """Return the game after `side` (1 or -1) places a stone."""
        if self.board[cell] != 0:
            raise RefusedError(f"{self.written(cell)} is taken")
        board = self.board.copy()
        board[cell] = side
        return Game(self.rules, board, opens)

    def written(self, cell: int) -> str:
        """Format a cell as `x,y`."""
        return f"{cell % self.rules.n},{cell // self.rules.n}"

    def stones(self) -> tuple[int, int]:
        """Count the engine's stones, and the other side's."""
        return int((self.board == 1).sum()), int((self.board == -1).sum())


@dataclass
class TurnTime:
    """A manager's time limits in seconds; None means no limit."""

    turn: float | None = None  # per move; 0: play as fast as possible
    left: float | None = None  # for the rest of the match; may be negative

    def seconds(self, moves: int) -> float | None:
        """Return the time limit for the next move in seconds, to two significant digits, or None.

        Args:
            moves: the largest number of moves that may still follow.
        """
        limits = [] if self.turn is None else [SHARE * self.turn - MARGIN]
        limits += [] if self.left is None else [(self.left - OVERHEAD * moves) / MOVES]
        return max(LEAST, float(f"{min(limits):.2g}")) if limits else None


class Engine:
    """Gomocup engine that plays a manager's games with one player.

    Args:
        spec: the player; its option `time`, if it has one, is the maximum per move, which the
            manager's limits may reduce.
        k: stones in a row to win.
        seed: the seed for sampling moves of stochastic players.
    """

    def __init__(self, spec: str, k: int, seed: int) -> None:
        self.spec, self.k, self.rng = spec, k, np.random.default_rng(seed)
        self.over = False  # whether the manager has sent END
        self.rule, self.budget = FREE_STYLE, TurnTime()
        self.game: Game | None = None
        self.made: tuple[str, Rules, Player] | None = None  # the last player, with spec and rules
        self.board_lines: list[str] | None = None  # between BOARD and DONE
        self.commands: dict[str, Callable[[str], str | None]] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._board,
            "TAKEBACK": self._takeback,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
        }

    def answer(self, line: str) -> str | None:
        """Return the one-line ASCII reply to a manager's line, or None for no reply."""
        words = line.strip()
        try:
            if self.board_lines is not None:
                return self._board_line(words)
            return self._command(words) if words else None
        except Exception as error:  # a player may raise any exception
            return f"ERROR {_plain(first_line(error), LONGEST_ANSWER)}"

    def _command(self, words: str) -> str | None:
        """Return the reply to a command and its argument."""
        name, *rest = words.split(None, 1)
        if len(words) > LONGEST_LINE:
            if name.upper() == "INFO":  # never answered
                return None
            raise RefusedError(f"a line must have at most {LONGEST_LINE:,} characters")
        command = self.commands.get(name.upper())
        if command is None:
            return f"UNKNOWN command {_quoted(name)}"
        return command(rest[0] if rest else "")

    def _start(self, argument: str) -> str:
        if not SIZE.fullmatch(argument):
            raise RefusedError(f"expected a size such as START 15, not {_quoted(argument)}")
        return self._set_up(int(argument), int(argument))

    def _rectstart(self, argument: str) -> str:
        found = PAIR.fullmatch(argument)
        if not found:
            raise RefusedError(f"expected columns and rows such as 7,5, not {_quoted(argument)}")
        return self._set_up(int(found[2]), int(found[1]))

    def _set_up(self, m: int, n: int) -> str:
        """Set up an empty board, and compile its player before the clock starts."""
        self._require_rule()
        rules = Rules(m, n, self.k)
        if self.made is None or self.made[1] != rules:
            policy = self._player(rules, LEAST)
            if limited_to(self.spec, LEAST) != self.spec:
                policy(rules.start(1))
        self.game = Game(rules, rules.start())
        return "OK"

    def _restart(self, argument: str) -> str:
        rules = self._started().rules
        self.game = Game(rules, rules.start())
        return "OK"

    def _begin(self, argument: str) -> str:
        game = self._started()
        if game.board.any():
            raise RefusedError("BEGIN is for an empty board")
        return self._move(game, opens=True)

    def _turn(self, argument: str) -> str:
        game = self._started()
        after = game.put(game.cell(argument), -1, opens=bool(game.opens))
        own, other = game.stones()
        if own - other != bool(game.opens):
            raise RefusedError("it is the engine's turn")
        return self._move(after, after.opens)

    def _board(self, argument: str) -> None:
        self.board_lines = []

    def _board_line(self, line: str) -> str | None:
        """Handle a line between BOARD and DONE, or DONE itself."""
        assert self.board_lines is not None
        if line.upper() == "DONE":
            lines, self.board_lines = self.board_lines, None
            return self._whole_board(lines)
        if line.upper() == "END":
            self._end(line)
        elif line and len(self.board_lines) < MOST_STONES:
            self.board_lines.append(line)
        return None

    def _whole_board(self, lines: list[str]) -> str:
        """Play a move on the board of these lines, if it is the engine's turn there."""
        rules = self._started().rules
        game = Game(rules, rules.start())
        for line in lines:
            found = STONE.fullmatch(line)
            if not found:
                raise RefusedError(f"expected a stone such as 7,7,1 or DONE, not {_quoted(line)}")
            cell = game.cell_at(int(found[1]), int(found[2]))
            game = game.put(cell, SIDES[found[3]], opens=False)
        own, other = game.stones()
        if other - own not in (0, 1):
            raise RefusedError(
                f"with {own} own stones and {other} others it is not the engine's turn"
            )
        return self._move(game, own == other)

    def _takeback(self, argument: str) -> str:
        game = self._started()
        cell = game.cell(argument)
        if game.board[cell] == 0:
            raise RefusedError(f"there is no stone on {game.written(cell)}")
        board = game.board.copy()
        board[cell] = 0
        self.game = Game(game.rules, board, game.opens if board.any() else None)
        return "OK"

    def _info(self, argument: str) -> None:
        key, _, value = argument.partition(" ")
        if not NUMBER.fullmatch(value.strip()):
            return
        number = int(value)
        if key.lower() == "timeout_turn":
            self.budget.turn = max(0, number) / 1000
        elif key.lower() == "time_left":
            self.budget.left = number / 1000
        elif key.lower() == "rule":
            self.rule = number

    def _about(self, argument: str) -> str:
        name = _plain(self.spec, LONGEST_ANSWER // 2).replace('"', "'")
        return f'name="tttenv {name}", version="{tttenv.__version__}"'

    def _end(self, argument: str) -> None:
        self.over = True

    def _require_rule(self) -> None:
        """Raise unless the manager's rule is freestyle, the only one supported."""
        if self.rule != FREE_STYLE:
            raise RefusedError(
                f"only rule 0 is played, {self.k} or more in a row, not rule {self.rule}"
            )

    def _started(self) -> Game:
        """Return the current game; raise if there is no board yet."""
        if self.game is None:
            raise RefusedError("START must come first")
        return self.game

    def _move(self, game: Game, opens: bool | None) -> str:
        """Play the player's move on a board and return it; if that fails, the game is unchanged."""
        self._require_rule()
        if game.rules.over(game.board) or game.rules.lost(-game.board):
            raise RefusedError("the game is over: there is no move to play")
        boards = game.board[None]
        probs = validated(boards, self._policy(game)(boards.copy()))
        cell = int(sample(probs, self.rng.random(1))[0])
        self.game = game.put(cell, 1, bool(opens))
        return game.written(cell)

    def _policy(self, game: Game) -> Player:
        """Return the player with the time limit of the next move."""
        return self._player(game.rules, self.budget.seconds(int((game.board == 0).sum()) // 2))

    def _player(self, rules: Rules, seconds: float | None) -> Player:
        """Return the player with a time limit; a new one only if its limit cannot be changed."""
        if self.made is None or self.made[1] != rules:
            self.made = self.spec, rules, player(self.spec, rules)
        spec, _, policy = self.made
        wanted = self.spec if seconds is None else limited_to(self.spec, seconds)
        if not policy.limit_time(seconds) and spec != wanted:
            policy = player(wanted, rules)
            self.made = wanted, rules, policy
        return policy


def limited_to(spec: str, seconds: float) -> str:
    """Limit every option `time` in a player's spec to `seconds`.

    Nested players are limited too, as in `epsilon:player=(alphabeta:time=5)`. A spec without `time`
    is returned unchanged.

    Raises:
        ValueError: for a spec that cannot be parsed.
    """
    if checkpoint_of(spec) is not None:  # none of its options is a time or a player
        return spec
    name, options = parse(spec)
    inner = inner_specs(name, options)
    limited = options | {option: limited_to(value, seconds) for option, value in inner.items()}
    if _number(options.get("time", "")) > seconds:
        limited["time"] = f"{seconds:g}"
    if limited == options:
        return spec
    return f"{name}:{','.join(f'{option}=({value})' for option, value in limited.items())}"


def _number(text: str) -> float:
    """Parse a number; return 0 for any other text, which the player will then reject."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _quoted(text: str) -> str:
    """Quote a manager's text for a reply."""
    return f"'{_plain(text, QUOTED)}'"


def _plain(text: str, limit: int) -> str:
    """Convert text to printable ASCII of limited length."""
    return shown(shown(text, limit).encode("ascii", "backslashreplace").decode(), limit)
