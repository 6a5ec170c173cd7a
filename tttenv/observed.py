"""Players made of what people train: functions and networks over the environment's observations."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.answers import brief
from tttenv.answers import numbers as plain
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards, Mask, Numbers, Probs
from tttenv.spread import greedy, restricted, softmax

BATCH = 8192  # rows asked about at once, so that a network's memory stays small
OBSERVATIONS: dict[str, Callable[[Boards], Any]] = {  # what the environment shows for each obs
    "onehot": one_hot,
    "board": lambda boards: boards.astype(np.int8),
    "dict": lambda boards: {
        "observation": one_hot(boards),
        "action_mask": (boards == 0).astype(np.int8),
    },
}
KINDS: dict[str, Callable[[Numbers, Mask], Probs]] = {  # what the function answers
    "logits": softmax,
    "values": greedy,
    "probs": restricted,
}


class Observed:
    """The policy that `from_observations` makes; `unmasked` is what it would do without a mask."""

    def __init__(self, fn: Callable[[Any], Any], rules: Rules, obs: str, kind: str) -> None:
        self.fn, self.rules, self.obs, self.kind = fn, rules, obs, kind

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        return self._spread(boards, boards == 0)

    def unmasked(self, boards: Boards) -> Probs:
        """Its probabilities (batch, cells) over all cells: what is on taken ones, a mask hides."""
        return self._spread(boards, np.ones(boards.shape, np.bool_))

    def _spread(self, boards: Boards, allowed: Mask) -> Probs:
        numbers = [self.numbers(boards[at : at + BATCH]) for at in range(0, len(boards), BATCH)]
        answers = np.concatenate(numbers) if numbers else np.zeros(boards.shape)
        _require_numbers(boards, answers, allowed, self.kind)
        return KINDS[self.kind](answers, allowed)

    def numbers(self, boards: Boards) -> NDArray[np.float64]:
        """What the function answers, (batch, cells), before anything is made of it."""
        seen = OBSERVATIONS[self.obs](boards)
        answer = _ask_network(self.fn, seen) if is_network(self.fn) else self.fn(seen)
        numbers = np.array(plain(answer, "a policy's function"))  # a function may reuse its own
        if numbers.shape != boards.shape:
            raise ValueError(
                f"about {len(boards)} observations of {self.rules} the function answers"
                f" {self.kind} of shape {boards.shape}, a row a board, not {numbers.shape}"
            )
        return numbers


def from_observations(
    fn: Callable[[Any], Any], rules: Rules, obs: str = "onehot", kind: str = "logits"
) -> Observed:
    """The player that moves by a function or a network over the environment's observations.

    A torch module is asked without gradients and in evaluation mode, on its own device and in its
    own precision; tensors, arrays and lists are all understood as answers. Taken cells are never
    played: what the function says of them is ignored (`unmasked` shows it).

    Args:
        fn: observations (batch, ...) to numbers (batch, cells), a row a board.
        rules: the game.
        obs: what it observes, as in the environment: "onehot" float32 (batch, 3 * cells): mine,
            theirs, empty; "board" int8 (batch, cells); "dict" of "observation" and "action_mask".
        kind: what it answers. "logits": it plays their softmax over the legal cells; "values":
            the legal cell with the highest, ties alike; "probs": the legal part, divided by its
            sum, or any legal cell alike where all is on taken ones.

    Raises:
        ValueError: for another `obs` or `kind`; when asked, if an answer has another shape or
            holds no number for a legal cell.
    """
    for name, value, known in (("obs", obs, OBSERVATIONS), ("kind", kind, KINDS)):
        if value not in known:
            raise ValueError(f"{name} is one of {', '.join(known)}, not {value!r}")
    if not callable(fn):
        raise ValueError(f"observations are answered by a function or a network, not {fn!r}")
    return Observed(fn, rules, obs, kind)


def is_network(fn: Any) -> bool:
    """Whether it is a torch module: who has one has loaded torch, which tttenv never does."""
    return "torch" in sys.modules and hasattr(fn, "parameters") and hasattr(fn, "eval")


def _ask_network(net: Any, seen: Any) -> Any:
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
    """Evaluation mode, every part as it was afterwards."""
    modes = [(part, part.training) for part in net.modules()]
    net.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def _require_numbers(boards: Boards, answers: NDArray[np.float64], asked: Mask, kind: str) -> None:
    """Let answers pass that can be spread over the cells asked about; -inf is a mask's own."""
    bad = asked & (np.isnan(answers) | np.isposinf(answers))
    if kind == "probs":
        bad |= asked & (answers < 0)
    else:
        bad |= ~(asked & np.isfinite(answers)).any(axis=-1, keepdims=True)
    rows = np.flatnonzero(bad.any(axis=-1))
    if rows.size:
        board, answer = (brief(part[rows[0]]) for part in (boards, answers))
        law = "finite and not negative" if kind == "probs" else "finite for some legal cell"
        raise ValueError(f"{kind} are {law}: not so on the board {board}, where they are {answer}")
