"""A policy during training as an animated GIF: probabilities, greedy move and blunders."""

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image

from learners.reinforce import Reinforce, ReinforceConfig
from learners.training.board_pictures import Annotations, board_picture, coordinates, write
from learners.training.loggers import SCENES
from learners.training.loop import Progress, run, usual_schedule
from tttenv import Rules
from tttenv.certificates import phrases
from tttenv.drawing.tiles import DARK, LIGHT, Palette
from tttenv.exact import positions, solve

SHOWN = {"reply_to_corner": "after a corner", "fork_trap": "after two corners"}  # of SCENES
CELL, MARGIN, HEAD, TITLE, FOOT = 104, 56, 72, 76, 44  # pixels
COLOURS = 64  # of all frames together
EVERY = 30  # steps between frames
LEGEND = "ring: the move it plays    yellow: its chances as it explores    red: blunders"


class Frame(NamedTuple):
    """The contents of one frame."""

    step: int
    standing: str  # exact strength, in words
    shares: list[Any]  # (cells,) for each board: the chances of its moves as it explores


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Train `reinforce` until it is unbeatable, and return GIFs, by file name and scheme.

    The ringed move is the likeliest, which the player picks when it does not explore and for which
    the worst case is computed.
    """
    moments = list(_training(seed))
    times = [1200, *[220] * (len(moments) - 2), 4500]  # milliseconds
    return {
        ("learning.gif", scheme): gif([_frame(moment, palette) for moment in moments], times)
        for scheme, palette in (("light", LIGHT), ("dark", DARK))
    }


def _training(seed: int) -> Any:
    torch.set_num_threads(1)  # as the benchmark does: so it is the same training
    rules = Rules()
    learner = Reinforce(ReinforceConfig(seed=seed), rules)
    yield Frame(0, "", _shares(rules, _chances(learner)))
    for evaluation in run(learner, rules, usual_schedule("reinforce"), Progress()):
        if evaluation.last or evaluation.step % EVERY == 0:
            standing = phrases.standing(evaluation.numbers)
            yield Frame(evaluation.step, standing, _shares(rules, _chances(learner)))


def _chances(learner: Any) -> Callable[[Any], Any]:
    """Return the learner's stochastic policy, since its own `policy` is greedy."""

    def policy(boards: Any) -> Any:
        return learner.log_probs(boards).exp().detach().double().numpy()

    return policy


def _boards(rules: Rules) -> list[Any]:
    return [rules.parse(SCENES[str(rules)][name]) for name in SHOWN]


def _shares(rules: Rules, policy: Callable[[Any], Any]) -> list[Any]:
    return [policy(board[None])[0] for board in _boards(rules)]


def _frame(moment: Frame, palette: Palette) -> Any:
    """Draw both boards side by side, with the step and the worst case above."""
    rules, boards = Rules(), _boards(Rules())
    side = rules.n * CELL
    size = (len(boards) * (side + MARGIN) + MARGIN, TITLE + HEAD + side + FOOT + 12)
    whole = Image.new("RGB", size, palette.ground)
    title = f"reinforce, step {moment.step}" if moment.step else "reinforce, before the first step"
    write(whole, title, 28, palette.words, (MARGIN, 16))
    write(whole, moment.standing, 20, palette.faint, (MARGIN, 52))
    for number, (board, name) in enumerate(zip(boards, SHOWN.values(), strict=True)):
        corner = MARGIN + number * (side + MARGIN), TITLE + HEAD
        mover = "XO"[int(rules.seat(board))]
        middle = corner[0] + side // 2
        write(whole, f"{mover} to play, {name}", 22, palette.ink(mover), (middle, TITLE + 26), "mm")
        coordinates(whole, rules, corner, CELL, palette.faint)
        shares = moment.shares[number]
        wrong = np.flatnonzero((board == 0) & ~_kept(rules, board))
        rims = {int(cell): palette.blunder for cell in wrong}
        greedy = [int(shares.argmax())]
        picture = board_picture(
            rules, board, CELL, palette, Annotations(shares, rims=rims, rings=greedy)
        )
        whole.paste(picture, corner)
    write(whole, LEGEND, 18, palette.faint, (size[0] // 2, size[1] - FOOT // 2 - 4), "mm")
    return whole


def _kept(rules: Rules, board: Any) -> Any:
    """Return a mask (cells,) of the moves that keep the position's value."""
    return solve(rules).optimal[int(positions(rules).index(board))]


def gif(frames: Sequence[Any], times: Sequence[int]) -> bytes:
    """Encode frames of the same size, shown for `times` milliseconds each, as an endless GIF."""
    some = [*frames[:: max(1, len(frames) // 12)], frames[-1]]  # from which colours are taken
    width, height = frames[0].size
    column = Image.new("RGB", (width, height * len(some)))
    for number, frame in enumerate(some):
        column.paste(frame, (0, number * height))
    palette = column.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    out = BytesIO()
    shown = {"append_images": rest, "duration": list(times), "loop": 0}
    first.save(out, "GIF", save_all=True, optimize=False, **shown)
    return out.getvalue()
