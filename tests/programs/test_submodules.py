"""Submodules are attributes of their package, also where it alone was imported."""

import subprocess
import sys

from test_public_names import PUBLIC

CODE = """
import importlib, sys
for name in sys.argv[1:]:
    for module in [m for m in sys.modules if m.partition(".")[0] == "tttenv"]:
        del sys.modules[module]
    found = importlib.import_module("tttenv")
    print(getattr(found, name.partition(".")[2]).__name__)
"""


def test_a_submodule_is_an_attribute_after_importing_its_package_alone():
    modules = [name for name in PUBLIC if name.startswith("tttenv.") and name.count(".") == 1]
    command = [sys.executable, "-c", CODE, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == modules
