"""Search for wins that need quiet moves, after which the attacker only threatens to win by threats.

A proof-number search (Allis, van der Meulen and van den Herik, 1994) over the attacker's quiet
moves; `tttenv.proofs.threats_kernel` judges every position of his, and proves the win after a pass
of the defender, whose zone holds the replies to follow. Where there is no such win, far replies are
answered in groups: the defender gets the stones of all of them at once. Before a position is
searched, the moves that won with the same stones of the attacker are tried against all replies,
those that refuted them most often first.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import NONE, SEVERAL
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards
from tttenv.proofs import table_kernel as sets
from tttenv.proofs.table_kernel import entry_bytes
from tttenv.proofs.threats_kernel import (
    defender_wins,
    immediate,
    new_threat_search,
    set_position,
    threats_win,
)

PLACES, FEWEST_PLACES = 2**20, 2**10  # in the table of threats, at most and at least
POSITION = 500  # bytes of a position, besides its cells
INFINITY = 1 << 30
WIDTH = 8  # quiet moves tried in a position, those on the strongest lines
FIRST_PASS, PASS = 300, 5_000  # nodes after a pass: at first, and when nothing else is left
REPLY, REPLAYED, FIRST = 600, 600, 10_000  # after a reply, in a replay, and once for each position
FEW = 2  # stones of the attacker, with which all replies may have to be answered
LATER = 2_000  # proof number of another move than the strongest, with so few stones
DEFERRED = 15  # proof number of a quiet move after which no win was found at first
UNANSWERED = 10  # replies to a quiet move that are searched at a time
REPLAYS = 300  # positions of a replay
REMEMBERED = 6  # moves for each set of the attacker's stones
EMPTY = 0.01  # strength of a line without stones
STRONGEST = 1_000  # strength that no lines give
NEAR = 4  # cells from the attacker's stones, up to which every reply has an answer of its own
COLORS = 5  # so many groups of far cells, no two of which are on a line of five
VISITS = 6  # of a group before it is split
PATIENCE = 5  # visits of a quiet move that weigh as much as one more proof number

Reply = tuple[int, ...]  # the cells that the defender gets


@dataclass(slots=True, eq=False)
class Node:
    """A position of the search; its numbers are those of the claim that the attacker wins."""

    board: Boards  # (cells,), on which 1 marks the attacker's stones
    attacks: bool  # whether the attacker is to move
    proof: int = 1
    disproof: int = 1
    opened: bool = False
    children: list["Node"] = field(default_factory=list)
    parents: list["Node"] = field(default_factory=list)
    waiting: list[Reply] = field(default_factory=list)  # replies that are not judged yet
    visits: int = 0

    def settle(self, wins: bool) -> None:
        """Set the numbers of a position that is decided, or given up."""
        self.proof, self.disproof = (0, INFINITY) if wins else (INFINITY, 0)
        self.children, self.waiting, self.opened = [], [], True


class QuietSearch:
    """Searches the wins of one side in one game; what it finds serves its later searches."""

    def __init__(self, rules: Rules, memory: int) -> None:
        """Create a search that takes about `memory` bytes, at most."""
        self.rules = rules
        places = min(PLACES, max(FEWEST_PLACES, memory // 4 // entry_bytes(rules.cells)))
        self.threats = new_threat_search(rules, 1 << (places.bit_length() - 1))
        self._room = memory // 2 // (rules.cells + POSITION)  # positions to be kept
        self._given: set[bytes] = set()  # positions whose wins are proved elsewhere
        self.moves: dict[bytes, int | None] = {}  # of won positions, by image; None for threats
        self.groups: dict[bytes, list[Reply]] = defaultdict(list)  # of positions to be answered
        self._won_with: dict[bytes, list[int]] = defaultdict(list)
        self._refuted: dict[bytes, Counter[int]] = defaultdict(Counter)
        self._nodes: dict[bytes, Node] = {}
        self.root = Node(rules.start(), True)
        self._maps = maps(rules)
        rows, columns = np.divmod(np.arange(rules.cells), rules.n)
        self._rows, self._columns = rows, columns
        self._steps = np.stack([rows[:, None] - rows, columns[:, None] - columns])
        self._away: NDArray[np.int64] = np.abs(self._steps).max(axis=0)
        outwards = np.maximum(np.abs(2 * rows - rules.m + 1), np.abs(2 * columns - rules.n + 1))
        self._outwards: NDArray[np.float64] = EMPTY * outwards / (2 * rules.cells)
        self._color = (rows + 2 * columns) % COLORS

    @property
    def nodes(self) -> int:
        """The number of positions judged so far."""
        return int(self.threats.nodes[0])

    def image(self, board: Boards) -> tuple[bytes, int]:
        """Return the key of a position and of its images, and the map to the one it is made of."""
        images = [board[one].tobytes() for one in self._maps]
        least = min(images)
        return least, images.index(least)

    def move(self, board: Boards) -> int | None:
        """Return the quiet move that is known to win a position, or None."""
        key, at = self.image(board)
        cell = self.moves.get(key)
        return None if cell is None else int(self._maps[at][cell])

    def threats_prove(self, board: Boards, nodes: int, rank: int = 0) -> bool:
        """Return whether threats are proved to win a position, the attacker to move."""
        set_position(self.threats, board, rank)
        return bool(threats_win(self.threats, nodes))

    def found(self) -> dict[str, NDArray[Any]]:
        """Return what the searches found, to be saved: quiet moves that win, groups of replies."""
        won = [(key, cell) for key, cell in self.moves.items() if cell is not None]
        groups = [(key, reply) for key, known in self.groups.items() for reply in known]
        return {
            "won": _boards([key for key, _ in won], self.rules.cells),
            "moves": np.array([cell for _, cell in won], np.int16),
            "answered": _boards([key for key, _ in groups], self.rules.cells),
            "groups": np.array(
                [np.isin(np.arange(self.rules.cells), reply) for _, reply in groups], np.int8
            ).reshape(-1, self.rules.cells),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `found` returned."""
        for board, cell in zip(saved["won"], saved["moves"].tolist(), strict=True):
            for one in self._maps:
                self._keep(board[one], int(np.flatnonzero(one == cell)[0]))
        for board, group in zip(saved["answered"], saved["groups"], strict=True):
            self._group(board, tuple(np.flatnonzero(group).tolist()))

    def search(self, board: Boards, attacks: bool, nodes: int) -> bool | None:
        """Return whether the attacker wins, None if so many nodes do not decide it.

        False only means that the search has no more moves to try. A search of the same position as
        the last one goes on where that was left.
        """
        stop = self.nodes + nodes
        if not self._nodes or not (self.root.board == board).all() or self.root.attacks != attacks:
            self._nodes = {}
            self.root = self._node(board, attacks, None)
        root = self.root
        while root.proof > 0 and root.disproof > 0:
            if self.nodes >= stop:
                return None
            if len(self._nodes) + len(self.moves) > self._room:
                root = self._forget()
            node = root
            while node.children:
                node.visits += 1
                node = min(node.children, key=_least_work if node.attacks else _first_disproof)
            node.visits += 1
            if node.attacks:
                self._open_attack(node)
            else:
                self._open_replies(node, PASS)
            self._update(node)
        return root.proof == 0

    def _forget(self) -> Node:
        """Forget the tree, and the positions that threats win; return a new root."""
        kept = {key: cell for key, cell in self.moves.items() if cell is not None}
        self._room = max(self._room, 4 * len(kept))
        self.moves = kept | dict.fromkeys(self._given)
        self._nodes = {}
        self.root = self._node(self.root.board, self.root.attacks, None)
        return self.root

    def take(self, board: Boards) -> None:
        """Take a board (cells,), the attacker to move, as won: its proof is elsewhere."""
        key = self.image(board)[0]
        self._given.add(key)
        self.moves[key] = None

    def progress(self) -> tuple[int, int | None]:
        """Return how many replies to the first move are left, and the one that is searched now."""
        node = self.root
        if node.attacks and node.children:
            node = min(node.children, key=_first_proof)
        if node.attacks or not node.children:
            return 0, None
        child = min(node.children, key=_first_disproof)
        cells = np.flatnonzero(child.board != node.board)
        return len(node.children) + sum(map(len, node.waiting)), int(cells[0])

    def _node(self, board: Boards, attacks: bool, parent: Node | None) -> Node:
        node = self._nodes.setdefault(board.tobytes() + bytes([attacks]), Node(board, attacks))
        if parent is not None and parent not in node.parents:
            node.parents.append(parent)
        return node

    def _won(self, board: Boards, nodes: int) -> bool:
        """Return whether a position, the attacker to move, is known to be won or threats win."""
        key = self.image(board)[0]
        if key not in self.moves:
            if not self.threats_prove(board, nodes):
                return False
            self.moves[key] = None
        return True

    def _keep(self, board: Boards, cell: int) -> None:
        """Keep the quiet move that wins a position."""
        key, at = self.image(board)
        self.moves[key] = int(np.flatnonzero(self._maps[at] == cell)[0])
        known = self._won_with[stones_of(board)]
        known[:] = [cell, *(other for other in known if other != cell)][:REMEMBERED]

    def _open_attack(self, node: Node) -> None:
        """Judge a position of the attacker, and list his quiet moves if it is not decided."""
        board = node.board
        if self._replays(board, [REPLAYS]) or self._won(board, FIRST):
            node.settle(True)
            return
        set_position(self.threats, board, 0)
        wanted = immediate(self.threats)[2]
        if wanted == NONE:
            cells = self.candidates(board)
        else:
            cells = [] if wanted == SEVERAL else [int(wanted)]
        node.opened = True
        for cell in cells:
            after = self._node(with_stones(board, (cell,), 1), False, node)
            few = (after.board == 1).sum() <= FEW
            if few and node.children and not after.opened:
                after.proof = LATER
            elif not after.opened:
                self._open_replies(after, PASS if few else FIRST_PASS)
            if after.disproof > 0:
                node.children.append(after)
            if after.proof == 0:
                break

    def candidates(self, board: Boards) -> list[int]:
        """Return the quiet moves to try on a board (cells,), the attacker to move, best first."""
        weights = np.where(board == 0, self._weights(board), 0)
        strongest = np.argsort(-weights, kind="stable")[:WIDTH]
        cells = [int(cell) for cell in strongest if weights[cell] > 0]
        known = self._won_with[stones_of(board)]
        return cells + [cell for cell in known if board[cell] == 0 and cell not in cells]

    def _open_replies(self, node: Node, nodes: int) -> None:
        """List the defender's replies to a quiet move, and judge the first of them."""
        replies = self.replies(node.board, nodes)
        if replies is None and nodes < PASS and not self._is_refuted(node.board):
            node.proof = DEFERRED
        elif replies is None:
            node.settle(False)
        else:
            node.opened, node.waiting = True, replies
            self._judge(node)
            self._weigh(node)

    def _is_refuted(self, board: Boards) -> bool:
        """Return whether the defender, to move, wins by threats alone."""
        set_position(self.threats, board, 0)
        return bool(defender_wins(self.threats))

    def replies(self, board: Boards, nodes: int = PASS) -> list[Reply] | None:
        """Return the replies that the attacker has to answer, or None if his move is given up."""
        set_position(self.threats, board, 0)
        first, second, theirs = immediate(self.threats)
        if theirs != NONE:
            return None
        if first != NONE:
            return [] if second != NONE else [(int(first),)]
        if defender_wins(self.threats):
            return None
        zone = np.ones(board.size, bool)
        passes = self.threats_prove(board, nodes, 1)
        if passes:
            zone = sets.as_mask(self.threats.zones[0], board.size)
        elif (board == 1).sum() > FEW:
            return None
        cells = np.flatnonzero(zone & (board == 0))
        away = self._away[board == 1].min(axis=0)
        near = cells[away[cells] <= NEAR] if not passes else cells
        weights, refuted = self._weights(board), self._refuted[stones_of(board)]
        order = sorted(near.tolist(), key=lambda cell: (-refuted[cell], -weights[cell], away[cell]))
        far = cells[away[cells] > NEAR] if not passes else cells[:0]
        groups = [tuple(far[self._color[far] == color].tolist()) for color in range(COLORS)]
        return [*((cell,) for cell in order), *filter(None, groups)]

    def _weights(self, board: Boards) -> NDArray[np.float64]:
        """Return the strength of each cell: of the lines through it that one side has stones on.

        Of all cells diagonally next to an attacker's only stone, the one farthest from the defender
        is the strongest.
        """
        held = board[self.rules.lines]
        mine, theirs = (held == 1).sum(axis=1), (held == -1).sum(axis=1)
        weights = np.where(theirs == 0, np.where(mine > 0, 4.0**mine, EMPTY), 0)
        weights += np.where((mine == 0) & (theirs > 0), 4.0**theirs / 2, 0)
        spread = np.repeat(weights, self.rules.k)
        strength = -self._outwards
        if (board == 1).sum() == 1:
            down, right = np.abs(self._steps[:, :, board == 1])
            far = np.hypot(*self._steps[:, :, board == -1]).min(axis=1, initial=board.size)
            strength += STRONGEST * far * ((down == 1) & (right == 1)).ravel()
        np.add.at(strength, self.rules.lines.ravel(), spread)
        return strength

    def _judge(self, node: Node) -> None:
        """Judge replies that wait, until some are left to be searched."""
        searched = 0
        while node.waiting and searched < UNANSWERED:
            reply = node.waiting.pop(0)
            board = with_stones(node.board, reply, -1)
            if len(reply) > 1:
                self._group(node.board, reply)
            if self._won(board, REPLY):
                continue
            if len(reply) == 1:
                self._refuted[stones_of(node.board)][reply[0]] += 1
            searched += 1
            node.children.append(self._node(board, True, node))

    def _group(self, board: Boards, reply: Reply) -> None:
        """Keep a group of replies to a position, for the record."""
        known = self.groups[board.tobytes()]
        if reply not in known:
            known.append(reply)

    def _weigh(self, node: Node) -> bool:
        """Compute the numbers of a position from those after its moves; return if they change."""
        before = node.proof, node.disproof
        if node.proof == 0 or node.disproof == 0 or not node.opened:
            return not node.opened
        if node.attacks:
            node.children = [child for child in node.children if child.disproof > 0]
            if not node.children:
                node.settle(False)
                return True
            best = min(node.children, key=_first_proof)
            if best.proof == 0:
                self._keep(node.board, int(np.flatnonzero(best.board != node.board)[0]))
                node.settle(True)
                return True
            node.proof = best.proof
            most = max(child.disproof for child in node.children)
            node.disproof = min(INFINITY - 1, most + len(node.children) - 1)
        else:
            self._split_groups(node)
            node.children = [child for child in node.children if child.proof > 0]
            while node.waiting and len(node.children) < 3:
                self._judge(node)
            if any(child.disproof == 0 for child in node.children):
                node.settle(False)
            elif not node.children:
                node.settle(True)
            else:
                total = sum(child.proof for child in node.children)
                more = -(-len(node.waiting) // UNANSWERED)
                node.proof = min(INFINITY - 1, total + more)
                node.disproof = min(child.disproof for child in node.children)
        return (node.proof, node.disproof) != before

    def _split_groups(self, node: Node) -> None:
        """Halve the groups of replies that are too strong together, by their direction."""
        for child in list(node.children):
            hard = child.disproof == 0 or child.visits >= VISITS
            cells = np.flatnonzero(child.board != node.board)
            if child.proof == 0 or len(cells) == 1 or not hard:
                continue
            node.children.remove(child)
            mine = np.flatnonzero(node.board == 1)
            down = self._rows[cells] - self._rows[mine].mean()
            right = self._columns[cells] - self._columns[mine].mean()
            turned = cells[np.argsort(np.arctan2(down, right), kind="stable")].tolist()
            half = len(turned) // 2
            node.waiting += [tuple(turned[:half]), tuple(turned[half:])]

    def _update(self, node: Node) -> None:
        """Compute the numbers of a position and of all that lead to it again, the latest first."""
        changed = {id(node): node}
        while changed:
            last = max(changed.values(), key=lambda each: np.count_nonzero(each.board))
            del changed[id(last)]
            if self._weigh(last) or last is node:
                changed |= {id(parent): parent for parent in last.parents}

    def _replays(self, board: Boards, left: list[int]) -> bool:
        """Return whether moves that won with the same stones win here; `left` counts positions."""
        left[0] -= 1
        if self._won(board, REPLAYED):
            return True
        for cell in self._won_with[stones_of(board)][:2]:
            if board[cell] == 0 and left[0] >= 0 and self._answers_all(board, cell, left):
                self._keep(board, cell)
                return True
        return False

    def _answers_all(self, board: Boards, cell: int, left: list[int]) -> bool:
        """Return whether a quiet move wins a position by replays of all replies."""
        after = with_stones(board, (cell,), 1)
        replies = self.replies(after)
        if replies is None:
            return False
        for reply in replies:
            if left[0] < 0:
                return False
            if len(reply) > 1:
                self._group(after, reply)
            if not self._replays(with_stones(after, reply, -1), left):
                if len(reply) == 1:
                    self._refuted[stones_of(after)][reply[0]] += 1
                return False
        return True


def _boards(keys: list[bytes], cells: int) -> NDArray[np.int8]:
    """Return the boards (boards, cells) that keys are made of."""
    return np.frombuffer(b"".join(keys), np.int8).reshape(-1, cells).copy()


def with_stones(board: Boards, cells: Reply, side: int) -> Boards:
    """Return the board with stones of a side on some more cells."""
    after = board.copy()
    after[list(cells)] = side
    return after


def stones_of(board: Boards) -> bytes:
    """Return the attacker's stones, as a key."""
    return bytes((board == 1).tobytes())


def _first_proof(node: Node) -> tuple[int, int]:
    return node.proof, node.disproof


def _least_work(node: Node) -> tuple[float, int]:
    """Order quiet moves by proof number and visits: one that keeps looking near must not last."""
    return node.proof + node.visits / PATIENCE, node.disproof


def _first_disproof(node: Node) -> tuple[int, int]:
    return node.disproof, node.proof
