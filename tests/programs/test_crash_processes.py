"""Two trainings in one folder: one waits or is rejected, and one valid player is left."""

import subprocess
import sys
from dataclasses import replace

import pytest
from test_train import sound

from learners.td0 import TD0Config
from learners.training.checkpoint import load_training
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.players.stored.checkpoint import read_card

ONE = Run("td0", "default", TD0Config(seed=0, games=8), Rules(), Schedule(4, 2, 2))
CHILD = """
import sys
from pathlib import Path
from learners.training.run import Run, Schedule
from learners.td0 import TD0Config
from learners.training.train import train
from tttenv import Rules
plan = Schedule(int(sys.argv[2]), 1, 1)
config = TD0Config(seed=int(sys.argv[3]), games=8)
run = Run("td0", "default", config, Rules(), plan)
train(run, Path(sys.argv[1]), watch=lambda r: print(r.step, flush=True))
"""


def test_one_training_at_a_time_writes_into_a_folder(tmp_path):
    command = [sys.executable, "-c", CHILD, str(tmp_path), "100000", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        next(child.stdout)
        before = read_card(tmp_path)["config"]
        for resume in (False, True):
            with pytest.raises(ValueError, match=r"^[^\n]*(writing to|holds a checkpoint)[^\n]*$"):
                train(ONE, tmp_path, resume=resume)
        assert child.poll() is None
        assert read_card(tmp_path)["config"] == before
        child.kill()
    steps = load_training(tmp_path)[1]["progress"]["step"] + 1  # the lock ended with its process
    train(replace(ONE, schedule=Schedule(steps, 1, 1)), tmp_path, resume=True)
    assert sound(tmp_path)


def test_two_trainings_started_together_leave_one_sound_player(tmp_path):
    commands = [[sys.executable, "-c", CHILD, str(tmp_path), "40", seed] for seed in "01"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    children = [subprocess.Popen(command, **pipes) for command in commands]
    complaints = [child.communicate()[1] for child in children]
    ended = [child.returncode for child in children]
    assert sorted(ended) == [0, 1]
    last = complaints[ended.index(1)].splitlines()[-1]
    assert "writing to" in last or "holds a checkpoint already" in last
    assert read_card(tmp_path)["config"]["seed"] == ended.index(0)
    certify(Rules(), player(f"{tmp_path}/"))
    assert sound(tmp_path)
    assert len(list(tmp_path.glob("events.*"))) == 1
