"""Scripts as programs: closed pipes, full disks and interrupts."""

import json
import os
import re
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from processes import command, run_script, surroundings
from test_scripts import TINY


@pytest.fixture
def ran(tmp_path):
    """Return a function that runs a script in an empty folder."""
    return partial(run_script, cwd=tmp_path)


def test_a_training_that_stopped_when_unbeatable_goes_on_with_more_steps(ran):
    ended = json.loads(ran("train.py", "td0", "--json").stdout)
    assert ended["certificate"]["unbeatable"]
    told = ran("train.py", "td0", "--resume")
    assert told.returncode == 2
    assert re.search(r"it is unbeatable, .* --steps N alone trains on\n", told.stderr)
    more = ended["steps"] + 3
    on = json.loads(ran("train.py", "td0", "--resume", "--steps", str(more), "--json").stdout)
    assert on["steps"] == more


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["minimax"], ["minimax", "--json"], ["--help"]])
def test_an_output_that_cannot_be_written_is_told_in_one_line(ran, arguments):
    with open("/dev/full", "w") as full:
        told = ran("certify.py", *arguments, stdout=full)
    assert told.returncode == 2
    assert re.fullmatch(r"certify.py: cannot write[^\n]*: No space left on device\n", told.stderr)


@pytest.mark.parametrize(
    "arguments",
    [["certify.py", "minimax", "--json"], ["certify.py", "minimax"], ["train.py", "--help"]],
    ids=" ".join,
)
def test_a_reader_who_leaves_early_sees_no_traceback(ran, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    told = ran(*arguments, stdout=writing)
    os.close(writing)
    assert told.stderr == ""


def test_an_interrupt_ends_a_long_training_with_one_line_and_status_130(tmp_path):
    """What becomes of workers: test_executor.py."""
    training = ["train.py", *TINY, "--steps", "100000", "--checkpoint-every", "5", "--out", "r"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        command(*training, "--json"), cwd=tmp_path, env=surroundings(), **pipes
    ) as child:
        while not (tmp_path / "r/card.json").exists():
            assert child.poll() is None
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, complaint = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    step = json.loads((tmp_path / "r/card.json").read_text())["steps"]
    hint = f"train.py: interrupted: r holds step {step:,}: continue with --resume"
    assert complaint.split("\n") == ["", hint, ""]


def test_speed_measures_its_rows(ran):
    arguments = ["--only", "opponent=random", "--rounds", "1", "--seconds", "0.01", "--json"]
    told = ran("speed.py", *arguments)
    rows = json.loads(told.stdout)
    assert len(rows) == 3
    assert all(row["ours"] > 0 and row["ratios"] == row["peers"] == {} for row in rows)
