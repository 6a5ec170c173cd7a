"""Adapter to TorchRL: valid specs, masks, the same games as ours, and a PPO that learns."""

import gymnasium
import numpy as np
import pytest
import torch
from tensordict.nn import InteractionType, TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.envs import GymWrapper, ObservationNorm, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor, QValueActor

import tttenv
from tttenv.adapters.torchrl import make_env, policy
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.features import one_hot
from tttenv.policy import first_best
from tttenv.testing import some_boards

RULES = tttenv.Rules()
EVERY = pytest.mark.parametrize("num_envs", [None, 1, 32])


def net(outputs, cells=9):
    return nn.Sequential(nn.Linear(3 * cells, 64), nn.Tanh(), nn.Linear(64, outputs))


def actor_of(logits):
    return ProbabilisticActor(
        TensorDictModule(logits, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,
        return_log_prob=True,
    )


@EVERY
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kwargs", [{}, {"m": 3, "n": 4, "opponent": None}])
def test_specs_hold_in_silence(num_envs, kwargs):
    for seed in range(5):
        check_env_specs(make_env(num_envs, **kwargs), seed=seed)


@EVERY
def test_random_actions_are_legal_and_masks_are_the_empty_cells(num_envs):
    env = make_env(num_envs, illegal="raise")
    env.set_seed(0)
    frames = env.rollout(60, break_when_any_done=False).reshape(-1)
    empty = frames["observation"].view(-1, 3, 9)[:, 2].bool()
    assert (frames["action_mask"] == empty).all()
    assert frames["action_mask"].dtype == torch.bool
    over = frames["next", "done"][:, 0]
    assert over.any()
    assert not frames["next", "action_mask"][over].any()
    assert frames["next", "action_mask"][~over].any(dim=1).all()
    assert (frames["next", "reward"][~over] == 0).all()
    assert frames["next", "reward"].unique().tolist() == [-1, 0, 1]


def test_a_batch_plays_the_games_of_our_own():
    ours, theirs = VectorTicTacToe(16, opponent="tactical"), make_env(16, opponent="tactical")
    theirs.set_seed(7)
    observed, _ = ours.reset(seed=7)
    frame = theirs.reset()
    observed, _ = ours.reset()  # set_seed deals once, and so does reset
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert (frame["observation"].numpy() == observed).all()
        cells = np.array([rng.choice(np.flatnonzero(row)) for row in ours.action_masks()])
        observed, rewards, over, *_ = ours.step(cells)
        frame["action"] = torch.as_tensor(cells)
        done, frame = theirs.step_and_maybe_reset(frame)
        assert (done["next", "reward"][:, 0].numpy() == rewards).all()
        assert (done["next", "done"][:, 0].numpy() == over).all()


@pytest.mark.parametrize("size", [(3, 3, 3), (5, 5, 4)])
def test_players_do_what_their_modules_say(size):
    rules, values = tttenv.Rules(*size), net(size[0] * size[1], size[0] * size[1])
    board = rules.start(1)
    board[0, 4] = -1
    seen = torch.as_tensor(np.concatenate([board == 1, board == -1, board == 0], 1)).float()
    numbers = values(seen).detach().masked_fill(torch.as_tensor(board) != 0, -torch.inf)
    taken = policy(QValueActor(values, action_space="categorical", spec=None), rules)(board)
    assert taken[0, numbers.argmax()] == 1
    likely = numbers.softmax(1).numpy()
    for module in (actor_of(values), TensorDictModule(values, ["observation"], ["logits"])):
        player = policy(module, rules)
        assert player(board) == pytest.approx(likely, abs=1e-6)
        with torch.no_grad():
            for weights in values.parameters():
                weights.mul_(-2)
        assert player(board) == pytest.approx(likely, abs=1e-6), "later training changes nothing"
        with torch.no_grad():
            for weights in values.parameters():
                weights.div_(-2)


def test_openings_give_the_agent_any_position_and_the_opponent_can_be_replaced():
    frames = make_env(64, opening=8).rollout(12, break_when_any_done=False)
    stones = 9 - frames["action_mask"].sum(dim=-1)
    after_end = frames["next", "done"][:, :-1, 0]
    assert len(set(stones[:, 1:][after_end].tolist())) > 6
    one = make_env(1, seat="X")
    first = one.reset()
    one.set_opponent("first")
    first["action"] = torch.tensor([4])
    assert one.step(first)["next", "observation"][0, 9:18].nonzero().flatten().tolist() == [0]


@pytest.mark.parametrize(
    "options", [{}, {"obs": "board"}, {"obs": "dict", "autoreset_mode": "Disabled"}]
)
def test_its_own_wrapper_takes_our_batches_with_their_masks(options):
    games = gymnasium.make_vec("TicTacToe-v0", num_envs=4, **options)
    frames = GymWrapper(games).rollout(30, break_when_any_done=False)["next"]
    assert frames["action_mask"].shape == (4, 30, 9)
    assert frames["done"].any()


def test_transforms_are_judged_before_the_module_and_other_keys_are_refused():
    logits, boards = net(9), some_boards(RULES)
    norm = ObservationNorm(loc=-1.0, scale=2.0, in_keys=["observation"])
    play = policy(TensorDictSequential(norm, actor_of(logits)), RULES, deterministic=True)
    numbers = logits(2 * torch.as_tensor(one_hot(boards)) - 1).detach().numpy()
    assert (play(boards) == first_best(numbers, boards == 0)).all()
    with pytest.raises(ValueError, match=r"^a TorchRL player reads [^\n]*'pixels'[^\n]*$"):
        policy(TensorDictModule(logits, ["pixels"], ["logits"]), RULES)
