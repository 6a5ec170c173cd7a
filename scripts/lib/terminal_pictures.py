"""Output of commands on a terminal of 80 columns, in colour, as SVG files of text."""

import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path
from tempfile import TemporaryDirectory

from tttenv.report.markup import Markup, element

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 80
COMMANDS = {  # by the pictures' names: the command line, and what is typed
    "terminal-play": ("tttenv play selfplay --seat O --hints", "b1\nquit\n"),
    "terminal-certify": ("tttenv certify mcts", ""),
    "terminal-doctor": ("tttenv doctor mcts", ""),
    "terminal-league": ("tttenv league random tactical mcts selfplay", ""),
    "terminal-prove": ("tttenv prove 5,5,4", ""),
    "terminal-train": ("tttenv train td0", ""),
}
CHARACTER, LINE, MARGIN = 7.8, 18, 14  # in units of the view box, for letters of 13
PAINTS: dict[str, dict[str, str]] = {  # of the text, what is around it, and ANSI colours
    "light": {"paper": "#ffffff", "ink": "#24292f", "edge": "#d0d7de"}
    | {"1": "#b3261e", "2": "#1b7448", "3": "#7a5900"}
    | {"4": "#265cb0", "5": "#7b3fa0", "6": "#1b6f7f"},
    "dark": {"paper": "#0d1117", "ink": "#e6edf3", "edge": "#30363d"}
    | {"1": "#ff8a80", "2": "#7ed6a2", "3": "#e3b341"}
    | {"4": "#8ab4f8", "5": "#d2a8ff", "6": "#76d9e6"},
}
STYLE = (
    "text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;"
    " fill: {ink}; white-space: pre }} .b {{ font-weight: bold }} .faint {{ opacity: .6 }}"
)


def pictures() -> dict[tuple[str, str], bytes]:
    """Draw the output of all commands, by file name and scheme."""
    made = {}
    for name, (command, typed) in COMMANDS.items():
        shown = f"$ {command}\n{output(command, typed)}"
        for scheme in PAINTS:
            made[f"{name}.svg", scheme] = picture(shown, scheme)
    return made


def output(command: str, typed: str = "") -> str:
    """Return the output of a command on a terminal, without progress bars."""
    program = shlex.split(command)
    program[:1] = [sys.executable, "-m", "tttenv"]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    environment |= {"COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    with TemporaryDirectory() as folder:
        running = subprocess.Popen(
            program,
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(typed.encode())
        running.stdin.close()
        printed = b""
        while part := _read(ours):
            printed += part
        running.wait()
        os.close(ours)
    return printed.decode().replace("\r\n", "\n").rstrip()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the program has ended
        return b""


def picture(printed: str, scheme: str) -> bytes:
    """Draw lines of a terminal, with ANSI colour codes, as an SVG file."""
    from rich.console import Console
    from rich.text import Text

    paints, console = PAINTS[scheme], Console(width=1000)
    lines = Text.from_ansi(printed).split("\n", allow_blank=True)
    width = 2 * MARGIN + CHARACTER * max(COLUMNS, *(len(line) for line in lines))
    height = 2 * MARGIN + LINE * len(lines)
    parts = [
        element("style", STYLE.format(ink=paints["ink"])),
        element(
            "rect",
            x=0.5,
            y=0.5,
            width=f"{width - 1:g}",
            height=height - 1,
            rx=6,
            fill=paints["paper"],
            stroke=paints["edge"],
        ),
    ]
    for number, line in enumerate(lines):
        spans = [
            _span(segment.text, segment.style, paints)
            for segment in line.render(console)
            if segment.text
        ]
        if spans:
            place = {"x": MARGIN, "y": MARGIN + LINE * number + 13}
            parts.append(element("text", *spans, textLength=f"{CHARACTER * len(line):g}", **place))
    box = f"0 0 {width:g} {height}"
    svg = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "xml__space": "preserve"}
    size = {"width": f"{width:g}", "height": height}
    whole = element("svg", *parts, **(svg | size))
    return whole.replace(" xml--space=", " xml:space=").encode()


def _span(text: str, style: object, paints: dict[str, str]) -> Markup | str:
    colour = str(getattr(getattr(style, "color", None), "number", None))
    looks = {}
    if colour in paints:
        looks["fill"] = paints[colour]
    if getattr(style, "bold", None):
        looks["class_"] = "b"
    elif getattr(style, "dim", None):
        looks["class_"] = "faint"
    return element("tspan", text, **looks) if looks else text


def text_of(svg: bytes) -> str:
    """Return the text shown in a picture."""
    from xml.etree import ElementTree

    lines = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return "\n".join("".join(line.itertext()) for line in lines)
