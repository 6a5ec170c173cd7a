"""A policy as it learns, as an animated GIF: the chances of its moves on a few boards."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import torch
from PIL import Image, ImageDraw, ImageFont

from learners.reinforce import Reinforce, ReinforceConfig
from learners.training.loop import Progress, run, usual_schedule
from learners.training.tensorboard import SCENES
from tttenv import Rules
from tttenv.cli import console
from tttenv.game.render import HEAT, LINE, O_INK, PAPER, X_INK, rgb

MARGIN, TITLE = 16, 28  # pixels between the boards, and for the words above them
WORDS = (44, 50, 60)  # their colour
EVERY = 20  # steps between frames


def learning_gif(seed: int) -> bytes:
    """A GIF of the chances by which `reinforce` picks its moves, until it is unbeatable."""
    torch.set_num_threads(1)  # as the benchmark does: so it is the same training
    rules = Rules()
    learner = Reinforce(ReinforceConfig(seed=seed), rules)
    frames = [frame(rules, chances(learner), "reinforce, before the first step")]
    for report in run(learner, rules, usual_schedule("reinforce"), Progress()):
        if report.last or report.step % EVERY == 0:
            standing = console.standing(report.numbers).replace("  ", ", ")
            words = f"reinforce, step {report.step}: {standing}"
            frames.append(frame(rules, chances(learner), words))
    times = [900, *[150] * (len(frames) - 2), 4000]  # milliseconds
    out = BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return out.getvalue()


def chances(learner: Any) -> Callable[[Any], Any]:
    """The player that the learner explores as; its policy takes only the likeliest move."""

    def policy(boards: Any) -> Any:
        return learner._log_probs(boards).exp().detach().double().numpy()

    return policy


def frame(rules: Any, policy: Any, words: str) -> Any:
    """The policy's probabilities on the boards that TensorBoard shows too, side by side."""
    boards = [rules.parse(text) for text in SCENES[str(rules)].values()]
    pictures = [Image.fromarray(rgb(rules, board, policy(board[None])[0])) for board in boards]
    side = pictures[0].width
    size = (len(pictures) * (side + MARGIN) + MARGIN, side + TITLE + 2 * MARGIN)
    whole = Image.new("RGB", size, PAPER)
    for number, picture in enumerate(pictures):
        whole.paste(picture, (MARGIN + number * (side + MARGIN), TITLE + MARGIN))
    pen = ImageDraw.Draw(whole)
    pen.text((MARGIN, MARGIN), words, WORDS, ImageFont.load_default(18))
    return whole.quantize(palette=palette(), dither=Image.Dither.NONE)


def palette() -> Any:
    """One for all frames: from the paper's colour to that of each ink in a few steps."""
    found: list[int] = []
    for ink, steps in ((HEAT, 24), (X_INK, 8), (O_INK, 8), (LINE, 4), (WORDS, 6)):
        for step in range(steps + 1):
            found += [round(p + (i - p) * step / steps) for p, i in zip(PAPER, ink, strict=True)]
    made = Image.new("P", (1, 1))
    made.putpalette(found)
    return made
