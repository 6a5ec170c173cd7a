"""Random games on large boards, against the plain-Python rules."""

import pytest
from reference import windows

from tttenv.env.vector import VectorTicTacToe


@pytest.mark.parametrize(("rules", "count"), [((5, 5, 4), 2_000), ((15, 15, 5), 1_000)])
def test_random_games_of_large_boards_end_as_the_plain_rules_say(rules, count):
    m, n, k = rules
    env = VectorTicTacToe(1000, m, n, k, opponent=None)
    env.reset(seed=0)
    lines_at = [[] for _ in range(m * n)]
    for window in windows(rules):
        for cell in window:
            lines_at[cell].append(window)
    boards = [[0] * (m * n) for _ in range(1000)]
    plies = [0] * 1000
    done = 0
    while done < count:
        cells = env.sample_actions()
        _, rewards, over, _, _ = env.step(cells)
        for i, cell in enumerate(cells.tolist()):
            stone = 1 if plies[i] % 2 == 0 else -1
            assert boards[i][cell] == 0
            boards[i][cell] = stone
            plies[i] += 1
            won = any(all(boards[i][c] == stone for c in line) for line in lines_at[cell])
            assert over[i] == (won or plies[i] == m * n)
            assert rewards[i] == (1 if won else 0)
            if over[i]:
                boards[i], plies[i] = [0] * (m * n), 0
                done += 1
