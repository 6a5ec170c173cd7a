"""Leagues played by processes: the same file, interrupts, and lost processes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from processes import has_children
from test_league import OPTIONS, ROOT, SPECS, _Serially, played, usual

from tttenv.cli import league as command
from tttenv.cli import workers
from tttenv.league import league_file
from tttenv.parallel.tasks import Done

__all__ = ["usual"]  # a fixture


def run(folder, *arguments, **more):
    command = [sys.executable, str(ROOT / "scripts" / "league.py"), *arguments]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=around, capture_output=True, text=True, timeout=200, **more
    )


def test_processes_make_the_file_of_a_league_played_here(tmp_path, usual):
    told = run(tmp_path, *SPECS, *OPTIONS, "--jobs", "2")
    assert (told.returncode, told.stderr) == (0, "")
    assert (tmp_path / "results/league.json").read_text() == league_file.text(usual)
    assert json.loads(told.stdout) == json.loads(league_file.text(usual))


def gone(group):
    """Return whether a process group ends within seconds."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_processes_soon(tmp_path, number):
    players = ["mcts:iterations=100000", "mcts:iterations=100001", "mcts:iterations=100002"]
    line = [sys.executable, str(ROOT / "scripts/league.py"), *players, "--rules", "9,9,5"]
    around = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [*line, "--jobs", "2"], cwd=tmp_path, env=around, start_new_session=True,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert has_children(child.pid, 2)
    time.sleep(1)  # they are starting, or at work
    if number == signal.SIGINT:
        os.killpg(child.pid, number)  # as Ctrl-C does: to the workers too
    else:
        child.send_signal(number)
    _, said = child.communicate(timeout=20)
    assert child.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert b"Traceback" not in said
    assert gone(child.pid)


def test_a_pair_whose_process_is_lost_is_named_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    class Losing(_Serially):
        def submit(self, number, task):
            super().submit(number, task)
            if "mcts" in task.name and "random" in task.name:
                self.ended = [(number, Done(None, "its process ended 3 times"))]

    monkeypatch.setattr(workers, "backend", lambda _: Losing())
    with pytest.raises(SystemExit) as end:
        command.main(["first", "mcts:iterations=5", "random"])
    assert end.value.code == 1
    told = capsys.readouterr()
    assert "2 pairs exact, 1 without a result" in told.out
    said = "no result of mcts:iterations=5 and random: its process ended 3 times"
    assert f"league.py: {said}\n" in told.err
    assert played(monkeypatch, ["first", "mcts:iterations=5", "random"]) == 1
