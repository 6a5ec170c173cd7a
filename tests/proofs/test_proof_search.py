"""Values and zones of the prover's search, against brute force on boards of any stones."""

import numpy as np
import pytest
from brute_force import ATTACKER, DEFENDER, EMPTY, BruteForce, empty

from tttenv.game import line_board_kernel
from tttenv.game.rules import Rules
from tttenv.proofs import search_kernel
from tttenv.proofs.table_kernel import new_proof_table

UNLIMITED = 10**9


@pytest.mark.parametrize(("text", "boards"), [("3,3,3", 3_000), ("3,4,3", 3_000), ("4,4,4", 300)])
def test_a_position_is_won_or_held_with_a_zone_as_brute_force_says(text: str, boards: int) -> None:
    rules, rng = Rules.of(text), np.random.default_rng(0)
    game = BruteForce(rules)
    table = new_proof_table(2**12, rules.cells)
    search = search_kernel.new_proof_search(rules, table)
    seen = {search_kernel.ATTACKER_WINS: 0, search_kernel.DEFENDER_HOLDS: 0}
    while sum(seen.values()) < boards:
        drawn = rng.choice([ATTACKER, DEFENDER], rules.cells, p=[0.6, 0.4])
        drawn[rng.permutation(rules.cells)[: rng.integers(1, 8)]] = EMPTY
        stones = tuple(drawn.tolist())
        if game.completed(stones, ATTACKER) or game.completed(stones, DEFENDER):
            continue
        for mover in (line_board_kernel.ATTACKER, line_board_kernel.DEFENDER):
            table.entries["key"], table.filled[0] = 0, 0
            search_kernel.set_board(search, np.choose(drawn, [0, 1, -1]).astype(np.int8))
            state = search_kernel.search(search, mover, UNLIMITED, UNLIMITED, False)
            seen[state] += 1
            attacks = mover == line_board_kernel.ATTACKER
            assert (state == search_kernel.DEFENDER_HOLDS) == game.holds(stones, attacks), stones
            if state == search_kernel.DEFENDER_HOLDS:
                cells = range(rules.cells)
                words = search.frames.zones[0].tolist()
                zone = {cell for cell in cells if words[cell // 64] >> (cell % 64) & 1}
                assert zone <= set(empty(stones))
                assert game.holds_within(stones, zone, attacks), (stones, zone)
    assert min(seen.values()) > boards // 10
