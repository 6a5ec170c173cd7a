"""File names that are made of any text."""

from tttenv.utils.files import file_name

BOARD = "14-14-5-" + "_" * 196
TEXTS = [
    *("5-5-4", "3-3-3-X___O____", "first-3-3-3"),  # names already
    *("runs/a-3-3-3", "runs-a-3-3-3", "runs:a-3-3-3", "runs//a-3-3-3"),
    *(BOARD[:at] + "X" + BOARD[at + 1 :] for at in range(8, len(BOARD))),
    *("", ".", "..", "\udce9t", "ét", "çt", "x" * 100, "x" * 101, "é" * 300),
]


def test_different_texts_have_different_names_that_are_valid_and_short():
    names = [file_name(text) for text in TEXTS]
    assert len(set(names)) == len(TEXTS)
    assert names[:3] == TEXTS[:3]
    for name in names:
        assert len(name.encode()) < 128  # room for an ending, and for temporary files
        assert "/" not in name
