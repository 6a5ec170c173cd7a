"""Shared browser and report for all tests of the page, which run in one process."""

from pathlib import Path

import pytest
from page_browser import chromium, opener
from processes import run_script

from tttenv.cli import report


def pytest_collection_modifyitems(items):
    """Group the tests with a browser, since a second process would open it again."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser():
    """Yield Chromium."""
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser):
    """Yield a function that opens a file in the browser; see `page_browser.opener`."""
    with opener(browser) as open_at:
        yield open_at


@pytest.fixture(scope="session")
def shipped(tmp_path_factory):
    """Return the report without results: bundled and named players."""
    folder = tmp_path_factory.mktemp("shipped")
    told = report.make(report.Arguments(results=folder / "none.json", out=folder / "report.html"))
    return Path(told["report"])


@pytest.fixture(scope="session")
def file(shipped):
    """Return the same report, for tests to which the players do not matter."""
    return shipped


@pytest.fixture(scope="session")
def benchmarked(tmp_path_factory):
    """Return the output of a small benchmark, three seeds of two learners, and its folder."""
    folder = tmp_path_factory.mktemp("benchmarked")
    small = ["--learners", "td0", "qtable", "--seeds", "3", "--out", "o", "--runs", "r"]
    done = run_script("benchmark.py", *small, "--jobs", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder
