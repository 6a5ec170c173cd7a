"""Check a proof with nothing but Python: `python check_proof.py FILE [m,n,k]`.

It walks through the proof, verifies each step on a plain board and never searches; see
docs/reference/proof-format.md. With m,n,k it asks whether a win holds in the middle of that larger
board too. The result is one line, and the exit status is 0 only if the proof holds.
"""

import json
import struct
import sys
from typing import Any

KIND = "proof of an m,n,k-game's value, 2"
WINS, HELD, STEALING = "wins", "does not win", "does not win: strategy stealing"
CLAIMS = {"1": {"X": WINS}, "0": {"X": HELD, "O": HELD}, "-1": {"O": WINS}}
POTENTIAL, PAIRS, MOVE, COMPLETES, TWO_THREATS, ANSWER, MOVES = range(7)
ATTACKER, DEFENDER = 1, 2
MOST = 2**31  # bytes


def need(holds: bool) -> None:
    """Refuse the proof unless the condition holds."""
    if not holds:
        raise ValueError


def read(file: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts and the arrays of a safetensors file of int16."""
    with open(file, "rb") as stream:
        data = stream.read(MOST + 1)
    end = start = 8 + int.from_bytes(data[:8], "little")
    need(start <= len(data) <= MOST and start <= 8 + 2**24)
    header = json.loads(data[8:start].decode())
    about, found = header.pop("__metadata__"), {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        ((count,), offsets) = entry["shape"], entry["data_offsets"]
        need(entry["dtype"] == "I16" and type(count) is int and count >= 0)
        need(offsets == [end - start, end - start + 2 * count] and start + offsets[1] <= len(data))
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
    """A walk through the numbers of one claim, on a board of 0, ATTACKER and DEFENDER."""

    def __init__(self, game: tuple[int, int, int], board: str, attacker: str, numbers: Any) -> None:
        """Begin on a board; its empty cells outside the board of the proof are marked by a dot."""
        m, n, self.k = game
        self.places = [cell for cell in range(m * n) if board[cell] != "."]
        self.numbers, self.at, self.positions = numbers, 0, 0
        self.finished: dict[bytes, tuple[int, set[int]]] = {}  # a map and the zone
        self.stones = [0 if mark in "_." else 1 if mark == attacker else 2 for mark in board]
        self.lines = []
        spots = [(r, c, m - 1 - r, n - 1 - c) for r in range(m) for c in range(n)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for row, column, *_ in spots:
                line = [(row + i * down, column + i * right) for i in range(self.k)]
                if line[-1][0] < m and 0 <= line[-1][1] < n:
                    self.lines.append([row * n + column for row, column in line])
        self.through = [[i for i, line in enumerate(self.lines) if c in line] for c in range(m * n)]
        self.held = [[*map([self.stones[c] for c in line].count, range(3))] for line in self.lines]
        images = ((0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (0, 3), (1, 0), (3, 2))
        used = [(row, column) for row, column in images if m == n or row % 2 == 0]
        self.maps = [[spot[row] * n + spot[column] for spot in spots] for row, column in used]

    def read(self, least: int = 0) -> int:
        """Return the next number."""
        need(self.at < len(self.numbers) and self.numbers[self.at] >= least)
        self.at += 1
        return int(self.numbers[self.at - 1])

    def cell(self) -> int:
        """Return the empty cell that the next number means."""
        number = self.read()
        need(number < len(self.places) and not self.stones[self.places[number]])
        return self.places[number]

    def empty(self, cells: Any) -> set[int]:
        """Return the empty ones of some cells."""
        return {cell for cell in cells if not self.stones[cell]}

    def completing(self, side: int) -> set[int]:
        """Return the cells on which a side completes a line."""
        least = self.k - 1
        full = [i for i, held in enumerate(self.held) if held[side] == least and not held[3 - side]]
        return {cell for line in full for cell in self.empty(self.lines[line])}

    def after(self, cell: int, side: int, position: Any, argument: int) -> set[int]:
        """Return the zone of the position after a move."""
        for line in self.through[cell]:
            self.held[line][side] += 1
        self.stones[cell] = side
        zone: set[int] = position(argument)
        self.stones[cell] = 0
        for line in self.through[cell]:
            self.held[line][side] -= 1
        return zone

    def image(self, number: int) -> bytes:
        """Return the board's image under a map."""
        return bytes([self.stones[cell] for cell in self.maps[number]])

    def recall(self, number: int) -> set[int]:
        """Return the zone of the position, whose image under a map is finished."""
        other, zone = self.finished[self.image(number)]
        return {self.maps[number][self.maps[other].index(cell)] for cell in zone}

    def attack(self, rank: int) -> set[int]:
        """Verify that the attacker, to move, wins; return the zone."""
        number = self.read(-len(self.maps))
        if number < 0:
            return self.recall(-1 - number)
        self.at -= 1
        cell = self.cell()
        wins = cell in self.completing(ATTACKER)
        zone = set() if wins else self.after(cell, ATTACKER, self.replies, rank)
        self.positions += 1
        self.finished[self.image(0)] = 0, zone | {cell}
        return zone | {cell}

    def replies(self, rank: int) -> set[int]:
        """Verify that the attacker wins with the defender to move; return the zone."""
        need(not self.completing(DEFENDER))
        zone = set(sorted(self.completing(ATTACKER))[:2])
        if len(zone) == 1:
            zone |= self.after(min(zone), DEFENDER, self.attack, rank)
        elif not zone:
            left = self.empty(range(len(self.stones)))
            for _ in range(self.read()):
                found = self.attack(rank + 1)
                zone, left = zone | found, left & found
            for _ in range(self.read()):
                cell = self.cell()
                left.remove(cell)
                zone |= self.after(cell, DEFENDER, self.attack, rank)
            need(bool(zone) and not left)
        self.positions += 1
        near = [i for i, held in enumerate(self.held) if held[2] >= self.k - 1 - rank]
        lines = [self.empty(self.lines[i]) for i in near if rank and not self.held[i][1]]
        while lines := [line for line in lines if len(line & zone) < 2]:
            hits = [cell for line in lines for cell in line - zone]
            zone.add(min(hits, key=lambda cell: (-hits.count(cell), cell)))
        return zone

    def hold(self, attacks: int) -> set[int]:
        """Verify that the defender holds, with the attacker to move or not; return the zone."""
        images = [self.image(number) for number in range(len(self.maps))]
        least = images.index(min(images))
        if images[least] in self.finished:
            return self.recall(least)
        step, zone, hits, but = self.read(), set[int](), 0, -1
        opens = [i for i, held in enumerate(self.held) if not held[DEFENDER]]
        if step == POTENTIAL:
            need(sum(2 ** self.held[i][ATTACKER] for i in opens) < 2 ** (self.k - attacks))
            zone = self.empty(cell for i in opens for cell in self.lines[i])
        elif step == PAIRS:
            pairs = [{self.cell(), self.cell()} for _ in range(self.read())]
            zone = zone.union(*pairs)
            paired = (any(pair <= {*self.lines[i]} for pair in pairs) for i in opens)
            need(len(zone) == 2 * len(pairs) and all(paired))
        elif step == (TWO_THREATS if attacks else COMPLETES):
            hits = 1 + attacks
            zone = {self.cell() for _ in range(hits)}
            need(len(zone) == hits and zone <= self.completing(DEFENDER))
            but = -1 if attacks else min(zone)
        elif attacks and step == MOVES:
            left, first = self.empty(range(len(self.stones))), True
            while left or first:
                cell, first = self.cell(), False
                need(cell not in self.completing(ATTACKER))
                found = self.after(cell, ATTACKER, self.hold, 0)
                zone, left = zone | found, left & found
        else:
            need(step == (ANSWER if attacks else MOVE))
            hits, but = 2 * attacks, self.cell()
            need(not attacks or but in self.completing(DEFENDER) - self.completing(ATTACKER))
            zone = self.after(but, DEFENDER - attacks, self.hold, 1 - attacks) | {but}
        if hits:
            zone |= {self.cell() for _ in range(self.read())}
            lines = [self.empty(self.lines[i]) for i in opens if but not in self.lines[i]]
            need(all(len(line & zone) >= hits for line in lines))
        self.positions += 1
        self.finished[images[least]] = least, zone
        return zone


def check(file: str, larger: str = "") -> str:
    """Return what the proof in a file proves; raise an exception if it does not hold."""
    about, arrays = read(file)
    claims, (m, n, k), board = CLAIMS[about["value"]], game_of(about["rules"]), about["board"]
    rows, columns, _ = new = game_of(larger or about["rules"])
    need(about["kind"] == KIND and arrays.keys() == claims.keys() and not set(board) - {*"XO_"})
    need(new == (m, n, k) or (about["value"] != "0" and rows >= m and columns >= n and new[2] == k))
    moves, total = board.count("X") - board.count("O"), 0
    need(len(board) == m * n and moves in (0, 1) and "_" in board)
    top, left = (rows - m) // 2, (columns - n) // 2
    middle = [("." * left + board[i : i + n]).ljust(columns, ".") for i in range(0, m * n, n)]
    whole = "".join(["." * columns * top, *middle]).ljust(rows * columns, ".")
    for attacker, says in claims.items():
        walk, first = Walk(new, whole, attacker, arrays[attacker]), attacker == "XO"[moves]
        need(not any(k in held[1:] for held in walk.held))
        if about[attacker] != STEALING or attacker == "X" or set(board) != {"_"} or says == WINS:
            need(about[attacker] == says)
            wins = walk.attack if first else walk.replies
            wins(0) if says == WINS else walk.hold(int(first))
        need(walk.at == len(walk.numbers) and about[f"{attacker} positions"] == str(walk.positions))
        total += walk.positions
    value = {"1": "X wins", "0": "a draw", "-1": "O wins"}[about["value"]]
    return f"{rows},{columns},{k}: {value}; all {total:,} positions of the proof hold"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # a walk takes at most three calls for each cell
    try:
        print(check(*sys.argv[1:3]))
    except Exception as error:  # of any kind, since the file is not trusted
        sys.exit(f"this proves nothing: {type(error).__name__} {str(error)[:200]!r}")
