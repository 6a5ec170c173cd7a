"""The script that measures the adapters."""

import json
from functools import partial

import pytest
from processes import run_script

script = partial(run_script, "adapters.py")


def test_the_script_prints_both_comparisons_and_refuses_nonsense_in_a_line():
    few = ["--rounds", "1", "--steps", "64", "--certificates", "1", "--every", "2048"]
    found = json.loads(script("--json", *few).stdout)
    ours, theirs = found["stepping"]["VecEnv"], found["stepping"]["DummyVecEnv"]
    for row in (ours, theirs):
        assert 0 < row["share_of_time_in_network"] < 1
    rates = [row["environment_steps_per_second"] for row in (ours, theirs)]
    assert found["ratio"] == pytest.approx(rates[0] / rates[1])
    assert {row["every"] for row in found["exact_eval"].values()} == {2048}
    wrong = script("--rounds", "0")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
