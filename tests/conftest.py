"""Settings for all tests: hypothesis draws the same examples on every run."""

import importlib.util
import os

from hypothesis import settings

settings.register_profile("tttenv", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tttenv")
pytest_plugins = ["disturbance"]

# RLlib pins a Gymnasium of its own: `make test-rllib` runs its tests in an environment of its own.
collect_ignore = [] if importlib.util.find_spec("ray") else ["rllib"]


def pytest_sessionfinish(session, exitstatus):
    """On continuous integration nothing may be skipped: there every system package is there."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = 1
