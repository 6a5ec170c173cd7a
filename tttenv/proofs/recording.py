"""Proofs recorded from the tables of a search."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import ATTACKER, DEFENDER, NONE
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Mask
from tttenv.proofs import search_kernel, steps_kernel
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.quiet_moves import QuietSearch, stones_of, with_stones
from tttenv.proofs.recording_kernel import (
    BUSY,
    FAILED,
    UNSOLVED,
    Recording,
    new_recording,
    record,
    settled_move,
)
from tttenv.proofs.threat_recording_kernel import (
    FINISHED,
    finish_quiet,
    finished_zone,
    new_threat_recording,
    record_threats,
)
from tttenv.proofs.threat_recording_kernel import UNSOLVED as UNSOLVED_THREATS
from tttenv.proofs.threats_kernel import immediate, set_position

SLICE = 10_000  # positions of a proof, or nodes, between two chances for Ctrl-C
UNLIMITED = 1 << 60  # entries of a table
FIRST_ROOM = 2**16  # numbers of a proof; more if that is too few
TRIES = 3  # searches of one position for its proof
THREAT_NODES = 50_000  # of a search for a win by threats that the table no longer holds
FEW_NODES = 60  # where the search of all moves knows the win
QUIET_NODES = 2_000_000  # of a search for a quiet move that is not known


def recorded_hold(
    search: search_kernel.ProofSearch, rules: Rules, position: Boards, attacker: str
) -> Recording:
    """Record the proof that the defender holds.

    Args:
        search: the attacker's, which proved it, with its table.
        rules: the game.
        position: the board (cells,), seen by the side to move.
        attacker: "X" or "O".

    Raises:
        ValueError: if the table does not hold the proof.
    """
    room = FIRST_ROOM
    while True:
        first = search_kernel.start(search, rules, position, attacker)
        recording = new_recording(rules, room)
        length, tried = BUSY, 0
        while length in (BUSY, UNSOLVED):
            before = int(recording.length[0])
            length = record(search, recording, first, SLICE)
            tried = tried + 1 if int(recording.length[0]) == before else 0
            if length == UNSOLVED and tried <= TRIES:
                board = np.choose(search.board.stones, [0, 1, -1]).astype(np.int8)
                mover, after, cell = int(recording.mover[0]), board.copy(), recording.unsolved[0]
                if cell >= 0:
                    mover, after[cell] = DEFENDER, 1
                _solve(search, after, mover)
                search_kernel.set_board(search, board)
            elif length == UNSOLVED:
                length = FAILED
        if length == FAILED:
            raise _damaged(rules)
        if length >= 0:
            return recording
        room *= 4


def _solve(search: search_kernel.ProofSearch, board: Boards, mover: int) -> None:
    """Search a board until it is settled."""
    search_kernel.set_board(search, board)
    state = search_kernel.OPEN
    try:
        while state == search_kernel.OPEN:
            state = search_kernel.search(search, mover, SLICE, UNLIMITED, False)
    finally:  # also after Ctrl-C
        search_kernel.leave(search)


def _damaged(rules: Rules) -> ValueError:
    return ValueError(f"the search of {rules} is damaged: it contains no proof")


class Part(NamedTuple):
    """The proof that the attacker, to move, wins a board, as part of a larger one."""

    board: Boards  # (cells,), on which 1 marks the attacker's stones
    numbers: NDArray[np.int16]
    positions: int


class WinRecorder:
    """Writes the proof that one side wins, whose numbers it collects."""

    def __init__(
        self,
        quiet: QuietSearch,
        search: search_kernel.ProofSearch,
        parts: Iterable[Part] = (),
    ) -> None:
        """Start without numbers.

        With parts, the proof is divided: after each reply to the first move, the positions before
        are forgotten, so that a reader needs memory for one such reply.

        Args:
            quiet: the search for wins by quiet moves and threats.
            search: the search of all moves, which is asked where the other finds no win.
            parts: proofs of positions, the attacker to move, which become parts of this one.
        """
        self._parts: dict[bytes, list[Part]] = defaultdict(list)
        for part in parts:
            self._parts[stones_of(part.board)].append(part)
        self.quiet, self.search, self.rules = quiet, search, quiet.rules
        self.numbers = array("h")
        self.positions = 0
        self._made = new_threat_recording(quiet.rules)
        self._finished: dict[bytes, tuple[Boards, Mask]] = {}  # by image: a board and its zone
        self._start: Boards | None = None  # the first board, if the attacker is to move on it
        self._maps = maps(quiet.rules)

    def attack(self, board: Boards) -> Mask:
        """Write the win of a board (cells,), its attacker, 1, to move; return its zone (cells,).

        Raises:
            ValueError: if no win is found.
        """
        key = self.quiet.image(board)[0]
        if key in self._finished:
            other, zone = self._finished[key]
            number = next(i for i, one in enumerate(self._maps) if (board[one] == other).all())
            self.numbers.append(steps_kernel.KNOWN - number)
            mapped = np.zeros_like(zone)
            mapped[self._maps[number][zone]] = True
            return mapped
        if not self.numbers:
            self._start = board
        elif self._moves(board) == 2:
            self.numbers.append(steps_kernel.FORGET)
            self._finished.clear()
            self._made = new_threat_recording(self.rules)
        for part in self._parts.get(stones_of(board), []):
            if (part.board == board).all():
                self.numbers.extend(part.numbers.tolist())
                self.positions += part.positions
                everywhere: Mask = board == 0
                self._finished[key] = board, everywhere
                return everywhere
        set_position(self.quiet.threats, board, 0)
        if finished_zone(self.quiet.threats, self._made):
            self.numbers.append(steps_kernel.KNOWN)
            return self._zone()
        cell, nodes = self._quiet_move(board)
        if cell is None:
            zone = self._threats(board, 0)
            self._finished[key] = board, zone
            return zone
        self.positions += 1
        self.numbers.append(cell)
        zone = self.replies(with_stones(board, (cell,), 1), nodes)
        zone[cell] = True
        self._finished[key] = board, zone
        set_position(self.quiet.threats, board, 0)
        self._made.zones[0] = sets.as_set(zone)
        finish_quiet(self.quiet.threats, self._made)
        return zone

    def _moves(self, board: Boards) -> int:
        """Return how many moves a board is after the first, 0 if the proof is not divided."""
        if self._start is None or not self._parts:
            return 0
        return int((board != self._start).sum())

    def _quiet_move(self, board: Boards) -> tuple[int | None, int]:
        """Return the quiet move that wins a board, or None if threats do; search it if needed.

        The number of nodes to spend on a pass after the move comes with it.
        """
        quiet, table = self.quiet, self.search
        cell = quiet.move(board)
        if cell is not None:
            return cell, THREAT_NODES
        if quiet.threats_prove(board, FEW_NODES):
            return None, 0
        search_kernel.set_board(table, board)
        cell = settled_move(table, search_kernel.ATTACKER_WINS)
        if cell >= 0:
            return cell, FEW_NODES
        if quiet.threats_prove(board, THREAT_NODES):
            return None, 0
        if quiet.search(board, True, QUIET_NODES):
            return quiet.move(board), THREAT_NODES
        _solve(table, board, ATTACKER)
        cell = settled_move(table, search_kernel.ATTACKER_WINS)
        if cell < 0:
            raise _damaged(self.rules)
        return cell, FEW_NODES

    def replies(self, board: Boards, nodes: int = THREAT_NODES) -> Mask:
        """Write the win of a board (cells,), its defender, -1, to move; return its zone (cells,).

        At most so many `nodes` are spent on a win by threats after a pass.

        Raises:
            ValueError: if no win is found.
        """
        set_position(self.quiet.threats, board, 0)
        first, second, theirs = immediate(self.quiet.threats)
        zone = np.zeros(board.size, bool)
        if theirs != NONE:
            raise _damaged(self.rules)
        self.positions += 1
        if second != NONE:
            zone[[first, second]] = True
        elif first != NONE:
            zone |= self.attack(with_stones(board, (int(first),), -1))
            zone[first] = True
        else:
            self._answer_all(board, zone, nodes)
        return zone

    def _answer_all(self, board: Boards, zone: Mask, nodes: int) -> None:
        """Write a pass, if the attacker then wins by threats, and the replies that are left."""
        left = board == 0
        at = len(self.numbers)
        self.numbers.append(0)
        if self._moves(board) != 1 and self.quiet.threats_prove(board, nodes, 1):
            self.numbers[at] = 1
            after = self._threats(board, 1)
            left &= after
            zone |= after
            for number, one in enumerate(self._maps):
                if (board[one] == board).all():
                    image = np.zeros_like(after)
                    image[one[after]] = True
                    if (left & ~image).any():
                        self.numbers[at] += 1
                        self.numbers.append(steps_kernel.KNOWN - number)
                        left &= image
                        zone |= image
        at = len(self.numbers)
        self.numbers.append(0)
        for reply in self._in_order(board, left):
            if left[list(reply)].any():
                self.numbers[at] += 1
                if len(reply) > 1:
                    self.numbers.append(-len(reply))
                self.numbers.extend(reply)
                zone |= self.attack(with_stones(board, reply, -1))
                left[list(reply)] = False
        if not zone.any():
            raise _damaged(self.rules)

    def _in_order(self, board: Boards, left: Mask) -> list[tuple[int, ...]]:
        """Return the replies whose proof is a part, perhaps of several at once, then all others."""
        parts = []
        for part in self._parts.get(stones_of(board), []):
            cells = np.flatnonzero(part.board != board)
            if len(cells) and (board[cells] == 0).all():
                parts.append(tuple(cells.tolist()))
        replies = [*parts, *((int(cell),) for cell in np.flatnonzero(left))]
        own = [one for one in self._maps if (board[one] == board).all()]
        images = (np.flatnonzero(np.isin(one, cells)) for cells in replies for one in own)
        return [tuple(cells.tolist()) for cells in images]

    def _threats(self, board: Boards, rank: int) -> Mask:
        """Write a win by threats, at a rank; return its zone."""
        threats, made = self.quiet.threats, self._made
        set_position(threats, board, rank)
        before, tried = int(made.written[0]), 0
        state = record_threats(threats, made, False)
        while state == UNSOLVED_THREATS and tried < TRIES * board.size:
            stones = np.choose(threats.on.board.stones, [0, 1, -1]).astype(np.int8)
            self.quiet.threats_prove(stones, THREAT_NODES, int(threats.rank[0]))
            tried += 1
            state = record_threats(threats, made, True)
        if state != FINISHED:
            raise _damaged(self.rules)
        self.positions += int(made.written[0]) - before
        self.numbers.extend(made.numbers[: made.length[0]].tolist())
        return self._zone()

    def _zone(self) -> Mask:
        return sets.as_mask(self._made.zones[0], self.rules.cells)
