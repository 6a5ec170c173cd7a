"""Training with Stable-Baselines3: its algorithms learn, and players are frozen."""

from dataclasses import asdict

import pytest
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from sb3_models import RULES, Counting, made, quick
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv, VecMonitor

from tttenv import Rules, certify
from tttenv.adapters.sb3 import (
    SelfPlayCallback,
    VecEnv,
    illegal_mass,
    masked,
    policy,
)
from tttenv.testing import some_boards

TRAININGS = {  # settings, games side by side, environment steps
    "maskable_ppo": ({"n_steps": 32, "batch_size": 256, "learning_rate": 1e-3}, 64, 16_384),
    "ppo": ({"n_steps": 32, "batch_size": 256}, 64, 24_576),
    "a2c": ({"n_steps": 8, "learning_rate": 2e-3}, 64, 48_000),
    "dqn": (
        {
            "learning_rate": 1e-3,
            "buffer_size": 20_000,
            "learning_starts": 500,
            "train_freq": 1,
            "target_update_interval": 500,
            "batch_size": 64,
            "exploration_fraction": 0.3,
        },
        16,
        40_000,
    ),
}


@pytest.mark.trained
@pytest.mark.parametrize("kind", TRAININGS)
def test_trained_models_beat_random_clearly_and_masked_ones_never_move_illegally(kind, reached):
    settings, games, steps = TRAININGS[kind]
    env = Counting(VecEnv(games))
    model = made(kind, env, **settings)
    before = certify(RULES, policy(model, RULES, deterministic=True))
    blind = illegal_mass(model, RULES)
    model.learn(steps)
    after = certify(RULES, policy(model, RULES, deterministic=True))
    left = illegal_mass(model, RULES)
    assert env.moves >= steps
    assert env.stuck == 0
    likeliest = after.vs_random["X"][0]
    reached("wins as X, likeliest cells", likeliest, above=0.85)
    reached("more than untrained", likeliest - before.vs_random["X"][0], above=0.1)
    drawn = certify(RULES, policy(model, RULES)).vs_random["X"][0]
    reached("wins as X, drawn cells", drawn, above=0.75)
    if masked(model):
        judge = Counting(VecEnv(8))
        evaluate_masked(model, VecMonitor(judge), 200)
        assert judge.moves > 600
        assert env.illegal == judge.illegal == judge.stuck == 0
    else:
        assert env.illegal > 100
        reached("illegal share of the untrained one's", left / blind, below=0.5)


@pytest.mark.trained
@pytest.mark.parametrize("rules", [(3, 3, 3), (5, 5, 4)])
def test_a_player_stays_as_it_is_when_its_model_learns_on(rules, reached):
    game = Rules(*rules)
    model = quick(VecEnv(8, **asdict(game)))
    model.learn(64)
    frozen, boards = policy(model, game), some_boards(game, 40)
    before = frozen(boards)
    model.learn(256)
    assert (frozen(boards) == before).all()
    reached("change", abs(policy(model, game)(boards) - before).max(), above=1e-3)


def test_games_in_other_processes_train_and_swap_their_opponents_too():
    env = make_vec_env("tttenv:TicTacToe-v0", 2, vec_env_cls=SubprocVecEnv)
    try:
        model = quick(env)
        model.learn(200, SelfPlayCallback(every=64, swap=32, players=("tactical",)))
    finally:
        env.close()
    assert model.num_timesteps >= 200
