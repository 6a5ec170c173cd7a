"""Compiled loops after an edit of the rules, and without any cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tttenv

SCRIPT = """
from tttenv.utils import compiled
from tttenv.game.rules import Rules
rules = Rules(1, 5, 3)
three, four = [-1, -1, -1, 0, 0], [-1, -1, -1, -1, 0]
print(*rules.lost([three, four]), compiled.CACHE_FOLDER)
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs SCRIPT on a copy of the package."""
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
    cache, line = tmp_path / "cache", tmp_path / "tttenv/game/rules_kernel.py"
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
