"""Single-file PPO as a program, and on a large board."""

import json
import subprocess
import sys
from pathlib import Path

import tttenv
from learners.examples import ppo

ROOT = Path(tttenv.__file__).parents[1]


def run(*arguments, folder):
    command = [sys.executable, "-m", "learners.examples.ppo", "--folder", str(folder), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_it_runs_from_the_command_line(tmp_path):
    done = run("--steps", "2000", "--games", "16", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    certificate = json.loads(done.stdout)
    assert certificate["rules"] == "3,3,3"
    assert set(certificate["worst_case"]) == {"X", "O"}


def test_large_boards_are_sampled(tmp_path, monkeypatch, capsys):
    few = ["--rules", "5,5,4", "--steps", "1024", "--every", "5"]
    monkeypatch.setattr(sys, "argv", ["ppo", "--folder", str(tmp_path), *few])
    ppo.main()
    told = json.loads(capsys.readouterr().out)
    assert all(tag.startswith(("sampled/", "exact/losing_leaves_")) for tag in told)
