"""Screenshots of parts of the report, as PNG files that also store the text they show."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tttenv.report.build import PREVIEW

MARGIN = 8  # pixels around what is photographed
COLOURS = 128  # of a picture
SHOWS = "Description"  # the name of a picture's text, one of PNG's own
BOARD = "#play"  # the part of the page with the board
OPENING, BLUNDER = "#play=minimax&seat=both&show=values&moves=1", 1  # cells, numbered from 1 and 0


def pictures() -> dict[tuple[str, str], bytes]:
    """Take screenshots of the leaderboard, boards in two modes and the first screen.

    Raises:
        ValueError: without Playwright or Chromium.
    """
    from tttenv.cli import report

    made = {}
    with TemporaryDirectory() as folder, _chromium() as browser:
        file = Path(folder).resolve() / "report.html"
        report.make(file, report.Contents(Path(folder) / "none.json"))
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": 1080, "height": 900},
                device_scale_factor=1.5,
                color_scheme=scheme,
                reduced_motion="reduce",  # the answer comes at once
            )
            page.goto(file.as_uri() + OPENING)
            page.locator("#board button").nth(BLUNDER).click()
            made["board.png", scheme] = _photograph(page, BOARD)
            made["leaderboard.png", scheme] = _photograph(page, "#leaderboard .scroll")
            page.goto("about:blank")
            page.goto(file.as_uri() + "#teach=1")
            page.locator("#teach-play").wait_for()
            made["teach.png", scheme] = _photograph(page, "#teach .lesson")
            page.close()
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.goto(file.as_uri())
        page.locator("[aria-busy]").first.wait_for(state="detached")
        made[PREVIEW, "light"] = _labelled(page.screenshot(), page.locator("header").text_content())
        browser.close()
    return made


@contextmanager
def _chromium() -> Iterator[Any]:
    """Start Chromium with Playwright.

    Raises:
        ValueError: if Playwright or Chromium is missing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise ValueError("photographs need Playwright: install the extra `dev`") from None
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        raise ValueError("photographs need Chromium: apt-get install chromium")
    with sync_playwright() as playing:
        yield playing.chromium.launch(executable_path=program, args=["--no-sandbox"])


def _photograph(page: Any, selector: str) -> bytes:
    """Take a screenshot of a part of the page with a margin, as PNG with its text."""
    page.mouse.move(0, 0)  # nothing is under the mouse or has the focus
    page.evaluate("document.activeElement.blur()")
    part = page.locator(selector).first
    box = part.bounding_box()
    left, top = box["x"] - MARGIN, box["y"] + page.evaluate("scrollY") - MARGIN
    clip = {"x": left, "y": top, "width": box["width"], "height": box["height"]}
    room = {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    shot = page.screenshot(clip=clip | room, full_page=True)
    return _labelled(shot, part.text_content())


def _labelled(png: bytes, text: str) -> bytes:
    """Reduce a PNG to a few colours, and store text in it, without whitespace."""
    out, about = BytesIO(), PngInfo()
    about.add_itxt(SHOWS, "".join(text.split()), zip=True)
    whole = Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    whole.save(out, "PNG", optimize=True, pnginfo=about)
    return out.getvalue()


def text_of(png: bytes) -> str:
    """Return the text stored in a picture."""
    whole = Image.open(BytesIO(png))
    whole.load()
    return str(whole.info[SHOWS])
