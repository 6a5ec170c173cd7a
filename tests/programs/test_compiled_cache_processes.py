"""Cache of compiled code in programs: shared, killed while writing, and after an edit of a rule."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import tttenv
from tests.processes import surroundings

SCRIPT = """
from tttenv.utils import compiled
from tttenv.game.rules import Rules
rules = Rules(1, 5, 3)
three, four = [-1, -1, -1, 0, 0], [-1, -1, -1, -1, 0]
print(*rules.lost([three, four]), compiled.CACHE_FOLDER)
"""
BOARDS = """
import sys
import numpy as np
from tttenv.env.vector import VectorTicTacToe

for shape in sys.argv[1:]:
    env = VectorTicTacToe(50, *map(int, shape.split(",")), opponent="random")
    env.reset(seed=0)
    for _ in range(10):
        planes = env.step(env.sample_actions())[0].reshape(50, 3, -1)
        assert (planes == np.stack([env.boards == stone for stone in (1, -1, 0)], axis=1)).all()
"""
HOME = Path(tttenv.__file__).parents[1]


def launch(cache, *command, home=HOME):
    """Start Python with this cache and the package in the folder `home`."""
    return subprocess.Popen(
        [sys.executable, "-c", *command],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(home), "TTTENV_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        text=True,
    )


def finished(process):
    """Return whether three and four stones are found lost, and the cache's folder."""
    out = process.communicate(timeout=300)[0]
    assert process.returncode == 0
    three, four, *folder = out.split()
    return (three, four), folder


def test_processes_started_together_and_killed_ones_leave_a_good_cache(tmp_path):
    killed = [launch(tmp_path / "cache", SCRIPT) for _ in range(4)]
    together = [launch(tmp_path / "cache", SCRIPT) for _ in range(2)]
    for number, process in enumerate(killed):
        time.sleep(0.3 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    for process in [*together, launch(tmp_path / "cache", SCRIPT)]:
        assert finished(process)[0] == ("True", "True")


def test_processes_that_compile_for_different_boards_can_share_a_cache(tmp_path):
    for boards in (["2,2,2"], ["3,4,3"], ["2,2,2", "3,4,3"]):
        process = launch(tmp_path, BOARDS, *boards)
        process.communicate(timeout=300)
        assert process.returncode == 0


def test_an_edit_of_the_rule_reaches_its_compiled_callers_in_other_files(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HOME / "tttenv", tmp_path / "tttenv", ignore=ignored)
    cache, line = tmp_path / "cache", tmp_path / "tttenv/game/rules_kernel.py"
    lost, (folder,) = finished(launch(cache, SCRIPT, home=tmp_path))
    assert lost == ("True", "True")
    assert any("at_least" in file.name for file in Path(folder).iterdir())
    source = line.read_text()
    assert source.count("run >= k") == 1
    line.write_text(source.replace("run >= k", "run >= k + 1"))
    lost, (other,) = finished(launch(cache, SCRIPT, home=tmp_path))
    assert lost == ("False", "True")
    assert other != folder
    line.write_text(source)
    assert finished(launch(cache, SCRIPT, home=tmp_path)) == (("True", "True"), [folder])


def test_uncompiled_code_computes_the_same_without_a_warning(tmp_path):
    lines = ["search 3,3,3", "prove 3", "policy 3,3,3", "refute 3,3,3", "starts"]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.signature", "--only", *lines],
        env=surroundings(NUMBA_DISABLE_JIT="1", TTTENV_CACHE=str(tmp_path)),
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert (run.returncode, run.stdout.splitlines()[-1][:9]) == (0, "0 changed"), run.stderr
    assert not list(tmp_path.rglob("*.code"))
