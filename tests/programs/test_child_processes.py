"""The environment in child processes, by the id of the README: no other import is needed there."""

import importlib
import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import tttenv

README = (Path(tttenv.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PROGRAM = """
import sys

import gymnasium


def cells(name):
    return gymnasium.make(name).reset()[1]["action_mask"].size


if __name__ == "__main__":
    import tttenv

    name, how = sys.argv[1:]
    if how == "SubprocVecEnv":
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.vec_env import SubprocVecEnv

        env = make_vec_env(name, n_envs=2, vec_env_cls=SubprocVecEnv)
        print(env.reset().shape)
        env.close()
    elif how == "AsyncVectorEnv":
        makers = [lambda: gymnasium.make(name)] * 2
        env = gymnasium.vector.AsyncVectorEnv(makers, context="spawn")
        print(env.reset()[0].shape)
        env.close()
    elif how == "joblib":
        import joblib

        print(sum(joblib.Parallel(2)([joblib.delayed(cells)(name)] * 2)))
    else:
        import multiprocessing

        with multiprocessing.get_context(how).Pool(2) as pool:
            print(sum(pool.map(cells, [name] * 2)))
"""
WAYS = {
    "SubprocVecEnv": ("stable_baselines3", "(2, 27)"),
    "AsyncVectorEnv": ("gymnasium", "(2, 27)"),
    "joblib": ("joblib", "18"),
    "spawn": ("multiprocessing", "18"),
    "forkserver": ("multiprocessing", "18"),
}


@pytest.mark.parametrize("how", WAYS)
def test_the_id_of_the_readme_works_in_child_processes(how, tmp_path):
    library, shape = WAYS[how]
    pytest.importorskip(library)
    (name,) = set(re.findall(r'gym\.make(?:_vec)?\("([^"]+)"', README))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), name, how]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"{shape}\n", done.stderr


@pytest.mark.parametrize("options", [{}, {"copy": False}, {"shared_memory": False}], ids=str)
def test_texts_from_other_processes_are_those_of_each_step(options):
    made = {"id": "tttenv:TicTacToe-v0", "num_envs": 2, "obs": "text"}
    here = gymnasium.make_vec(**made, vectorization_mode="sync")
    there = gymnasium.make_vec(**made, vectorization_mode="async", vector_kwargs=options)
    seen = [tuple(games.reset(seed=0)[0]) for games in (here, there)]
    here.action_space.seed(0)
    for _ in range(8):
        assert seen[0] == seen[1]
        cells = here.action_space.sample()
        seen = [tuple(games.step(cells)[0]) for games in (here, there)]
    there.close()


def test_tianshous_shared_memory_does_not_change_what_it_has_handed_out():
    adapter = pytest.importorskip("tttenv.adapters.tianshou")
    games = importlib.import_module("tianshou.env").ShmemVectorEnv([adapter.make_env] * 2)
    games.seed(0)
    seen, _ = games.reset()
    kept = deepcopy(seen)
    after = games.step(np.array([4, 4]))[0]
    games.close()
    for one, before, later in zip(seen, kept, after, strict=True):
        assert all((one[name] == before[name]).all() for name in ("obs", "mask"))
        assert (one["mask"] != later["mask"]).any()
