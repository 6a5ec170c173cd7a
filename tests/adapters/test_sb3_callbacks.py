"""Callbacks for Stable-Baselines3: exact numbers in the log, and self-play."""

import copy
import json
from dataclasses import asdict

import gymnasium as gym
import pytest
import stable_baselines3
import torch
from sb3_models import RULES, made, quick
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from tttenv import Rules, certify
from tttenv.adapters.sb3 import ExactEvalCallback, SelfPlayCallback, VecEnv, illegal_mass, policy
from tttenv.adapters.sb3.callbacks import rank
from tttenv.certificates import metric_table, metrics
from tttenv.certificates.certificate import IN_TRAINING, REACHABLE
from tttenv.certificates.metrics import flat
from tttenv.policy import Uniform, uniform


class Recorder(KVWriter):
    """Writer that keeps the exact numbers of SB3's logger with their steps."""

    def __init__(self):
        self.rows = []

    def write(self, values, excluded, step=0):
        """Keep the exact numbers."""
        exact = {tag: number for tag, number in values.items() if tag.startswith("exact/")}
        if exact:
            self.rows.append((step, exact))

    def close(self):
        """Do nothing."""


class Copies(BaseCallback):
    """Callback that copies the model's weights at some steps."""

    def __init__(self, steps):
        super().__init__()
        self.steps, self.weights = steps, []

    def _on_step(self):
        if self.num_timesteps in self.steps:
            weights = copy.deepcopy(self.model.policy.state_dict())
            self.weights.append((self.num_timesteps, weights))
        return True


@pytest.mark.parametrize("kind", ["maskable_ppo", "a2c", "dqn"])
def test_the_log_holds_the_exact_numbers_of_the_model_at_that_step(kind):
    settings = {"learning_starts": 50} if kind == "dqn" else {"n_steps": 20}
    model, recorder = made(kind, VecEnv(4), **settings), Recorder()
    model.set_logger(Logger(None, [recorder]))
    copies, exact = Copies([100, 200, 300, 400]), ExactEvalCallback(every=100)
    model.learn(400, [copies, exact])
    copies.weights.append((400, copy.deepcopy(model.policy.state_dict())))  # after its last lesson
    assert [step for step, _ in recorder.rows] == [100, 200, 300, 400, 400]
    assert [step for step, _ in copies.weights] == [100, 200, 300, 400, 400]
    for (_, row), (_, weights) in zip(recorder.rows, copies.weights, strict=True):
        model.policy.load_state_dict(weights)
        play = policy(model, RULES, deterministic=True)
        wanted = metrics.measure(RULES, play)
        if kind != "maskable_ppo":
            wanted["exact/illegal_mass"] = illegal_mass(model, RULES, deterministic=True)
        assert row == wanted
    assert exact.certificate == certify(RULES, play)


def test_measuring_does_not_disturb_the_training():
    weights = []
    for callbacks in ([], [ExactEvalCallback(every=64)]):
        model = quick(seed=3)
        model.learn(512, callbacks)
        weights.append(torch.nn.utils.parameters_to_vector(model.policy.parameters()))
    assert (weights[0] == weights[1]).all()


def test_the_worst_case_counts_more_than_all_optimal_moves():
    base = certify(RULES, "first")
    cases = [
        {"worst_case": {"X": -1.0, "O": -1.0}, "optimal_moves": {"all": 0.99}},
        {"worst_case": {"X": 0.0, "O": -1.0}, "optimal_moves": {"all": 0.7}},
        {"worst_case": {"X": -0.5, "O": -0.6}, "optimal_moves": {"all": 0.5}},
        {"worst_case": {"X": -0.5, "O": -0.6}, "optimal_moves": {"all": 0.6}},
    ]
    ranks = [rank(type(base)(**{**asdict(base), **case})) for case in cases]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 4


@pytest.mark.parametrize("rules", [Rules(4, 4, 4), Rules(5, 5, 4)], ids=str)
def test_beyond_enumeration_models_are_certified_by_what_they_can_reach(rules, tmp_path):
    def fresh():
        return quick(VecEnv(8, m=rules.m, n=rules.n, k=rules.k), policy_kwargs={"net_arch": [8]})

    model, recorder = fresh(), Recorder()
    model.set_logger(Logger(None, [recorder]))
    exact = ExactEvalCallback(every=128, folder=tmp_path)
    model.learn(128, exact)
    play = policy(model, rules, deterministic=True)
    found = certify(rules, play, IN_TRAINING, method=REACHABLE)
    assert exact.certificate == found
    assert recorder.rows[-1] == (128, flat(found) | metric_table.losing_leaves(rules, play))
    assert found.losing_line["X"]  # hardly trained
    kept = json.loads((tmp_path / "best.json").read_text())["certificate"]
    assert kept == json.loads(json.dumps(exact.best.to_dict()))
    alone = fresh()
    alone.learn(128)
    weights = [one.policy.state_dict() for one in (model, alone)]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    resumed = ExactEvalCallback(every=128, folder=tmp_path)
    alone.learn(64, resumed)
    assert rank(resumed.best) >= rank(exact.best)


def test_what_cannot_be_certified_or_resumed_is_refused_before_training(tmp_path):
    usual = asdict(certify(Rules(), "random"))
    older = {key: value for key, value in usual.items() if key != "never_loses"}
    broken = (
        {},
        usual | {"rules": 5, "optimal_moves": {"all": None}},
        older | {"losing_line": [1, 2]},
    )
    for broken_card in ("{", "{}", *(json.dumps({"certificate": card}) for card in broken)):
        (tmp_path / "best.json").write_text(broken_card)
        with pytest.raises(ValueError, match=r"^[^\n]*best\.json (holds no|is not JSON)[^\n]*$"):
            quick().learn(64, ExactEvalCallback(folder=tmp_path))
    other = asdict(certify(Rules(2, 2, 2), "random"))
    (tmp_path / "best.json").write_text(json.dumps({"certificate": other}))
    with pytest.raises(ValueError, match="no certificate of a saved model for 3,3,3"):
        quick().learn(64, ExactEvalCallback(folder=tmp_path))
    with pytest.raises(ValueError, match="every must be at least 1"):
        ExactEvalCallback(every=0)
    lake = stable_baselines3.PPO("MlpPolicy", gym.make("FrozenLake-v1"), device="cpu")
    with pytest.raises(ValueError, match="is not TicTacToe"):
        lake.learn(64, ExactEvalCallback())


class Watch(BaseCallback):
    """Callback that notes the opponent of every game after each step."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def _on_step(self):
        matches = self.training_env.get_attr("match")
        assert len({id(match.opponent) for match in matches}) == 1
        self.seen.append((self.num_timesteps, matches[0].opponent))
        return True


@pytest.mark.parametrize("many", [VecEnv, lambda n: DummyVecEnv([make_one] * n)])
def test_named_players_and_frozen_snapshots_take_turns_as_opponents(many):
    watch, copies = Watch(), Copies([512])
    play = SelfPlayCallback(every=128, keep=2, swap=64, players=("first", uniform))
    model = quick(many(8))
    model.learn(64, play)
    opening = play.snapshots[0]
    table = opening.table.copy()
    model.learn(512, [play, watch, copies], reset_num_timesteps=False)
    assert isinstance(play.named[1], Uniform)
    assert len(play.snapshots) == 2
    turns = [dict(watch.seen)[64 * turn] for turn in range(2, 9)]
    assert [turns[0], turns[2], turns[3], turns[6]] == [opening, *play.named, play.named[0]]
    assert len({id(turns[at]) for at in (0, 1, 4, 5)}) == 4
    assert turns[5] is play.snapshots[0]
    assert (opening.table == table).all()
    model.policy.load_state_dict(copies.weights[0][1])
    assert (play.snapshots[-1].table == policy(model, RULES).table).all()


def make_one():
    return gym.make("TicTacToe-v0")


def test_self_play_alone_and_on_large_boards_works_and_nonsense_is_refused():
    model = quick(VecEnv(8, m=5, n=5, k=4))
    play = SelfPlayCallback(every=64, keep=3, swap=16, players=())
    model.learn(256, play)
    assert len(play.pool) == 3
    for wrong in ({"every": float("nan")}, {"keep": 0}, {"keep": 1.5}, {"swap": 0}):
        with pytest.raises(
            ValueError, match=f"{next(iter(wrong))} must be (at least 1|an integer)"
        ):
            SelfPlayCallback(**wrong)
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        quick().learn(64, SelfPlayCallback(players=("nobody",)))
