"""Functions and networks of the environment's observations, as a player calls them.

Torch modules are found without loading torch, and called without gradients, in evaluation mode.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.utils.arrays import answered_numbers, brief
from tttenv.utils.untrusted import first_line, shown

BATCH = 8192  # boards in one call of a network, so that it needs little memory
OBSERVATIONS: dict[str, Callable[[Boards], Any]] = {  # the environment's observation for each `obs`
    "onehot": one_hot,
    "board": lambda boards: boards.astype(np.int8),
    "dict": lambda boards: {
        "observation": one_hot(boards),
        "action_mask": (boards == 0).astype(np.int8),
    },
}


def outputs_of(
    fn: Callable[[Any], Any], name: str, boards: Boards, rules: Rules, obs: str, kind: str
) -> NDArray[np.float64]:
    """Return the outputs (batch, cells) of a function of observations, as new float64 numbers.

    Args:
        fn: a function or a torch module.
        name: its name in messages.
        boards: undecided boards (batch, cells).
        rules: their game.
        obs: a key of `OBSERVATIONS`: what `fn` takes.
        kind: what the outputs are, in messages.

    Raises:
        ValueError: if a network fails on the observations, or the outputs have another shape; what
            a function raises itself is passed on.
    """
    seen = OBSERVATIONS[obs](boards)
    try:
        output = _call_network(fn, seen) if is_network(fn) else fn(seen)
    except Exception as error:  # a network may raise anything for observations of another kind
        if not is_network(fn):
            raise
        cells, reason = rules.cells, shown(first_line(error))
        raise ValueError(
            f"the network {name} does not take observations obs={obs!r} of"
            f" {rules}: {reason}; 'onehot' has {3 * cells} numbers for each board, 'board'"
            f" {cells}, 'dict' an observation of {3 * cells} and an action_mask of {cells}"
        ) from error
    # Copied, since a function may reuse its array.
    numbers = np.array(answered_numbers(output, "a policy's function"))
    if numbers.shape != boards.shape:
        raise ValueError(
            f"the function must return {kind} of shape {boards.shape} for"
            f" {len(boards)} observations of {rules}, one row for each board, but returned"
            f" shape {numbers.shape}"
        )
    return numbers


def is_network(fn: Any) -> bool:
    """Return whether `fn` is a torch module, without loading torch."""
    return "torch" in sys.modules and hasattr(fn, "parameters") and hasattr(fn, "eval")


def _call_network(net: Any, seen: Any) -> Any:
    """Call a network on observations converted to its device and precision."""
    torch = sys.modules["torch"]
    like = next((weights for weights in net.parameters() if weights.is_floating_point()), None)
    kind = {} if like is None else {"device": like.device, "dtype": like.dtype}
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(evaluating(net))
        if isinstance(seen, dict):
            return net({name: torch.as_tensor(part, **kind) for name, part in seen.items()})
        return net(torch.as_tensor(seen, **kind))


@contextmanager
def evaluating(net: Any) -> Iterator[None]:
    """Put a torch module into evaluation mode in this block."""
    modes = [(part, part.training) for part in net.modules()]
    net.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def require_finite(boards: Boards, outputs: NDArray[np.float64], allowed: Mask, kind: str) -> None:
    """Raise ValueError unless outputs (batch, cells) are valid on the cells that are `allowed`.

    Minus infinity marks a cell that the network masks itself; not all of a board may be.
    """
    bad = allowed & (np.isnan(outputs) | np.isposinf(outputs))
    law = "finite and not negative" if kind == "probs" else "finite for some legal cell"
    if kind == "probs":
        bad |= allowed & (outputs < 0)
    else:
        bad |= ~(allowed & np.isfinite(outputs)).any(axis=-1, keepdims=True)
    if bad.any():
        row = bad.any(axis=-1).argmax()
        board, output = brief(boards[row]), brief(outputs[row])
        raise ValueError(f"{kind} must be {law}, but on the board {board} they are {output}")
