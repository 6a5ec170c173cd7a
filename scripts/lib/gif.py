"""Animated GIFs with a few flat colours, drawn by Pillow."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import Image

from tttenv.drawing.tiles import DARK, LIGHT

PALETTES = {"light": LIGHT, "dark": DARK}  # by scheme
COLOURS = 64  # of all frames together
SAMPLED = 12  # frames whose colours are looked at


def gif(frames: Sequence[Any], times: Sequence[int]) -> bytes:
    """Encode frames of the same size as a GIF that loops forever.

    Args:
        frames: Pillow images.
        times: the duration of each frame in milliseconds.
    """
    some = [*frames[:: max(1, len(frames) // SAMPLED)], frames[-1]]
    width, height = frames[0].size
    all_of_them = Image.new("RGB", (width, height * len(some)))
    for number, frame in enumerate(some):
        all_of_them.paste(frame, (0, number * height))
    palette = all_of_them.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    made = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    out = BytesIO()
    shown = {"append_images": made[1:], "duration": list(times), "loop": 0}
    made[0].save(out, "GIF", save_all=True, optimize=False, **shown)
    return out.getvalue()
