"""Adapter to skrl: models that never choose occupied cells, and a PPO that learns."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch
from skrl.resources.preprocessors.torch import RunningStandardScaler

import tttenv
from tttenv.adapters.skrl import MaskedPolicy, MaskedQ, legal, make_env, masked, policy
from tttenv.game.features import one_hot
from tttenv.testing import some_boards

RULES = tttenv.Rules()
pytestmark = pytest.mark.usefixtures("seeded")


def games(count, **kwargs):
    """Return a batch in which an illegal move would end the test."""
    return make_env(count, opponent="random", illegal="raise", **kwargs)


def test_the_mask_is_read_off_the_observation():
    boards = some_boards(tttenv.Rules(4, 5, 4))
    seen = torch.as_tensor(one_hot(boards))
    assert (legal(seen).numpy() == (boards == 0)).all()
    numbers = torch.randn(boards.shape)
    assert (masked(numbers, seen).numpy() > -1e8).tolist() == (boards == 0).tolist()


def test_acting_and_exploring_is_legal_on_all_boards():
    env = games(4)
    boards = some_boards(RULES, count=5000)
    inputs = {"observations": torch.as_tensor(one_hot(boards))}
    rows = np.arange(len(boards))
    for model in (MaskedPolicy(env), MaskedQ(env)):
        acted = model.act(inputs, role="policy")[0]
        cells = acted[:, 0] if isinstance(model, MaskedPolicy) else acted.argmax(dim=1)
        random = model.random_act(inputs)[0]
        assert random.shape == (len(boards), 1)
        assert (boards[rows, cells] == 0).all()
        assert (boards[rows, random[:, 0]] == 0).all()


@pytest.mark.parametrize("size", [(3, 3, 3), (5, 5, 4)])
def test_players_do_what_their_models_say(size):
    rules = tttenv.Rules(*size)
    model = MaskedPolicy(games(1, m=rules.m, n=rules.n, k=rules.k))
    board = rules.start(1)
    board[0, 4] = -1
    seen = torch.as_tensor(one_hot(board))
    numbers = model.net(seen).detach().masked_fill(torch.as_tensor(board) != 0, -9e9)
    player = policy(model, rules)
    assert player(board) == pytest.approx(numbers.softmax(1).numpy(), abs=1e-6)
    assert policy(model, rules, deterministic=True)(board)[0, numbers.argmax()] == 1
    with torch.no_grad():
        model.net[-1].bias += torch.arange(rules.cells)
    assert player(board) == pytest.approx(numbers.softmax(1).numpy(), abs=1e-6), "it is frozen"


def test_an_agent_plays_with_its_observation_preprocessor():
    rules, env = tttenv.Rules(), make_env()
    scaler = RunningStandardScaler(env.observation_space)
    boards = some_boards(rules)
    planes = torch.as_tensor(one_hot(boards))
    scaler(planes, train=True)
    model = Unmasked(env)
    agent = SimpleNamespace(models={"policy": model}, _observation_preprocessor=scaler)
    played = policy(agent, rules)(boards)
    with torch.no_grad():
        logits = model.net(scaler(planes))
    wanted = torch.softmax(masked(logits, planes), dim=1)
    assert np.allclose(played, wanted, atol=1e-5)
    assert not np.allclose(played, policy(model, rules)(boards), atol=0.01)
    agent._observation_preprocessor = lambda seen: scaler(seen)  # not a module
    assert (policy(agent, rules)(boards) == played).all()
    model.observation_space = gymnasium.spaces.Box(-1, 1, (27,))
    with pytest.raises(ValueError, match=r"the model observes .* no observations of 3,3,3"):
        policy(agent, rules)


class Unmasked(MaskedPolicy):
    """Policy network that leaves the mask to the player."""

    def compute(self, inputs, role=""):
        """Return logits (batch, cells)."""
        return self.net(inputs["observations"]), {}


def test_games_have_openings_and_the_opponent_can_be_replaced():
    seen, _ = games(64, opening=8).reset()
    assert len(set(seen[:, 18:].sum(dim=1).tolist())) == 9
    env = games(1, seat="X")
    env.reset()
    env.set_opponent("first")
    seen, *_ = env.step(torch.tensor([[4]]))
    assert seen[0, 9:18].nonzero().flatten().tolist() == [0]
