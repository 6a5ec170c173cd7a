"""Settings for all tests: hypothesis draws the same examples on every run."""

import gc
import importlib.util
import io
import os
import signal
import subprocess
import sys
import warnings
from functools import partial

# Read when numpy and torch are first imported: tests side by side would wait for each other's
# threads, and nets and tables as small as these gain nothing by more than one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("tttenv", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tttenv")
pytest_plugins = ["disturbance"]
gc.disable()  # until all tests are imported

# A job that a shell runs in the background ignores Ctrl-C, one under nohup the end of its terminal,
# and so would all programs under test.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)

# RLlib pins a Gymnasium of its own: `make test-rllib` and `make test-ray` run these tests in an
# environment of their own.
collect_ignore = [] if importlib.util.find_spec("ray") else ["rllib", "ray_cluster"]


def pytest_collection_finish():
    """Keep the garbage collector from walking again and again through all that was imported."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _logs_of_stable_baselines3(tmp_path_factory):
    """Keep the log folders of Stable-Baselines3 out of /tmp."""
    os.environ.setdefault("SB3_LOGDIR", str(tmp_path_factory.mktemp("sb3")))


@pytest.fixture
def seeded():
    """Seed the global random numbers of NumPy and torch, which some libraries use, with 0."""
    import torch  # not every test needs it

    np.random.seed(0)  # noqa: NPY002  # those of other libraries
    torch.manual_seed(0)


@pytest.fixture
def run_here(tmp_path, monkeypatch, capsys):
    """Return a function that runs a script in this process and an empty folder."""
    from all_tables import PROGRAMS  # here, as the tables load what few tests need

    from tttenv.cli import console
    from tttenv.cli.main import COMMANDS

    def run(script, *arguments, typed=""):
        name = script.removesuffix(".py")
        module = importlib.import_module((PROGRAMS | {"train": "learners.cli.train"})[name])
        main = partial(module.main, prog=script) if name in COMMANDS else module.main
        capsys.readouterr()
        status = 0
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "stdin", io.StringIO(typed))
            patch.setattr(signal, "signal", lambda *_: None)  # those of the tests stay
            patch.setattr(warnings, "showwarning", warnings.showwarning)
            try:
                console.run(main, script, list(map(str, arguments)))
            except SystemExit as end:
                status = end.code or 0
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


def pytest_sessionfinish(session, exitstatus):
    """Fail if tests were skipped on continuous integration, which has all packages."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = 1
