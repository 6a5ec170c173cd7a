"""Wheel in an environment of its own: the command, the players, and no torch."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from learners.registry import LEARNERS

ROOT = Path(__file__).parents[2]
CORE = [  # what the core needs, and what that needs, as they are imported
    *("numpy", "numba", "llvmlite", "gymnasium", "safetensors", "tyro", "rich", "cloudpickle"),
    *("docstring_parser", "farama_notifications", "markdown_it", "mdurl", "pygments"),
    *("msgspec", "typeguard", "typing_extensions"),
]


def run(*command, cwd, **more):
    """Run a command in a folder, without our checkout on its path."""
    around = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd, env=around, capture_output=True, text=True, timeout=600, check=False, **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel, built by the build tool installed with the test tools."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    told = run(*build, "--wheel-dir", folder, ROOT, cwd=folder)
    assert told.returncode == 0, told.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the programs' folder of an environment with the wheel and its core dependencies."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(home), "platbase": str(home)})
    site = Path(paths["purelib"])
    pip = [sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install"]
    told = run(*pip, "--no-deps", "--no-index", wheel, cwd=home)
    assert told.returncode == 0, told.stderr
    for name in CORE:  # what is installed here already; of other libraries nothing is seen
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        source = Path(spec.origin)
        source = source.parent if spec.submodule_search_locations else source
        (site / source.name).symlink_to(source)
        for libraries in source.parent.glob(f"{name}.libs"):
            (site / libraries.name).symlink_to(libraries)
    return home / "bin"


def test_it_holds_the_packages_the_page_and_the_trained_players(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if "dist-info" not in name} == {
        "tttenv",
        "learners",
    }
    for learner in LEARNERS:
        assert any(name.startswith(f"tttenv/trained/{learner}/policy") for name in names)
    assert "tttenv/trained/published.json" in names
    for file in (ROOT / "tttenv/report").rglob("*.*"):
        if "__pycache__" not in file.parts:
            assert str(file.relative_to(ROOT)) in names


def test_it_stands_alone_in_an_empty_folder(installed, tmp_path):
    told = run(installed / "python", "-c", "import torch", cwd=tmp_path)
    assert "No module named 'torch'" in told.stderr
    for arguments, said in (
        (["--help"], "usage: tttenv COMMAND"),
        (["certify", "selfplay"], "selfplay on 3,3,3: UNBEATABLE in both seats"),
        (["play", "minimax", "--moves", "b2"], "minimax: 3 in a row win on 3 by 3."),
        (["train"], "learners:"),
    ):
        told = run(installed / "tttenv", *arguments, cwd=tmp_path)
        assert said in told.stdout, told.stderr
        assert "Traceback" not in told.stderr
    play = run(installed / "tttenv", "play", cwd=tmp_path, input="4\nquit\n")
    assert "you are X, selfplay is O" in play.stdout
    assert not list(tmp_path.iterdir())
