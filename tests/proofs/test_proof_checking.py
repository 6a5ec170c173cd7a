"""Each rule of the checker alone, against brute force on every board of nine cells.

A rule may only say that the defender holds, with a zone, where he does hold even if the attacker
owned all empty cells outside it; of the position after a move it may rely on nothing else than
that. So whatever is built of the rules is true.
"""

import itertools

import numpy as np
import pytest
from brute_force import ATTACKER, DEFENDER, EMPTY, BruteForce, Stones, after, empty

from tttenv.game.rules import Rules
from tttenv.proofs import checking_kernel as kernel
from tttenv.proofs import steps_kernel as steps
from tttenv.proofs.checker import board_of

RULES = Rules(3, 3, 3)
GAME = BruteForce(RULES)
CELLS = RULES.cells


def smallest_zone(
    stones: Stones, attacker_moves: bool, rng: np.random.Generator
) -> set[int] | None:
    """Return a minimal zone, or None if the defender does not hold."""
    zone = set(empty(stones))
    if not GAME.holds_within(stones, zone, attacker_moves):
        return None
    for cell in rng.permutation(empty(stones)).tolist():
        if GAME.holds_within(stones, zone - {cell}, attacker_moves):
            zone.remove(cell)
    return zone


# No line is completed and no side has more than two stones more than the other.
BOARDS = [
    stones
    for stones in itertools.product((EMPTY, ATTACKER, DEFENDER), repeat=CELLS)
    if not GAME.completed(stones, ATTACKER)
    and not GAME.completed(stones, DEFENDER)
    and abs(stones.count(ATTACKER) - stones.count(DEFENDER)) <= 2
    and EMPTY in stones
]


def board_with(stones: Stones) -> kernel.Board:
    return board_of(RULES, np.array(stones, np.int8))


def walk(numbers: list[int]) -> kernel.Walk:
    """Return a walk at the beginning of a proof."""
    return kernel.new_walk(np.array(numbers, np.int16), np.arange(CELLS), CELLS)


def some(cells: list[int], count: int, rng: np.random.Generator) -> list[int]:
    """Return `count` cells or fewer; one time in ten any cells of the board."""
    among = list(range(CELLS)) if rng.random() < 0.1 else cells
    return [int(cell) for cell in rng.choice(among, min(count, len(among)), replace=False)]


def pairs_on_lines(stones: Stones, rng: np.random.Generator) -> list[int]:
    """Return a pair on each line open to the attacker with room for one; pairs may overlap."""
    pairs = set()
    for line in GAME.lines:
        free = [cell for cell in line if stones[cell] == EMPTY]
        if len(free) > 1 and all(stones[cell] != DEFENDER for cell in line):
            pairs.add(tuple(sorted(rng.choice(free, 2, replace=False).tolist())))
    return [cell for pair in sorted(pairs) for cell in pair]


def leaf(step: int, stones: Stones, rng: np.random.Generator) -> list[int]:
    """Return a step without following positions, right or wrong."""
    free = empty(stones)
    zone = some(free, int(rng.integers(len(free) + 1)), rng)
    if step == steps.POTENTIAL:
        return [step]
    if step == steps.PAIRS:
        pairs = pairs_on_lines(stones, rng)
        if rng.random() < 0.5:
            pairs = some(free, 2 * int(rng.integers(1 + len(free) // 2)), rng)
        return [step, len(pairs) // 2, *pairs[: len(pairs) // 2 * 2]]
    if step == steps.COMPLETES:
        return [step, *some(free, 1, rng), len(zone), *zone]
    two = some(free, 2, rng)
    return [step, two[0], two[0] if rng.random() < 0.2 else two[-1], len(zone), *zone]


@pytest.mark.parametrize("step", ["POTENTIAL", "PAIRS", "COMPLETES", "TWO_THREATS"])
def test_a_step_without_a_position_after_it_says_nothing_false(step: str) -> None:
    rng, accepted = np.random.default_rng(0), 0
    number = getattr(steps, step)
    for stones in BOARDS[:: 2 if step == "POTENTIAL" else 4]:
        board = board_with(stones)
        for attacker_moves in (False, True):
            at = walk(leaf(number, stones, rng))
            if kernel.begin_hold(board, at, 0, attacker_moves) == kernel.HOLDS:
                accepted += 1
                zone = set(np.flatnonzero(at.zones[0]).tolist())
                assert GAME.holds_within(stones, zone, attacker_moves), (stones, at.numbers)
    assert accepted > 25


@pytest.mark.parametrize("step", ["MOVE", "ANSWER"])
def test_a_step_with_one_position_after_it_says_nothing_false(step: str) -> None:
    rng, accepted = np.random.default_rng(0), 0
    number = getattr(steps, step)
    for stones in BOARDS:
        attacker_moves = number == steps.ANSWER
        cells = some(empty(stones), 1, rng)
        rest = some(empty(stones), int(rng.integers(len(empty(stones)))), rng)
        rest = [cell for cell in rest if cell not in cells]
        at = walk([number, *cells, len(rest), *rest])
        board = board_with(stones)
        if kernel.begin_hold(board, at, 0, attacker_moves) != kernel.GO_ON:
            continue
        side = ATTACKER if attacker_moves else DEFENDER
        assert stones[cells[0]] == EMPTY
        then = after(stones, cells[0], side)
        assert not GAME.completed(then, ATTACKER)  # no rule looks for a line that is there already
        zone = smallest_zone(then, not attacker_moves, rng)
        if zone is None:
            continue
        at.zones[1, list(zone)] = True
        if kernel.end_hold(board, at, 0) == kernel.HOLDS:
            accepted += 1
            found = set(np.flatnonzero(at.zones[0]).tolist())
            assert GAME.holds_within(stones, found, attacker_moves), (stones, at.numbers, zone)
    assert accepted > 50


def test_the_attackers_moves_are_answered_all_of_them() -> None:
    rng, finished = np.random.default_rng(0), 0
    for stones in BOARDS[::2]:
        board = board_with(stones)
        free = rng.permutation(empty(stones)).tolist()
        at = walk([steps.MOVES, *free])
        state = kernel.begin_hold(board, at, 0, True)
        while state == kernel.GO_ON:
            then = after(stones, int(at.move[0]), ATTACKER)
            assert not GAME.completed(then, ATTACKER)
            zone = smallest_zone(then, False, rng)
            if zone is None:
                break
            at.zones[1] = False
            at.zones[1, list(zone)] = True
            state = kernel.end_hold(board, at, 0)
        if state == kernel.HOLDS:
            finished += 1
            found = set(np.flatnonzero(at.zones[0]).tolist())
            assert GAME.holds_within(stones, found, True), (stones, free)
    assert finished > 50


def wins_despite(stones: Stones, zone: set[int], rank: int, attacker_moves: bool) -> bool:
    """Return whether the attacker wins with any `rank` cells outside the zone the defender's."""
    others = [cell for cell in empty(stones) if cell not in zone]
    for given in itertools.chain.from_iterable(
        itertools.combinations(others, count) for count in range(rank + 1)
    ):
        changed = stones
        for cell in given:
            changed = after(changed, cell, DEFENDER)
        if not GAME.completed(changed, DEFENDER) and GAME.holds(changed, attacker_moves):
            return False
    return True


def smallest_win(
    stones: Stones, rank: int, attacker_moves: bool, rng: np.random.Generator
) -> set[int] | None:
    """Return a minimal zone of a win, or None if the attacker does not win."""
    zone = set(empty(stones))
    if not wins_despite(stones, zone, rank, attacker_moves):
        return None
    for cell in rng.permutation(empty(stones)).tolist():
        if wins_despite(stones, zone - {cell}, rank, attacker_moves):
            zone.remove(cell)
    return zone


def replies(cells: list[int], free: list[int], often: float, rng: np.random.Generator) -> list[int]:
    """Return replies after their number: these cells, or groups of them and others."""
    count, numbers, answered = 0, [], set[int]()
    for cell in rng.permutation(cells).tolist():
        group = [cell, *some(free, int(rng.integers(3)), rng)] if rng.random() < often else [cell]
        if cell not in answered or rng.random() < 0.05:
            count += 1
            numbers += [-len(group), *group[::-1]] if len(group) > 1 else group
            answered.update(group)
    return [count, *numbers]


@pytest.mark.parametrize("attacker_moves", [False, True])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_position_is_said_to_be_won_only_if_it_is(attacker_moves: bool, rank: int) -> None:
    rng, won, groups = np.random.default_rng(rank), 0, 0
    for stones in BOARDS[rank :: 3 if attacker_moves else 1]:
        free, passes = empty(stones), int(rng.integers(3))
        often = 0.2 if rank > 0 else 0.5
        numbers = replies(free, free, often, rng) if passes == 0 else []
        numbers = some(free, 1, rng) if attacker_moves else [passes, *numbers]
        at = walk([*numbers, *[0] * 40])
        at.rank[0] = rank
        board = board_with(stones)
        state = kernel.begin_win(board, at, 0, attacker_moves)
        while state == kernel.GO_ON:
            cell = int(at.move[0])
            then, next_rank = tuple(board.stones.tolist()), rank
            board = board_with(stones)  # without the replies that were put on it
            if cell == steps.PASS:
                next_rank += 1
            elif cell == steps.GROUP:
                groups += 1
                assert rank == 0
                assert not GAME.completed(then, DEFENDER)
            else:
                assert stones[cell] == EMPTY
                then = after(stones, cell, ATTACKER if attacker_moves else DEFENDER)
            zone = smallest_win(then, next_rank, not attacker_moves, rng)
            if zone is None:
                break  # no proof of the position after the move
            at.zones[1] = False
            at.zones[1, list(zone)] = True
            if cell == steps.PASS and at.count[0] == 0:  # the last: now the replies
                left = replies(np.flatnonzero(at.left[0] & at.zones[1]).tolist(), free, often, rng)
                at.numbers[1 : 1 + len(left)] = left
            state = kernel.end_win(board, at, 0, attacker_moves)
        if state == kernel.HOLDS:
            won += 1
            found = set(np.flatnonzero(at.zones[0]).tolist())
            assert wins_despite(stones, found, rank, attacker_moves), (stones, at.numbers)
    assert won > 50
    assert (groups > 50) == (rank == 0 and not attacker_moves)


def test_the_zone_of_an_image_is_the_image_of_the_zone() -> None:
    rng = np.random.default_rng(0)
    for stones in BOARDS[::37]:
        board = board_with(stones)
        zone = smallest_zone(stones, True, rng)
        if zone is None:
            continue
        finished = kernel.new_finished(4, 1, CELLS)
        at = walk([])
        at.zones[0, list(zone)] = True
        assert kernel.remember(board, finished, at, 0, kernel.NO_MAP) == kernel.HOLDS
        for one in board.maps:
            image = tuple(stones[cell] for cell in one)
            here = board_with(image)
            assert kernel.recall(here, finished, at, 0, kernel.NO_MAP)
            found = set(np.flatnonzero(at.zones[0]).tolist())
            assert GAME.holds_within(image, found, True)
        other = after(stones, empty(stones)[0], DEFENDER)
        here = board_with(other)
        assert not kernel.recall(here, finished, at, 0, kernel.NO_MAP)
