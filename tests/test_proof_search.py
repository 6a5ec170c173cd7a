"""The prover's search by itself, against brute force on boards of any stones: values and zones."""

import numpy as np
import pytest
from brute_force import ATTACKER, DEFENDER, EMPTY, BruteForce, empty

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.kernels import attack_board, proof_search
from tttenv.kernels.cell_sets import contains
from tttenv.kernels.proof_table import new_proof_table

UNLIMITED = 10**9


@pytest.mark.parametrize(("text", "boards"), [("3,3,3", 3_000), ("3,4,3", 3_000), ("4,4,4", 300)])
def test_a_position_is_won_or_held_with_a_zone_as_brute_force_says(text: str, boards: int) -> None:
    rules, rng = Rules.of(text), np.random.default_rng(0)
    game = BruteForce(rules)
    table = new_proof_table(2**12, rules.cells)
    search = proof_search.new_proof_search(rules.lines, maps(rules), table)
    seen = {proof_search.WON: 0, proof_search.HELD: 0}
    while sum(seen.values()) < boards:
        drawn = rng.choice([ATTACKER, DEFENDER], rules.cells, p=[0.6, 0.4])
        drawn[rng.permutation(rules.cells)[: rng.integers(1, 8)]] = EMPTY
        stones = tuple(drawn.tolist())
        if game.completed(stones, ATTACKER) or game.completed(stones, DEFENDER):
            continue
        for mover in (attack_board.ATTACKER, attack_board.DEFENDER):
            table.entries["key"], table.filled[0] = 0, 0
            for cell in np.flatnonzero(search.board.stones):
                attack_board.remove(search.board, cell, search.board.stones[cell] - 1)
            for cell in np.flatnonzero(drawn):
                attack_board.place(search.board, cell, drawn[cell] - 1)
            proof_search.begin(search, mover)
            state = proof_search.search(search, UNLIMITED, UNLIMITED)
            seen[state] += 1
            attacks = mover == attack_board.ATTACKER
            assert (state == proof_search.HELD) == game.holds(stones, attacks), stones
            if state == proof_search.HELD:
                cells = range(rules.cells)
                zone = {cell for cell in cells if contains(search.frames.zones[0], cell)}
                assert zone <= set(empty(stones))
                assert game.holds_within(stones, zone, attacks), (stones, zone)
    assert min(seen.values()) > boards // 10
