"""Submodules are attributes of their package, also where it alone was imported."""

import subprocess
import sys

import pytest
from test_public_names import PUBLIC


@pytest.mark.parametrize("module", PUBLIC)
def test_a_submodule_is_an_attribute_after_importing_its_package_alone(module):
    if module.startswith("tttenv.") and module.count(".") == 1:
        code = f"import tttenv; print({module}.__name__)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == module
