"""Shared browser and report for all tests of the page, which run in one process."""

import json
from pathlib import Path

import pytest
from page_browser import chromium, opener
from processes import run_script

from tttenv.cli import report
from tttenv.report import data
from tttenv.report.build import PAGE

OWN = ("teach.js", "bot_code.js")  # what tests call in their scope
SCRIPTS = ("game", "certificate", "teacher", "bot_code")


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


@pytest.fixture(scope="module")
def inside(browser):
    """Yield a function that runs JavaScript in the scope of the page's scripts."""
    page = browser.new_page()
    facts = json.dumps(data.tables([]))
    texts = [(PAGE / "scripts" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    own = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in OWN]
    texts = [f"const data = {facts};", *texts, *own]

    def run(code):
        return page.evaluate("() => {" + "\n".join([*texts, code]) + "}")

    yield run
    page.close()


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
