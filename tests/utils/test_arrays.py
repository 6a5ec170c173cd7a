"""Arguments that are converted to arrays."""

import numpy as np
import pytest

from tttenv.utils.arrays import MOST, real_numbers


def test_lists_hold_up_to_a_million_numbers_and_arrays_any_number():
    for allowed in ([0] * MOST, [[0] * 1000] * 1000, np.zeros(MOST + 1, np.int8)):
        assert real_numbers("boards", allowed).size >= MOST == 1_000_000
    for longer in ([0] * (MOST + 1), [[0] * 1000] * 1001):
        with pytest.raises(ValueError, match="boards must be an array, or up to 1,000,000 numbers"):
            real_numbers("boards", longer)
