"""Rules of the m,n,k-game; boards are always from the perspective of the side to move.

The side to move is never an argument: it is the parity of the stones, and X opens.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.game import rules_kernel as kernels
from tttenv.game.outcomes_kernel import LOSS, WIN, Outcome, Outcomes
from tttenv.game.rules_kernel import DIRECTIONS, Game
from tttenv.game.types import Boards, Cells, Mask
from tttenv.utils.arrays import described, read_only, real_numbers
from tttenv.utils.untrusted import shown

LARGEST = 19  # rows or columns
COLUMNS = "abcdefghijklmnopqrs"  # of coordinates: a1 is the top left cell, b1 is to its right
LONGEST = 80  # characters of a wrong number in a message


@dataclass(frozen=True)
class Rules:
    """An m,n,k-game: m rows, n columns, k or more in a row win; X moves first.

    Cells are numbered row by row from the top left.

    Attributes:
        line: the outcome for the side that completes a line. A subclass with another one is another
            game: exact results and environments follow it, searches by lines refuse it.

    Raises:
        ValueError: unless 1 <= m, n <= 19 and 2 <= k <= max(m, n).
    """

    m: int = 3
    n: int = 3
    k: int = 3
    line: ClassVar[Outcome] = Outcome.WIN

    def __post_init__(self) -> None:
        for name in ("m", "n", "k"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ValueError(f"rules need integers m,n,k, not {name}={described(value)}")
            object.__setattr__(self, name, int(value))
        if not (1 <= self.m <= LARGEST and 1 <= self.n <= LARGEST):
            size = shown(f"{self.m} by {self.n}", LONGEST)
            raise ValueError(f"a board must have 1 to {LARGEST} rows and columns, not {size}")
        if not 2 <= self.k <= max(self.m, self.n):
            raise ValueError(
                f"{shown(self.k, LONGEST)} in a row cannot be played on {self.m} by {self.n}: "
                f"k must be from 2 to {max(self.m, self.n)}"
            )

    def __str__(self) -> str:
        return f"{_written(type(self))}{self.m},{self.n},{self.k}"

    @classmethod
    def of(cls, text: str) -> "Rules":
        """Parse rules written as "m,n,k", the inverse of `str`.

        Those of a variant begin with its name, as in "misere 3,3,3"; its class must be defined.

        Raises:
            ValueError: for any other text, and for numbers that `Rules` refuses.
        """
        kind: type[Rules] = cls
        for variant in _variants(cls):
            if text.startswith(_written(variant)):
                kind = variant
        try:
            m, n, k = (int(part) for part in text.removeprefix(_written(kind)).split(","))
        except ValueError:
            quoted = shown(repr(text), 80)
            raise ValueError(f'rules are written m,n,k, as in "3,3,3", not {quoted}') from None
        return kind(m, n, k)

    @cached_property
    def cells(self) -> int:
        """Number of cells."""
        return self.m * self.n

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """Cells (lines, k) of every line, that is, of every k cells in a row; read-only."""
        steps = np.arange(self.k)
        found = []
        for down, right in DIRECTIONS:
            for cell in range(self.cells):
                rows, columns = cell // self.n + steps * down, cell % self.n + steps * right
                if rows[-1] < self.m and 0 <= columns[-1] < self.n:
                    found.append(rows * self.n + columns)
        return read_only(np.array(found, np.int64).reshape(-1, self.k))

    @cached_property
    def game(self) -> Game:
        """The game as compiled code takes it."""
        return self.m, self.n, self.k, int(self.line)

    def start(self, *batch: int) -> Boards:
        """Return empty boards, `(*batch, cells)`."""
        return np.zeros((*batch, self.cells), np.int8)

    def legal(self, boards: ArrayLike) -> Mask:
        """Return a mask of the legal cells (..., cells) of boards (..., cells).

        A finished board has none.

        Raises:
            ValueError: for boards of another shape or with other numbers; see `boards`.
        """
        array = self.boards(boards)
        mask: Mask = (array == 0) & ~self.over(array)[..., None]
        return mask

    def play(self, boards: ArrayLike, cells: ArrayLike) -> Boards:
        """Play a move on each board.

        Args:
            boards: boards (..., cells), seen by the side to move.
            cells: the moves (...), or one for all boards.

        Returns:
            The boards (..., cells) after the moves, seen by the other side.

        Raises:
            ValueError: for a cell that is off the board or taken, and another number of cells.
        """
        array, flat, given = self.boards(boards), self._flat(boards), np.asarray(cells)
        if given.shape not in ((), array.shape[:-1]):
            raise ValueError(
                f"expected one cell for all boards or one for each, not {given.shape} cells"
            )
        where: Cells = np.broadcast_to(given, array.shape[:-1]).reshape(-1)
        if not np.issubdtype(where.dtype, np.integer):
            raise ValueError(f"cells must be integers, not {where.dtype}")
        where = where.astype(np.int64)
        bad = (where < 0) | (where >= self.cells)
        if bad.any():
            raise ValueError(f"cell {where[bad][0]} is off the board: 0 to {self.cells - 1}")
        taken = flat[np.arange(len(flat)), where] != 0
        if taken.any():
            raise ValueError(f"cell {where[taken][0]} is taken on {self._shown(flat[taken][0])}")
        return kernels.play(flat, where).reshape(array.shape)

    def outcomes(self, boards: ArrayLike) -> Outcomes:
        """Return the outcomes (...) of boards (..., cells) for the side to move."""
        return kernels.outcomes(self._flat(boards), self.game).reshape(np.shape(boards)[:-1])

    def lost(self, boards: ArrayLike) -> Mask:
        """Return a mask (...) of the boards (..., cells) on which the side to move has lost."""
        return kernels.at_least(self._flat(boards), LOSS, self.game).reshape(np.shape(boards)[:-1])

    def over(self, boards: ArrayLike) -> Mask:
        """Return a mask (...) of the boards (..., cells) on which the game is won or drawn."""
        return kernels.at_least(self._flat(boards), WIN, self.game).reshape(np.shape(boards)[:-1])

    def winning_cells(self, boards: ArrayLike, side: int) -> Mask:
        """Return the empty cells where one side wins at once.

        Args:
            boards: boards (..., cells).
            side: 1 for the side to move, -1 for the other.

        Returns:
            A mask (..., cells).
        """
        flat = self._flat(boards)
        return kernels.winning_cells(flat, side, self.game).reshape(np.shape(boards))

    def seat(self, boards: ArrayLike) -> NDArray[np.int64]:
        """Return the sides to move (...) on boards (..., cells): 0 for X, 1 for O."""
        return np.asarray(np.count_nonzero(self.boards(boards), axis=-1) % 2)

    def parse(self, text: str) -> Boards:
        """Parse a board of X, O, _ and white space, row by row.

        Returns:
            The board (cells,), seen by the side to move.

        Raises:
            ValueError: for another number of cells, other marks, and numbers of X and O that are
                not those of a game.
        """
        marks = "".join(str(text).split()).upper()
        if len(marks) != self.cells or set(marks) - set("XO_"):
            raise ValueError(
                f"a board of {self} is {self.cells} of X, O and _, not {described(text)}"
            )
        x, o = marks.count("X"), marks.count("O")
        if x - o not in (0, 1):
            raise ValueError(
                f"X opens, so X must have as many stones as O or one more, not {x} and {o}"
            )
        mine, theirs = "XO" if x == o else "OX"
        return np.array([(mark == mine) - (mark == theirs) for mark in marks], np.int8)

    def format(self, board: ArrayLike) -> str:
        """Format a board (cells,) as text like `OOX_X_X__`; the inverse of `parse`.

        Raises:
            ValueError: for several boards at once.
        """
        array = self.boards(board)
        if array.ndim != 1:
            raise ValueError(f"format takes one board of {self.cells} cells, not {array.shape}")
        return self._shown(array)

    def check(self, board: ArrayLike) -> Boards:
        """Check that a board (cells,) is reachable and undecided, and return it as int8.

        Raises:
            ValueError: if it is not, with the reason.
        """
        given = real_numbers("boards", board)
        if given.size != self.cells:
            raise ValueError(f"expected one board of {self.cells} cells, not shape {given.shape}")
        good: Boards = self.check_all(given.reshape(1, -1))[0].copy()
        return good

    def check_all(self, boards: ArrayLike) -> Boards:
        """Check that boards (batch, cells) are reachable and undecided; return them as int8.

        Raises:
            ValueError: if one is not, with the reason and that board.
        """
        given = real_numbers("boards", boards)
        if given.ndim != 2 or given.shape[1] != self.cells:
            raise ValueError(f"expected boards (batch, {self.cells}), not shape {given.shape}")
        strange = (np.abs(given) > 1) | (given != np.trunc(given))  # and so is what is no number
        # Mine less theirs: 0 for X, -1 for O.
        bad = strange.any(axis=1) | ((given.sum(axis=1) + 0.5) ** 2 != 0.25)
        if bad.any():
            raise ValueError(
                "unreachable board: 1 mine, -1 theirs, 0 empty, seen by the side to move, who has "
                f"as many stones or one fewer; got {shown(given[bad][0].tolist())}"
            )
        array = self._flat(given)
        finished = self.over(array) | self.over(-array)
        if finished.any():
            where = self._shown(array[finished][0])
            raise ValueError(f"finished board, nothing left to play: {where}")
        return array

    def boards(self, boards: ArrayLike) -> Boards:
        """Convert boards (..., cells) to int8; int8 boards are returned unchanged.

        Raises:
            ValueError: for another number of cells, and for anything on them but 1, -1 and 0 in an
                array of another type.
        """
        given = real_numbers("boards", boards)
        if given.ndim == 0 or given.shape[-1] != self.cells:
            raise ValueError(f"boards of {self} have {self.cells} cells, not shape {given.shape}")
        if given.dtype != np.int8 and not np.isin(given, (-1, 0, 1)).all():
            raise ValueError(
                f"a board of {self} must hold only 1 (mine), -1 (theirs) and 0 (empty)"
            )
        return given.astype(np.int8, copy=False)

    def _flat(self, boards: ArrayLike) -> Boards:
        return np.ascontiguousarray(self.boards(boards).reshape(-1, self.cells))

    def _shown(self, board: Boards) -> str:
        marks = "_XO" if np.count_nonzero(board) % 2 == 0 else "_OX"
        return "".join(marks[stone] for stone in board)


def _written(kind: type[Rules]) -> str:
    """Return what rules of this class begin with, before m,n,k."""
    return "" if kind is Rules else f"{kind.__name__.lower()} "


def _variants(kind: type[Rules]) -> list[type[Rules]]:
    """Return all subclasses that are defined."""
    return [found for child in kind.__subclasses__() for found in (child, *_variants(child))]


def require_line_wins(rules: Rules, name: str) -> None:
    """Check that a completed line wins.

    Args:
        rules: the game.
        name: what takes that for granted, for the message.

    Raises:
        ValueError: for a game in which it does not.
    """
    if rules.line != Outcome.WIN:
        raise ValueError(f"{name} needs a game in which a completed line wins, not {rules}")


def name_of(rules: Rules, cell: int) -> str:
    """Return the coordinate of a cell, such as b2: column letter, then row number from the top."""
    row, column = divmod(cell % rules.cells, rules.n)
    return f"{COLUMNS[column]}{row + 1}"


def names_of(rules: Rules, cells: Iterable[int]) -> str:
    """Return the coordinates of several cells, such as the moves of a game, in order."""
    return " ".join(name_of(rules, cell) for cell in cells)
