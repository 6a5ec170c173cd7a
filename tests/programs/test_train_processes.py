"""Trainings in processes: the same bytes in each, with any threads, and after a kill."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from test_train import SHORT, SMALL, contents, trained

ROOT = Path(__file__).parents[2]

CHILD = """
import sys
from pathlib import Path
from learners.training.run import Run, Schedule
from learners.selfplay import SelfPlayConfig
from learners.training.train import train
from tttenv import Rules
config, out, steps = SelfPlayConfig(seed=3, hidden=(16,)), Path(sys.argv[1]), int(sys.argv[2])
plan = Schedule(steps, every=5, checkpoint_every=10)
run = Run("selfplay", "default", config, Rules(), plan)
train(run, out, watch=lambda r: print(r.step, flush=True))
"""


def test_the_same_seed_gives_the_same_bytes_in_two_processes(tmp_path):
    for number in (1, 2):  # the second in other surroundings
        surroundings = os.environ | {"PYTHONHASHSEED": str(number), "OMP_NUM_THREADS": str(number)}
        arguments = [sys.executable, "-c", CHILD, str(tmp_path / str(number)), "10"]
        subprocess.run(arguments, env=surroundings, check=True, capture_output=True)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    trained(tmp_path / "3", replace(SMALL, seed=4), replace(SHORT, steps=10))
    assert contents(tmp_path / "1") != contents(tmp_path / "3")


def test_numpys_threads_change_no_bit(tmp_path):
    """`lms` multiplies matrices with NumPy, whose library reads its own number of threads."""
    for number in (1, 2):
        surroundings = os.environ | {"OPENBLAS_NUM_THREADS": str(number)}
        script = [sys.executable, str(ROOT / "scripts/train.py"), "lms", "--steps", "30"]
        where = ["--out", str(tmp_path / str(number))]
        subprocess.run([*script, *where], env=surroundings, check=True, capture_output=True)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
