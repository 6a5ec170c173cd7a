"""Brute-force answers to whether a side can complete a line first, for tests of proofs."""

from functools import cache

from tttenv.game.rules import Rules

EMPTY, ATTACKER, DEFENDER = 0, 1, 2
Stones = tuple[int, ...]


def empty(stones: Stones) -> list[int]:
    return [cell for cell, stone in enumerate(stones) if stone == EMPTY]


def after(stones: Stones, cell: int, side: int) -> Stones:
    return (*stones[:cell], side, *stones[cell + 1 :])


class BruteForce:
    """One game: the attacker wants a line, the defender stops it or completes one first."""

    def __init__(self, rules: Rules) -> None:
        self.lines = [tuple(line) for line in rules.lines.tolist()]
        self.holds = cache(self._holds)

    def completed(self, stones: Stones, side: int) -> bool:
        """Return whether a side has a line."""
        return any(all(stones[cell] == side for cell in line) for line in self.lines)

    def _holds(self, stones: Stones, attacker_moves: bool) -> bool:
        """Return whether the attacker cannot complete a line before the defender does."""
        if self.completed(stones, ATTACKER):
            return False
        if self.completed(stones, DEFENDER) or not empty(stones):
            return True
        side = ATTACKER if attacker_moves else DEFENDER
        found = (
            self.holds(after(stones, cell, side), not attacker_moves) for cell in empty(stones)
        )
        return all(found) if attacker_moves else any(found)

    def holds_within(self, stones: Stones, zone: set[int], attacker_moves: bool) -> bool:
        """Return whether the defender holds if the attacker owns all cells outside the zone."""
        given = tuple(
            ATTACKER if stone == EMPTY and cell not in zone else stone
            for cell, stone in enumerate(stones)
        )
        return self.holds(given, attacker_moves)
