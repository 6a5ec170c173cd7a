"""Files that one command writes and another reads, with real runs of both commands.

A new file that a command reads is a new row of PAIRS. The reader has to take the file as the writer
wrote it, and to notice when it is damaged, which shows that it reads this file. What takes longer
stands in test_handover_slow.py. Lines instead of a file pass between `tttenv gomocup` and a player
that is an engine: see test_gomocup_engine.py.
"""

import pytest
from handover import MADE_ANEW, Handover, Pair

SWEEP = "sweep td0 --seeds 2 --steps 4 --jobs 1 --json"
LEAGUE = "league first random --jobs 1 --json"
TRAIN = "train td0 --steps 4 --json"
CARD = "runs/td0-0/card.json"
ALPHAZERO = "train alphazero --steps 1 --games 2 --json"
PROVE, PROOF = "prove 2,2,2 --json", "results/proofs/2-2-2.safetensors"
PAIRS = [
    Pair(SWEEP, "certify runs/sweep/td0-1", "runs/sweep/td0-1/card.json"),
    Pair(LEAGUE, LEAGUE, "results/league.kept/*.json", MADE_ANEW),
    Pair(TRAIN, "certify runs/td0-0", CARD),
    Pair(TRAIN, "certify runs/td0-0", "runs/td0-0/policy-*"),
    Pair(TRAIN, "play runs/td0-0", CARD),
    Pair(TRAIN, "gomocup runs/td0-0 --k 3", CARD),
    Pair(TRAIN, "doctor runs/td0-0", CARD),
    Pair(TRAIN, "league runs/td0-0 first --jobs 1", CARD),
    Pair(TRAIN, "train td0 --resume --steps 6", "runs/td0-0/state-*"),
    Pair(
        ALPHAZERO,
        f"{ALPHAZERO} --start runs/alphazero-0 --out runs/second",
        "runs/alphazero-0/weights-*",
    ),
    Pair(PROVE, f"prove --check {PROOF}", PROOF),
    Pair(
        "prove 4,4,3 --nodes 1 --json",
        "prove 4,4,3 --nodes 1 --resume --json",
        "results/proofs/4-4-3.search.safetensors",
    ),
]


@pytest.fixture(scope="module")
def handover(tmp_path_factory):
    return Handover(tmp_path_factory.mktemp)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_one_command_writes_the_other_reads(pair, handover, capfd):
    handover.check(pair, capfd)
