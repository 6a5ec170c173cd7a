"""Lazy imports of other libraries, and install hints for missing ones."""

import subprocess
import sys
from pathlib import Path

import pytest

import tttenv

ROOT = Path(tttenv.__file__).parents[1]
LIBRARIES = {  # which module an adapter cannot do without
    "pettingzoo": "pettingzoo",
    "openspiel": "pyspiel",
    "torchrl": "torchrl",
    "tianshou": "tianshou",
    "skrl": "skrl",
    "sb3": "stable_baselines3",
    "openenv": "openenv",
    "verifiers": "verifiers",
}
EXTRAS = {  # others are of "adapters"
    "sb3": "learn",
    **dict.fromkeys(["openenv", "verifiers"], "agents"),
}


def python(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("adapter", "library"), LIBRARIES.items())
def test_without_its_library_an_adapter_names_the_extra_in_one_line(adapter, library):
    hidden = "".join(f"sys.modules[{name!r}] = None; " for name in {library, *LIBRARIES.values()})
    done = python(f"import sys; {hidden}import tttenv.adapters.{adapter}")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    extra = EXTRAS.get(adapter, "adapters")
    message = f"{library} is not installed, get it with: pip install 'tttenv[{extra}]'"
    assert last == f"ImportError: {message}"
    assert "During handling" not in done.stderr


def test_a_library_broken_inside_says_so_itself():
    broken = "with wanted('fine'):\n    import broken_inside"
    done = python(f"from tttenv.adapters import wanted\n{broken}")
    assert "No module named 'broken_inside'" in done.stderr
    assert "pip install" not in done.stderr


def test_the_package_alone_loads_none_of_them():
    names = " ".join(LIBRARIES.values())
    done = python(f"import sys, tttenv.adapters; print(set('{names}'.split()) & set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr
