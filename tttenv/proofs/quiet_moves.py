"""Search for wins that need quiet moves, after which the attacker only threatens to win by threats.

A proof-number search (Allis, van der Meulen and van den Herik, 1994) over the attacker's quiet
moves; `tttenv.proofs.threats_kernel` judges every position of his, and proves the win after a pass
of the defender, whose zone holds the replies to follow. Moves that won with the same stones of the
attacker are tried before a position is searched, and again whenever a new one is found. The replies
that refuted such moves most often are judged first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
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
WIDTH = 4  # quiet moves tried in a position at first, those on the strongest lines
PASS = 1_500  # nodes after a pass at first
WIDENINGS = 3  # times that twice as many moves are tried, if none is left or after some visits
DEEPER = 3  # factor of the nodes after a pass, each time
WIDEN = 40  # visits before the first time; four times as many before each other
AGAIN = 10  # proof number of a position without a move left; twice as large after each time
REPLY, FIRST = 200, 10_000  # after a reply or in a replay, and once for each position
FEW = 2  # stones of the attacker, with which all replies may have to be answered
LATER = 2_000  # proof number of another move than the strongest, with so few stones
UNANSWERED = 10  # replies to a quiet move that are searched at a time
COUNTED = 4  # stones of the attacker, up to which all replies are searched at a time
FORCED = 8  # replies, up to which a move is forcing
PRICE = 7  # added to the proof number of a forcing move, which looks cheaper than it is
HARDEST = 30  # first proof number of a reply, at most
FIRST_PROOF = 9.4  # constant term of its logarithm to base 2
STONE = 0.6  # coefficient of the number of the attacker's stones
OURS = (0, 0, -0.6, -0.44, -0.17, 0)  # of his open lines, by the stones that they lack
OTHERS = (0, 0, 0.78, 0.2, 0, 0)  # of the defender's
DISPROOF = -0.54  # of the logarithm of the disproof number of the search for threats
SHARE = 4  # divides the proof numbers of all replies but the hardest
REPLAYS = 300  # positions of a replay
REMEMBERED = 6  # moves for each set of the attacker's stones
EMPTY = 0.01  # strength of a line without stones
STRONGEST = 1_000  # strength that no lines give
ROUND = 200  # visits of each reply in the first round, if every reply has to be answered
PATIENCE = 20  # visits of a quiet move that weigh as much as one more proof number


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
    waiting: list[int] = field(default_factory=list)  # replies that are not judged yet
    price: int = 0  # part of the proof number, until the position is decided
    widened: int = 0  # times that more quiet moves were listed
    passed: int = 0  # nodes after a pass that proved no win, if the move was given up for that
    news: int = 0  # moves that had been learned with its stones when they were last replayed
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
        self._remembered = 0  # won positions that were kept when others were forgotten
        self._given: set[bytes] = set()  # positions whose wins are proved elsewhere
        self.moves: dict[bytes, int | None] = {}  # of won positions, by image; None for threats
        self._won_with: dict[bytes, list[int]] = defaultdict(list)
        self._news: Counter[bytes] = Counter()  # times that the first of those changed
        self._refuted: dict[bytes, Counter[int]] = defaultdict(Counter)
        self._nodes: dict[bytes, Node] = {}
        self.root = Node(rules.start(), True)
        self._maps = maps(rules)
        rows, columns = np.divmod(np.arange(rules.cells), rules.n)
        self._steps = np.stack([rows[:, None] - rows, columns[:, None] - columns])
        self._away: NDArray[np.int64] = np.abs(self._steps).max(axis=0)
        outwards = np.maximum(np.abs(2 * rows - rules.m + 1), np.abs(2 * columns - rules.n + 1))
        self._outwards: NDArray[np.float64] = EMPTY * outwards / (2 * rules.cells)

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
        """Return what the searches found, to be saved: positions won by quiet moves, and these."""
        won = {key: cell for key, cell in self.moves.items() if cell is not None}
        boards = np.frombuffer(b"".join(won), np.int8).reshape(-1, self.rules.cells)
        return {"won": boards.copy(), "moves": np.array([*won.values()], np.int16)}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `found` returned."""
        for board, cell in zip(saved["won"], saved["moves"].tolist(), strict=True):
            for one in self._maps:
                self._keep(board[one], int(np.flatnonzero(one == cell)[0]))

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
            while node.children and not (node.attacks and self._improves(node)):
                node.visits += 1
                node = min(node.children, key=_order(node))
            if not node.opened:
                node.visits += 1
                if node.attacks:
                    self._open_attack(node)
                else:
                    self._open_replies(node, PASS)
            elif node.attacks and not node.children and node.proof > 0:
                node.visits += 1
                self._widen(node)
            self._update(node)
        return root.proof == 0

    def _improves(self, node: Node) -> bool:
        """Replay new moves or widen an attacker's position, if due; return whether it changed."""
        stones = stones_of(node.board)
        if node.news < self._news[stones]:
            node.news = self._news[stones]
            if self._replays(node.board, [REPLAYS]):
                node.settle(True)
                return True
        wider = node.widened < WIDENINGS and node.visits >= WIDEN << 2 * node.widened
        if wider:
            self._widen(node)
        return wider

    def _widen(self, node: Node) -> None:
        """Try twice as many quiet moves in a position."""
        node.widened += 1
        self._try_moves(node, self.candidates(node.board, WIDTH << node.widened))

    def _expected(self, board: Boards) -> int:
        """Return a first proof number for the position that threats were last found not to win.

        Its logarithm is a linear function of the attacker's stones, both sides' open lines and the
        disproof number, fitted to the nodes that the searches of 3,150 positions of 15,15,5 took.
        """
        mine, theirs = self._counts(board)
        ours, others = (theirs == 0) & (mine > 0), (mine == 0) & (theirs > 0)
        doublings = FIRST_PROOF + STONE * np.count_nonzero(board == 1)
        doublings += np.take(OURS, self.rules.k - mine[ours], mode="clip").sum()
        doublings += np.take(OTHERS, self.rules.k - theirs[others], mode="clip").sum()
        doublings += DISPROOF * np.log2(1 + int(self.threats.frames[0]["disproof"]))
        return int(np.clip(2**doublings, 1, HARDEST))

    def _forget(self) -> Node:
        """Forget the tree, and the positions that threats win; return a new root.

        Without a new win since the last time all would come as before: then there is more room.
        """
        kept = {key: cell for key, cell in self.moves.items() if cell is not None}
        more = 1 if len(kept) > self._remembered else 2
        self._room = max(more * self._room, 4 * len(kept))
        self._remembered = len(kept)
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
        child = min(node.children, key=_order(node))
        cells = np.flatnonzero(child.board != node.board)
        return len(node.children) + len(node.waiting), int(cells[0])

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
        stones = stones_of(board)
        known = self._won_with[stones]
        self._news[stones] += cell not in known[:2]
        known[:] = [cell, *(other for other in known if other != cell)][:REMEMBERED]

    def _open_attack(self, node: Node) -> None:
        """Judge a position of the attacker, and list his quiet moves if it is not decided."""
        board = node.board
        node.news = self._news[stones_of(board)]
        if self._replays(board, [REPLAYS]) or self._won(board, FIRST):
            node.settle(True)
            return
        set_position(self.threats, board, 0)
        wanted = immediate(self.threats)[2]
        node.opened = True
        if wanted == NONE:
            self._try_moves(node, self.candidates(board))
        else:
            node.widened = WIDENINGS
            self._try_moves(node, [] if wanted == SEVERAL else [int(wanted)])

    def _try_moves(self, node: Node, cells: list[int]) -> None:
        """Add quiet moves to a position of the attacker, until one wins at once."""
        nodes = PASS * DEEPER**node.widened
        for cell in cells:
            after = self._node(with_stones(node.board, (cell,), 1), False, node)
            if 0 < after.passed < nodes:
                after.opened, after.disproof, after.passed = False, 1, 0
            few = (after.board == 1).sum() <= FEW
            if few and node.children and not after.opened:
                after.proof = LATER
            elif not after.opened:
                self._open_replies(after, nodes)
            if after.disproof > 0 and after not in node.children:
                node.children.append(after)
            if after.proof == 0:
                break

    def candidates(self, board: Boards, width: int = WIDTH) -> list[int]:
        """Return the quiet moves to try on a board (cells,), the attacker to move, best first."""
        weights = np.where(board == 0, self._weights(board), 0)
        strongest = np.argsort(-weights, kind="stable")[:width]
        cells = [int(cell) for cell in strongest if weights[cell] > 0]
        known = self._won_with[stones_of(board)]
        return cells + [cell for cell in known if board[cell] == 0 and cell not in cells]

    def _open_replies(self, node: Node, nodes: int) -> None:
        """List and judge the defender's replies to a quiet move, or give the move up."""
        replies = self.replies(node.board, nodes)
        if replies is None:
            node.settle(False)
            node.passed = nodes
        else:
            node.opened, node.waiting = True, replies
            node.price = PRICE if len(replies) <= FORCED else 0
            self._judge(node)
            self._weigh(node)

    def replies(self, board: Boards, nodes: int = PASS) -> list[int] | None:
        """Return the replies that the attacker has to answer, or None if his move is given up.

        At most `nodes` are spent on a win by threats after the defender passes.
        """
        set_position(self.threats, board, 0)
        first, second, theirs = immediate(self.threats)
        if theirs != NONE:
            return None
        if first != NONE:
            return [] if second != NONE else [int(first)]
        if defender_wins(self.threats):
            return None
        zone = board == 0
        if self.threats_prove(board, nodes, 1):
            zone &= sets.as_mask(self.threats.zones[0], board.size)
        elif (board == 1).sum() > FEW:
            return None
        away = self._away[board == 1].min(axis=0)
        weights, refuted = self._weights(board), self._refuted[stones_of(board)]
        cells = np.flatnonzero(zone).tolist()
        return sorted(cells, key=lambda cell: (-refuted[cell], -weights[cell], away[cell]))

    def _counts(self, board: Boards) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the stones of the attacker and of the defender on each line."""
        held = board[self.rules.lines]
        return (held == 1).sum(axis=1), (held == -1).sum(axis=1)

    def _weights(self, board: Boards) -> NDArray[np.float64]:
        """Return the strength of each cell: of the lines through it that one side has stones on.

        Of all cells diagonally next to an attacker's only stone, the one farthest from the defender
        is the strongest, or the nearest if the defender touches that stone.
        """
        mine, theirs = self._counts(board)
        weights = np.where(theirs == 0, np.where(mine > 0, 4.0**mine, EMPTY), 0)
        weights += np.where((mine == 0) & (theirs > 0), 4.0**theirs / 2, 0)
        spread = np.repeat(weights, self.rules.k)
        strength = -self._outwards
        if (board == 1).sum() == 1:
            down, right = np.abs(self._steps[:, :, board == 1])
            far = np.hypot(*self._steps[:, :, board == -1]).min(axis=1, initial=board.size)
            if far[board == 1] < 2:  # they touch
                far = board.size - far
            beside = (down == 1) & (right == 1)
            strength += STRONGEST * far * beside.ravel()
        np.add.at(strength, self.rules.lines.ravel(), spread)
        return strength

    def _judge(self, node: Node) -> None:
        """Judge replies that wait, until some are left to be searched."""
        searched = 0
        most = node.board.size if (node.board == 1).sum() <= COUNTED else UNANSWERED
        while node.waiting and searched < most:
            reply = node.waiting.pop(0)
            board = with_stones(node.board, (reply,), -1)
            if not self._won(board, REPLY):
                self._refuted[stones_of(node.board)][reply] += 1
                searched += 1
                child = self._node(board, True, node)
                if not child.opened:
                    child.proof = self._expected(child.board)
                node.children.append(child)

    def _weigh(self, node: Node) -> bool:
        """Compute the numbers of a position from those after its moves; return if they change."""
        before = node.proof, node.disproof
        if node.proof == 0 or node.disproof == 0 or not node.opened:
            return not node.opened
        if node.attacks:
            node.children = [child for child in node.children if child.disproof > 0]
            best = min(node.children, key=_first_proof, default=None)
            if best is not None and best.proof == 0:
                self._keep(node.board, int(np.flatnonzero(best.board != node.board)[0]))
                node.settle(True)
            elif best is not None:
                node.proof = best.proof
                most = max(child.disproof for child in node.children)
                node.disproof = min(INFINITY - 1, most + len(node.children) - 1)
            elif node.widened < WIDENINGS:
                node.proof, node.disproof = AGAIN << node.widened, 1
            else:
                node.settle(False)
        else:
            node.children = [child for child in node.children if child.proof > 0]
            while node.waiting and len(node.children) < 3:
                self._judge(node)
            if any(child.disproof == 0 for child in node.children):
                node.settle(False)
            elif not node.children:
                node.settle(True)
            else:
                most = max(child.proof for child in node.children)
                others = sum(child.proof for child in node.children) - most
                more = -(-len(node.waiting) // UNANSWERED)
                node.proof = min(INFINITY - 1, most + others // SHARE + more + node.price)
                node.disproof = min(child.disproof for child in node.children)
        return (node.proof, node.disproof) != before

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
        if self._won(board, REPLY):
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
            if not self._replays(with_stones(after, (reply,), -1), left):
                self._refuted[stones_of(after)][reply] += 1
                return False
        return True


def with_stones(board: Boards, cells: tuple[int, ...], side: int) -> Boards:
    """Return the board with stones of a side on some more cells."""
    after = board.copy()
    after[list(cells)] = side
    return after


def stones_of(board: Boards) -> bytes:
    """Return the attacker's stones, as a key."""
    return bytes((board == 1).tobytes())


def _order(node: Node) -> Callable[[Node], tuple[float, int]]:
    """Return the order in which the moves of a position are searched."""
    if node.attacks:
        return _least_work
    return _hardest if (node.board == 1).sum() > FEW else _in_rounds


def _in_rounds(node: Node) -> tuple[float, int]:
    """Order replies by rounds: each is visited `ROUND` times, then twice, four times as often."""
    return (node.visits // ROUND).bit_length(), 0


def _first_proof(node: Node) -> tuple[int, int]:
    return node.proof, node.disproof


def _least_work(node: Node) -> tuple[float, int]:
    """Order quiet moves by proof number and visits: one that keeps looking near must not last."""
    return node.proof + node.visits / PATIENCE, node.disproof


def _hardest(node: Node) -> tuple[float, int]:
    """Order replies: the one that a quiet move is most likely to fail against comes first."""
    return -node.proof, node.disproof
