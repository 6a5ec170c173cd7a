"""Array types; boards are always from the perspective of the side to move."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Boards: TypeAlias = NDArray[np.int8]  # (..., cells): 1 mine, -1 theirs, 0 empty
Mask: TypeAlias = NDArray[np.bool_]  # (..., cells) or (...)
Probs: TypeAlias = NDArray[np.float64]  # (..., cells), zero on taken cells, summing to one
Odds: TypeAlias = NDArray[np.float64]  # (..., 3): win, draw, loss for the side to move
Cells: TypeAlias = NDArray[np.int64]  # (...), cells numbered row by row from the top left
Uniforms: TypeAlias = NDArray[np.float64]  # (...), uniform random numbers in [0, 1)
Stones: TypeAlias = NDArray[np.int8]  # (cells,): one board inside a kernel, seen by either side
Numbers: TypeAlias = NDArray[Any]  # an array of a type that the comment beside it gives
