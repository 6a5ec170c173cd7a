"""Callbacks for Stable-Baselines3 in whole trainings: early stops, and the best model."""

import json

import pytest
from sb3_models import RULES, quick

from tttenv import certify, player
from tttenv.adapters.sb3 import (
    ExactEvalCallback,
    VecEnv,
    load,
    policy,
)
from tttenv.adapters.sb3.callbacks import rank
from tttenv.players.stored.checkpoint import digest


@pytest.mark.trained
@pytest.mark.parametrize("stop", [True, False])
def test_training_stops_when_unbeatable_and_only_then(stop):
    model = quick(VecEnv(8, m=2, n=2, k=2))  # on 2,2,2 any play is unbeatable: X always wins
    exact = ExactEvalCallback(every=64, stop=stop)
    model.learn(512, exact)
    assert exact.certificate.unbeatable
    assert model.num_timesteps == (64 if stop else 512)
    beatable = quick()
    beatable.learn(256, ExactEvalCallback(every=64, stop=stop))
    assert beatable.num_timesteps == 256


@pytest.mark.trained
def test_the_best_model_is_kept_with_its_certificate_and_outlives_worse_ones(tmp_path):
    folder, found = tmp_path / "best", []

    class Noting(ExactEvalCallback):
        def _measure(self):
            found.append(super()._measure())
            return found[-1]

    model = quick()
    model.learn(2048, Noting(every=256, folder=folder))
    assert len(found) == 9
    card = json.loads((folder / "best.json").read_text())
    assert card["certificate"] == json.loads(json.dumps(max(found, key=rank).to_dict()))
    assert card["sha256"] == digest((folder / "best.zip").read_bytes())
    assert {file.name for file in folder.iterdir()} == {"best.zip", "best.json"}
    again = policy(load(folder / "best.zip"), RULES, deterministic=True)
    assert certify(RULES, again).to_dict() == card["certificate"]
    assert certify(RULES, player(card["player"])).to_dict() == card["certificate"]

    models = [quick(seed=seed, learning_rate=0.0) for seed in range(1, 7)]  # stay untrained
    untrained = [certify(RULES, policy(one, RULES, deterministic=True)) for one in models]
    worse = models[min(range(len(models)), key=lambda i: rank(untrained[i]))]
    resumed = ExactEvalCallback(every=64, folder=folder)
    before = (folder / "best.zip").read_bytes()
    worse.learn(64, resumed)
    assert rank(resumed.certificate) < rank(resumed.best)
    assert (folder / "best.zip").read_bytes() == before
