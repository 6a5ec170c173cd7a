"""The PPO in a single file: it learns, repeats itself bit for bit, and answers in one line."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tttenv
from learners.examples import ppo

ROOT = Path(tttenv.__file__).parents[1]
FILE = Path(ppo.__file__)


def run(*arguments, folder):
    command = [sys.executable, "-m", "learners.examples.ppo", "--folder", str(folder), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.trained
def test_it_learns_and_ends_with_the_certificate(tmp_path, reached):
    args = ppo.Args(steps=30_000, folder=str(tmp_path))
    rules = tttenv.Rules.of(args.rules)
    certificate = tttenv.certify(rules, ppo.player(ppo.train(args), rules))
    torch.manual_seed(args.seed)
    untrained = tttenv.certify(rules, ppo.player(ppo.Agent(rules.cells, args.hidden), rules))
    wins = certificate.vs_random["X"][0]
    reached("wins as X", wins, above=0.85)
    reached("more than untrained", wins - untrained.vs_random["X"][0], above=0.1)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    curve = [point.value for point in events.Scalars("exact/win_vs_random_X")]
    assert curve[-1] == pytest.approx(wins)
    assert len(curve) == 3  # after 10, 20 and all 29 rollouts
    assert {"train/entropy", "train/value_loss"} <= set(events.Tags()["scalars"])


def test_the_same_seed_gives_the_same_weights(tmp_path):
    def weights(seed):
        args = ppo.Args(steps=3000, seed=seed, opponent="tactical", folder=str(tmp_path))
        return torch.nn.utils.parameters_to_vector(ppo.train(args).parameters())

    torch.manual_seed(5)
    first = weights(1)
    after = torch.rand(1)
    torch.manual_seed(6)
    assert torch.equal(weights(1), first)
    assert not torch.equal(weights(2), first)
    torch.manual_seed(5)
    assert torch.equal(torch.rand(1), after), "the global dice are left as they were"


def test_it_runs_from_the_command_line(tmp_path):
    done = run("--steps", "2000", "--games", "16", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    certificate = json.loads(done.stdout)
    assert certificate["rules"] == "3,3,3"
    assert set(certificate["worst_case"]) == {"X", "O"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(["--opponent", "nobody"], "unknown player"), (["--rules", "3"], "m,n,k")],
)
def test_mistakes_are_named_in_one_line(wrong, message, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ppo", "--folder", str(tmp_path), *wrong])
    with pytest.raises(SystemExit) as ended:
        ppo.main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert message in said


def test_large_boards_are_sampled(tmp_path, monkeypatch, capsys):
    few = ["--rules", "5,5,4", "--steps", "1024", "--every", "5"]
    monkeypatch.setattr(sys, "argv", ["ppo", "--folder", str(tmp_path), *few])
    ppo.main()
    told = json.loads(capsys.readouterr().out)
    assert all(tag.startswith(("sampled/", "exact/losing_leaves_")) for tag in told)


def test_it_is_one_file_of_fewer_than_250_lines():
    text = FILE.read_text(encoding="utf-8")
    assert text.count("\n") < 250
    imported = {
        getattr(node, "module", None)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
    }
    assert not {name for name in imported if name and name.startswith("learners")}
