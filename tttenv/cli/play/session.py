"""Games of a person against a player, without input or output: moves, take-back and seats."""

import re
from typing import Any, NamedTuple

import numpy as np

from tttenv.drawing.render import said
from tttenv.game.rules import COLUMNS, Rules, name_of
from tttenv.policy import Player, ask, sample

SEATS = "XO"
KEYS = "qweasdzxc"  # arranged on the keyboard like the cells on the board


class Position(NamedTuple):
    """The beginning of a game: its moves, and the boards before and after them."""

    boards: list[Any]  # (moves + 1) of (cells,), seen by the side to move
    cells: list[int]  # of the moves


class Session:
    """Games of a person, first in `seat` (0 is X), against a player; seats swap after each."""

    def __init__(
        self,
        rules: Rules,
        name: str,
        player: Player,
        seat: int,
        seed: int,
        position: Position | None = None,
    ) -> None:
        self.rules, self.name, self.player, self.seat = rules, name, player, seat
        self.rng = np.random.default_rng(seed)
        self.position = position or Position([rules.start()], [])
        self._begin()

    def _begin(self) -> None:
        self.boards, self.cells = [*self.position.boards], [*self.position.cells]
        self.forfeited = False  # the player, who is to move, has no legal answer

    @property
    def board(self) -> Any:
        """The board (cells,) from the perspective of the side to move."""
        return self.boards[-1]

    @property
    def last(self) -> int | None:
        """The cell of the last stone, or None if there is none."""
        return self.cells[-1] if self.cells else None

    @property
    def mover(self) -> int:
        """The side to move: 0 for X, 1 for O."""
        return int(self.rules.seat(self.board))

    @property
    def over(self) -> bool:
        """Whether the current game has ended."""
        return self.forfeited or bool(self.rules.over(self.board))

    @property
    def winner(self) -> int | None:
        """The seat that won the current game, or None for a draw or an unfinished game."""
        return 1 - self.mover if self.forfeited or self.rules.lost(self.board) else None

    @property
    def outcome(self) -> str:
        """The result, such as "X wins" or "draw", or "X to play" during the game."""
        return f"{SEATS[self.seat]} wins" if self.forfeited else said(self.rules, self.board)

    @property
    def seats(self) -> str:
        """The players' seats in words, such as "you are X, minimax is O"."""
        return f"you are {SEATS[self.seat]}, {self.name} is {SEATS[1 - self.seat]}"

    def awaits_person(self) -> bool:
        """Return whether the person is to move."""
        return not self.over and self.mover == self.seat

    def play(self, cell: int) -> None:
        """Put a stone of the side to move on an empty cell.

        Raises:
            ValueError: if the game is over.
        """
        if self.over:
            raise ValueError(f"the game is over: {self.outcome}")
        self.boards.append(self.rules.play(self.board, cell))
        self.cells.append(cell)

    def move(self) -> int | None:
        """Play a move of the player; return its cell, or None if the player forfeits."""
        probs = ask(self.board[None].copy(), self.player)
        if not probs.any():
            self.forfeited = True
            return None
        self.play(int(sample(probs, self.rng.random(1))[0]))
        return self.cells[-1]

    def plies(self, seat: int) -> list[int]:
        """Return the indices in `cells` of the moves made by a seat."""
        return [ply for ply in range(len(self.cells)) if self.rules.seat(self.boards[ply]) == seat]

    def take_back(self) -> int:
        """Undo the person's last stone and the reply; return the number of stones.

        Raises:
            ValueError: if there is no such stone.
        """
        own = self.plies(self.seat)
        if not own:
            raise ValueError("you have no stone to take back")
        count = len(self.cells) - own[-1]
        self.forfeited = False
        del self.cells[own[-1] :], self.boards[own[-1] + 1 :]
        return count

    def again(self) -> None:
        """Start another game, seats swapped, from the position."""
        self.seat = 1 - self.seat
        self._begin()


def position_of(rules: Rules, board: str | None, moves: str | None) -> Position:
    """Parse and validate the position given by `--board` and `--moves`, both untrusted.

    Args:
        rules: the game.
        board: X, O and . or _ row by row, with or without slashes; None is the empty board.
        moves: cells by name, separated by commas, periods or spaces.

    Returns:
        The position, which is not finished, with all boards that led to it.

    Raises:
        ValueError: for an impossible or finished position; the message names the option.
    """
    found = Position([rules.start() if board is None else _board_of(rules, board)], [])
    for text in filter(None, re.split(r"[,.\s]+", moves or "")):
        try:
            cell = cell_of(rules, text)
        except ValueError as error:
            raise ValueError(f"--moves: {error}") from None
        move = f"--moves: move {len(found.cells) + 1}, {name_of(rules, cell)},"
        if found.boards[-1][cell] != 0:
            raise ValueError(f"{move} is on a cell that is already taken")
        after = rules.play(found.boards[-1], cell)
        if rules.over(after):
            raise ValueError(f"{move} ends the game: nothing is left to play")
        found.boards.append(after)
        found.cells.append(cell)
    return found


def _board_of(rules: Rules, text: str) -> Any:
    rows = text.strip().strip("/").split("/")
    if len(rows) > 1 and [len("".join(row.split())) for row in rows] != [rules.n] * rules.m:
        raise ValueError(f"--board: {rules} has {rules.m} rows of {rules.n} cells between slashes")
    try:
        return rules.check(rules.parse("".join(rows).replace(".", "_")))
    except ValueError as error:
        raise ValueError(f"--board: {error}") from None


def cell_of(rules: Rules, text: str) -> int:
    """Parse the name of a cell, ignoring case: a key (on 3x3), a number or a coordinate.

    Raises:
        ValueError: for anything else, and for a cell off the board.
    """
    name = text.strip().lower()
    if len(name) == 1 and name in keys(rules):
        return KEYS.index(name)
    if re.fullmatch("[0-9]{1,4}", name):
        if int(name) < rules.cells:
            return int(name)
        raise ValueError(f"there is no cell {name}: cells are numbered 0 to {rules.cells - 1}")
    if found := re.fullmatch("([a-z])([0-9]{1,2})", name):
        column, row = COLUMNS.find(found[1]), int(found[2]) - 1
        if 0 <= column < rules.n and 0 <= row < rules.m:
            return row * rules.n + column
        raise ValueError(f"there is no cell {name}: cells are a1 to {name_of(rules, -1)}")
    shown = ascii(text)
    shown = shown if len(shown) <= 40 else f"{shown[:36]}...'"
    raise ValueError(f"{shown} is not a cell (by {ways(rules)})")


def keys(rules: Rules) -> str:
    """Return the keys that name cells, or an empty string on boards other than 3x3."""
    return KEYS if (rules.m, rules.n) == (3, 3) else ""


def ways(rules: Rules) -> str:
    """Describe the ways to name a cell, in one line."""
    middle = (rules.m - 1) // 2 * rules.n + (rules.n - 1) // 2
    others = f"number (0 to {rules.cells - 1}) or coordinate ({name_of(rules, middle)})"
    return f"key (q w e / a s d / z x c), {others}" if keys(rules) else others
