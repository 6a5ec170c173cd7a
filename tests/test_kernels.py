"""The compiled loops: lines and threats by brute force, and a cache that never goes stale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import RULES, spell, windows, windows_among_all_sets

import tttenv
from tttenv.game.rules import Rules
from tttenv.kernels import rules as kernels
from tttenv.kernels.rules import completes, winning_cells

every_rules = pytest.mark.parametrize("rules", RULES, ids=spell)
fillings = given(seed=st.integers(0, 2**32), share=st.sampled_from([0.3, 0.5, 0.8, 0.95]))


def filling(rules, seed, share):
    """A board of any stones, `share` of them of one kind, whether a game leads to it or not."""
    rng = np.random.default_rng(seed)
    rest = 1 - share
    stones = rng.choice([1, -1, 0], rules[0] * rules[1], p=[share, rest * 0.7, rest * 0.3])
    return stones.astype(np.int8)


@every_rules
def test_the_lines_are_all_straight_windows_of_k_cells(rules):
    m, n, k = rules
    ours = [frozenset(line) for line in Rules(*rules).lines.tolist()]
    assert len(ours) == len(set(ours))
    across, down = max(n - k + 1, 0), max(m - k + 1, 0)
    assert len(ours) == m * across + n * down + 2 * across * down
    assert set(ours) == {frozenset(line) for line in windows(rules)}
    if m * n <= 25:
        assert set(ours) == windows_among_all_sets(rules)


@every_rules
@fillings
def test_a_stone_completes_a_line_if_and_only_if_some_line_through_it_is_of_its_kind(
    rules, seed, share
):
    board = filling(rules, seed, share)
    of_one_kind = [line for line in windows(rules) if abs(board[list(line)].sum()) == rules[2]]
    won = {cell for line in of_one_kind for cell in line}
    for cell in np.flatnonzero(board).tolist():
        assert completes(board, cell, *rules) == (cell in won)


@every_rules
@fillings
def test_a_board_is_lost_if_and_only_if_some_line_is_all_theirs(rules, seed, share):
    board = filling(rules, seed, share)
    for side in (board, -board):
        expected = any((side[list(line)] == -1).all() for line in windows(rules))
        assert kernels.lost(side[None], *rules).tolist() == [expected]
        assert kernels.over(side[None], *rules).tolist() == [expected or side.all()]


@every_rules
@fillings
def test_a_threat_is_an_empty_cell_that_alone_is_missing_from_a_line(rules, seed, share):
    board = filling(rules, seed, share)
    before = board.copy()
    for side in (1, -1):
        # k - 1 stones of one side and a gap: nothing else sums to this
        near = [line for line in windows(rules) if board[list(line)].sum() == side * (rules[2] - 1)]
        gaps = {cell for line in near for cell in line if board[cell] == 0}
        assert set(np.flatnonzero(winning_cells(board[None], side, *rules)[0]).tolist()) == gaps
    assert (board == before).all()


SCRIPT = """
from tttenv import kernels
from tttenv.game.rules import Rules
rules = Rules(1, 5, 3)
three, four = [-1, -1, -1, 0, 0], [-1, -1, -1, -1, 0]
print(*rules.lost([three, four]), kernels.CACHE_FOLDER)
"""


@pytest.fixture
def run(tmp_path):
    """A way to run SCRIPT on a copy of the package: what is lost, and the cache's folder."""
    shutil.copytree(
        Path(tttenv.__file__).parent,
        tmp_path / "tttenv",
        ignore=shutil.ignore_patterns("__pycache__"),
    )

    def run(cache):
        settings = {"PYTHONPATH": str(tmp_path), "TTTENV_CACHE": str(cache)}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(
            command, env=os.environ | settings, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        three, four, *folder = done.stdout.split()
        return (three, four), folder

    return run


def test_an_edit_of_the_rule_reaches_its_compiled_callers_in_other_files(run, tmp_path):
    cache, line = tmp_path / "cache", tmp_path / "tttenv" / "kernels" / "rules.py"
    lost, (folder,) = run(cache)
    assert lost == ("True", "True")
    assert Path(folder).parent == cache
    kept = sorted(file.name for file in Path(folder).rglob("*.nbi"))
    assert any("lost" in name for name in kept)

    source = line.read_text()
    assert source.count("run >= k") == 1
    line.write_text(source.replace("run >= k", "run >= k + 1"))
    lost, (other,) = run(cache)
    assert lost == ("False", "True")
    assert other != folder
    assert Path(other).parent == cache

    line.write_text(source)
    assert run(cache) == (("True", "True"), [folder])


def test_without_a_place_for_the_cache_everything_still_works(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert run(tmp_path / "file" / "cache") == (("True", "True"), [])


def test_processes_that_compile_for_different_boards_can_share_a_cache(tmp_path):
    script = """
import sys
import numpy as np
from tttenv.vector import VectorTicTacToe

for shape in sys.argv[1:]:
    env = VectorTicTacToe(50, *map(int, shape.split(",")), opponent="random")
    env.reset(seed=0)
    for _ in range(10):
        planes = env.step(env.sample_actions())[0].reshape(50, 3, -1)
        assert (planes == np.stack([env.boards == stone for stone in (1, -1, 0)], axis=1)).all()
"""
    for boards in (["3,3,3"], ["2,2,2"], ["3,4,3"], ["2,2,2", "3,4,3"]):
        subprocess.run(
            [sys.executable, "-c", script, *boards],
            env=os.environ | {"TTTENV_CACHE": str(tmp_path)},
            check=True,
            timeout=300,
        )
