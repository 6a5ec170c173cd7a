"""Campaign of attacks: that it can fail, and that it ends when asked to."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A family whose cases fail, raise, end the process and hang.
FAILING = """
import sys, tempfile, time, types
from pathlib import Path
sys.path.insert(0, "tests")
from campaign import Row, running

class Failing:
    total = 5
    def __init__(self, place, log):
        self.log = log
    def case(self, number, rng):
        self.log.count("tries")
        if number == 1:
            self.log.check(False, "a law", rng.random())
        if number == 2:
            raise KeyError("a mistake")
        if number == 3:
            import os
            os._exit(7)
        if number == 4:
            time.sleep(100)
    def close(self):
        pass

sys.modules["campaign.failing"] = types.SimpleNamespace(Failing=Failing)
row = Row("failing:Failing", "fails", 1, 5, time_limit=0.5)
with tempfile.TemporaryDirectory() as folder:
    found = running.run(running.Order("failing", row, 9, None, None), Path(folder))
print(running.figures("failing", found))
print(*running.report_lines("failing", 9, found), sep="\\n")
"""


def test_failures_crashes_and_hangs_are_told_with_the_command_that_repeats_them():
    command = [sys.executable, "-c", FAILING]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.match(r"failing +4 failed +5 of 5 cases, 3 tries", told.stdout)
    for case, kind in (
        (1, "a law"),
        (2, "KeyError in the campaign's own code"),
        (3, "a case ends the process"),
        (4, "a case hangs"),
    ):
        again = f"python -m tests.campaign failing --seed 9 --case {case}"
        assert f"FAILED 1 times: {kind}\n    {again}" in told.stdout


def test_a_campaign_asked_to_end_prints_its_figures_and_removes_its_folder(tmp_path):
    command = [sys.executable, "-m", "tests.campaign", "growth", "--seconds", "600"]
    with subprocess.Popen(
        [*command, "--folder", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as campaign:
        while campaign.poll() is None and not list(tmp_path.glob("*/growth-*")):
            time.sleep(0.05)
        campaign.send_signal(signal.SIGTERM)
        figures, told = campaign.communicate()
    assert campaign.returncode == 130
    assert re.search(r"^growth +0 failed +\d+ cases", figures, re.MULTILINE)
    assert told == "campaign      ended early\n"
    assert not list(tmp_path.iterdir())
