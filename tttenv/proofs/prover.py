"""Proofs of a position's value under perfect play, on boards too large to enumerate.

Two questions decide a value: can X force a line, and can O? Each is a proof-number search with
forced replies, wins by threats, potentials (Erdos and Selfridge, 1973), pairing strategies (Hales
and Jewett, 1963) and relevance zones (Wu and Lin, 2010); see `tttenv.proofs.search_kernel`. From
the empty board O cannot, by strategy stealing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tttenv.exact.enumeration import enumerable
from tttenv.exact.solution import solve
from tttenv.game.line_board_kernel import ATTACKER
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards
from tttenv.proofs import search_kernel
from tttenv.proofs.table_kernel import copy_entries, entry_bytes, new_proof_table
from tttenv.utils.arrays import integers_from
from tttenv.utils.compile_time import Stopwatch
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:
    from tttenv.proofs.quiet_moves import QuietSearch
    from tttenv.proofs.recording import Part, WinRecorder

SLICE = 10_000  # nodes between two looks at the clock and for Ctrl-C
FIRST_PLACES = 2**14  # in a new table; it grows as it fills
MEMORY = 2**30  # bytes of both tables, at most, unless said otherwise
SIDES = "XO"
UNLIMITED = 1 << 60  # entries of a table

QUIET_NODES = 20_000  # of the search for a win by threats before the search of everything
FEWEST_NODES = 1_000  # which it gets, or it is left out
FEW_LINES = 2.2  # potential over its bound, up to which it is left out,
OPEN_LINES = 4  # and from which only that search is of use
WAITS = 10  # times as many nodes for the side to move, which is the likelier one to win


@dataclass(frozen=True)
class ProofProgress:
    """Progress of a proof search."""

    nodes: int  # positions searched so far
    seconds: float
    attacker: str  # "X" or "O", whose win is being searched for
    moves: int  # of the position, moves or replies to the first move that are not settled yet
    proof: int  # the numbers of the search: the attacker is proved to win at proof 0,
    disproof: int  # and proved not to at disproof 0
    resists: int | None = None  # a cell: the reply to the first move that is searched now


Watcher = Callable[[ProofProgress], None]


@dataclass(frozen=True, eq=False)
class Proof:
    """The result of a proof search from a position."""

    rules: Rules
    board: Boards  # the position (cells,), seen by the side to move
    value: int | None  # for X under perfect play: 1, 0 or -1; None if the nodes ran out
    at_least: int  # bounds on the value; -1 and 1 if nothing is known
    at_most: int
    nodes: int  # positions searched
    seconds: float  # search time, without compile time
    prover: "Prover" = field(repr=False)

    def save(self, path: str | Path) -> int:
        """Write the proof to a file that `tttenv.check_proof` verifies, and return its length.

        An existing file is replaced, missing folders are created. The length is in integers.

        Raises:
            ValueError: if the value is not proved.
        """
        if self.value is None:
            raise ValueError(
                f"nothing is proved for {self.rules} after {self.nodes:,} nodes: there is no proof"
                " to save"
            )
        from tttenv.proofs import proof_file, recording  # which a search alone does not need

        claims = {}
        for attacker, says in proof_file.CLAIMS[self.value].items():
            if attacker == "O" and not self.board.any():
                none = np.zeros(0, np.int16)
                claims[attacker] = proof_file.Claim(proof_file.STEALING, none, 0)
            elif says == proof_file.WINS:
                recorder = self.prover.recorded_win(self.board, attacker)
                numbers = np.array(recorder.numbers, np.int16)
                claims[attacker] = proof_file.Claim(says, numbers, recorder.positions)
            else:
                search = self.prover.searches[attacker]
                made = recording.recorded_hold(search, self.rules, self.board, attacker)
                numbers = made.numbers[: made.length[0]].copy()
                claims[attacker] = proof_file.Claim(says, numbers, int(made.written[0]))
        proof_file.write(Path(path), self.rules, self.board, self.value, claims)
        return sum(claim.numbers.size for claim in claims.values())


class Prover:
    """Runs proof searches from positions of one game, which share their tables."""

    def __init__(self, rules: Rules, memory: int = MEMORY) -> None:
        """Create a prover with empty tables of at most `memory` bytes.

        Raises:
            ValueError: for a game in which a completed line does not win.
        """
        require_line_wins(rules, "a proof search")
        self.rules, self.memory = rules, memory
        self.searches = {side: self._search(FIRST_PLACES) for side in SIDES}
        self._quiet: dict[str, QuietSearch] = {}
        self._parts: dict[str, list[Part]] = {side: [] for side in SIDES}

    def use(self, file: Path) -> None:
        """Use the proof that a side, to move, wins a position: it is not searched again.

        Raises:
            ValueError: for a file without such a proof of this game, or with a wrong one.
        """
        from tttenv.proofs.checker import checked
        from tttenv.proofs.proof_file import WINS, read
        from tttenv.proofs.recording import Part

        checked(file)
        content = read(file)
        mover = SIDES[int(content.rules.seat(content.board))]
        for side, claim in content.claims.items():
            if content.rules != self.rules or claim.says != WINS or side != mover:
                raise ValueError(f"{shown(file)} does not prove a win of {self.rules} by a move")
            group = max(0, -int(claim.numbers[0]))  # more stones of the other side, at the start
            board = content.board.copy()
            board[claim.numbers[1 : 1 + group]] = -1
            numbers = claim.numbers[1 + group if group else 0 :]
            self._parts[side].append(Part(board, numbers, claim.positions))
            self.quiet(side).take(board)

    def prove(
        self,
        board: ArrayLike | None = None,
        nodes: int | None = None,
        watch: Watcher | None = None,
    ) -> Proof:
        """Search for the value of a position, or bounds on it.

        Args:
            board: the position (cells,), seen by the side to move; None for the empty board.
            nodes: the maximum number of positions to search; None for no limit.
            watch: called with the progress of the search about ten times a second.

        Returns:
            The result, whose value is None if the nodes ran out.

        Raises:
            ValueError: for a board that is unreachable or finished, or nodes below 1.
        """
        position = self.rules.start() if board is None else self.rules.check(board)
        if nodes is not None:
            integers_from(1, nodes=nodes)
        clock, before = Stopwatch(), self._nodes()
        wins: dict[str, bool | None] = {"X": None, "O": None if position.any() else False}
        try:
            for attacker in self._open_questions(wins, position):  # it may be known
                wins[attacker] = self._continue(position, attacker, 1)
            left = {side: self._quiet_nodes(position, side, nodes) for side in SIDES}
            charged = dict.fromkeys(SIDES, 0)  # nodes used; the less likely side pays more
            while trying := [s for s in self._open_questions(wins, position) if left[s] > 0]:
                attacker = min(trying, key=charged.__getitem__)
                start = self._nodes()
                won = self._quiet_slice(position, attacker, min(SLICE, left[attacker]))
                used = max(1, self._nodes() - start)
                left[attacker] -= used
                charged[attacker] += used if attacker == trying[0] else used * WAITS
                if won is not None:
                    wins[attacker], left[attacker] = won or None, 0
                if watch is not None:
                    spent = self._nodes() - before
                    watch(self._quiet_progress(attacker, spent, clock.seconds))
            while (turns := self._open_questions(wins, position)) and (
                nodes is None or self._nodes() - before < nodes
            ):
                for attacker in turns:
                    more = SLICE if nodes is None else nodes - (self._nodes() - before)
                    if more < 1:
                        break
                    wins[attacker] = self._continue(position, attacker, min(SLICE, more))
                    if watch is not None:
                        spent = self._nodes() - before
                        watch(self._progress(attacker, spent, clock.seconds))
        finally:  # also after Ctrl-C: the tables keep all that was found
            for search in self.searches.values():
                search_kernel.leave(search)
        at_least = 1 if wins["X"] else 0 if wins["O"] is False else -1
        at_most = -1 if wins["O"] else 0 if wins["X"] is False else 1
        return Proof(
            rules=self.rules,
            board=position,
            value=at_least if at_least == at_most else None,
            at_least=at_least,
            at_most=at_most,
            nodes=self._nodes() - before,
            seconds=clock.seconds,
            prover=self,
        )

    def _open_questions(self, wins: dict[str, bool | None], position: Boards) -> str:
        """Return the sides that may still be proved to win, the side to move first."""
        if True in wins.values():
            return ""
        order = SIDES if int(self.rules.seat(position)) == 0 else SIDES[::-1]
        return "".join(side for side in order if wins[side] is None)

    def _continue(self, position: Boards, attacker: str, nodes: int) -> bool | None:
        """Return whether the attacker wins, or None if `nodes` nodes do not decide it."""
        search = self.searches[attacker]
        stop = int(search.nodes[0]) + nodes
        first = ATTACKER  # a search that is continued knows whose move it is
        if search.ply[0] == search_kernel.NOT_STARTED:
            first = search_kernel.start(search, self.rules, position, attacker)
        while True:
            left = stop - int(search.nodes[0])
            state = search_kernel.search(search, first, left, self._entries(attacker), False)
            if state != search_kernel.OPEN:
                return bool(state == search_kernel.ATTACKER_WINS)
            if int(search.nodes[0]) >= stop:
                return None
            search = self._grow(attacker)

    def _search(self, places: int) -> search_kernel.ProofSearch:
        table = new_proof_table(places, self.rules.cells)
        return search_kernel.new_proof_search(self.rules, table)

    def _entries(self, attacker: str) -> int:
        """Return the number of entries at which to double the attacker's table."""
        each = entry_bytes(self.rules.cells)
        places = {side: search.table.entries.size for side, search in self.searches.items()}
        during = sum(places.values()) + 2 * places[attacker]  # both tables, while it is copied
        room = self.memory - len(self._quiet) * (self.memory // 4)  # those have a share each
        return places[attacker] // 4 if during * each <= room else UNLIMITED

    def _grow(self, attacker: str) -> search_kernel.ProofSearch:
        """Double the size of the table in the attacker's search."""
        old = self.searches[attacker]
        new = new_proof_table(2 * old.table.entries.size, self.rules.cells)
        copy_entries(old.table, new)
        self.searches[attacker] = replace(old, table=new)
        return self.searches[attacker]

    def _nodes(self) -> int:
        quiet = sum(search.nodes for search in self._quiet.values())
        return quiet + sum(int(search.nodes[0]) for search in self.searches.values())

    def quiet(self, attacker: str) -> "QuietSearch":
        """Return the search of a side for wins by quiet moves and threats."""
        if attacker not in self._quiet:
            from tttenv.proofs.quiet_moves import QuietSearch  # which draws do not need

            self._quiet[attacker] = QuietSearch(self.rules, self.memory // 4)
        return self._quiet[attacker]

    def recorded_win(self, position: Boards, attacker: str) -> "WinRecorder":
        """Record the proof that a side wins a position (cells,), seen by the side to move.

        Raises:
            ValueError: if the searches do not hold the proof.
        """
        from tttenv.proofs.recording import WinRecorder

        recorder = WinRecorder(self.quiet(attacker), self.searches[attacker], self._parts[attacker])
        if SIDES[int(self.rules.seat(position))] == attacker:
            recorder.attack(position)
        else:
            recorder.replies(-position)
        return recorder

    def _quiet_nodes(self, position: Boards, attacker: str, nodes: int | None) -> int:
        """Return how many nodes the search for quiet moves gets before the one of all moves.

        Where the lines that are open to the attacker are many times what pairs of cells could
        answer, the other search would not end.
        """
        side = 1 if SIDES[int(self.rules.seat(position))] == attacker else -1
        held = side * position[self.rules.lines]
        potential = (2.0 ** (held == 1).sum(axis=1))[(held >= 0).all(axis=1)].sum()
        ratio = potential / 2**self.rules.k
        if ratio > OPEN_LINES:
            return UNLIMITED if nodes is None else nodes // 2
        limit = QUIET_NODES if nodes is None else min(QUIET_NODES, nodes // 8)
        return limit if ratio > FEW_LINES and limit >= FEWEST_NODES else 0

    def _quiet_slice(self, position: Boards, attacker: str, nodes: int) -> bool | None:
        """Return whether quiet moves and threats win, None if so many nodes do not decide it."""
        attacks = SIDES[int(self.rules.seat(position))] == attacker
        return self.quiet(attacker).search(position if attacks else -position, attacks, nodes)

    def _quiet_progress(self, attacker: str, nodes: int, seconds: float) -> ProofProgress:
        quiet = self.quiet(attacker)
        left, resists = quiet.progress()
        root = quiet.root
        return ProofProgress(nodes, seconds, attacker, left, root.proof, root.disproof, resists)

    def _progress(self, attacker: str, nodes: int, seconds: float) -> ProofProgress:
        root = self.searches[attacker].frames.of[0]
        moves, proof, disproof = (int(root[name]) for name in ("moves", "proof", "disproof"))
        return ProofProgress(nodes, seconds, attacker, moves, proof, disproof)


def prove(rules: Rules, board: ArrayLike | None = None, nodes: int | None = None) -> Proof:
    """Prove the value of a position for X under perfect play: 1, 0 or -1.

    Args:
        rules: the game.
        board: the position (cells,), seen by the side to move; None for the empty board.
        nodes: the maximum number of positions to search; if they run out, the value is None. None
            for no limit: on large boards the search may then take forever.

    Returns:
        The result, which can be saved as a proof.

    Raises:
        ValueError: for a board that is unreachable or finished, or nodes below 1.
    """
    return Prover(rules).prove(board, nodes)


KNOWN_WORK = 6_000_000  # cells looked at for a known value: nodes times the board's cells
KNOWN_MEMORY = 2**28  # bytes of the tables for it


@lru_cache(maxsize=256)
def known_value(rules: Rules) -> int | None:
    """Return a game's value for X (1, 0 or -1) if it can be proved within seconds, else None.

    Games small enough to enumerate are solved. The search has a limit of nodes instead of seconds,
    so that the answer is the same on every machine.
    """
    if enumerable(rules):
        return solve(rules).value
    return Prover(rules, KNOWN_MEMORY).prove(nodes=KNOWN_WORK // rules.cells).value
