"""Files that long commands write and others read: the rest of test_handover.py."""

import pytest
from handover import LEFT_OUT, MADE_ANEW, Handover, Pair

LEAGUE = "league first random --jobs 1 --json"
SWEEP = "sweep td0 --seeds 2 --steps 4 --jobs 1 --json"
TRAIN = "train td0 --steps 4 --json"
BENCHMARK = "benchmark --learners td0 --quick --ship shipped --jobs 1 --json"
PAIRS = [
    Pair(BENCHMARK, "report", "results/benchmark.json"),
    Pair(BENCHMARK, "report", "runs/benchmark/td0-0/card.json"),
    Pair(BENCHMARK, "certify shipped/td0", "shipped/td0/card.json"),
    Pair(SWEEP, SWEEP, "runs/sweep/.finished/*.json", MADE_ANEW),
    Pair(LEAGUE, "report first --league results/league.json", "results/league.json"),
    Pair(TRAIN, "report runs/td0-0", "runs/td0-0/card.json"),
    Pair(TRAIN, "report runs/td0-0", "runs/td0-0/snapshots-*", LEFT_OUT),
    Pair(
        "train td0 --rules 2,2,2 --steps 2 --json",
        "report first runs/td0-2x2x2-0",
        "runs/td0-2x2x2-0/card.json",
    ),
    Pair(
        "reproduce --only S3 --quick --json",
        "report first --published results/reproduce.json",
        "results/reproduce.json",
    ),
]


@pytest.fixture(scope="module")
def handover(tmp_path_factory):
    return Handover(tmp_path_factory.mktemp)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_one_command_writes_the_other_reads(pair, handover, capfd):
    handover.check(pair, capfd)
