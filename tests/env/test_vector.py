"""Vector environment, compared with the single one and a plain-Python referee by the same keys."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pairs import pairs
from played_boards import random_cells
from referee import Referee, plain
from test_copies import last_cell

from tttenv import Outcome, Rules, player
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe
from tttenv.players import PLAYERS
from tttenv.policy import OBSERVATIONS

SLOW = ("alphabeta", "gumbel", "mcts")
PLAYERS = [None, *(name for name in PLAYERS if name not in SLOW)]
SEATS = ["X", "O", "random"]
OBS = list(OBSERVATIONS)


def same(theirs, ours):
    """Check that two batches of one game are equal, including the types of arrays."""
    if isinstance(theirs, dict):
        names = ours.keys() if isinstance(ours, dict) else set(ours.dtype.names)
        assert theirs.keys() == names
        for name, part in theirs.items():
            same(part, ours[name])
    elif theirs.dtype == object:  # Gymnasium's last observations; ours are dense
        same(theirs[0], ours[0])
    else:
        assert theirs.dtype == ours.dtype
        assert np.array_equal(theirs, ours)


@pytest.mark.parametrize(
    ("opponent", "seat", "obs", "mode", "rules"),
    pairs(
        [*PLAYERS, last_cell],
        SEATS,
        OBS,
        [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP],
        [(3, 3, 3), (5, 5, 4)],
    ),
)
def test_a_batch_of_one_is_gymnasiums_of_the_single_environment_seed_for_seed(
    opponent, seat, obs, mode, rules
):
    if opponent in ("minimax", "epsilon") and rules != (3, 3, 3):  # too large to be solved
        opponent = "tactical"
    made = {"opponent": opponent, "seat": seat, "obs": obs, "draw": 0.5}
    made |= dict(zip("mnk", rules, strict=True))
    theirs = SyncVectorEnv([lambda: TicTacToe(**made)], autoreset_mode=mode)
    ours = gym.make_vec("TicTacToe-v0", num_envs=1, autoreset_mode=mode, **made)
    seen = [env.reset(seed=5) for env in (theirs, ours)]
    dice = np.random.default_rng(0)
    for _ in range(150):
        for one, other in zip(*seen, strict=True):
            same(one, other)
        cells = random_cells(seen[1][-1]["action_mask"], dice, wrong=0.02)
        seen = [env.step(cells) for env in (theirs, ours)]
    single = theirs.envs[0].unwrapped
    assert single.np_random.random() == ours.unwrapped.np_random.random()


# Up to 12 cells games are kept as numbers of positions, beyond as boards: some on either side.
SIZES = [(3, 3, 3), (3, 4, 3), (5, 5, 4), (1, 12, 3), (1, 13, 3), (15, 15, 5)]


@pytest.mark.parametrize(
    ("opponent", "seat", "rules", "draw"),
    pairs([*PLAYERS, last_cell], SEATS, SIZES, [0.0, 0.7, -1.0]),
)
def test_a_batch_equals_the_plain_referee_handed_the_same_keys(opponent, seat, rules, draw):
    if opponent in ("minimax", "epsilon") and rules[0] * rules[1] > 12:
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
    for _ in range(60):
        assert boards.tolist() == referee.boards
        cells = random_cells(infos["action_mask"], dice, wrong=0.05)
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
    assert VectorTicTacToe().num_envs == 1
