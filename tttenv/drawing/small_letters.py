"""Letters and digits of 5 by 7 pixels, for coordinates in images drawn with NumPy alone."""

import numpy as np
from numpy.typing import NDArray

HIGH, WIDE = 7, 5
DIGITS = """
.###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# ..#.. #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .##..
"""
A_TO_J = """
..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#.
..... #.... ..... ....# ..... .#..# .#### #.... ..... .....
.###. #.##. .###. .##.# .###. .#... #...# #.##. .##.. ..##.
....# ##..# #.... #..## #...# ###.. #...# ##..# ..#.. ...#.
.#### #...# #.... #...# ##### .#... .#### #...# ..#.. ...#.
#...# #...# #...# #...# #.... .#... ....# #...# ..#.. #..#.
.#### ####. .###. .#### .###. .#... .###. #...# .###. .##..
"""
K_TO_S = """
#.... .##.. ..... ..... ..... ..... ..... ..... .....
#.... ..#.. ..... ..... ..... ..... ..... ..... .....
#..#. ..#.. ##.#. #.##. .###. ####. .##.# #.##. .###.
#.#.. ..#.. #.#.# ##..# #...# #...# #..## ##..# #....
##... ..#.. #.#.# #...# #...# ####. .#### #.... .###.
#.#.. ..#.. #...# #...# #...# #.... ....# #.... ....#
#..#. .###. #...# #...# .###. #.... ....# #.... ####.
"""


def _glyphs(letters: str, drawn: str) -> dict[str, NDArray[np.bool_]]:
    rows = [row.split() for row in drawn.split("\n") if row]
    pixels = np.array([[list(part) for part in row] for row in rows]) == "#"
    return {letter: pixels[:, number] for number, letter in enumerate(letters)}


GLYPHS = (
    _glyphs("0123456789", DIGITS) | _glyphs("abcdefghij", A_TO_J) | _glyphs("klmnopqrs", K_TO_S)
)


def lettering(text: str) -> NDArray[np.bool_]:
    """Return the pixels (7, width) of a text made of digits and the letters a to s."""
    parts = [GLYPHS[letter] for letter in text]
    between = np.zeros((HIGH, 1), np.bool_)
    return np.hstack([part for glyph in parts for part in (glyph, between)][:-1])
