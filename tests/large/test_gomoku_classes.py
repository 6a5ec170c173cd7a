"""The proofs of 15,15,5 in checkpoints/: they say what their names say; the smallest is checked."""

from pathlib import Path

import numpy as np

from tttenv.game.rules import Rules, name_of
from tttenv.proofs import proof_file, search_checkpoint
from tttenv.proofs.checker import checked

FILES = sorted((Path(__file__).parents[2] / "checkpoints/proofs/15-15-5").rglob("*.safetensors*"))


def test_each_class_has_a_proof_or_an_unfinished_search_that_is_named_after_its_reply() -> None:
    rules, classes = Rules(15, 15, 5), set()
    for file in FILES:
        if file.suffix == proof_file.COMPRESSED:
            content, name = proof_file.read(file), file.name.split(".")[0]
            board = content.board
            assert (content.rules, content.value) == (rules, 1)
        else:
            board, name = search_checkpoint.read(file, 2**28).board, file.parent.name
        assert np.flatnonzero(board == 1).tolist() == [rules.cells // 2]
        (reply,) = np.flatnonzero(board == -1).tolist()
        assert name == name_of(rules, reply)
        away = np.abs(np.array(divmod(reply, rules.n)) - rules.n // 2)
        classes.add(tuple(sorted(away.tolist())))  # up to symmetry
    assert len(classes) == len(FILES) == 35


def test_the_smallest_file_holds() -> None:
    assert checked(min(FILES, key=lambda file: file.stat().st_size)).value == 1
