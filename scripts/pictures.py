"""Make the pictures and tables of README, docs/ and checkpoints/ from the trained players."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console

PROG = "pictures.py"
ROOT = Path(__file__).resolve().parents[1]
IMAGES = Path(".github/images")
SCHEMES = ("light", "dark")
Files = dict[Path, bytes]  # by their place in the repository


def tables(seed: int) -> Files:
    """Return checkpoints/README.md with the tables between its markers updated."""
    from scripts.lib.shipped_tables import README, written

    return {Path(README): written().encode()}


def curves(seed: int) -> Files:
    """Draw the learning curves of all trained players, as SVG."""
    from scripts.lib.curve_pictures import curve_pictures

    return _pictures(curve_pictures())


def terminal(seed: int) -> Files:
    """Draw the terminal output of commands, as SVG."""
    from scripts.lib.terminal_pictures import terminal_pictures

    return _pictures(terminal_pictures())


def page(seed: int) -> Files:
    """Take screenshots of parts of the report (Playwright and Chromium), as PNG."""
    from scripts.lib.page_pictures import page_pictures

    return _pictures(page_pictures())


def tensorboard(seed: int) -> Files:
    """Photograph TensorBoard with two training runs in a browser, as PNG."""
    from scripts.lib.tensorboard_picture import tensorboard_pictures

    return _pictures(tensorboard_pictures(seed))


def window(seed: int) -> Files:
    """Draw the window during a game, as PNG."""
    from scripts.lib.window_picture import window_picture

    return {IMAGES / "window.png": window_picture()}


def games(seed: int) -> Files:
    """Draw a game and a training run, as GIFs."""
    from scripts.lib.game_gif import game_gifs
    from scripts.lib.learning_gif import learning_gifs
    from tttenv.drawing.tiles import DARK, LIGHT

    palettes = dict(zip(SCHEMES, (LIGHT, DARK), strict=True))
    made = {"game.gif": game_gifs(seed, palettes), "learning.gif": learning_gifs(seed, palettes)}
    return _pictures(
        {(name, scheme): data for name, both in made.items() for scheme, data in both.items()}
    )


def probe(seed: int) -> Files:
    """Draw the accuracy of linear probes of the transformer during training, as SVG."""
    from scripts.lib.probe_picture import probe_pictures

    made = probe_pictures(seed)
    return _pictures({("probe.svg", scheme): made[scheme == "dark"] for scheme in SCHEMES})


PARTS: dict[str, Callable[[int], Files]] = {
    "tables": tables,
    "curves": curves,
    "terminal": terminal,
    "page": page,
    "tensorboard": tensorboard,
    "window": window,
    "games": games,
    "probe": probe,
}


@dataclass(frozen=True)
class Arguments:
    """Make the pictures, in light and dark, and the tables of checkpoints/README.md.

    They show the trained players in checkpoints/, so run it again when these change; a test
    compares both. All parts take minutes. The page and TensorBoard need the extra `dev` and
    Chromium; TensorBoard, games and probe train.
    """

    only: tuple[str, ...] = tuple(PARTS)  # which parts
    seed: int = 0  # of the game, and of the trainings that are shown
    out: Path = ROOT  # the folder in which all files are written


def main(args: list[str]) -> None:
    """Make the requested parts, and print the size of each file."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    for name in given.only:
        if name not in PARTS:
            raise ValueError(f"unknown part {name!r}; known are {', '.join(PARTS)}")
    from tttenv.utils.files import write

    for name in given.only:
        with console.stage(f"making {name}"):
            made = PARTS[name](given.seed)
        for place, data in made.items():
            write(given.out / place, data)
            print(f"{place}  {len(data) / 1000:.0f} kB")


def _pictures(made: dict[tuple[str, str], bytes]) -> Files:
    """Return pictures as files, named by picture and scheme: learning.gif, learning-dark.gif."""
    return {IMAGES / named(name, scheme): data for (name, scheme), data in made.items()}


def named(name: str, scheme: str) -> str:
    """Return the file name of a picture in a scheme."""
    stem, dot, ending = name.rpartition(".")
    return name if scheme == "light" else f"{stem}-{scheme}{dot}{ending}"


if __name__ == "__main__":
    console.run(main, PROG)
