"""Vector environment, compared with the single one and a plain-Python referee by the same keys."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils import seeding
from pairs import pairs
from referee import Referee, plain

from tttenv import Outcome, Rules, player
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe
from tttenv.players import PLAYERS

PLAYERS = [None, *(name for name in PLAYERS if name not in ("alphabeta", "mcts"))]
SEATS = ["X", "O", "random"]
OBS = ["onehot", "board", "dict"]


def moves(masks, dice, wrong=0.0):
    """Return a random legal cell for each game, and now and then any cell."""
    cells = [dice.choice(np.flatnonzero(mask)) for mask in masks]
    return np.array([dice.integers(len(masks[0])) if dice.random() < wrong else c for c in cells])


def equal(first, second):
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(equal(first[k], second[k]) for k in first)
    return np.array_equal(first, second)


def rows(observed, i):
    if isinstance(observed, dict):
        return {name: value[i] for name, value in observed.items()}
    if observed.dtype.names:
        return {name: observed[i][name] for name in observed.dtype.names}
    return observed[i]


@pytest.mark.parametrize(("opponent", "seat", "obs"), pairs(PLAYERS, SEATS, OBS))
def test_a_batch_of_one_equals_the_single_environment_seed_for_seed(opponent, seat, obs):
    made = {"opponent": opponent, "seat": seat, "obs": obs}
    single = gym.make("TicTacToe-v0", **made)
    vector = gym.make_vec("TicTacToe-v0", num_envs=1, **made)
    observed, info = single.reset(seed=5)
    batch, infos = vector.reset(seed=5)
    dice = np.random.default_rng(0)
    for _ in range(300):
        assert equal(observed, rows(batch, 0))
        assert (info["action_mask"] == infos["action_mask"][0]).all()
        cells = moves(infos["action_mask"], dice, wrong=0.02)
        observed, reward, over, truncated, info = single.step(cells[0])
        batch, rewards, terminated, truncations, infos = vector.step(cells)
        assert (reward, over, truncated) == (rewards[0], terminated[0], truncations[0])
        assert (type(reward), type(over)) == (float, bool)
        assert ("final_obs" in infos) == over
        if over:
            assert infos["_final_obs"][0]
            assert infos["_final_info"][0]
            assert equal(observed, rows(infos["final_obs"], 0))
            assert (info["action_mask"] == infos["final_info"]["action_mask"][0]).all()
            assert info["outcome"] == infos["final_info"]["outcome"][0]
            observed, info = single.reset()
    assert single.unwrapped.np_random.random() == vector.unwrapped.np_random.random()


def last_cell(boards):
    """Return the last empty cell, as a player that is a plain function."""
    return np.eye(boards.shape[1])[boards.shape[1] - 1 - (boards[:, ::-1] == 0).argmax(axis=1)]


# Up to 12 cells games are kept as numbers of positions, beyond as boards: some on either side.
SIZES = [(3, 3, 3), (3, 4, 3), (5, 5, 4), (1, 12, 3), (1, 13, 3)]


@pytest.mark.parametrize(
    ("opponent", "seat", "rules", "draw"),
    pairs([*PLAYERS, last_cell], SEATS, SIZES, [0.0, 0.7, -1.0]),
)
def test_a_batch_equals_the_plain_referee_handed_the_same_keys(opponent, seat, rules, draw):
    if opponent in ("minimax", "epsilon") and rules in ((5, 5, 4), (1, 13, 3)):
        opponent = "tactical"
    m, n, k = rules
    vector = VectorTicTacToe(7, m, n, k, opponent, seat, obs="board", draw=draw)
    made = player(opponent, Rules(*rules)) if isinstance(opponent, str) else opponent
    policy = None if made is None else plain(made)
    generator, _ = seeding.np_random(11)
    referee = Referee(rules, 7, policy, seat, generator.bit_generator.random_raw)
    boards, infos = vector.reset(seed=11)
    referee.deal(range(7))
    dice = np.random.default_rng(1)
    for _ in range(100):
        assert boards.tolist() == referee.boards
        cells = moves(infos["action_mask"], dice, wrong=0.05)
        illegal = boards[np.arange(7), cells] != 0
        boards, rewards, terminated, _, infos = vector.step(cells)
        answers = referee.step(cells.tolist())
        drawn = [over and reward == 0 for _, reward, over in answers]
        paid = [draw if tie else reward for (_, reward, _), tie in zip(answers, drawn, strict=True)]
        assert rewards.tolist() == paid
        assert rewards.dtype == np.float64
        assert not np.signbit(rewards[rewards == 0]).any()
        assert terminated.tolist() == [over for _, _, over in answers]
        assert ("final_info" in infos) == terminated.any()
        for i in np.flatnonzero(terminated):
            assert infos["final_obs"][i].tolist() == answers[i][0]
            lost = Outcome.ILLEGAL if illegal[i] else Outcome.LOSS
            ended = {1.0: Outcome.WIN, -1.0: lost}.get(answers[i][1], Outcome.DRAW)
            assert infos["final_info"]["outcome"][i] == ended
    assert vector.np_random.random() == generator.random()


def test_a_wrong_action_names_its_game_and_changes_nothing():
    vector = VectorTicTacToe(3, illegal="raise")
    vector.reset(seed=0, options={"board": "X___O___X"})
    before = vector.boards
    for actions in ([1, 9, 2], [1, -1, 2], [1, 0, 2]):
        with pytest.raises(ValueError, match=r"^[^\n]*game 1[^\n]*$"):
            vector.step(np.array(actions))
        assert (vector.boards == before).all()


def test_its_manual_covers_what_the_single_one_does_not():
    import inspect

    more = set(inspect.signature(VectorTicTacToe).parameters) - set(
        inspect.signature(TicTacToe).parameters
    )
    assert all(f"| `{name}` |" in inspect.getdoc(VectorTicTacToe) for name in more)


def test_a_reset_is_needed_before_the_first_step():
    vector = VectorTicTacToe(2)
    with pytest.raises(gym.error.ResetNeeded):
        vector.step(np.array([0, 0]))
    with pytest.raises(ValueError, match="at least one game"):
        VectorTicTacToe(0)
