"""The player with a weight for each pattern of a line, and the smallest certified ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tttenv
from tttenv.game.rules import Rules
from tttenv.players import player

RECORDS = sorted(Path("checkpoints/records").glob("*.json"))


@pytest.mark.parametrize("rules", [Rules(3, 3, 3), Rules(3, 4, 3)], ids=str)
def test_it_moves_to_the_board_whose_lines_weigh_the_most(rules: Rules, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    known = {"XXX": 9, "X_O": -2, "_X_": 3, "OOX": 5, "___": 1}
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"weights": known}))
    either_way = known | {pattern[::-1]: weight for pattern, weight in known.items()}

    def weight(board: Any) -> int:
        lines = ("".join("O_X"[stone + 1] for stone in board[line]) for line in rules.lines)
        return sum(either_way.get(line, 0) for line in lines)

    boards = rng.integers(-1, 2, (200, rules.cells)).astype(np.int8)
    boards[:, 0] = 0
    for board, probs in zip(boards, player(f"linear:path={file}", rules)(boards), strict=True):
        legal = np.flatnonzero(board == 0)
        weights = [weight(np.where(np.arange(rules.cells) == cell, 1, board)) for cell in legal]
        best = legal[np.array(weights) == max(weights)]
        assert np.array_equal(np.flatnonzero(probs), best)
        assert np.allclose(probs[best], 1 / len(best))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_each_record_is_what_its_name_says(file: Path) -> None:
    found = tttenv.certify(tttenv.Rules(), f"linear:path={file}")
    assert found.unbeatable
    assert found.blunders == 0 or "expert" not in file.name


@pytest.mark.parametrize(
    "content",
    ['{"weights": {"XX": 1}}', '{"weights": {"XX?": 1}}', '{"weights": {"XXX": 0.5}}', "[]", "{"],
)
def test_other_files_are_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"weights\.json"):
        player(f"linear:path={file}", Rules())
