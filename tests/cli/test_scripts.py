"""The scripts: help, results, settings of the start, and one line for each wrong input."""

import io
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import tttenv
from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.cli import console
from tttenv.env.env import TicTacToe
from tttenv.players import PLAYERS
from tttenv.players.stored.checkpoint import WEIGHTS, file_of, read_card
from tttenv.policy import player_for

ROOT = Path(__file__).parents[2]
KEYS = {
    *("player", "rules", "value", "vs_random", "vs_perfect", "worst_case", "unbeatable"),
    *("optimal_moves", "blunders", "losing_line"),
    *("method", "reached", "never_loses", "shortest", "symmetry"),
    "queried_twice",
}
TINY = ["selfplay", "--hidden", "8", "--every", "5"]


@pytest.fixture
def ran(run_here):
    """Return a function that runs a script in an empty folder, in this process."""
    return run_here


def test_prove_says_the_value_in_words_or_as_json(ran):
    assert re.match(
        r"3,3,3: a draw, proved by searching [\d,]+ pos", ran("prove.py", "3,3,3").stdout
    )
    found = json.loads(ran("prove.py", "2,2,2", "--json").stdout)
    assert (found["rules"], found["value"]) == ("2,2,2", 1)


@pytest.mark.parametrize(
    "option", ["--board=X___", "--nodes=1", "--memory=1", "--out=p", "--resume"]
)
def test_a_check_of_a_proof_takes_no_options_of_a_search(ran, option):
    told = ran("prove.py", "--check", "p.safetensors", option)
    name = option.partition("=")[0]
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.endswith(f"--check searches nothing: it cannot be combined with {name}\n")


def test_help_lists_every_learner_and_player_and_every_field(ran):
    shown = ran("train.py", "--help").stdout
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in LEARNERS)
    shown = ran("certify.py", "--help").stdout
    assert all(re.search(rf"^ +{name} ", shown, re.MULTILINE) for name in PLAYERS)
    shown = ran("train.py", "selfplay", "--help").stdout
    options = {"--steps", "--preset", "--rules", "--out", "--resume", "--device", "--threads"}
    fields = {f"--{name.replace('_', '-')}" for name in vars(LEARNERS.load("selfplay").Config())}
    assert options | fields <= set(re.findall(r"--[a-z-]+", shown))


@pytest.mark.parametrize("name", ["minimax", "first", "epsilon:player=minimax,epsilon=0.1"])
def test_certify_prints_every_key_as_json(ran, name):
    told = ran("certify.py", name, "--json")
    found = json.loads(told.stdout)
    assert set(found) == KEYS
    assert found == {"player": name, **certify(Rules(), player(name)).to_dict()}
    assert told.stderr == ""


def test_two_players_meet_exactly_in_both_seats(ran):
    """Random play against itself: 737/1260, 8/63 and 121/420, as X, known from the game's tree."""
    told = ran("certify.py", "random", "--against", "random", "--json")
    assert told.stderr == ""
    found = json.loads(told.stdout)
    as_x = [737 / 1260, 8 / 63, 121 / 420]
    assert {key: found[key] for key in ("player", "against")} == dict.fromkeys(
        ["player", "against"], "random"
    )
    assert found["score"]["X"] == pytest.approx(as_x, abs=1e-13)
    assert found["score"]["O"] == pytest.approx(as_x[::-1], abs=1e-13)
    assert found["value"] == pytest.approx({"X": 187 / 630, "O": -187 / 630}, abs=1e-13)
    shown = ran("certify.py", "random", "--against", "random").stdout
    assert re.search(r"^ X +58\.49 +12\.70 +28\.81 +\+0\.2968$", shown, re.MULTILINE)
    assert re.search(r"^ O +28\.81 +12\.70 +58\.49 +-0\.2968$", shown, re.MULTILINE)


def test_a_player_that_does_not_answer_alike_meets_nobody(monkeypatch):
    from tttenv.cli import certify as script

    rng = np.random.default_rng(0)

    def fickle(boards):
        chances = np.where(boards == 0, rng.random(boards.shape), 0)
        return chances / chances.sum(axis=1, keepdims=True)

    makers = {
        "fickle": lambda rules: player_for(rules, fickle),
        "first": lambda rules: player("first", rules),
    }
    monkeypatch.setattr(tttenv, "player", lambda spec, rules: makers[spec](rules))
    for specs in (("fickle", "first"), ("first", "fickle")):
        given = script.Arguments(specs[0], against=specs[1], rules="3,3,3")
        with pytest.raises(
            ValueError, match=r"^fickle, asked .* gives different answers to the same board"
        ):
            script.meet(given)


@pytest.mark.parametrize("name", ["first", "tactical", str(ROOT / "checkpoints" / "dqn")])
def test_who_meets_random_and_perfect_play_fares_as_the_certificate_says(ran, name):
    card = certify(Rules(), player(name))
    for other, expected in (("random", card.vs_random), ("minimax", card.vs_perfect)):
        found = json.loads(ran("certify.py", name, "--against", other, "--json").stdout)
        back = json.loads(ran("certify.py", other, "--against", name, "--json").stdout)
        for seat, odds in expected.items():
            assert found["score"][seat] == pytest.approx(odds, abs=1e-13)
            assert back["score"]["O" if seat == "X" else "X"] == pytest.approx(
                odds[::-1], abs=1e-13
            )


@pytest.mark.parametrize("seat", ["X", "O"])
def test_losing_lines_replay_to_a_loss_in_the_environment(ran, seat):
    line = json.loads(ran("certify.py", "first", "--json").stdout)["losing_line"][seat]
    other = "O" if seat == "X" else "X"
    env = TicTacToe(opponent="first", seat=other, illegal="raise")
    env.reset(seed=0)
    paid = [env.step(cell)[1:3] for cell in line["XO".index(other) :: 2]]
    assert paid[-1] == (1, True)
    assert (env.board != 0).sum() == len(line)
    alone = TicTacToe(opponent=None, illegal="raise")
    alone.reset()
    assert [alone.step(cell)[1:3] for cell in line][-1] == (1, True)


@pytest.mark.parametrize(
    ("script", "arguments", "named"),
    [
        ("certify.py", ["nobody"], "known are"),
        ("certify.py", ["random", "--sampled", "--games", "0"], "at least one game"),
        ("certify.py", ["minimax", "--rules", "3x3"], "m,n,k"),
        ("certify.py", ["minimax", "--rules", "5,5,4"], "metrics.arena"),
        (
            "certify.py",
            ["random", "--rules", "5,5,4", "--positions", "0"],
            "--positions must be at",
        ),
        ("certify.py", ["no/such/folder"], "card.json"),
        ("train.py", ["--colour"], "known learners"),
        ("train.py", ["selfplay", "--preset", "best"], "known are"),
        ("train.py", ["selfplay", "--steps", "0"], "at least 1"),
        ("train.py", ["selfplay", "--batch", "0"], "batch"),
        ("train.py", ["selfplay", "--rules", "5,5,4"], "5,5,4"),
        ("train.py", ["selfplay", "--device", "nowhere"], "nowhere"),
        ("train.py", ["selfplay", "--resume"], "runs/selfplay-0"),
        ("benchmark.py", ["--learners", "nobody"], "known are"),
        ("benchmark.py", ["--out", "/dev/null/no"], "is a file, not a folder"),
        ("reproduce.py", ["--out", "/dev/null"], "is a file, not a folder"),
        ("certify.py", ["dqn:depth=3"], "has no option 'depth'; it takes canonical"),
        ("certify.py", ["random", "--games", "5"], "--sampled"),
        ("certify.py", ["random", "--against", "first", "--sampled"], "--against is exact"),
        ("certify.py", ["random", "--against", "first", "--rules", "5,5,4"], "too large"),
        ("speed.py", ["--seconds", "nan"], "--seconds"),
    ],
)
def test_wrong_input_ends_with_one_line_that_names_it_and_status_2(
    ran, tmp_path, script, arguments, named
):
    told = ran(script, *arguments)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(rf"{script}[^\n]*: [^\n]+\n", told.stderr), told.stderr
    assert named in told.stderr
    assert not list(tmp_path.iterdir())  # nothing made


def test_large_boards_are_measured_by_sampled_games(ran):
    arguments = ("certify.py", "tactical", "--rules", "5,5,4", "--sampled", "--games", "40")
    found = json.loads(ran(*arguments, "--json").stdout)
    assert found["sampled/value_vs_random_X"] > 0.5
    assert found["sampled/margin_vs_random_X"] > 0
    shown = ran(*arguments).stdout
    assert shown.count(" value ") == sum("value" in tag for tag in found)
    assert json.loads(ran(*arguments, "--json").stdout) == found  # the same seed
    assert json.loads(ran(*arguments, "--json", "--seed", "1").stdout) != found


def test_resuming_goes_on_with_the_settings_of_the_start(ran, tmp_path):
    first = ran("train.py", *TINY, "--out", "out", "--steps", "10")
    assert first.returncode == 0
    assert "tensorboard --logdir" in first.stdout
    began, ended = first.stderr.splitlines()  # no bar, as this is no terminal
    assert began == "training selfplay on 3,3,3: 10 steps, a certificate every 5"
    assert re.fullmatch(r"trained 10 steps in [\d.]+ s: worst case X [^\x00-\x1f]+", ended)
    other = ran("train.py", "selfplay", "--out", "out", "--resume", "--lr", "0.5", "--steps", "20")
    assert (other.returncode, other.stdout) == (2, "")
    assert "lr=0.004, not 0.5" in other.stderr
    resume = ("train.py", "selfplay", "--out", "out", "--resume", "--steps", "20", "--json")
    result = json.loads(ran(*resume).stdout)
    assert set(result) == {"player", "steps", "seconds", "compile_seconds", "certificate"}
    assert result["steps"] == 20
    assert ran("train.py", *TINY, "--out", "through", "--steps", "20").returncode == 0
    folders = [tmp_path / "out", tmp_path / "through"]
    weights = [(f / file_of(read_card(f), WEIGHTS)).read_bytes() for f in folders]
    assert weights[0] == weights[1]
    assert ran(*resume).returncode == 2  # finished


def test_a_resumed_training_stays_in_its_folder_whatever_its_seed(ran, tmp_path):
    assert (
        ran("train.py", *TINY, "--steps", "5", "--seed", "3", "--out", "runs/selfplay-0").returncode
        == 0
    )
    told = ran("train.py", "selfplay", "--resume", "--steps", "10", "--json")
    assert json.loads(told.stdout)["player"] == str(Path("runs/selfplay-0"))
    assert [folder.name for folder in (tmp_path / "runs").iterdir()] == ["selfplay-0"]


def test_commands_that_are_printed_can_be_typed_as_they_are(ran):
    told = ran("train.py", *TINY, "--out", "my runs/it's", "--steps", "5")
    command = re.search(r"^tensorboard --logdir (.*)$", told.stdout, re.MULTILINE)
    assert shlex.split(command[0]) == ["tensorboard", "--logdir", "my runs"]
    for name in ("play", "report"):
        command = re.search(rf"^tttenv {name} .*$", told.stdout, re.MULTILINE)
        assert shlex.split(command[0])[2] == "my runs/it's"
    told = ran("benchmark.py", "--learners", "--out", "o", "--runs", "its runs")
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
