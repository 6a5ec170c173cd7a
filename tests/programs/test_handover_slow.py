"""Files that long commands write and others read: the rest of test_handover.py."""

import pytest
from handover import LEFT_OUT, MADE_ANEW, Pair
from test_handover import CARD, TRAIN, handover  # noqa: F401  # a fixture

SWEEP = "sweep td0 --seeds 2 --steps 4 --jobs 1 --json"
LEAGUE = "league first random --jobs 1 --json"
ALPHAZERO = "train alphazero --steps 1 --games 2 --json"
BENCHMARK = "benchmark --learners td0 --quick --ship shipped --jobs 1 --json"
PAIRS = [
    Pair(BENCHMARK, "report", "results/benchmark.json"),
    Pair(BENCHMARK, "report", "runs/benchmark/td0-0/card.json"),
    Pair(BENCHMARK, "certify shipped/td0", "shipped/td0/card.json"),
    Pair(SWEEP, SWEEP, "runs/sweep/.finished/*.json", MADE_ANEW),
    Pair(TRAIN, "report runs/td0-0", CARD),
    Pair(TRAIN, "report runs/td0-0", "runs/td0-0/snapshots-*", LEFT_OUT),
    Pair(SWEEP, "report --results results/sweep.json", "results/sweep.json"),
    Pair(SWEEP, "report runs/sweep", "runs/sweep/td0-1/card.json"),
    Pair(SWEEP, "certify runs/sweep/td0-1", "runs/sweep/td0-1/card.json"),
    Pair(LEAGUE, LEAGUE, "results/league.kept/*.json", MADE_ANEW),
    Pair(TRAIN, "gomocup runs/td0-0 --k 3", CARD),
    Pair(TRAIN, "league runs/td0-0 first --jobs 1", CARD),
    Pair(
        ALPHAZERO,
        f"{ALPHAZERO} --start runs/alphazero-0 --out runs/second",
        "runs/alphazero-0/weights-*",
    ),
    Pair(
        "prove 4,4,3 --nodes 1 --json",
        "prove 4,4,3 --nodes 1 --resume --json",
        "results/proofs/4-4-3.search.safetensors",
    ),
    Pair(
        "prove 4,4,3 --jobs 2 --json",
        "prove 4,4,3 --parts results/proofs/4-4-3 --json",
        "results/proofs/4-4-3/*.safetensors.xz",
    ),
    Pair(
        "train td0 --rules 2,2,2 --steps 2 --json",
        "report first runs/td0-2x2x2-0",
        "runs/td0-2x2x2-0/card.json",
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_one_command_writes_the_other_reads(pair, handover, capfd):  # noqa: F811
    handover.check(pair, capfd)
