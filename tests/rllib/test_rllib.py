"""Training with RLlib, and its modules as players; run by `make test-rllib`."""

import logging
import os
import signal
import tempfile
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # ray calls home otherwise

import numpy as np
import pytest
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import MeanStdFilter
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from tttenv import Rules, certify
from tttenv.adapters import rllib
from tttenv.exact import positions

RULES = Rules()
STEPS = 12  # at most
SECONDS = 120  # until a killed env runner is there again, on a busy machine


@pytest.fixture(scope="module")
def machine():
    """Yield Ray on this machine, with room for two env runners beside the training."""
    with tempfile.TemporaryDirectory(prefix="ray-") as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", place)
        ray.init("local", num_cpus=3, include_dashboard=False, logging_level=logging.ERROR)
        rllib.register()
        yield
        ray.shutdown()


def masked(batch, **env_runners):
    """Return masked PPO against random moves, in which an illegal move would end the training."""
    network = DefaultModelConfig(fcnet_hiddens=[64, 64])
    return (
        PPOConfig()
        .environment("TicTacToe-v0", env_config={"illegal": "raise"})
        .env_runners(num_envs_per_env_runner=16, **env_runners)
        .learners(num_learners=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=rllib.MaskedModule, model_config=network)
        )
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=batch // 4,
            num_epochs=6,
            lr=3e-3,
            entropy_coeff=0.01,
        )
        .debugging(seed=0)
    )


@pytest.fixture(scope="module")
def trained(machine, disturbance):
    """Yield a training in this process that wins four games of five as X."""
    algorithm = masked(2048, num_env_runners=0).build_algo()
    before = rllib.policy(algorithm, RULES)
    for _ in range(STEPS):
        algorithm.train()
        if certify(RULES, rllib.policy(algorithm, RULES)).vs_random["X"][0] > 0.8:
            break
    yield before, algorithm
    algorithm.stop()


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


def test_openings_give_the_agent_any_position():
    env = rllib.make({"opening": 8})
    stones = {9 - int(env.reset(seed=seed)[0]["action_mask"].sum()) for seed in range(100)}
    assert stones == set(range(9))


def numbers(algorithm):
    """Return the ids of the processes of the env runners that are alive."""
    runners = algorithm.env_runner_group
    return set(runners.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False))


def test_a_training_with_several_env_runners_goes_on_when_one_is_killed(machine):
    config = masked(512, num_env_runners=2).fault_tolerance(
        restart_failed_env_runners=True, delay_between_env_runner_restarts_s=0
    )
    algorithm = config.build_algo()
    first = algorithm.train()
    before = numbers(algorithm)
    assert len(before) == 2
    lost = min(before)
    os.kill(lost, signal.SIGKILL)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        latest = algorithm.train()
        after = numbers(algorithm)
        if len(after) == 2 and lost not in after:
            break
    assert lost not in after
    assert len(after) == 2
    assert len(after - before) == 1
    steps = "num_env_steps_sampled_lifetime"
    assert latest["env_runners"][steps] > first["env_runners"][steps]
    assert certify(RULES, rllib.policy(algorithm, RULES)).vs_random["X"][0] > 0
    algorithm.stop()


def test_a_connector_that_transforms_observations_is_refused_by_name(machine):
    config = PPOConfig().environment("TicTacToe-v0", env_config={"obs": "onehot"})
    config.env_runners(num_env_runners=0, env_to_module_connector=lambda *_, **__: MeanStdFilter())
    algorithm = config.learners(num_learners=0).build_algo()
    with pytest.raises(ValueError, match=r"^the model learned behind MeanStdFilter, which"):
        rllib.policy(algorithm, RULES)
    algorithm.stop()
