"""Make the README's pictures, light and dark: games, a training, the report and curves."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console
from tttenv.cli.options import Flag

PROG = "pictures.py"
MARGIN = 8  # pixels around what is photographed


SCHEMES = ("light", "dark")
BOARD = "#table"  # the part of the page with the board
OPENING, BLUNDER = "#play=minimax&seat=both&show=values&moves=1", 1  # cells, numbered from 1 and 0


@dataclass(frozen=True)
class Arguments:
    """Make the pictures, each in light and in dark.

    They are game.gif, learning.gif, leaderboard.png, board.png, preview.png, probe.svg and curves.
    The board, the leaderboard, the preview and the curves need the results of the benchmark, the
    extra `dev` (Playwright) and Chromium.
    """

    seed: int = 0  # of the game, and of the trainings that learning.gif and probe.svg show
    results: Path = Path("results/benchmark.json")  # of the benchmark
    out: Path = Path(".github/images")  # where the pictures go
    gifs: Flag = False  # only game.gif, learning.gif and probe.svg, which need no results


def main(args: list[str]) -> None:
    """Make all pictures and print their sizes."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    if not given.gifs and not given.results.is_file():
        raise ValueError(f"no {given.results}: run `make benchmark` first")
    from tttenv.utils.files import write

    made = animated(given.seed) | probed(given.seed)
    if not given.gifs:
        made |= photographs(given.results) | drawn(given.results) | drawn_larger()
    for name, data in made.items():
        write(given.out / name, data)
        print(f"{given.out / name}  {len(data) / 1000:.0f} kB")


def named(name: str, scheme: str) -> str:
    """Return a picture's file name: learning.gif, learning-dark.gif."""
    stem, dot, ending = name.rpartition(".")
    return name if scheme == "light" else f"{stem}-{scheme}{dot}{ending}"


def animated(seed: int) -> dict[str, bytes]:
    """Return the GIFs of a game and of a training, by file name."""
    from scripts.lib.game_gif import game_gifs
    from scripts.lib.learning_gif import learning_gifs
    from tttenv.drawing.tiles import DARK, LIGHT

    palettes = dict(zip(SCHEMES, (LIGHT, DARK), strict=True))
    made = {"game.gif": game_gifs(seed, palettes), "learning.gif": learning_gifs(seed, palettes)}
    return {
        named(name, scheme): data for name, both in made.items() for scheme, data in both.items()
    }


def probed(seed: int) -> dict[str, bytes]:
    """Return the charts of linear probes in the transformer, SVG by file name."""
    from scripts.lib.probe_picture import probe_pictures

    pictures = probe_pictures(seed)
    return {named("probe.svg", scheme): pictures[scheme == "dark"] for scheme in SCHEMES}


def photographs(results: Path) -> dict[str, bytes]:
    """Return leaderboard, board with exact values and first screen, PNG by file name.

    Raises:
        ValueError: without Playwright or Chromium.
    """
    from tempfile import TemporaryDirectory

    from tttenv.cli import report
    from tttenv.report.build import PREVIEW

    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise ValueError("photographs need Playwright: install the extra `dev`") from None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        raise ValueError("photographs need Chromium: apt-get install chromium")
    shots = {}
    with TemporaryDirectory() as folder, sync_playwright() as playing:
        page_file = Path(folder).resolve() / "report.html"
        report.make(page_file, report.Contents(results))
        browser = playing.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in SCHEMES:
            page = browser.new_page(
                viewport={"width": 1080, "height": 900},
                device_scale_factor=1.5,
                color_scheme="light" if scheme == "light" else "dark",
                reduced_motion="reduce",  # the answer comes at once
            )
            page.goto(page_file.as_uri() + OPENING)
            page.locator("#board button").nth(BLUNDER).click()
            put_away_the_mouse(page)
            shots[named("board.png", scheme)] = photograph(page, BOARD)
            shots[named("leaderboard.png", scheme)] = photograph(page, "#leaderboard .scroll")
            page.close()
        shots[PREVIEW] = preview(browser, page_file)
        browser.close()
    return {name: smaller(data) for name, data in shots.items()}


def put_away_the_mouse(page: Any) -> None:
    """Remove hover and focus, so that no outline is drawn."""
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")


def preview(browser: Any, file: Path) -> bytes:
    """Return a report's first screen, the preview of links to it: 1200 by 630 pixels, PNG."""
    page = browser.new_page(viewport={"width": 1200, "height": 630})
    page.goto(file.as_uri())
    shot: bytes = page.screenshot()
    return shot


def drawn(results: Path) -> dict[str, bytes]:
    """Return the curve of each learner's first training, SVG by file name.

    Raises:
        ValueError: if the results are not the benchmark's, or name other folders or learners.
    """
    from learners.registry import row
    from tttenv.report import curves
    from tttenv.utils import json_rows

    made = {}
    homes, keys = [Path.cwd(), results.parent], ("learner", "folder")
    for training in reversed(
        json_rows.rows(results, "trainings", "results of the benchmark", keys)
    ):
        name, folder = training["learner"], str(training["folder"])
        row(name)  # it becomes part of a file's name
        curve, complaint = curves.read(json_rows.folder(results, folder, homes))
        if complaint:
            print(f"{PROG}: {console.visible(f'{name}: {complaint}')}", file=sys.stderr)
        if curve is not None:
            for scheme in SCHEMES:
                picture = curves.alone(curve, dark=scheme == "dark")
                made[named(f"curve-{name}.svg", scheme)] = picture
    return made


def drawn_larger() -> dict[str, bytes]:
    """Return the curves of the shipped players for larger boards, SVG by file name."""
    from tttenv.report import larger, larger_curves

    made = {}
    for player in larger.from_specs(larger.usual()):
        if player.curve is not None and len(player.curve.steps) > 1:
            for scheme in SCHEMES:
                picture = larger_curves.alone(player.curve, dark=scheme == "dark")
                made[named(f"curve-{player.name}.svg", scheme)] = picture
    return made


def photograph(page: Any, selector: str) -> bytes:
    """Return a screenshot of a part of the page with a margin, as PNG."""
    box = page.locator(selector).first.bounding_box()
    left, top = box["x"] - MARGIN, box["y"] + page.evaluate("scrollY") - MARGIN
    clip = {"x": left, "y": top, "width": box["width"], "height": box["height"]}
    room = {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    shot: bytes = page.screenshot(clip=clip | room, full_page=True)
    return shot


def smaller(data: bytes) -> bytes:
    """Reduce a PNG to 256 colours."""
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.open(BytesIO(data)).convert("RGB").quantize(256).save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    console.run(main, PROG)
