"""Make the pictures and tables of README, docs/ and checkpoints/ from the trained players."""

import json
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from learners.cli import benchmark
from learners.registry import LEARNERS
from scripts.reproduction import rows
from tttenv import Rules, draw_games
from tttenv.certificates.curve import Curve
from tttenv.cli import console, report, text_tables
from tttenv.cli.main import COMMANDS as PROGRAMS
from tttenv.players.stored.checkpoint import CARD, read_card
from tttenv.report import charts
from tttenv.report.build import PREVIEW
from tttenv.report.markup import element
from tttenv.utils.files import write

PROG = "pictures.py"
ROOT = Path(__file__).resolve().parents[1]
IMAGES = Path(".github/images")
README = "checkpoints/README.md"
SCHEMES = ("light", "dark")
Pictures = dict[tuple[str, str], bytes]  # by file name and scheme


@dataclass(frozen=True)
class Arguments:
    """Make the pictures, in light and dark, and the tables of checkpoints/README.md.

    They show the trained players in checkpoints/, so run it again when these change; a test
    compares both. All parts take minutes. The page needs the extra `dev` and Chromium.
    """

    only: tuple[str, ...] = ()  # which parts; all if omitted
    out: Path = ROOT  # the folder in which all files are written


def main(args: list[str]) -> None:
    """Make the requested parts, and print the size of each file."""
    given = console.parse(Arguments, PROG, args)
    for name in given.only:
        if name not in PARTS:
            raise ValueError(f"unknown part {name!r}; known are {', '.join(PARTS)}")
    for name in given.only or PARTS:
        with console.stage(f"making {name}"):
            made = PARTS[name]()
        for key, data in made.items():
            place = Path(README) if name == "tables" else IMAGES / named(*key)
            write(given.out / place, data)
            print(f"{place}  {len(data) / 1000:.0f} kB")


def named(name: str, scheme: str) -> str:
    """Return the file name of a picture in a scheme: board.png, board-dark.png."""
    stem, dot, ending = name.rpartition(".")
    return name if scheme == "light" else f"{stem}-{scheme}{dot}{ending}"


def tables() -> Pictures:
    """Return checkpoints/README.md with its tables made from the files beside it."""
    text = (ROOT / README).read_text(encoding="utf-8")
    for name, block in blocks(benchmark.named_players()).items():
        text = replaced(text, name, block)
    return {(README, ""): text.encode()}


def blocks(players: list[dict[str, Any]]) -> dict[str, str]:
    """Return the tables by the names of their markers, given the certificates of all players."""
    home = ROOT / "checkpoints"
    cards = [read_card(home / name) for name in LEARNERS if (home / name / CARD).exists()]
    published = json.loads((home / "published.json").read_text(encoding="utf-8"))
    results = {"players": [*players, *map(_benchmark_row, cards)]}
    table = text_tables.lines(*benchmark.table(results))
    sentences = map(benchmark.sentence, benchmark.measured(home))
    text = "\n".join(["exact strengths on 3,3,3", *table, *benchmark.LEGEND, *sentences])
    return {
        "table": f"```text\n{text}\n```",
        "published": rows.markdown(published["rows"]),
    }


def replaced(text: str, name: str, block: str) -> str:
    """Return a README's text with the block between the markers `name` replaced."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"the text has no markers {begin.strip()} and {end}")
    return f"{before}{begin}{block}\n{end}{after}"


def _benchmark_row(card: dict[str, Any]) -> dict[str, Any]:
    """Return a trained player's row of the benchmark's table, from its card."""
    curve = Curve.from_card(card)
    reached = curve.unbeatable_at if curve else None
    perfect = curve.perfect_at if curve else None
    seconds = {"seconds": reached[1] if reached else card["seconds"]}
    seconds |= {"expert_seconds": perfect[1] if perfect else None}
    name = f"{card['learner']} {card['config']['seed']}"
    return {"player": name, **seconds, **card["certificate"]}


def curves() -> Pictures:
    """Draw the learning curves of all trained players whose cards contain one, as SVG."""
    drawn = {}
    for card in sorted((ROOT / "checkpoints").glob("*/card.json")):
        found = Curve.from_card(read_card(card.parent))
        assert found is not None, f"{card.parent.name} has no curve"
        drawn[f"curve-{card.parent.name}.svg"] = charts.curve_chart(found, "seconds")
    return {
        (name, scheme): charts.standalone(parts, charts.WIDTH, charts.HEIGHT, scheme == "dark")
        for name, parts in drawn.items()
        for scheme in SCHEMES
    }


def games() -> Pictures:
    """Draw all games that mcts can play."""
    return {
        ("games.svg", scheme): draw_games(Rules(), "mcts", scheme=scheme).encode()
        for scheme in SCHEMES
    }


# Survival curves: how many seeds are not yet champions and experts, over seconds of one core

STRIP, APART, ABOVE = 18, 26, 34  # height of a learner's strip, from one to the next, and above all
FROM, TO = 90, 470  # the time axis in view-box units
SOONEST, LATEST = 0.01, 100.0  # its ends in seconds, with a logarithmic scale between
SURVIVE = {"perfect_at": "o", "unbeatable_at": "x"}  # the colour of each mark; the later one below
AREAS = """
.area { fill-opacity: .3; stroke-width: 1.2; stroke-linejoin: round }
.area.x { fill: $x; stroke: $x; fill-opacity: .8 } .area.o { fill: $o; stroke: $o }
"""


def survival() -> Pictures:
    """Draw the survival curves of all learners whose seeds are measured, the fastest on top."""
    measured = [one for one in benchmark.measured(ROOT / "checkpoints") if "unbeatable_at" in one]
    measured.sort(key=lambda one: one["median_seconds"])
    bottom = ABOVE + APART * len(measured)
    parts = [charts.label("seeds not yet champions", FROM, 14, "x")]
    parts.append(charts.label("not yet experts", FROM + 140, 14, "o"))
    for seconds in (0.1, 1.0, 10.0, 100.0):
        x = _across(seconds)
        parts.append(element("path", class_="grid", d=f"M{x:g} {ABOVE - 8}V{bottom}"))
        parts.append(charts.label(f"{seconds:g}", x, bottom + 13, anchor="middle"))
    parts.append(charts.label("seconds of one core", TO, bottom + 27, anchor="end"))
    for top, one in zip(range(ABOVE, bottom, APART), measured, strict=True):
        parts.append(charts.label(one["learner"], FROM - 8, top + STRIP - 4, anchor="end"))
        parts.append(element("path", class_="grid", d=f"M{FROM} {top + STRIP}H{TO}"))
        for mark in [mark for mark in SURVIVE if mark in one]:
            area = _survivors(one[mark], top)
            parts.append(element("path", class_=f"area {SURVIVE[mark]}", d=area))
    size = TO + 14, bottom + 34
    return {
        ("survival.svg", scheme): charts.standalone(parts, *size, scheme == "dark", AREAS)
        for scheme in SCHEMES
    }


def _across(seconds: float) -> float:
    """Return where a time is on the logarithmic axis."""
    return FROM + (TO - FROM) * math.log(seconds / SOONEST) / math.log(LATEST / SOONEST)


def _survivors(reached: list[tuple[int, float] | None], top: int) -> str:
    """Return the area under the share of seeds that have not reached a mark, seed by seed."""
    area, seconds = f"M{FROM} {top + STRIP}V{top}", sorted(one[1] for one in reached if one)
    for count, second in enumerate(seconds, 1):
        area += f"H{_across(second):.1f}V{top + STRIP * count / len(reached):.2f}"
    return f"{area}Z" if len(seconds) == len(reached) else f"{area}H{TO}V{top + STRIP}Z"


# Output of commands on a terminal of 80 columns, in colour, as SVG files of text

COLUMNS = 80
COMMANDS = {  # by the pictures' names: the command line, and what is typed
    "terminal-play": ("tttenv play selfplay --seat O --hints", "b1\nquit\n"),
    "terminal-certify": ("tttenv certify mcts", ""),
    "terminal-doctor": ("tttenv doctor mcts", ""),
    "terminal-league": ("tttenv league random tactical mcts selfplay", ""),
    "terminal-prove": ("tttenv prove 5,5,4", ""),
    "terminal-train": ("tttenv train td0", ""),
}
VERDICT = r"^\$|can be beaten|loses as O"  # the lines that README shows
THEMES = {"light": "DEFAULT_TERMINAL_THEME", "dark": "SVG_EXPORT_THEME"}  # of rich


def terminal() -> Pictures:
    """Draw the output of all commands, and of a certificate the verdict alone."""
    shown = {
        name: f"$ {command}\n{output(command, typed)}"
        for name, (command, typed) in COMMANDS.items()
    }
    lines = shown["terminal-certify"].split("\n")
    shown["terminal-verdict"] = "\n".join(line for line in lines if re.search(VERDICT, line))
    return {
        (f"{name}.svg", scheme): terminal_picture(text, scheme)
        for name, text in shown.items()
        for scheme in SCHEMES
    }


def output(command: str, typed: str = "") -> str:
    """Return the output of a command on a terminal, without progress bars."""
    (_, name, *arguments), screen = shlex.split(command), StringIO()
    with (
        patch.object(screen, "isatty", return_value=True),
        TemporaryDirectory() as folder,
        chdir(folder),
        patch.dict(os.environ, {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}),
        patch.object(sys, "stdin", StringIO(typed)),
        redirect_stdout(screen),
        redirect_stderr(StringIO()),
    ):
        os.environ.pop("NO_COLOR", None)
        PROGRAMS.load(name)(arguments, f"tttenv {name}")
    return screen.getvalue().rstrip()


def terminal_picture(printed: str, scheme: str) -> bytes:
    """Draw lines of a terminal, with ANSI colour codes, as an SVG file."""
    from rich import terminal_theme
    from rich.console import Console
    from rich.text import Text

    text = Text.from_ansi(printed)
    width = max(len(line) for line in text.split("\n"))
    screen = Console(record=True, width=width, file=StringIO())
    screen.print(text)
    drawn = screen.export_svg(title="", theme=getattr(terminal_theme, THEMES[scheme]))
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).encode()  # of the web


# Screenshots of parts of the report, as PNG files that also store the text they show

AROUND = 8  # pixels around what is photographed
SHOWS = "Description"  # the name of a picture's text, one of PNG's own
OPENING, BLUNDER = "#play=minimax&seat=both&show=values&moves=a1", 1  # the second cell


def page() -> Pictures:
    """Take screenshots of the leaderboard, boards in two modes and the first screen, and a film."""
    from playwright.sync_api import sync_playwright

    made = {}
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with TemporaryDirectory() as folder, sync_playwright() as playing:
        browser: Any = playing.chromium.launch(executable_path=program, args=["--no-sandbox"])
        file = Path(folder).resolve() / "report.html"
        report.make(report.Arguments(results=Path(folder) / "none.json", out=file))
        for scheme in SCHEMES:
            view = browser.new_page(
                viewport={"width": 1080, "height": 900},
                device_scale_factor=1.5,
                color_scheme=scheme,
                reduced_motion="reduce",  # the answer comes at once
            )
            view.goto(file.as_uri() + OPENING)
            view.locator("#board button").nth(BLUNDER).click()
            made["board.png", scheme] = _photograph(view, "#play")
            made["leaderboard.png", scheme] = _photograph(view, "#leaderboard .scroll")
            view.goto("about:blank")
            view.goto(file.as_uri() + "#train=1")
            view.locator("#teach-play").wait_for()
            made["teach.png", scheme] = _photograph(view, "#teach .lesson")
            view = browser.new_page(viewport={"width": 500, "height": 900}, color_scheme=scheme)
            made["question.gif", scheme] = _film(view, file.as_uri())
        view = browser.new_page(viewport={"width": 1200, "height": 630})
        view.goto(file.as_uri())
        view.locator("[aria-busy]").first.wait_for(state="detached")
        made[PREVIEW, "light"] = _labelled(view.screenshot(), view.locator("header").text_content())
        browser.close()
    return made


def _photograph(view: Any, selector: str) -> bytes:
    """Take a screenshot of a part of the page with a margin, as PNG with its text."""
    view.mouse.move(0, 0)  # nothing is under the mouse or has the focus
    view.evaluate("document.activeElement.blur()")
    part = view.locator(selector).first
    return _labelled(part.screenshot(), part.text_content(), AROUND)


def _film(view: Any, address: str) -> bytes:
    """Film the page's question: a wrong answer, and its refutation stone by stone."""
    view.clock.install()
    view.goto(address)
    view.locator("[aria-busy]").first.wait_for(state="detached")
    shots = [view.screenshot()]
    view.locator("#board button").nth(BLUNDER).click()
    while view.locator("#again").is_hidden() and len(shots) < 20:
        shots.append(view.screenshot())
        view.clock.run_for(700)  # milliseconds from stone to stone
    shots.append(view.screenshot())
    top, end = (view.locator(part).bounding_box() for part in ("#play", "#record"))
    area = 0, top["y"], top["x"] * 2 + top["width"], end["y"] + end["height"] + AROUND
    frames = [Image.open(BytesIO(shot)).convert("RGB").crop(area) for shot in shots]
    return _gif(frames, [2000, *[900] * (len(frames) - 2), 4000])


def _labelled(png: bytes, text: str, around: int = 0) -> bytes:
    """Reduce a PNG to a few colours, add a margin, and store text in it, without whitespace."""
    out, about = BytesIO(), PngInfo()
    about.add_itxt(SHOWS, "".join(text.split()), zip=True)
    whole: Any = Image.open(BytesIO(png)).convert("RGB")
    whole = ImageOps.expand(whole, around, whole.getpixel((0, 0)))  # by the ground
    whole = whole.quantize(128, dither=Image.Dither.NONE)
    whole.save(out, "PNG", optimize=True, pnginfo=about)
    return out.getvalue()


def _gif(frames: list[Any], times: list[int]) -> bytes:
    """Encode frames of the same size, shown for `times` milliseconds each, as an endless GIF."""
    palette = frames[-1].quantize(64, Image.Quantize.MEDIANCUT)  # all frames have these colours
    first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    out = BytesIO()
    shown = {"append_images": rest, "duration": times, "loop": 0}
    first.save(out, "GIF", save_all=True, optimize=False, **shown)
    return out.getvalue()


PARTS: dict[str, Callable[[], Pictures]] = {
    part.__name__: part for part in (tables, curves, survival, games, terminal, page)
}


if __name__ == "__main__":
    console.run(main, PROG)
