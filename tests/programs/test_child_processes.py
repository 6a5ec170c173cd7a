"""The environment in child processes, by the id of the README: no other import is needed there."""

import re
import subprocess
import sys
from pathlib import Path

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
