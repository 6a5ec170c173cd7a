"""The window of `tttenv play --window` on 5x5, drawn without a screen, as a PNG file."""

import os
from io import BytesIO
from unittest import mock

import numpy as np
from PIL import Image

from tttenv import Rules, player

RULES = Rules(5, 5, 4)
OPPONENT = "alphabeta:nodes=3000"
CELLS = (6,)  # of the person, O


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Draw the window of a game in progress, with the known value of every move."""
    import pygame

    with (
        mock.patch.dict(os.environ, SDL_VIDEODRIVER="dummy"),
        mock.patch("tttenv.drawing.window.HEADLESS_DRIVERS", ()),  # nobody has to see it
    ):
        from tttenv.cli.play.advice import Advice
        from tttenv.cli.play.session import Session, Side
        from tttenv.cli.play.windowed import Windowed

        sides = Side("you", None), Side("alphabeta", player(OPPONENT, RULES))
        session = Session(RULES, *sides, 1, 0)
        shown = Windowed(session, Advice(RULES), hints=True, games=1)
        for cell in CELLS:
            session.move()
            session.play(cell)
        session.move()
        shown._show()
        pixels = pygame.surfarray.array3d(shown.window.surface).transpose(1, 0, 2)
        shown.window.close()
    out = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).quantize(128).save(out, "PNG", optimize=True)
    return {("window.png", "light"): out.getvalue()}
