"""What the long commands write, others read: the rest of test_handover.py."""

import pytest
from handover import Handover, Pair

BENCHMARK = "benchmark --learners td0 --quick --ship shipped --jobs 1 --json"
PAIRS = [
    Pair(BENCHMARK, "report", "results/benchmark.json"),
    Pair(BENCHMARK, "report", "runs/benchmark/td0-0/card.json"),
    Pair(BENCHMARK, "certify shipped/td0", "shipped/td0/card.json"),
]


@pytest.fixture(scope="module")
def handover(tmp_path_factory):
    return Handover(tmp_path_factory.mktemp)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_one_command_writes_the_other_reads(pair, handover, capfd):
    handover.check(pair, capfd)
