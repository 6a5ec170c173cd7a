"""NumPy's usual generator, PCG64 (O'Neill, 2014), from any place in its sequence.

So several threads roll the dice that one `np.random.Generator` would roll in turn: each skips ahead
to its own. A state is four uint64: the higher and lower half of where the generator is, and of what
it adds in each step. A step is state * FACTOR + addend, a die the stirred state.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.bare import bare

State = NDArray[np.uint64]  # (4,)
Wide: TypeAlias = tuple[np.uint64, np.uint64]  # a number of 128 bits: higher and lower half
FACTOR = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
ONE, NOTHING = (np.uint64(0), np.uint64(1)), (np.uint64(0), np.uint64(0))
TO_UNIT = 2.0**-53


def _high(typing: Any, a: Any, b: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = [builder.zext(arg, ir.IntType(128)) for arg in args]
        product = builder.lshr(builder.mul(*wide), ir.Constant(ir.IntType(128), 64))
        return builder.trunc(product, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


# The higher half of the product of two uint64.
high = cast("Callable[[np.uint64, np.uint64], np.uint64]", intrinsic(_high))


@bare
def times(a: Wide, b: Wide) -> Wide:
    """The lowest 128 bits of a * b."""
    return high(a[1], b[1]) + a[0] * b[1] + a[1] * b[0], a[1] * b[1]


@bare
def plus(a: Wide, b: Wide) -> Wide:
    """The lowest 128 bits of a + b."""
    low = a[1] + b[1]
    return a[0] + b[0] + np.uint64(low < b[1]), low


@bare
def skip(state: State, dice: int) -> None:
    """Move on as if so many dice had been rolled (Brown, 1994: by squaring)."""
    factor, addend = FACTOR, (state[2], state[3])
    whole_factor, whole_addend = ONE, NOTHING
    while dice > 0:
        if dice & 1:
            whole_factor = times(whole_factor, factor)
            whole_addend = plus(times(whole_addend, factor), addend)
        addend = times(plus(factor, ONE), addend)
        factor = times(factor, factor)
        dice >>= 1
    state[0], state[1] = plus(times(whole_factor, (state[0], state[1])), whole_addend)


@compiled
def roll(state: State, dice: NDArray[np.float64]) -> None:
    """Fill `dice` with numbers from [0, 1), as `Generator.random` does; the state moves on."""
    at, addend = (state[0], state[1]), (state[2], state[3])
    for i in range(len(dice)):
        at = plus(times(at, FACTOR), addend)
        mixed, turn = at[0] ^ at[1], at[0] >> np.uint64(58)
        mixed = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
        dice[i] = (mixed >> np.uint64(11)) * TO_UNIT
    state[0], state[1] = at


@compiled
def roll_from(state: State, skipped: int, dice: NDArray[np.float64]) -> None:
    """Fill `dice` with those that come after `skipped` others; the state stays where it is."""
    ahead = state.copy()
    skip(ahead, skipped)
    roll(ahead, dice)
