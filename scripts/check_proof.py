"""Check a proof with nothing but Python: `python check_proof.py FILE [m,n,k]`.

It walks through the proof, verifies each step on a plain board and never searches; see
docs/reference/proof-format.md. With m,n,k it asks whether a win holds in the middle of that larger
board too. The result is one line, and the exit status is 0 only if the proof holds.
"""

import json
import lzma
import struct
import sys
from collections import Counter, defaultdict
from itertools import compress, product
from typing import Any

KINDS = [f"proof of an m,n,k-game's value, {version}" for version in (3, 4)]
WINS, HELD, STEALING = "wins", "does not win", "does not win: strategy stealing"
DRAW, DRAWS = "a draw", {"X": HELD, "O": HELD}
CLAIMS = {"1": ("X wins", {"X": WINS}), "0": (DRAW, DRAWS), "-1": ("O wins", {"O": WINS})}
POTENTIAL, PAIRS, MOVE, COMPLETES, TWO_THREATS, ANSWER, MOVES = range(7)
ATTACKER, DEFENDER = 1, 32  # stones; their sum on a line tells both numbers, at most 19
MOST, FORGET = 2**31, -(2**15)  # bytes; a number
DIRECTIONS = (0, 1), (1, 0), (1, 1), (1, -1)
IMAGES = (0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (0, 3), (1, 0), (3, 2)


def need(holds: bool) -> None:
    """Refuse the proof unless the condition holds."""
    if not holds:
        raise ValueError


def read(file: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts and the arrays of a safetensors file of int16."""
    with (lzma.open if file.endswith(".xz") else open)(file, "rb") as stream:
        data = stream.read(MOST + 1)
    end = start = 8 + int.from_bytes(data[:8], "little")
    need(start <= len(data) <= MOST and start <= 8 + 2**24)
    header = json.loads(data[8:start].decode())
    about, found = header.pop("__metadata__"), {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        (count,), offsets = entry["shape"], [end - start, end - start + 2 * entry["shape"][0]]
        wanted = {"data_offsets": offsets, "dtype": "I16", "shape": [count]}
        need(json.dumps(entry, sort_keys=True) == json.dumps(wanted))
        found[name] = struct.unpack_from(f"<{count}h", data, end)
        end += 2 * count
    need(end == len(data) and all(type(text) is str for text in about.values()))
    return about, found


def game_of(text: str) -> tuple[int, int, int]:
    """Return the numbers of rules."""
    m, n, k = map(int, text[:20].split(","))
    need(f"{m},{n},{k}" == text and m > 0 and n > 0 and max(m, n) <= 19 and 1 < k <= max(m, n))
    return m, n, k


class Walk:
    """A walk through the numbers of one claim, whose cells lie on some places of a board.

    A method for a position returns its zone, or raises an exception if the numbers prove nothing.
    """

    def __init__(self, game: Any, places: list[int], board: str, attacker: str, numbers: Any):
        (m, n, self.k), self.places, self.numbers = game, places, numbers
        self.at = self.positions = 0
        self.finished: dict[tuple[int, bytes], bytes] = {}  # by rank and image: its zone
        self.stones, self.lines = [0] * (m * n), []
        spots = [(r, c, m - 1 - r, n - 1 - c) for r in range(m) for c in range(n)]
        for (row, column, *_), (down, right) in product(spots, DIRECTIONS):
            line = [(row + i * down, column + i * right) for i in range(self.k)]
            if line[-1][0] < m and 0 <= line[-1][1] < n:
                self.lines.append({row * n + column for row, column in line})
        self.through = [[i for i, line in enumerate(self.lines) if c in line] for c in range(m * n)]
        self.sums = [0] * len(self.lines)
        self.lines_by_sum = defaultdict(set, {0: {*range(len(self.lines))}})
        used = [(row, column) for row, column in IMAGES if m == n or row % 2 == 0]
        self.maps = [[spot[row] * n + spot[column] for spot in spots] for row, column in used]
        for cell, mark in zip(places, board, strict=True):
            self._place(cell, {"_": 0, attacker: ATTACKER}.get(mark, DEFENDER))

    def claim(self, says: str, first: bool) -> None:
        """Verify a claim about the attacker, who moves first or not: neither side has a line."""
        need(not self.lines_by_sum[ATTACKER * self.k] and not self.lines_by_sum[DEFENDER * self.k])
        if says == HELD:
            self.hold(int(first))
        elif first:
            group = self.reply(1) if self.numbers[0] < 0 else []
            self.after(group, DEFENDER, self.attack, 0)
        else:
            self.replies(0)

    def _place(self, cell: int, stone: int) -> None:
        """Put a stone on a cell; a negative one takes it away."""
        self.stones[cell] += stone
        for line in self.through[cell]:
            self.lines_by_sum[self.sums[line]].remove(line)
            self.sums[line] += stone
            self.lines_by_sum[self.sums[line]].add(line)

    def after(self, cells: list[int], stone: int, position: Any, argument: int) -> set[int]:
        """Return the zone of the position after stones on some cells."""
        for cell in cells:
            need(not self.stones[cell])
            self._place(cell, stone)
        zone: set[int] = position(argument)
        for cell in cells:
            self._place(cell, -stone)
        return zone

    def _read(self) -> int:
        self.at += 1
        need(self.numbers[self.at - 1] >= 0)
        return int(self.numbers[self.at - 1])

    def _cells(self, count: int) -> list[int]:
        """Return the empty cells that the next numbers mean."""
        found = [self.places[self._read()] for _ in range(count)]
        need(not any(self.stones[cell] for cell in found))
        return found

    def reply(self, least: int) -> list[int]:
        """Return the cells of the next reply: one, or a group of at least `least` cells."""
        count = -self.numbers[self.at]
        self.at += count >= least
        return self._cells(max(count, 1))

    def _empty(self, lines: Any) -> set[int]:
        return {cell for i in lines for cell in self.lines[i] if not self.stones[cell]}

    def _completing(self, side: int) -> set[int]:
        return self._empty(self.lines_by_sum[side * (self.k - 1)])

    def _image(self, cells: list[int]) -> bytes:
        return bytes([self.stones[cell] for cell in cells])

    def finish(self, cells: list[int], rank: int, zone: set[int]) -> set[int]:
        """Count a position and remember its image under a map; return its zone."""
        self.positions += 1
        self.finished[rank, self._image(cells)] = bytes([cell in zone for cell in cells])
        return zone

    def attack(self, rank: int) -> set[int]:
        """Verify that the attacker, to move, wins."""
        need(not self.lines_by_sum[DEFENDER * self.k])  # by a group
        while self.numbers[self.at] == FORGET:
            self.at += 1
            self.finished.clear()
        if self.numbers[self.at] < 0:
            self.at += 1
            image = self.maps[-1 - self.numbers[self.at - 1]]
            return {*compress(image, self.finished[rank, self._image(image)])}
        move = self._cells(1)
        wins = self._completing(ATTACKER).issuperset(move)
        zone = set() if wins else self.after(move, ATTACKER, self.replies, rank)
        return self.finish(self.maps[0], rank, zone.union(move))

    def replies(self, rank: int) -> set[int]:
        """Verify that the attacker wins with the defender to move."""
        need(not self._completing(DEFENDER))
        zone = set(sorted(self._completing(ATTACKER))[:2])
        if len(zone) == 1:
            zone |= self.after([*zone], DEFENDER, self.attack, rank)
        elif not zone:
            left = {cell for cell, stone in enumerate(self.stones) if not stone}
            for _ in range(self._read()):
                found = self.attack(rank + 1)
                zone, left = zone | found, left & found
            for _ in range(self._read()):
                cells = self.reply(2 if rank == 0 else MOST)
                need(not left.isdisjoint(cells))
                left.difference_update(cells)
                zone |= self.after(cells, DEFENDER, self.attack, rank)
            need(bool(zone) and not left)
        self.positions += 1
        sums = [DEFENDER * own for own in range(self.k - 1 - rank, self.k)]
        lines = [self._empty([i]) for total in sums for i in self.lines_by_sum[total]]
        while lines := [line for line in lines if len(line & zone) < 2]:
            hits = Counter(cell for line in lines for cell in line - zone)
            zone.add(min(hits, key=lambda cell: (-hits[cell], cell)))
        return zone

    def hold(self, attacks: int) -> set[int]:
        """Verify that the defender holds, with the attacker to move or not."""
        image = min(self.maps, key=self._image)
        if known := self.finished.get((0, self._image(image))):
            return {*compress(image, known)}
        step, zone, hits, but = self._read(), set[int](), 0, -1
        opens = [i for total in range(self.k) for i in self.lines_by_sum[total]]
        if step == POTENTIAL:
            need(sum(2 ** self.sums[i] for i in opens) < 2 ** (self.k - attacks))
            zone = self._empty(opens)
        elif step == PAIRS:
            pairs = [{*self._cells(2)} for _ in range(self._read())]
            zone = zone.union(*pairs)
            paired = (any(pair <= self.lines[i] for pair in pairs) for i in opens)
            need(len(zone) == 2 * len(pairs) and all(paired))
        elif step == (TWO_THREATS if attacks else COMPLETES):
            hits = 1 + attacks
            zone = {*self._cells(hits)}
            need(len(zone) == hits and zone <= self._completing(DEFENDER))
            but = -1 if attacks else min(zone)
        elif attacks and step == MOVES:
            left = {cell for cell, stone in enumerate(self.stones) if not stone} or {-1}
            while left:
                move = self._cells(1)
                need(self._completing(ATTACKER).isdisjoint(move))
                found = self.after(move, ATTACKER, self.hold, 0)
                zone, left = zone | found, left & found
        else:
            need(step == (ANSWER if attacks else MOVE))
            hits, (but,), side = 2 * attacks, self._cells(1), ATTACKER if attacks else DEFENDER
            need(not attacks or but in self._completing(DEFENDER) - self._completing(ATTACKER))
            zone = self.after([but], side, self.hold, 1 - attacks) | {but}
        if hits:
            zone.update(self._cells(self._read()))
            lines = [self._empty([i]) for i in opens if but not in self.lines[i]]
            need(all(len(line & zone) >= hits for line in lines))
        return self.finish(image, 0, zone)


def check(file: str, larger: str = "") -> str:
    """Return what the proof in a file proves; raise an exception if it does not hold."""
    about, arrays = read(file)
    words, claims = CLAIMS[about["value"]]
    board, (m, n, k), total = about["board"], game_of(about["rules"]), 0
    rows, columns, _ = game = game_of(larger or about["rules"])
    need(about["kind"] in KINDS and arrays.keys() == claims.keys() and not set(board) - {*"XO_"})
    need(game == (m, n, k) or (words != DRAW and rows >= m and columns >= n and game[2] == k))
    moves = board.count("X") - board.count("O")
    need(len(board) == m * n and moves in (0, 1) and "_" in board)
    corner = (rows - m) // 2 * columns + (columns - n) // 2
    places = [corner + row * columns + column for row in range(m) for column in range(n)]
    for attacker, says in claims.items():
        walk = Walk(game, places, board, attacker, arrays[attacker])
        if says == WINS or (attacker, *{*board}, about[attacker]) != ("O", "_", STEALING):
            need(about[attacker] == says)
            walk.claim(says, attacker == "XO"[moves])
        need(walk.at == len(walk.numbers) and about[f"{attacker} positions"] == str(walk.positions))
        total += walk.positions
    return f"{rows},{columns},{k}: {words}; all {total:,} positions of the proof hold"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # a walk takes at most three calls for each cell
    try:
        print(check(*sys.argv[1:3]))
    except Exception as error:  # of any kind, since the file is not trusted
        sys.exit(f"this proves nothing: {type(error).__name__} {str(error)[:200]!r}")
