"""Proofs recorded from the tables of a search, as the claims of a proof file."""

from typing import TYPE_CHECKING

import numpy as np

from tttenv.game.line_board_kernel import DEFENDER
from tttenv.game.types import Boards
from tttenv.proofs import search_kernel
from tttenv.proofs.proof_file import CLAIMS, HELD, STEALING, WINS, Claim
from tttenv.proofs.recording_kernel import (
    BUSY,
    FAILED,
    UNSOLVED,
    Recording,
    new_recording,
    record,
)

if TYPE_CHECKING:
    from tttenv.proofs.prover import Proof, Prover

SLICE = 10_000  # positions of a proof, or nodes, between two chances for Ctrl-C
UNLIMITED = 1 << 60  # entries of a table
FIRST_ROOM = 2**16  # numbers of a proof; more if that is too few
TRIES = 3  # searches of one position for its proof


def claims(proof: "Proof") -> dict[str, Claim]:
    """Return the claims that prove a value, by attacker.

    Tables without the proof, as after a damaged file was loaded, are a ValueError.
    """
    found = {}
    for attacker, says in CLAIMS[proof.value or 0].items():
        if attacker == "O" and not proof.board.any():
            found[attacker] = Claim(STEALING, np.zeros(0, np.int16), 0)
        else:
            found[attacker] = _record(proof.prover, proof.board, attacker, says == WINS)
    return found


def _record(prover: "Prover", position: Boards, attacker: str, wins: bool) -> Claim:
    """Record the proof that the attacker wins, or that the defender holds; return the claim."""
    search = prover.searches[attacker]
    first = prover.first_side(position, attacker)
    room = FIRST_ROOM
    while True:
        prover.set_up(search, position, attacker)
        recording = new_recording(prover.rules.cells, room)
        length, tried = BUSY, 0
        while length in (BUSY, UNSOLVED):
            before = int(recording.length[0])
            length = record(search, recording, wins, first, SLICE)
            tried = tried + 1 if int(recording.length[0]) == before else 0
            if length == UNSOLVED and tried <= TRIES:
                _solve(search, recording)
            elif length == UNSOLVED:
                length = FAILED
        if length == FAILED:
            raise ValueError(f"the search of {prover.rules} is damaged: it contains no proof")
        if length >= 0:
            numbers = recording.numbers[:length].copy()
            return Claim(WINS if wins else HELD, numbers, int(recording.finished[0]))
        room *= 4


def _solve(search: search_kernel.ProofSearch, recording: Recording) -> None:
    """Search a position of the proof again, since the table no longer holds it."""
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
