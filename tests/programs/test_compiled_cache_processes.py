"""Cache of compiled code in programs: its location, and its state after kills."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_compiled_cache import files

from tttenv.utils import compile_cache

SCRIPT = """
import logging
logging.getLogger("tttenv").setLevel(logging.WARNING)  # without the hint that compiling takes long
import numpy as np
from tttenv.utils.compiled import CACHE_FOLDER
from tttenv.game.rules_kernel import completes
print(completes(np.array([1, 1, 1], np.int8), 1, 1, 3, 3), CACHE_FOLDER)
"""

NOBODY = """
import pwd
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = unknown
"""

CROWDED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""


def launch(script, home, **settings):
    """Start the script with these settings and no others of the cache."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    root = str(Path(compile_cache.__file__).parents[2])
    kept["PYTHONPATH"] = os.pathsep.join([root, *kept.get("PYTHONPATH", "").split(os.pathsep)])
    return subprocess.Popen(
        [sys.executable, "-c", script],
        env=kept | settings,
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    """Return the cache's folder as the process saw it, and its output."""
    out, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    right, _, folder = out.strip().partition(" ")
    assert right == "True"
    return folder, told


@pytest.mark.parametrize(
    ("script", "settings", "named"),
    [
        (NOBODY + SCRIPT, {}, "~/.cache/tttenv"),
        (SCRIPT, {"HOME": "/dev/null"}, "/dev/null/.cache/tttenv"),
        (SCRIPT, {"HOME": "/proc"}, "/proc/.cache/tttenv"),
        (SCRIPT, {"TTTENV_CACHE": "/dev/null/cache"}, "/dev/null/cache"),
        (SCRIPT, {"TTTENV_CACHE": "shared"}, "shared"),
        (SCRIPT, {"XDG_CACHE_HOME": "{home}/shared"}, "{home}/shared/tttenv"),
    ],
)
def test_without_a_folder_of_the_users_own_everything_runs_after_one_line(
    tmp_path, script, settings, named
):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    settings = {name: value.format(home=tmp_path) for name, value in settings.items()}
    folder, told = finished(launch(script, tmp_path, **settings))
    assert not folder
    (line,) = told.splitlines()
    assert f"compiled code is not kept in {named.format(home=tmp_path)}: " in line
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"HOME": "{home}", "XDG_CACHE_HOME": "relative"}, ".cache/tttenv"),  # to be ignored
        ({"HOME": "{home}", "XDG_CACHE_HOME": ""}, ".cache/tttenv"),
        ({"XDG_CACHE_HOME": "{home}/xdg"}, "xdg/tttenv"),
        ({"TTTENV_CACHE": "relative"}, "relative"),
        ({"TTTENV_CACHE": "{home}/cache", "XDG_CACHE_HOME": "{home}/xdg"}, "cache"),
    ],
)
def test_the_cache_is_where_the_settings_say(tmp_path, settings, place):
    settings = {name: value.format(home=tmp_path) for name, value in settings.items()}
    folder, told = finished(launch(SCRIPT, tmp_path, **settings))
    assert not told
    assert Path(folder).parent == tmp_path / place
    assert len(files(Path(folder), "nbi")) == len(files(Path(folder), "nbc")) > 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path(folder).iterdir()} == {0o600}


def test_a_disk_that_takes_no_more_is_told_in_one_line_and_leaves_no_rest(tmp_path):
    for _ in range(2):
        folder, told = finished(launch(CROWDED + SCRIPT, tmp_path, TTTENV_CACHE=str(tmp_path)))
        (line,) = told.splitlines()
        assert f"compiled code is not kept in {folder}: " in line
        assert not list(Path(folder).glob("*.tmp.*"))
    assert not finished(launch(SCRIPT, tmp_path, TTTENV_CACHE=str(tmp_path)))[1]


def test_processes_started_together_and_killed_ones_leave_a_good_cache(tmp_path):
    settings = {"TTTENV_CACHE": str(tmp_path / "cache")}
    killed = [launch(SCRIPT, tmp_path, **settings) for _ in range(4)]
    together = [launch(SCRIPT, tmp_path, **settings) for _ in range(2)]
    for number, process in enumerate(killed):
        time.sleep(0.3 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    for process in [*together, launch(SCRIPT, tmp_path, **settings)]:
        folder, told = finished(process)
        assert folder
        assert not told
