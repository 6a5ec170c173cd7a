"""The proofs of 15,15,5 in checkpoints/: they say what their names say; the smallest is checked."""

from pathlib import Path

import numpy as np

from tttenv.game.rules import Rules, name_of
from tttenv.proofs import proof_file
from tttenv.proofs.checker import checked

FILES = sorted((Path(__file__).parents[2] / "checkpoints/proofs/15-15-5").glob("*"))


def test_each_file_claims_that_x_wins_after_the_reply_that_it_is_named_after() -> None:
    rules, classes = Rules(15, 15, 5), set()
    for file in FILES:
        content = proof_file.read(file)
        board = content.board
        assert (content.rules, content.value) == (rules, 1)
        assert np.flatnonzero(board == 1).tolist() == [rules.cells // 2]
        (reply,) = np.flatnonzero(board == -1).tolist()
        assert file.name == f"{name_of(rules, reply)}.safetensors.xz"
        away = np.abs(np.array(divmod(reply, rules.n)) - rules.n // 2)
        classes.add(tuple(sorted(away.tolist())))  # up to symmetry
    assert len(classes) == len(FILES) > 0


def test_the_smallest_file_holds() -> None:
    assert checked(min(FILES, key=lambda file: file.stat().st_size)).value == 1
