"""One browser and one report for all tests of the page; those in the browser run in one process."""

from pathlib import Path

import pytest
from page_browser import chromium, opener
from processes import run_script

from tttenv.cli import report


def pytest_collection_modifyitems(items):
    """A browser is opened by one process only, a second would open it again."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser):
    """Opens a file in the browser, see `page_browser.opener`."""
    with opener(browser) as open_at:
        yield open_at


@pytest.fixture(scope="session")
def shipped(tmp_path_factory):
    """The report where there are no results: what ships, all players by name, published numbers."""
    folder = tmp_path_factory.mktemp("shipped")
    told = report.make(folder / "report.html", report.Contents(folder / "none.json"))
    return Path(told["report"])


@pytest.fixture(scope="session")
def benchmarked(tmp_path_factory):
    """What a small benchmark prints, three seeds of two learners, and the folder of its results."""
    folder = tmp_path_factory.mktemp("benchmarked")
    small = ["--learners", "td0", "qtable", "--seeds", "3", "--out", "o", "--runs", "r"]
    done = run_script("benchmark.py", *small, "--jobs", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder
