"""Campaign of attacks: that it can fail."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A family whose cases fail, raise, end the process and hang.
FAILING = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, "tests")
from campaign import running

class Failing:
    total = 5
    def __init__(self, place, log):
        self.log = log
    def case(self, number, rng):
        self.log.count("tries")
        self.log.check(number != 1, "a law", rng.random())
        if number == 2:
            raise KeyError("a mistake")
        if number == 3:
            os._exit(7)
        if number == 4:
            time.sleep(100)

order = running.Order("failing", 9, seconds=100, time_limit=2)
print(running.run(order, Failing, Path()))
"""


def test_failures_crashes_and_hangs_are_told_with_the_command_that_repeats_them():
    command = [sys.executable, "-c", FAILING]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "failing       4 failed    5 cases, 2 tries" in told
    assert told.endswith("\n4\n")
    for case, kind in (
        (1, "a law: 0."),
        (2, "KeyError in the campaign's own code: 'a mistake'"),
        (3, "a case ends the process: "),
        (4, "a case hangs: "),
    ):
        _, found, after = told.partition(f"  FAILED {kind}")
        assert found
        again = f"python -m tests.campaign failing --seed 9 --case {case}"
        assert after.splitlines()[1].strip() == again
