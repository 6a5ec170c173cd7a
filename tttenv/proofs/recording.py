"""Proofs recorded from the tables of a search."""

import numpy as np

from tttenv.game.line_board_kernel import ATTACKER, DEFENDER
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.proofs import search_kernel
from tttenv.proofs.recording_kernel import (
    BUSY,
    FAILED,
    UNSOLVED,
    Recording,
    new_recording,
    record,
)
from tttenv.proofs.search_kernel import Searches

SLICE = 10_000  # positions of a proof, or nodes, between two chances for Ctrl-C
UNLIMITED = 1 << 60  # entries of a table
FIRST_ROOM = 2**16  # numbers of a proof; more if that is too few
TRIES = 3  # searches of one position for its proof


def recorded(
    searches: Searches,
    rules: Rules,
    position: Boards,
    attacker: str,
    wins: bool,
    rank: int = 0,
) -> Recording:
    """Record the proof that the attacker wins, or that the defender holds.

    Args:
        searches: the attacker's, which proved it, with their tables.
        rules: the game.
        position: the board (cells,), seen by the side to move, who is the attacker above rank 0.
        attacker: "X" or "O".
        wins: whether the attacker is proved to win.
        rank: of the position, if he is.

    Raises:
        ValueError: if the tables do not hold the proof.
    """
    (search, threats), room = searches, FIRST_ROOM
    while True:
        first = ATTACKER
        for each in searches:
            each.rank[0] = rank
            if rank == 0:
                first = search_kernel.start(each, rules, position, attacker)
            else:
                search_kernel.set_board(each, position)
        recording = new_recording(rules, room)
        length, tried = BUSY, 0
        while length in (BUSY, UNSOLVED):
            before = int(recording.length[0])
            length = record(search, threats, recording, wins, first, SLICE)
            tried = tried + 1 if int(recording.length[0]) == before else 0
            if length == UNSOLVED and tried <= TRIES:
                if not (wins and search_kernel.threats_win(threats, SLICE)):
                    _solve(search, recording)
            elif length == UNSOLVED:
                length = FAILED
        search.rank[0] = threats.rank[0] = 0
        if length == FAILED:
            raise ValueError(f"the search of {rules} is damaged: it contains no proof")
        if length >= 0:
            return recording
        room *= 4


def _solve(search: search_kernel.ProofSearch, recording: Recording) -> None:
    """Search a position of the proof again, since the table no longer holds it."""
    if search.rank[0] > 0:  # only threats can prove it
        return
    board = np.choose(search.board.stones, [0, 1, -1]).astype(np.int8)
    first, changed, cell = int(recording.mover[0]), board.copy(), recording.unsolved[0]
    if cell >= 0:
        first, changed[cell] = DEFENDER, 1
    search_kernel.set_board(search, changed)
    state = search_kernel.OPEN
    try:
        while state == search_kernel.OPEN:
            state = search_kernel.search(search, first, SLICE, UNLIMITED, False)
    finally:  # also after Ctrl-C
        search_kernel.leave(search)
        search_kernel.set_board(search, board)
