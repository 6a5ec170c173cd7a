"""Make the pictures and tables of README, docs/ and checkpoints/ from the trained players."""

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console

PROG = "pictures.py"
ROOT = Path(__file__).resolve().parents[1]
IMAGES = Path(".github/images")
Files = dict[Path, bytes]  # by their place in the repository
# The parts, and the modules of scripts/lib that draw their pictures.
PARTS: dict[str, tuple[str, ...]] = {
    "tables": (),
    "curves": ("curve_pictures",),
    "terminal": ("terminal_pictures",),
    "page": ("page_pictures",),
    "tensorboard": ("tensorboard_picture",),
    "window": ("window_picture",),
    "games": ("game_gif", "learning_gif"),
    "probe": ("probe_picture",),
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
            made = made_by(name, given.seed)
        for place, data in made.items():
            write(given.out / place, data)
            print(f"{place}  {len(data) / 1000:.0f} kB")


def made_by(part: str, seed: int) -> Files:
    """Return the files of a part; pictures are named by scheme: learning.gif, learning-dark.gif."""
    if part == "tables":
        from scripts.lib.shipped_tables import README, written

        return {Path(README): written().encode()}
    return {
        IMAGES / named(name, scheme): data
        for module in PARTS[part]
        for (name, scheme), data in import_module(f"scripts.lib.{module}").pictures(seed).items()
    }


def named(name: str, scheme: str) -> str:
    """Return the file name of a picture in a scheme."""
    stem, dot, ending = name.rpartition(".")
    return name if scheme == "light" else f"{stem}-{scheme}{dot}{ending}"


if __name__ == "__main__":
    console.run(main, PROG)
