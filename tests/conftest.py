"""Settings for all tests: hypothesis draws the same examples on every run."""

import os

import pytest
from hypothesis import settings

settings.register_profile("tttenv", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tttenv")


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    """On continuous integration nothing may be skipped: there every system package is there."""
    skipped = terminalreporter.stats.get("skipped", [])
    if os.environ.get("CI") and skipped:
        raise pytest.UsageError(f"{len(skipped)} tests were skipped, none may be on CI")
