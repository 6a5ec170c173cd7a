"""Slow reference for the rules and solutions in plain Python, written from the rules alone.

A board is a text such as "OOX_X_X__", X opens, and rules are a tuple (m, n, k).
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

SMALL = [(3, 3, 3), (2, 2, 2), (2, 3, 2), (3, 3, 2), (1, 2, 2), (1, 5, 3), (2, 5, 4)]
RULES = SMALL + [(3, 4, 3), (4, 3, 3), (6, 2, 5), (5, 5, 4), (19, 19, 5)]

Rules = tuple[int, int, int]
Table = dict[str, list[Any]]  # a player: for each board with a move, a probability a cell


def spell(rules: Rules) -> str:
    """Return the rules as a test's id."""
    return ",".join(map(str, rules))


@lru_cache(maxsize=1 << 18)
def mover(board: str) -> str:
    return "X" if board.count("X") == board.count("O") else "O"


def put(board: str, cell: int) -> str:
    assert board[cell] == "_"
    return board[:cell] + mover(board) + board[cell + 1 :]


def view(board: str) -> list[int]:
    """Return a board in the view of the side to move: 1 mine, -1 theirs, 0 empty."""
    return [0 if mark == "_" else 1 if mark == mover(board) else -1 for mark in board]


@lru_cache(maxsize=64)
def windows(rules: Rules) -> list[tuple[int, ...]]:
    """Return the cells of every line, found by stepping over coordinates."""
    m, n, k = rules
    found = []
    for row, column in ((row, column) for row in range(m) for column in range(n)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + i * down, column + i * right) for i in range(k)]
            if all(0 <= r < m and 0 <= c < n for r, c in line):
                found.append(tuple(r * n + c for r, c in line))
    return found


def winner(rules: Rules, board: str) -> str | None:
    """Return X or O if it has a line, "_" if the board is full, None while the game goes on."""
    for line in windows(rules):
        if board[line[0]] != "_" and len({board[cell] for cell in line}) == 1:
            return board[line[0]]
    return None if "_" in board else "_"


def random_game(rules: Rules, seed: int) -> tuple[list[str], list[int]]:
    """Return the boards and the moves of a game of random moves."""
    rng = random.Random(seed)
    boards, cells = ["_" * rules[0] * rules[1]], []
    for cell in rng.sample(range(len(boards[0])), len(boards[0])):
        cells.append(cell)
        boards.append(put(boards[-1], cell))
        if winner(rules, boards[-1]):
            break
    return boards, cells


class Game:
    """Whole game: `boards` ply by ply, `after[board]` by cell, `result` of finished boards."""

    def __init__(self, rules: Rules) -> None:
        self.boards = ["_" * rules[0] * rules[1]]
        self.after: dict[str, dict[int, str]] = {}
        self.result: dict[str, str] = {}
        self.solved: dict[str, tuple[int, int]] = {}  # by `perfect`, once
        for board in self._spreading():
            result = winner(rules, board)
            if result:
                self.result[board] = result
            empty = [] if result else [c for c, mark in enumerate(board) if mark == "_"]
            self.after[board] = {cell: put(board, cell) for cell in empty}
        self.decisions = [board for board in self.boards if board not in self.result]

    def _spreading(self) -> Iterator[str]:
        layer = self.boards[:]
        while layer:
            yield from layer
            layer = list(dict.fromkeys(b for board in layer for b in self.after[board].values()))
            self.boards += layer

    def table(self, policy: Callable[[Any], Any]) -> Table:
        """Return the output of a policy on arrays for every board with a move."""
        answers = policy(np.array([view(board) for board in self.decisions], np.int8))
        return dict(zip(self.decisions, answers.tolist(), strict=True))

    def player(self, table: Table) -> Callable[[Any], Any]:
        """Return the policy on arrays that plays by a table."""
        rows = {tuple(view(board)): probs for board, probs in table.items()}
        width = len(self.boards[0])
        return lambda boards: np.array([rows[tuple(b)] for b in boards.tolist()]).reshape(-1, width)

    def uniform(self) -> Table:
        """Return the random player, in fractions."""
        share = {b: Fraction(1, len(self.after[b])) for b in self.decisions}
        return {b: [share[b] * (mark == "_") for mark in b] for b in self.decisions}

    def random_table(self, seed: int, parts: int = 16) -> Table:
        """Return a player of random probabilities, multiples of 1 / parts; pure for parts 1."""
        rng, table = random.Random(seed), {}
        for board in self.decisions:
            cells = list(self.after[board])
            drawn = rng.choices(cells, [rng.random() ** 2 for _ in cells], k=parts)
            table[board] = [drawn.count(cell) / parts for cell in range(len(board))]
        return table

    def odds(self, x: Table, o: Table) -> dict[str, tuple[Any, Any, Any]]:
        """Return the probabilities from each board that X wins, nobody wins and O wins."""
        found: dict[str, tuple[Any, Any, Any]] = {}
        for board in reversed(self.boards):
            if board in self.result:
                found[board] = tuple(int(self.result[board] == mark) for mark in "X_O")
                continue
            weight = (x if mover(board) == "X" else o)[board]
            parts = [(weight[cell], found[b]) for cell, b in self.after[board].items()]
            if not any(w for w, _ in parts):  # it forfeits
                parts = [(1, tuple(int(mover(board) != mark != "_") for mark in "X_O"))]
            found[board] = tuple(sum(w * part[i] for w, part in parts) for i in range(3))
        return found

    def worst_case(self, table: Table, seat: str) -> Any:
        """Return the value of the player in `seat` (a win 1, a loss -1) in the worst case."""
        found: dict[str, Any] = {}
        for board in reversed(self.boards):
            if board in self.result:
                found[board] = {"_": 0, seat: 1}.get(self.result[board], -1)
            elif mover(board) == seat:
                moves = self.after[board].items()
                chances = [(table[board][cell], found[b]) for cell, b in moves]
                found[board] = sum(p * v for p, v in chances) if any(table[board]) else -1
            else:
                found[board] = min(found[b] for b in self.after[board].values())
        return found[self.boards[0]]

    def perfect(self) -> dict[str, tuple[int, int]]:
        """Return the value for the side to move and plies to the end: fast wins, slow losses."""
        found = self.solved
        for board in reversed([] if found else self.boards):
            if board in self.result:
                found[board] = (0 if self.result[board] == "_" else -1, 0)
                continue
            moves = [(-found[b][0], found[b][1] + 1) for b in self.after[board].values()]
            found[board] = max(moves, key=lambda move: (move[0], -move[0] * move[1]))
        return found

    def worth(self, board: str, cell: int) -> tuple[int, int]:
        """Return a move's value for its side, and the winner's stones until the end.

        Both sides play perfectly after it; the move's own stone counts; 0 for a draw.
        """
        perfect, end = self.perfect(), self.after[board][cell]
        while end not in self.result:
            best = (-perfect[end][0], perfect[end][1] - 1)
            end = next(after for after in self.after[end].values() if perfect[after] == best)
        won = self.result[end]
        stones = 0 if won == "_" else end.count(won) - board.count(won)
        return -perfect[self.after[board][cell]][0], stones

    def shortest_loss(self, table: Table, seat: str, least: float) -> list[int] | None:
        """Return the shortest game lost in `seat` by moves likelier than `least`, breadth first.

        Of the shortest the likeliest, of these the first in reading order.
        """
        layer: dict[str, tuple[Fraction, list[int]]] = {self.boards[0]: (Fraction(-1), [])}
        while layer:
            lost = [way for b, way in layer.items() if self._lost(table, seat, b)]
            if lost:
                return min(lost)[1]
            following: dict[str, tuple[Fraction, list[int]]] = {}
            for board, (chance, line) in layer.items():
                for cell, b in self.after[board].items():
                    p = table[board][cell] if mover(board) == seat else 1
                    if p > least:
                        way = (chance * exactly(p), [*line, cell])
                        following[b] = min(following.get(b, way), way)
            layer = following
        return None

    def _lost(self, table: Table, seat: str, board: str) -> bool:
        if board in self.result:
            return self.result[board] not in (seat, "_")
        return mover(board) == seat and not any(table[board])


@lru_cache(maxsize=1 << 16)
def exactly(p: float) -> Fraction:
    """Return the simple fraction closest to a float, so that equal probabilities tie."""
    return Fraction(p).limit_denominator(10**9)


@lru_cache(maxsize=16)
def game(rules: Rules) -> Game:
    """Return the whole game, cached."""
    return Game(rules)


@lru_cache(maxsize=16)
def standards(rules: Rules) -> tuple[Table, Table, Table, int]:
    """Return each board's optimal cells, and the tables of the perfect and the random player."""
    every, perfect = game(rules), game(rules).perfect()
    optimal = {
        board: [c in to and perfect[to[c]][0] == -perfect[board][0] for c in range(len(board))]
        for board, to in every.after.items()
    }
    ideal = {b: [ok / sum(optimal[b]) for ok in optimal[b]] for b in every.decisions}
    evenly = {b: [float(p) for p in row] for b, row in every.uniform().items()}
    return optimal, ideal, evenly, perfect[every.boards[0]][0]


def reached(every: Game, table: Table, seat: str) -> set[str]:
    """Return the boards that the player's own moves and any replies lead to."""
    found = {every.boards[0]}
    for board in every.decisions:  # ply by ply
        if board in found:
            own, moves = mover(board) == seat, every.after[board].items()
            found |= {b for cell, b in moves if not own or table[board][cell] > 0}
    return found


def certificate(rules: Rules, table: Table) -> dict[str, Any]:
    """Return the expected certificate of the player, from the definitions alone."""
    every, (optimal, ideal, evenly, value) = game(rules), standards(rules)
    start = every.boards[0]

    def against(other: Table) -> dict[str, list[Any]]:
        as_x, as_o = every.odds(table, other)[start], every.odds(other, table)[start]
        return {"X": list(as_x), "O": list(as_o[::-1])}

    met = {seat: reached(every, table, seat) for seat in "XO"}
    good = {b: [p for p, ok in zip(table[b], optimal[b], strict=True) if ok] for b in table}
    bad = {b: [p for p, ok in zip(table[b], optimal[b], strict=True) if not ok] for b in table}
    given_up = {b for b in table if not any(table[b]) and every.perfect()[b][0] > -1}
    groups = {
        "all": every.decisions,
        "critical": [b for b in every.decisions if sum(optimal[b]) < len(every.after[b])],
        "reached": [b for b in every.decisions if b in met[mover(b)]],
    }
    share = {name: [sum(good[b]) for b in group] for name, group in groups.items()}
    worst = {seat: every.worst_case(table, seat) for seat in "XO"}
    loss = every.shortest_loss
    lines = {s: loss(table, s, 1e-6) or loss(table, s, 0) for s in "XO"}
    return {
        "rules": spell(rules),
        "value": value,
        "vs_random": against(evenly),
        "vs_perfect": against(ideal),
        "worst_case": worst,
        "unbeatable": worst["X"] >= value - 1e-9 and worst["O"] >= -value - 1e-9,
        "optimal_moves": {n: sum(s) / len(s) if s else 1.0 for n, s in share.items()},
        "blunders": sum(max(bad[b], default=0) > 1e-6 or b in given_up for b in table),
        "losing_line": lines,
        "method": "all positions",
        "reached": None,
        "never_loses": {seat: line is None for seat, line in lines.items()},
        "shortest": {seat: None if line is None else True for seat, line in lines.items()},
        "symmetry": None,
    }
