"""The scripts: help, results, settings of the start, and one line for each wrong input."""

import io
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.cli import console
from tttenv.players import PLAYERS
from tttenv.players.stored.checkpoint import WEIGHTS, file_of, read_card

KEYS = {
    *("player", "rules", "value", "vs_random", "vs_perfect", "worst_case", "unbeatable"),
    *("optimal_moves", "blunders", "losing_line"),
    *("method", "reached", "never_loses", "shortest", "symmetry"),
    "queried_twice",
}
TINY = ["selfplay", "--hidden", "8", "--every", "5"]


def test_prove_says_the_value_in_words_or_as_json(run_here):
    assert re.match(
        r"3,3,3: a draw, proved by searching [\d,]+ pos", run_here("prove.py", "3,3,3").stdout
    )
    found = json.loads(run_here("prove.py", "2,2,2", "--json").stdout)
    assert (found["rules"], found["value"]) == ("2,2,2", 1)


def test_help_lists_every_learner_and_player_and_every_field(run_here):
    shown = run_here("train.py", "--help").stdout
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in LEARNERS)
    shown = run_here("certify.py", "--help").stdout
    assert all(re.search(rf"^ +{name} ", shown, re.MULTILINE) for name in PLAYERS)
    shown = run_here("train.py", "selfplay", "--help").stdout
    options = {"--steps", "--preset", "--rules", "--out", "--resume", "--device", "--threads"}
    fields = {f"--{name.replace('_', '-')}" for name in vars(LEARNERS.load("selfplay").Config())}
    assert options | fields <= set(re.findall(r"--[a-z-]+", shown))


@pytest.mark.parametrize("name", ["minimax", "first", "epsilon:player=minimax,epsilon=0.1"])
def test_certify_prints_every_key_as_json(run_here, name):
    told = run_here("certify.py", name, "--json")
    found = json.loads(told.stdout)
    assert set(found) == KEYS
    assert found == {"player": name, **certify(Rules(), player(name)).to_dict()}
    assert told.stderr == ""


WRONG = tomllib.loads(Path(__file__).with_name("wrong_input.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("script", "line"), [(script, line) for script, rows in WRONG.items() for line in rows]
)
def test_wrong_input_ends_with_one_line_that_names_it_and_status_2(
    run_here, tmp_path, script, line
):
    told = run_here(f"{script}.py", *shlex.split(line))
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(rf"(tttenv )?{script}[^\n]*: [^\n]+\n", told.stderr), told.stderr
    assert WRONG[script][line] in told.stderr
    assert not list(tmp_path.iterdir())  # nothing made


def test_large_boards_are_measured_by_sampled_games(run_here):
    arguments = ("certify.py", "tactical", "--rules", "5,5,4", "--sampled", "--games", "40")
    found = json.loads(run_here(*arguments, "--json").stdout)
    assert found["sampled/value_vs_random_X"] > 0.5
    assert found["sampled/margin_vs_random_X"] > 0
    shown = run_here(*arguments).stdout
    assert shown.count(" value ") == sum("value" in tag for tag in found)
    assert json.loads(run_here(*arguments, "--json").stdout) == found  # the same seed
    assert json.loads(run_here(*arguments, "--json", "--seed", "1").stdout) != found


def test_resuming_goes_on_with_the_settings_of_the_start(run_here, tmp_path):
    first = run_here("train.py", *TINY, "--out", "out", "--steps", "10")
    assert first.returncode == 0
    assert "tensorboard --logdir" in first.stdout
    began, ended = first.stderr.splitlines()  # no bar, as this is no terminal
    assert began == "training selfplay on 3,3,3: 10 steps, a certificate every 5"
    assert re.fullmatch(r"trained 10 steps in [\d.]+ s: worst case X [^\x00-\x1f]+", ended)
    other = run_here(
        "train.py", "selfplay", "--out", "out", "--resume", "--lr", "0.5", "--steps", "20"
    )
    assert (other.returncode, other.stdout) == (2, "")
    assert "lr=0.004, not 0.5" in other.stderr
    resume = ("train.py", "selfplay", "--out", "out", "--resume", "--steps", "20", "--json")
    result = json.loads(run_here(*resume).stdout)
    assert set(result) == {"player", "steps", "seconds", "compile_seconds", "certificate"}
    assert result["steps"] == 20
    certified = json.loads(run_here("certify.py", "out", "--json").stdout)
    assert certified == {"player": "out", **result["certificate"]}
    assert read_card(tmp_path / "out")["certificate"] == result["certificate"]
    assert run_here("train.py", *TINY, "--out", "through", "--steps", "20").returncode == 0
    folders = [tmp_path / "out", tmp_path / "through"]
    weights = [(f / file_of(read_card(f), WEIGHTS)).read_bytes() for f in folders]
    assert weights[0] == weights[1]
    assert run_here(*resume).returncode == 2  # finished


def test_a_resumed_training_stays_in_its_folder_whatever_its_seed(run_here, tmp_path):
    assert (
        run_here(
            "train.py", *TINY, "--steps", "5", "--seed", "3", "--out", "runs/selfplay-0"
        ).returncode
        == 0
    )
    told = run_here("train.py", "selfplay", "--resume", "--steps", "10", "--json")
    assert json.loads(told.stdout)["player"] == str(Path("runs/selfplay-0"))
    assert [folder.name for folder in (tmp_path / "runs").iterdir()] == ["selfplay-0"]


def test_commands_that_are_printed_can_be_typed_as_they_are(run_here, tmp_path):
    told = run_here("train.py", *TINY, "--out", "my runs/it's", "--steps", "5")
    command = re.search(r"^tensorboard --logdir (.*)$", told.stdout, re.MULTILINE)
    assert shlex.split(command[0]) == ["tensorboard", "--logdir", "my runs"]
    for name in ("play", "report"):
        command = re.search(rf"^tttenv {name} .*$", told.stdout, re.MULTILINE)
        assert shlex.split(command[0])[2] == "my runs/it's"
    told = run_here("benchmark.py", "--learners", "--out", "o", "--json")
    assert json.loads(told.stdout) == json.loads((tmp_path / "o/benchmark.json").read_text())
    told = run_here("benchmark.py", "--learners", "--out", "o", "--runs", "its runs")
    command = re.search(r"tensorboard --logdir .*$", told.stdout, re.MULTILINE)
    assert shlex.split(command[0]) == ["tensorboard", "--logdir", "its runs"]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_stage_is_shown_on_a_terminal_alone_and_harmlessly(monkeypatch, terminal):
    monkeypatch.setenv("TERM", "xterm")
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    with console.stage("loading [red]\x1b[2J") as tell:
        before = screen.getvalue()
        tell("certifying")
    assert ("loading [red]" in before) == ("certifying" in screen.getvalue()) == terminal
    assert "\x1b[2J" not in screen.getvalue()
    assert bool(screen.getvalue()) == terminal
