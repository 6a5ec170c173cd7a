"""Report in Chromium, from file://, with failure at any message or any other request."""

import re
import shutil
from contextlib import contextmanager

import pytest

SIZES = {"desktop": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def chromium():
    """Yield the browser, or skip the test if there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playing:
        yield playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@contextmanager
def opener(browser):
    """Yield a function that opens a file, as in `open_at(file, "#train=1", "phone")`."""
    contexts, wrong, asked, files = [], [], [], set()

    def open_at(file, fragment="", size="desktop", **options):
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.split("#")[0]))
        page.goto(file.as_uri() + fragment)
        page.locator("[aria-busy]").first.wait_for(state="detached")  # all sections are made
        page.locator("html.first").wait_for(state="detached")  # and shown
        files.add(file.as_uri())
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert not wrong
    assert {url for url in asked if not url.startswith("blob:")} == files


CALM = {"reduced_motion": "reduce"}  # answers come at once


def fragment(page):
    """Return the address from "#" on, since `page.url` lags behind on a busy machine."""
    return page.evaluate("location.hash")


def marks(page, columns=3):
    """Return the board from its buttons' labels, like "X___O____", checking the cells' names."""
    labels = page.locator("#board button").evaluate_all("all => all.map(b => b.ariaLabel)")
    found = []
    for cell, label in enumerate(labels):
        place, _, content = label.partition(", ")
        assert place == f"{'abcdefghijklmno'[cell % columns]}{cell // columns + 1}"
        found.append(content[0] if content[0] in "XO" else "_")
    return "".join(found)


def click(page, cell):
    """Click in the middle of a cell, even one where nothing can be done."""
    page.locator("#board button").nth(cell).click(force=True)


def fits(page):
    """Return whether the page is no wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def faults(page, *places):
    """Return what axe finds wrong in elements of the page, or all but minor things in all of it."""
    from axe_playwright_python.sync_playwright import Axe

    context = {"include": [[place] for place in places]} if places else None
    found = Axe().run(page, context).response["violations"]
    found = [one for one in found if places or one["impact"] != "minor"]
    return [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]


def stop_clock(page):
    """Stop the page's clock, until `run_for` advances it."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000_000)


def verdict(said):
    """Return the seats in which a pasted bot is said to lose, or "?", and its blunders or None."""
    if not re.match("Unbeatable|As X|It does not play", said):
        return "?", None
    blunders = re.search(r"throws away a win or a draw on (\d+) board", said)
    return "".join(re.findall("As ([XO]) it can", said)), int(blunders[1]) if blunders else 0
