"""The state of NumPy's usual generator, handed to compiled code and taken back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LOW = 2**64 - 1


def is_pcg(rng: np.random.Generator) -> bool:
    """Whether it is a PCG64, as `np.random.default_rng` and Gymnasium make them."""
    return isinstance(rng.bit_generator, np.random.PCG64)


def read(rng: np.random.Generator, state: NDArray[np.uint64]) -> None:
    """Write the generator's state into `state` (4,), as `kernels.pcg` describes it."""
    told: Any = rng.bit_generator.state["state"]
    at, addend = told["state"], told["inc"]
    state[:] = at >> 64, at & LOW, addend >> 64, addend & LOW


def write(rng: np.random.Generator, state: NDArray[np.uint64]) -> None:
    """Set the generator to where `state` (4,) has moved to."""
    told: Any = rng.bit_generator.state
    high, low, _, _ = state.tolist()
    told["state"]["state"] = high << 64 | low
    rng.bit_generator.state = told
