"""Monte Carlo tree search: its counting, its random numbers, its play-outs and its proofs."""

import numpy as np
import pytest
from reference import random_game, view

from tttenv.exact import positions, score, solve
from tttenv.game.rollouts_kernel import playground, random_playout, tactical_playout
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import uniform

SPECS = ["", "playouts=tactical,", "heuristic=1,", "c=0,", "seed=9,playouts=tactical,heuristic=2,"]


def some(rules, every=7):
    found = [board for seed in range(4) for board in random_game(rules, seed)[0][:-1]]
    return [np.array(view(board), np.int8) for board in dict.fromkeys(found)][::every]


def visits_of(policy, board):
    """Return the visits of the moves (cells,) in a search of a board."""
    counts = np.zeros(board.size, np.int64)
    for one in policy.explain(board).candidates:
        counts[one.cell] = one.visits
    return counts


@pytest.mark.parametrize("options", SPECS)
@pytest.mark.parametrize("rules", [(3, 3, 3), (5, 5, 4), (9, 9, 5)], ids=str)
def test_the_visits_of_the_moves_sum_to_the_iterations(rules, options):
    rules = Rules(*rules)
    for iterations in (1, 2, 2001):
        policy = player(f"mcts:{options}iterations={iterations}", rules)
        for board in some((rules.m, rules.n, rules.k), every=40):
            visits = visits_of(policy, board)
            assert visits.sum() == iterations
            assert (visits[board != 0] == 0).all()
            found = policy.search(board)
            assert found.nodes == iterations
            assert visits[found.probs.argmax()] == visits.max()


def test_every_node_but_the_root_is_counted_once_itself_and_once_for_each_child_visit():
    policy = player("mcts:iterations=4000", Rules(4, 4, 3))
    policy.search(Rules(4, 4, 3).start())
    tree = policy.tree
    expanded = np.flatnonzero(tree.child_count[: tree.node_count[0]])
    assert len(expanded) > 100
    for node in expanded:
        children = slice(tree.first_child[node], tree.first_child[node] + tree.child_count[node])
        assert tree.visits[node] == tree.visits[children].sum() + (node != 0)
        gained = 2 * tree.visits[children].sum() - tree.points[children].sum()
        assert 0 <= tree.points[node] - gained <= (2 if node else 0)


def plain_uct(visits, points, cells, c):
    """Return the cell that UCT visits next, from the statistics of the root's moves."""
    total = visits.sum()
    for i in range(len(cells)):
        if visits[i] == 0:
            return cells[i]
    scores = points / (2 * visits) + c * np.sqrt(np.log(total) / visits)
    return cells[int(scores.argmax())]


@pytest.mark.parametrize("c", [0.3, 2**0.5])
def test_the_root_visits_next_what_the_formula_says(c):
    board, before = Rules().start(), None
    for iterations in range(1, 80):
        policy = player(f"mcts:iterations={iterations},c={c!r}")
        policy.search(board)
        tree = policy.tree
        children = slice(tree.first_child[0], tree.first_child[0] + tree.child_count[0])
        cells, visits = tree.move[children].tolist(), tree.visits[children].copy()
        if before is not None:
            assert cells == before[2]  # the same random numbers
            grown = cells[int((visits - before[0]).argmax())]
            assert grown == plain_uct(*before, c)
        before = (visits, tree.points[children].copy(), cells)


def test_play_outs_end_as_often_as_the_exact_game_says():
    games = 40_000
    for play, policy in ((random_playout, uniform), (tactical_playout, player("tactical"))):
        ground = playground(Rules())
        ends = []
        for _ in range(games):
            ground.board[:] = 0
            ends.append(play(ground, 1))
        exact = score(Rules(), policy, policy)
        shares = [ends.count(winner) / games for winner in (1, 0, -1)]
        for share, p in zip(shares, exact, strict=True):
            assert abs(share - p) < 4.5 * (p * (1 - p) / games) ** 0.5


def test_seeds_and_boards_throw_other_dice_and_the_same_ones_the_same():
    board = Rules(5, 5, 4).start()
    seeded = [player(f"mcts:seed={seed}", Rules(5, 5, 4)) for seed in (0, 0, 1, 2)]
    counts = [visits_of(one, board) for one in seeded]
    assert (counts[0] == counts[1]).all()
    assert not (counts[0] == counts[2]).all()
    assert not (counts[2] == counts[3]).all()
    orders = set()
    for taken in ([0, 1], [1, 0], [0, 2], [2, 0]):
        board[:] = 0
        board[taken] = 1, -1
        policy = player("mcts:iterations=22", Rules(5, 5, 4))
        policy.search(board)
        orders.add(tuple(cell for cell in policy.tree.move[1:24].tolist() if cell > 2))
    assert len(orders) == 4  # the order in which moves are tried, wherever the stones are
    rules = Rules(1, 2, 2)  # nothing is random here but the order of two equal moves
    orders = {
        int(player(f"mcts:seed={s},iterations=1", rules)(rules.start(1)).argmax())
        for s in range(20)
    }
    assert orders == {0, 1}


def test_values_lie_between_loss_and_win_and_a_draw_counts_half():
    rules = Rules()
    for board in some((3, 3, 3), every=1):
        assert -1 <= player("mcts").search(board).value <= 1
    drawn = rules.parse("XOXXOOO_X")  # one cell left, nobody wins
    assert player("mcts").search(drawn).value == 0
    won = rules.parse("XX_OO____")
    assert player("mcts").search(won).value == 1
    lost = rules.parse("X_X_O_X_O")
    assert -1 <= player("mcts:iterations=20000").search(lost).value < -0.8
    values = [player(f"mcts:c=0.7,iterations={i}").search(rules.start()).value for i in (99, 99999)]
    assert 0 < values[1] < 0.2 < values[0] < 1  # the longer it searches, the nearer to a draw


def test_the_solver_proves_wins_and_losses_and_stops_there():
    game, known = positions(Rules()), solve(Rules())
    search = player("mcts:solver=true,iterations=100000").search
    early = 0
    for row in game.decisions[::5]:
        found = search(game.boards[row])
        early += found.nodes < 100_000
        assert found.value == known.values[row]
        assert known.optimal[row][found.probs.argmax()]
    assert early == len(game.decisions[::5])
    without = player("mcts:iterations=3000").search(game.boards[0])
    assert without.nodes == 3000
    assert without.value not in (-1, 0, 1)


@pytest.mark.parametrize(
    "options", ["", "iterations=1", "playouts=random,heuristic=0", "solver=true"]
)
@pytest.mark.parametrize("rules", [(3, 4, 3), (5, 5, 4), (9, 9, 5), (15, 15, 5)], ids=str)
def test_beyond_nine_cells_it_completes_a_line_if_it_can_and_else_blocks_one(rules, options):
    ends = [board for seed in range(12) for board in random_game(rules, seed)[0][-5:-1]]
    boards, rules = np.array([view(board) for board in ends], np.int8), Rules(*rules)
    allowed = player("tactical", rules)(boards) > 0
    assert (allowed != (boards == 0)).any(axis=1).sum() > 12
    moves = player(f"mcts:{options}", rules)(boards).argmax(axis=1)
    assert allowed[np.arange(len(boards)), moves].all()


def test_on_nine_cells_plain_uct_is_the_default():
    for spec in ("mcts:iterations=100", "mcts:iterations=100,solver=true"):
        plain = player(f"{spec},playouts=random,heuristic=0")
        boards = np.array(some((3, 3, 3), every=1))
        assert (player(spec)(boards) == plain(boards)).all()


def test_the_tree_stays_within_its_memory_and_goes_on_when_it_is_full():
    rules = Rules(15, 15, 5)
    policy = player("mcts:memory=1,iterations=3000", rules)
    found = policy.search(rules.start())
    assert found.nodes == 3000
    assert visits_of(policy, rules.start()).sum() == 3000
    arrays = vars(policy.tree).values()
    nodes = [part for part in arrays if getattr(part, "size", 0) == policy.tree.visits.size]
    assert sum(part.nbytes for part in nodes) <= 2**20
    assert policy.tree.visits.size - 225 < policy.tree.node_count[0] <= policy.tree.visits.size
