"""skrl: models that never take a taken cell, though skrl knows no masks, and a PPO that learns."""

import numpy as np
import pytest
import torch
from skrl.agents.torch.dqn import DQN, DQN_CFG
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer

import tttenv
from tttenv.adapters.skrl import MaskedPolicy, MaskedQ, Value, legal, make_env, masked, policy
from tttenv.game.features import one_hot
from tttenv.testing import check_policy, some_boards

RULES = tttenv.Rules()


@pytest.fixture(autouse=True)
def seeded():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def games(count, **kwargs):
    """A batch in which an illegal move would end the test."""
    return make_env(count, opponent="random", illegal="raise", **kwargs)


def trained(kind, env, models, turns, folder, **config):
    memory = RandomMemory(memory_size=config.pop("memory"), num_envs=env.num_envs)
    quiet = {"directory": str(folder), "write_interval": 0, "checkpoint_interval": 0}
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    settings = {PPO: PPO_CFG, DQN: DQN_CFG}[kind](experiment=quiet, **config)
    agent = kind(models=models, memory=memory, cfg=settings, **spaces)
    silent = {"disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": turns, **silent}).train()
    return agent


def win_share_as_x(found, **options):
    player = policy(found, RULES, **options)
    check_policy(player, RULES)
    return tttenv.certify(RULES, player).vs_random["X"][0]


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


def test_its_trainers_may_render():
    assert games(2).render() is None
    shown = games(2, render_mode="ansi")
    shown.reset()
    assert [text.count("\n") for text in shown.render()] == [4, 4]


@pytest.mark.trained
def test_ppo_learns_with_masks(tmp_path, reached):
    env = games(64)
    models = {"policy": MaskedPolicy(env), "value": Value(env)}
    untrained = win_share_as_x(models["policy"])
    config = {"rollouts": 16, "learning_epochs": 4, "mini_batches": 4, "discount_factor": 1.0}
    agent = trained(PPO, env, models, 480, tmp_path, memory=16, learning_rate=3e-3, **config)
    reached("untrained", untrained, below=0.65)
    reached("wins as X, drawn cells", win_share_as_x(agent), above=0.85)
    likeliest = win_share_as_x(agent, deterministic=True)
    reached("wins as X, likeliest cells", likeliest, above=0.85)


@pytest.mark.trained
def test_dqn_learns_with_masks(tmp_path, reached):
    env = games(32)
    models = {"q_network": MaskedQ(env), "target_q_network": MaskedQ(env)}
    models["target_q_network"].load_state_dict(models["q_network"].state_dict())
    untrained = win_share_as_x(models["q_network"])
    config = {"random_timesteps": 30, "learning_starts": 30, "discount_factor": 1.0}
    config |= {"batch_size": 256, "polyak": 0.1, "exploration_scheduler": lambda step, steps: 0.2}
    agent = trained(DQN, env, models, 1000, tmp_path, memory=1000, **config)
    reached("untrained", untrained, below=0.75)
    reached("wins as X", win_share_as_x(agent), above=0.8)


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


def test_what_is_no_player_is_named():
    with pytest.raises(ValueError, match="a model or an agent"):
        policy("ppo", RULES)
