"""Screenshots of TensorBoard with the curves of two training runs, as PNG files."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from learners.registry import LEARNERS
from learners.training.loop import usual_schedule
from learners.training.tensorboard import ADDRESS, EXACT
from learners.training.train import train
from scripts.lib.page_pictures import chromium, labelled
from tttenv import Rules

SHOWN = ("dqn", "reinforce")
TITLES = tuple(EXACT["exact strength"])[:4]  # the charts in the picture
SIZE = {"width": 1060, "height": 705}
PATIENCE = 120_000  # milliseconds until TensorBoard has loaded


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Train two learners, and photograph their exact curves in TensorBoard.

    TensorBoard leaves the most extreme points out of its scales, and with them a worst case that
    reaches 0 at the end: the box that does so is unticked first.

    Raises:
        ValueError: without Playwright or Chromium, or if TensorBoard does not start.
    """
    with TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        for name in SHOWN:
            config = LEARNERS.load(name).Config(seed=seed)
            train(name, config, Rules(), usual_schedule(name), runs / f"{name}-{seed}")
        return photographs(runs)


def photographs(runs: Path) -> dict[tuple[str, str], bytes]:
    """Photograph TensorBoard with the runs in a folder; see `pictures`."""
    made = {}
    with _served(runs) as address, chromium() as browser:
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
            page.set_default_timeout(PATIENCE)
            page.goto(f"{address}#{ADDRESS.partition('#')[2]}")
            page.get_by_text(f"Matches ({len(SHOWN)})").nth(len(TITLES) - 1).wait_for()
            page.get_by_text("Ignore outliers").click()
            page.mouse.move(0, 0)
            page.wait_for_timeout(2000)  # until the curves are drawn
            found = [title for title in TITLES if page.get_by_text(title).is_visible()]
            made["tensorboard.png", scheme] = labelled(page.screenshot(), "".join(found))
            page.close()
        browser.close()
    return made


@contextmanager
def _served(runs: Path) -> Iterator[str]:
    """Run TensorBoard on a free port of this machine, and yield its address.

    Raises:
        ValueError: with what it says, if it does not start.
    """
    command = [sys.executable, "-m", "tensorboard.main", "--host", "localhost", "--port", "0"]
    command += ["--logdir", runs.name]  # as the page shows it
    with subprocess.Popen(command, cwd=runs.parent, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        said = ""
        try:
            for line in running.stderr:
                said = line.strip() or said
                if found := re.search(r"http://localhost:\d+/", line):
                    yield found[0]
                    return
            raise ValueError(f"TensorBoard did not start: {said}")
        finally:
            running.terminate()
