"""RLlib trains on our environment and its modules are players; `make test-rllib` runs this."""

import logging
import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # ray calls home otherwise

import numpy as np
import pytest
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from tttenv import Rules, certify
from tttenv.adapters import rllib
from tttenv.exact import positions

RULES = Rules()
STEPS = 12  # at most


def test_its_public_names_are_there():
    assert callable(rllib.register)
    assert callable(rllib.policy)


@pytest.fixture(scope="module")
def trained(disturbance):
    """Masked PPO, trained against random moves; an illegal one would end the training."""
    ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR)
    rllib.register()
    network = DefaultModelConfig(fcnet_hiddens=[64, 64])
    config = (
        PPOConfig()
        .environment("TicTacToe-v0", env_config={"illegal": "raise"})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .learners(num_learners=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=rllib.MaskedModule, model_config=network)
        )
        .training(
            train_batch_size_per_learner=2048,
            minibatch_size=512,
            num_epochs=6,
            lr=3e-3,
            entropy_coeff=0.01,
        )
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    before = rllib.policy(algorithm, RULES)
    for _ in range(STEPS):
        algorithm.train()
        if certify(RULES, rllib.policy(algorithm, RULES)).vs_random["X"][0] > 0.8:
            break
    yield before, algorithm
    algorithm.stop()
    ray.shutdown()


@pytest.mark.trained
def test_masked_ppo_beats_random_moves_clearly(trained, reached):
    before, algorithm = trained
    start = certify(RULES, before).vs_random["X"][0]
    found = certify(RULES, rllib.policy(algorithm, RULES)).vs_random
    reached("untrained", start, below=0.7)
    reached("wins as X", found["X"][0], above=0.75)
    reached("wins as O", found["O"][0], above=0.4)  # random moves: 0.288


def test_its_module_never_draws_a_taken_cell_and_the_player_is_that_module(trained):
    module = trained[1].get_module()
    game = positions(RULES)
    boards = game.boards[game.decisions]
    env = rllib.make()
    seen = [env.reset(options={"board": board})[0] for board in boards]
    batch = {name: torch.as_tensor(np.array([one[name] for one in seen])) for name in seen[0]}
    with torch.no_grad():
        logits = module.forward_inference({"obs": batch})["action_dist_inputs"].double().numpy()
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs /= probs.sum(axis=1, keepdims=True)
    assert (probs[boards != 0] == 0).all()
    player = rllib.policy(trained[1], RULES)
    assert player(boards) == pytest.approx(probs, abs=1e-6)
    hidden = rllib.observed(module, RULES).unmasked(boards)
    assert hidden.sum(axis=1) == pytest.approx(1)
    assert hidden[boards != 0].sum() > 0  # what the mask hides


def test_a_masked_module_wants_masks():
    with pytest.raises(ValueError, match='observes obs="dict"'):
        rllib.MaskedModule(observation_space=rllib.make({"obs": "board"}).observation_space)
