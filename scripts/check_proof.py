"""Check a proof with nothing but Python: `python check_proof.py FILE [m,n,k]`.

It walks through the proof, verifies each step on a plain board and never searches; see
docs/reference/proof-format.md. Rules m,n,k ask whether a win holds in the middle of that larger
board too. The result is one line, and the exit status is 0 only if the proof holds.
"""

import json
import sys
from array import array
from operator import itemgetter
from typing import Any

KIND = "proof of an m,n,k-game's value, 2"
CLAIMS = {"1": {"X": "wins"}, "0": dict.fromkeys("XO", "does not win"), "-1": {"O": "wins"}}
STEALING = "does not win: strategy stealing"
POTENTIAL, PAIRS, MOVE, COMPLETES, TWO_THREATS, ANSWER, MOVES = range(7)
ATTACKER, DEFENDER = 1, 2
LARGEST, LONGEST = 2**31, 2**24  # bytes of a file and of its header


def require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def read(file: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts and the integers of a safetensors file."""
    with open(file, "rb") as stream:
        data = stream.read(LARGEST + 1)
    start = 8 + int.from_bytes(data[:8], "little")
    require(8 <= start <= min(len(data), 8 + LONGEST) and len(data) <= LARGEST, "no such file")
    header = json.loads(data[8:start].decode())
    about, at, found = header.pop("__metadata__"), start, {}
    require(all(isinstance(text, str) for text in about.values()), "a text is none")
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        require(type(begin) is type(end) is int and start + begin == at <= start + end, "a gap")
        at = start + end
        require(
            entry["dtype"] == "I16" and [end - begin] == [2 * n for n in entry["shape"]], "shape"
        )
        found[name] = array("h", data[start + begin : at])
        if sys.byteorder == "big":
            found[name].byteswap()
    require(at == len(data), "another length")
    return about, found


def game_of(text: str) -> tuple[int, int, int]:
    m, n, k = map(int, text[:20].split(","))
    require(f"{m},{n},{k}" == text and 1 <= min(m, n) and max(m, n) <= 19, "no such board")
    require(2 <= k <= max(m, n), "no such k")
    return m, n, k


class Walk:
    """A walk through the proof of one claim."""

    def __init__(self, game: tuple[int, int, int], places: list[int], numbers: Any) -> None:
        m, n, self.k = game
        self.places, self.numbers, self.at, self.positions = places, numbers, 0, 0
        self.finished: dict[tuple[bytes, int], tuple[int, set[int]]] = {}  # a map and the zone
        self.lines = []
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for cell in range(m * n):
                line = [(cell // n + i * down, cell % n + i * right) for i in range(self.k)]
                if line[-1][0] < m and 0 <= line[-1][1] < n:
                    self.lines.append([row * n + column for row, column in line])
        self.stones = [0] * (m * n)
        self.through = [[i for i, line in enumerate(self.lines) if c in line] for c in range(m * n)]
        self.held = [[0, 0, 0] for _ in self.lines]  # the number of each side's stones
        turns = [[list(range(row * n, row * n + n)) for row in range(m)]]
        for _ in range(3):
            turns.append([list(column) for column in zip(*turns[-1], strict=True)][::-1])
        flips = [turns[0][::-1], [r[::-1] for r in turns[0]]]
        flips += [turns[1][::-1], [r[::-1] for r in turns[1]]]
        self.maps = [sum(one, []) for one in turns + flips if (len(one), len(one[0])) == (m, n)]
        self.images = [itemgetter(*one) for one in self.maps]

    def put(self, cell: int, side: int, step: int = 1) -> None:
        self.stones[cell] = side if step == 1 else 0
        for line in self.through[cell]:
            self.held[line][side] += step

    def read(self, least: int = 0) -> int:
        self.at += 1
        require(self.at <= len(self.numbers) and self.numbers[self.at - 1] >= least, "a number")
        return int(self.numbers[self.at - 1])

    def cell(self) -> int:
        number = self.read()
        require(number < len(self.places) and not self.stones[self.places[number]], "a cell")
        return self.places[number]

    def empty(self, line: int) -> set[int]:
        return {cell for cell in self.lines[line] if not self.stones[cell]}

    def completing(self, side: int) -> list[int]:
        """Return the cells on which a side completes a line, in order."""
        least = self.k - 1
        full = [i for i, held in enumerate(self.held) if held[side] == least and not held[3 - side]]
        return sorted({cell for line in full for cell in self.empty(line)})

    def follow(self, cell: int, side: int, *position: Any) -> set[int]:
        """Return the zone of the position after a move, which is `hold` or `attack` of the rest."""
        self.put(cell, side)
        zone: set[int] = position[0](*position[1:])
        self.put(cell, side, -1)
        return zone

    def recall(self, key: tuple[bytes, int], image: int) -> set[int]:
        """Return the zone of the board whose image under a map is finished."""
        require(key in self.finished, "a position that is not finished")
        other, zone = self.finished[key]
        place = {cell: i for i, cell in enumerate(self.maps[other])}
        return {self.maps[image][place[cell]] for cell in zone}

    def finish(self, key: tuple[bytes, int], image: int, zone: set[int]) -> set[int]:
        self.finished[key] = image, zone
        self.positions += 1
        return zone

    def attack(self, rank: int) -> set[int]:
        """Verify that the attacker, to move, wins; return the zone."""
        number = self.read(-len(self.maps))
        image = -1 - number if number < 0 else 0
        key = bytes(self.images[image](self.stones)), rank
        if number < 0:
            return self.recall(key, image)
        self.at -= 1
        cell = self.cell()
        wins = cell in self.completing(ATTACKER)
        zone = set() if wins else self.follow(cell, ATTACKER, self.replies, rank)
        return self.finish(key, 0, zone | {cell})

    def replies(self, rank: int) -> set[int]:
        """Verify that the attacker wins with the defender to move; return the zone."""
        require(not self.completing(DEFENDER), "the defender completes a line")
        zone = set(self.completing(ATTACKER)[:2])
        if len(zone) == 1:
            zone |= self.follow(min(zone), DEFENDER, self.attack, rank)
        elif not zone:
            left = {cell for cell, stone in enumerate(self.stones) if not stone}
            for _ in range(self.read()):
                after = self.attack(rank + 1)
                zone, left = zone | after, left & after
            for _ in range(self.read()):
                cell = self.cell()
                require(cell in left, "a reply that is not wanted")
                zone |= self.follow(cell, DEFENDER, self.attack, rank)
                left.remove(cell)
            require(bool(zone) and not left, "a missing reply")
        self.positions += 1
        near = [line for line, held in enumerate(self.held) if not held[ATTACKER] and rank > 0]
        lines = [self.empty(i) for i in near if self.held[i][DEFENDER] >= self.k - 1 - rank]
        while lines := [line for line in lines if len(line & zone) < 2]:
            hits = [cell for line in lines for cell in line - zone]
            zone.add(min(hits, key=lambda cell: (-hits.count(cell), cell)))
        return zone

    def hold(self, attacks: bool) -> set[int]:
        """Verify that the defender holds; return the zone."""
        keys = [(bytes(image(self.stones)), 0) for image in self.images]
        image = keys.index(min(keys))
        if keys[image] in self.finished:
            return self.recall(keys[image], image)
        step, zone, but, times = self.read(), set[int](), -1, 0  # zone cells of each open line
        open_lines = [line for line, held in enumerate(self.held) if not held[DEFENDER]]
        if step == POTENTIAL:
            potential = sum(2 ** self.held[line][ATTACKER] for line in open_lines)
            require(potential < 2 ** (self.k - attacks), "the potential")
            zone = set().union(*map(self.empty, open_lines))
        elif step == PAIRS:
            pairs = [{self.cell(), self.cell()} for _ in range(self.read())]
            zone = set().union(*pairs)
            require(len(zone) == 2 * len(pairs), "a pair")
            paired = (any(pair <= self.empty(line) for pair in pairs) for line in open_lines)
            require(all(paired), "a line without a pair")
        elif step == (TWO_THREATS if attacks else COMPLETES):
            times = 2 if attacks else 1
            cells = [self.cell() for _ in range(times)]
            zone, but = set(cells), -1 if attacks else cells[0]
            require(zone <= set(self.completing(DEFENDER)) and len(zone) == times, "a threat")
        elif step == MOVES and attacks:
            left = {cell for cell, stone in enumerate(self.stones) if not stone}
            while True:
                cell = self.cell()
                require(cell not in self.completing(ATTACKER), "the attacker completes a line")
                after = self.follow(cell, ATTACKER, self.hold, False)
                zone, left = zone | after, left & after
                if not left:
                    break
        else:
            require(step == (ANSWER if attacks else MOVE), "a step")
            cell = self.cell()
            require(not attacks or cell in self.completing(DEFENDER), "no threat")
            require(not attacks or cell not in self.completing(ATTACKER), "a completed line")
            zone = {cell} | self.follow(cell, 2 - attacks, self.hold, not attacks)
            times, but = (2 if attacks else 0), cell
        if times:
            zone |= {self.cell() for _ in range(self.read())}
            lines = [self.empty(line) for line in open_lines if but not in self.lines[line]]
            require(all(len(line & zone) >= times for line in lines), "an open line")
        return self.finish(keys[image], image, zone)


def check(file: str, larger: str | None = None) -> str:
    """Return what the proof in a file proves; raise an exception if it does not."""
    about, arrays = read(file)
    require(about["kind"] == KIND, "another kind or version")
    game, board, claims = game_of(about["rules"]), about["board"], CLAIMS[about["value"]]
    (m, n, k), x, o = game, board.count("X"), board.count("O")
    require(len(board) == m * n == x + o + board.count("_") and x - o in (0, 1), "the board")
    new = game_of(larger or about["rules"])
    require(new == game or (new[2] == k and new >= game and new[1] >= n), "no larger board")
    require(new == game or about["value"] != "0", "a draw does not carry over")
    require(set(claims) == set(arrays), "other arrays")
    corner, total = (new[0] - m) // 2 * new[1] + (new[1] - n) // 2, 0
    places = [corner + cell // n * new[1] + cell % n for cell in range(m * n)]
    for attacker, says in claims.items():
        walk = Walk(new, places, arrays[attacker])
        for cell, stone in zip(places, board, strict=True):
            if stone != "_":
                walk.put(cell, ATTACKER if stone == attacker else DEFENDER)
        full = any(self_k == k for held in walk.held for self_k in held[1:])
        require("_" in board and not full, "a finished board")
        if about[attacker] == STEALING and says != "wins":
            require(attacker == "O" and x == 0 and not arrays["O"], "no strategy to steal")
        else:
            require(about[attacker] == says, "another claim")
            first = attacker == "XO"[x - o]
            if says == "wins":
                walk.attack(0) if first else walk.replies(0)
            else:
                walk.hold(first)
            require(walk.at == len(arrays[attacker]), "numbers left over")
        require(about[f"{attacker} positions"] == str(walk.positions), "the number of positions")
        total += walk.positions
    value = {"1": "X wins", "0": "a draw", "-1": "O wins"}[about["value"]]
    return f"{new[0]},{new[1]},{k}: {value}; all {total:,} positions of the proof hold"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # a walk takes at most three calls for each cell
    try:
        print(check(*sys.argv[1:3]))
    except Exception as error:  # of whatever kind: the file is not trusted
        sys.exit(f"{sys.argv[1:2]} proves nothing: {type(error).__name__} {str(error)[:100]!r}")
