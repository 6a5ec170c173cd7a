"""How games end and what that pays: both environments and all adapters against plain rules."""

import numpy as np
import pytest
from gymnasium.utils import seeding
from referee import Referee, plain
from reference import spell

import tttenv.crew
import tttenv.rounds
from tttenv import Rules, player
from tttenv.adapters.pettingzoo import AGENTS, raw_env
from tttenv.env import TicTacToe
from tttenv.tables import FEW
from tttenv.vector import VectorTicTacToe

# Up to FEW cells games are kept as numbers of positions, beyond as boards: some on either side.
SIZES = [(3, 3, 3), (2, 2, 2), (1, 12, 3), (1, 13, 3), (4, 4, 3), (4, 4, 4)]
GAMES = 7
OPPONENTS = [None, "random", "tactical", "function"]
KINDS = [("onehot", True, 1), ("onehot", False, 3), ("board", True, 1), ("dict", False, 1)]
every_size = pytest.mark.parametrize("rules", SIZES, ids=spell)
every_opponent = pytest.mark.parametrize("opponent", OPPONENTS)


@pytest.fixture(autouse=True)
def _threads_share_even_small_batches(monkeypatch):
    monkeypatch.setattr(tttenv.crew, "HEAD_START", 0)
    monkeypatch.setattr(tttenv.rounds, "CHUNK", 4)
    monkeypatch.setattr(tttenv.rounds, "processors", lambda: 9)


def last_cell(boards):
    """A player that is a plain function: the last empty cell."""
    return np.eye(boards.shape[1])[boards.shape[1] - 1 - (boards[:, ::-1] == 0).argmax(axis=1)]


def made(opponent, rules):
    """The opponent and a referee's."""
    if opponent is None:
        return None, None
    policy = last_cell if opponent == "function" else player(opponent, Rules(*rules))
    return policy, plain(policy)


def some_cells(boards, dice, wrong):
    """An empty cell of each board, and now and then any."""
    cells = [int(dice.choice(np.flatnonzero(np.array(board) == 0))) for board in boards]
    return [int(dice.integers(len(boards[0]))) if dice.random() < wrong else c for c in cells]


def refereed(rules, opponent, seat, games, steps, make, wrong=0.05):
    """An environment's answers to the same steps as a referee's, with the cells chosen.

    Yields the environment's answer; and for each game the name of its outcome and the referee's
    reward, which pays a draw 0.
    """
    policy, asked = made(opponent, rules)
    env = make(policy)
    referee = Referee(rules, games, asked, seat, seeding.np_random(5)[0].random)
    env.reset(seed=5)
    referee.deal(range(games))
    dice = np.random.default_rng(0)
    for _ in range(steps):
        before = [list(board) for board in referee.boards]
        cells = some_cells(before, dice, wrong)
        answer = env.step(np.array(cells) if isinstance(env, VectorTicTacToe) else cells[0])
        told = []
        for board, cell, (_, paid, over) in zip(before, cells, referee.step(cells), strict=True):
            won_or_lost = {1.0: "WIN", -1.0: "LOSS" if board[cell] == 0 else "ILLEGAL"}
            told.append((won_or_lost.get(paid, "DRAW") if over else "GOING", paid))
        yield answer, told
        if not isinstance(env, VectorTicTacToe) and answer[2]:
            env.reset()


@every_size
@every_opponent
@pytest.mark.parametrize("seat", ["X", "O"])
def test_one_game_pays_plain_numbers_for_how_it_ended(rules, opponent, seat):
    def make(policy):
        return TicTacToe(*rules, policy, seat)

    for (_, reward, over, _, _), told in refereed(rules, opponent, seat, 1, 60, make):
        ((outcome, paid),) = told
        assert (reward, over) == (paid, outcome != "GOING")
        assert type(reward) is float
        assert type(over) is bool


@every_size
@every_opponent
@pytest.mark.parametrize(("obs", "copy", "threads"), KINDS)
def test_many_games_pay_an_array_of_floats_for_how_they_ended(rules, opponent, obs, copy, threads):
    def make(policy):
        return VectorTicTacToe(GAMES, *rules, policy, "random", obs=obs, copy=copy, threads=threads)

    kept = []
    for (_, rewards, over, _, _), told in refereed(rules, opponent, "random", GAMES, 40, make):
        assert rewards.tolist() == [paid for _, paid in told]
        assert over.tolist() == [outcome != "GOING" for outcome, _ in told]
        assert rewards.dtype == np.float64
        assert rewards.flags.writeable
        assert not np.signbit(rewards[rewards == 0]).any()
        kept.append((rewards, rewards.copy()))
    if copy:  # nothing overwrites what was handed out
        assert all((now == then).all() for now, then in kept)


@every_size
def test_pettingzoo_pays_each_agent_its_own_end(rules):
    m, n, k = rules
    game, dice = raw_env(m, n, k), np.random.default_rng(0)
    for _ in range(20):
        game.reset()
        board, turn = Rules(*rules).start(), 0
        while not any(game.terminations.values()):
            mover, (cell,) = game.agent_selection, some_cells([board], dice, 0.03)
            illegal = bool(board[cell] != 0)
            game.step(cell)
            board, turn = (board if illegal else Rules(*rules).play(board, cell)), turn + 1
        won = not illegal and bool(Rules(*rules).lost(board))
        other = AGENTS[mover == AGENTS[0]]
        assert game.rewards == {mover: float(won) - illegal, other: 0.0 - won}
        assert all(type(paid) is float for paid in game.rewards.values())


def test_the_sizes_lie_on_both_sides_of_the_border():
    cells = [m * n for m, n, _ in SIZES]
    assert min(cells) < FEW < max(cells)
    assert {FEW, FEW + 1} <= set(cells)
