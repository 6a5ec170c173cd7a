"""Command `tttenv`: the scripts' functions under one name, and which need no torch."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tttenv
from tttenv.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
WITHOUT_LEARNING = """
import sys
from tttenv.utils.optional_dependencies import LEARN
class Hidden:  # the libraries of the extra, as if they were not installed
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LEARN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""
MAIN = "from tttenv.cli.main import main; main()"


def ran(folder, *arguments, code="", **more):
    """Run `tttenv ARGUMENTS` in a folder, after some other code."""
    command = [sys.executable, "-c", code + MAIN, *arguments]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=around, capture_output=True, text=True, timeout=200, **more
    )


def seconds_of_children():
    """Return the children's processor seconds, which do not depend on other work."""
    spent = os.times()
    return spent.children_user + spent.children_system


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS), ["train", "dqn"]])
def test_help_answers_within_a_second_without_heavy_libraries(arguments, tmp_path):
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    for _ in range(3):
        start = seconds_of_children()
        told = ran(tmp_path, *arguments, "--help", code=code)
        seconds = seconds_of_children() - start
        assert told.returncode == 0
        assert f"usage: {' '.join(['tttenv', *arguments])} " in told.stdout
        loaded = set(told.stderr.split())
        assert loaded >= {"sys", "atexit"}
        assert all(re.fullmatch(r"[\w.:-]+", name) for name in loaded), told.stderr
        assert not {"torch", "numba", "stable_baselines3", "matplotlib"} & loaded
        if seconds < 1:
            return
    pytest.fail(f"its help took {seconds:.1f} s of processor time")


@pytest.mark.parametrize(
    "arguments", ["", "certify first", "train td0 --steps 4 --out t", "gomocup first"]
)
def test_streams_that_are_closed_from_the_start_are_as_the_null_device(arguments, tmp_path):
    command = [sys.executable, "-c", MAIN, *arguments.split()]
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run([*closed, *command], cwd=tmp_path, env=around)
    assert ended.returncode == (0 if arguments else 2)  # without a command, as ever


def test_a_sweep_whose_reader_leaves_says_by_its_status_that_it_has_not_ended(tmp_path):
    sweep = [sys.executable, "-c", MAIN, "sweep", "td0", "--steps", "4", "--seeds", "40"]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*sweep, "--jobs", "1"], cwd=tmp_path, env=around, **pipes) as child:
        assert child.stdout.readline()
        child.stdout.close()
        assert child.wait(200) == 141
    assert not (tmp_path / "results" / "sweep.json").exists()


def test_the_overview_names_every_command(tmp_path):
    told = ran(tmp_path)
    assert (told.returncode, told.stderr) == (2, "")
    for name, row in COMMANDS.rows.items():
        assert re.search(rf"^  {name} +{re.escape(row.about)}$", told.stdout, re.MULTILINE)
    told = ran(tmp_path, "--version")
    assert (told.returncode, told.stdout) == (0, f"tttenv {tttenv.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["paly"], "tttenv: unknown command 'paly'; did you mean play? known are play, analyze"),
        (["certify"], "tttenv certify: PLAYER is required, as in: tttenv certify selfplay (see"),
        (["train", "td0", "--colour"], "tttenv train td0: Unrecognized options: --colour"),
        (["doctor", "nobody"], "tttenv doctor: unknown player 'nobody'"),
    ],
)
def test_wrong_input_is_one_line_under_the_commands_name(arguments, message, tmp_path):
    told = ran(tmp_path, *arguments)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(rf"{re.escape(message)}[^\n]*\n", told.stderr), told.stderr


NEEDING = {  # what cannot go on without the learners' libraries
    "train": ["train", "selfplay"],
    "benchmark": ["benchmark", "--quick"],
    "a larger network": ["certify", "reinforce_444"],
    "a saved model": ["certify", "sb3:path=model.zip,trust=true"],
}


@pytest.mark.parametrize("name", NEEDING)
def test_without_the_learners_libraries_one_line_names_the_extra(name, tmp_path):
    told = ran(tmp_path, *NEEDING[name], code=WITHOUT_LEARNING)
    assert (told.returncode, told.stdout) == (2, "")
    line = r"tttenv \w+: [^\n]*which is not installed: pip install 'tttenv\[learn\]'\n"
    assert re.fullmatch(line, told.stderr), told.stderr
    assert not list(tmp_path.iterdir())


def test_playing_certifying_examining_and_the_report_need_none_of_them(tmp_path):
    page = tmp_path.resolve() / "results/report.html"
    for arguments, said in {
        ("certify", "selfplay"): "UNBEATABLE in both seats",
        ("play",): "New game: you are X, selfplay is O.",
        ("doctor", "td0"): "td0: healthy",
        ("doctor", "TicTacToe-v0", "--games", "20"): "TicTacToe-v0: healthy",
        ("report", "selfplay", "tactical"): f"report    {page.as_uri()}\n",
        ("train",): "learners:",
    }.items():
        told = ran(tmp_path, *arguments, code=WITHOUT_LEARNING)
        assert "install" not in told.stderr
        assert told.returncode == (2 if arguments == ("train",) else 0)
        assert said in told.stdout
