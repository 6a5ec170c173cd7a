"""Whole step of a batch: the same however the opponent is called, and in any thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pairs import pairs
from played_boards import random_cells
from reference import random_game, view
from test_copies import plain

from tttenv import Rules, player
from tttenv.env.match import Match
from tttenv.env.table_games_kernel import BLOCK
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import tabulate
from tttenv.policy import OBSERVATIONS

BOARDS = [(3, 3, 3), (3, 4, 3), (5, 5, 4)]
GAMES = 23
MANY = 2 * BLOCK + 23


def pair(rules, opponent, games=GAMES, **kwargs):
    """Return environments with the opponent in compiled code and called through Python."""
    m, n, k = rules
    compiled = VectorTicTacToe(games, m, n, k, opponent, **kwargs)
    policy = compiled.match.opponent
    asking = VectorTicTacToe(games, m, n, k, lambda boards: policy(boards), **kwargs)
    assert (compiled.match.asks, asking.match.asks) == (False, True)
    return compiled, asking


def same_steps(compiled, asking, count):
    dice = np.random.default_rng(0)
    for _ in range(count):
        cells = random_cells(compiled.action_masks(), dice, 0.04)
        *found, infos = compiled.step(cells)
        *known, others = asking.step(cells)
        assert plain(tuple(found)) == plain(tuple(known))
        assert infos.keys() == others.keys()
        for name in infos:
            assert plain(infos[name]) == plain(others[name]), name


@pytest.mark.parametrize(
    ("spec", "seat", "obs", "rules"),
    pairs(
        ["random", "minimax", "tactical"],
        ["X", "O", "random"],
        list(OBSERVATIONS),
        BOARDS,
    ),
)
def test_compiled_opponents_play_as_they_do_when_asked(spec, seat, obs, rules):
    if rules == (5, 5, 4):  # too large for tables
        spec = "random"
    game = Rules(*rules)
    other = "random" if spec == "random" else tabulate(game, player(spec, game))
    envs = pair(rules, other, seat=seat, obs=obs)
    seen = [plain(env.reset(seed=5)) for env in envs]
    assert seen[0] == seen[1]
    same_steps(*envs, 100)
    assert envs[0].np_random.bit_generator.state == envs[1].np_random.bit_generator.state


def test_games_beyond_the_first_block_play_alike_too():
    envs = pair((3, 3, 3), tabulate(Rules(), player("tactical")), MANY)
    for env in envs:
        env.reset(seed=2)
    same_steps(*envs, 30)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_two_environments_in_two_threads_play_as_they_do_alone(rules):
    opponent = player("random", Rules(*rules))
    if rules != (5, 5, 4):  # not too large to be looked up
        opponent = tabulate(Rules(*rules), player("tactical", Rules(*rules)))

    def played(seed):
        env = VectorTicTacToe(MANY, *rules, opponent)
        told = [plain(env.reset(seed=seed))]
        env.action_space.seed(seed)
        return told + [plain(env.step(env.sample_actions())) for _ in range(30)]

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(played, range(2)))
    assert together == [played(seed) for seed in range(2)]


def test_last_views_are_right_again_after_an_opponent_played_in_between():
    env = VectorTicTacToe(GAMES)
    env.reset(seed=1)
    for turn in range(90):
        env.set_opponent(["random", player("tactical")][turn % 2])
        assert env.match.asks == (turn % 2 == 1)
        _, _, over, _, infos = env.step(env.sample_actions())
        if over.any():
            assert not infos["final_obs"][~over].any()
            assert (infos["final_obs"][over].sum(axis=1) == 9).all()


def test_what_it_hands_out_stays_as_it_was():
    env = VectorTicTacToe(GAMES, opponent=None)
    env.reset(seed=0)
    kept = [env.step(env.sample_actions()) for _ in range(12)]
    views = [env.step(env.sample_actions())[0][3:] for _ in range(4)]  # hold the array as well
    seen = plain(tuple(views))
    before = plain(tuple(kept))
    for _ in range(12):
        env.step(env.sample_actions())
    assert plain(tuple(kept)) == before
    assert plain(tuple(views)) == seen
    for step in kept:
        if "final_obs" in step[4]:
            step[4]["final_obs"][:] = 7  # theirs to spoil
    del kept, step
    for _ in range(12):
        step = env.step(env.sample_actions())
        assert not (step[4].get("final_obs", np.zeros(1)) == 7).any()


@pytest.mark.parametrize("rules", [*BOARDS, (15, 15, 5)], ids=str)
def test_random_legal_cells_are_legal_and_even(rules):
    stones = random_game(rules, 1)[0]
    board = np.array(view(stones[len(stones) // 2]), np.int8)
    rules, games = Rules(*rules), 20_000
    match = Match(rules, games)
    match.set_boards(board)
    found = match.sample(np.random.default_rng(0))
    empty = np.flatnonzero(board == 0)
    counts = np.bincount(found, minlength=rules.cells)
    assert counts.sum() == counts[empty].sum() == games
    wanted = games / len(empty)
    assert (np.abs(counts[empty] - wanted) < 5.5 * np.sqrt(wanted)).all()
    again = match.sample(np.random.default_rng(1))
    assert (again != found).any()


@pytest.mark.parametrize("rules", [(3, 3, 3), (4, 3, 3)], ids=str)
def test_looked_up_play_outs_agree_with_the_rule(rules):
    from itertools import product

    from tttenv.game.rollouts_kernel import lined

    rules = Rules(*rules)
    table = lined(rules.game)
    sets = np.array(list(product([0, 1], repeat=rules.cells)))[:, ::-1]
    lines = np.zeros((len(rules.lines), rules.cells), int)
    for row, line in zip(lines, rules.lines, strict=True):
        row[line] = 1
    assert (table == (sets @ lines.T == rules.k).any(axis=1)).all()
    assert player("mcts:iterations=50", rules).search(rules.start()).nodes == 50
