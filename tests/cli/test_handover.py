"""Files that one command writes and another reads, with real runs of both commands.

A new file that a command reads is a new row of PAIRS. The reader has to take the file as the writer
wrote it, and to notice when it is damaged, which shows that it reads this file. What takes longer
stands in test_handover_slow.py. Lines instead of a file pass between `tttenv gomocup` and a player
that is an engine: see test_gomocup_engine.py.
"""

import pytest
from handover import Handover, Pair

TRAIN = "train td0 --steps 4 --json"
CARD = "runs/td0-0/card.json"
PROVE, PROOF = "prove 2,2,2 --json", "results/proofs/2-2-2.safetensors"
PAIRS = [
    Pair(TRAIN, "certify runs/td0-0", CARD),
    Pair(TRAIN, "certify runs/td0-0", "runs/td0-0/policy-*"),
    Pair(TRAIN, "play runs/td0-0", CARD),
    Pair(TRAIN, "doctor runs/td0-0", CARD),
    Pair(TRAIN, "train td0 --resume --steps 6", "runs/td0-0/state-*"),
    Pair(TRAIN, "train td0 --resume --steps 6", "runs/td0-0/run.json"),
    Pair(PROVE, f"prove --check {PROOF}", PROOF),
]


@pytest.fixture(scope="module")
def handover(tmp_path_factory):
    return Handover(tmp_path_factory.mktemp)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_what_one_command_writes_the_other_reads(pair, handover, capfd):
    handover.check(pair, capfd)
