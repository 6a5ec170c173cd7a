"""What a player is: a function from boards to move probabilities; and the common ways to make one.

Every policy is pure (same board, same probabilities, whatever the batch), legal and memoryless.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.answers import brief, numbers
from tttenv.answers import numbers as plain
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.kernels.random import pick
from tttenv.kernels.types import Boards, Cells, Mask, Numbers, Probs


def over(allowed: Mask) -> Probs:
    """Probabilities spread evenly over the allowed cells (batch, cells), at least one a row."""
    with np.errstate(invalid="ignore"):  # a row without one is NaN, which `validated` refuses
        probs: Probs = allowed / allowed.sum(axis=-1, keepdims=True)
    return probs


def greedy(values: ArrayLike, legal: Mask, tolerance: float = 0.0) -> Probs:
    """Spread evenly over the legal cells whose value is within `tolerance` of the best.

    Args:
        values: (batch, cells), the higher the better; those of other cells are ignored.
        legal: (batch, cells), at least one a row.
        tolerance: values this near the best count as ties.
    """
    seen = np.where(legal, np.asarray(values, np.float64), -np.inf)
    return over(legal & (seen >= seen.max(axis=-1, keepdims=True) - tolerance))


def softmax(logits: ArrayLike, legal: Mask) -> Probs:
    """The softmax of `logits` (batch, cells) over the legal cells, one finite a row."""
    seen = np.where(legal, np.asarray(logits, np.float64), -np.inf)
    weights = np.exp(seen - seen.max(axis=-1, keepdims=True))
    probs: Probs = weights / weights.sum(axis=-1, keepdims=True)
    return probs


def restricted(probs: ArrayLike, legal: Mask) -> Probs:
    """The legal part of `probs` (batch, cells), each row divided by its sum; even where that is 0.

    Args:
        probs: not negative; those of other cells are ignored.
        legal: (batch, cells), at least one a row.
    """
    kept = np.where(legal, np.asarray(probs, np.float64), 0.0)
    sums = kept.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), over(legal))


__all__ = [
    "Policy",
    "blend",
    "from_observations",
    "greedy",
    "over",
    "sample",
    "uniform",
    "validated",
]

ROUNDING = 1e-14


class Policy(Protocol):
    """A player: (batch, cells) undecided boards to (batch, cells) move probabilities."""

    def __call__(self, boards: Boards, /) -> Probs:
        """Move probabilities, zero on taken cells, each row summing to one."""
        ...


def uniform(boards: Boards) -> Probs:
    """Every legal move alike: the random player."""
    return over(boards == 0)


def blend(first: Policy, second: Policy, weight: float) -> Policy:
    """The player that follows `second` with probability `weight` and `first` otherwise.

    Raises:
        ValueError: unless 0 <= weight <= 1.
    """
    return Blend(first, second, probability(weight))


def probability(number: float) -> float:
    """The number, if it is a probability.

    Raises:
        ValueError: unless 0 <= number <= 1.
    """
    if not 0 <= number <= 1:
        raise ValueError(f"a probability lies between 0 and 1, not {number}")
    return number


class Blend:
    """The player that `blend` makes.

    Attributes:
        impure: of a part, what makes it so: what depends on the clock goes on doing so; else None.
    """

    def __init__(self, first: Policy, second: Policy, weight: float) -> None:
        self.first, self.second, self.weight = first, second, weight
        self.impure = getattr(first, "impure", None) or getattr(second, "impure", None)

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        return (1 - self.weight) * self.first(boards) + self.weight * self.second(boards)


def sample(probs: Probs, dice: NDArray[np.float64]) -> Cells:
    """The cell each die falls on when the probabilities are laid row by row along [0, 1).

    Args:
        probs: (batch, cells).
        dice: (batch,), each uniform in [0, 1).

    Returns:
        Cells (batch,): the first whose cumulative probability exceeds the die.
    """
    return pick(np.ascontiguousarray(probs), np.ascontiguousarray(dice))


def validated(boards: Boards, probs: Any) -> Probs:
    """A policy's answer for `boards` (batch, cells), each row divided by its sum.

    Args:
        boards: what was asked.
        probs: an array, a tensor or lists of real numbers.

    Raises:
        ValueError: for a wrong type or shape, a negative or missing number, probability on a
            taken cell, or a row whose sum is off one by more than 1e-4.
    """
    answer = numbers(probs)
    if answer.shape != boards.shape:
        raise ValueError(f"a policy answers {boards.shape} probabilities, not {answer.shape}")
    with np.errstate(over="ignore", invalid="ignore"):  # such sums are refused below
        sums = answer.sum(axis=-1)
    bad = np.flatnonzero(~(np.abs(sums - 1) <= 1e-4))
    if bad.size:
        raise ValueError(_complaint("probabilities sum to one", boards, answer, bad[0]))
    bad = np.flatnonzero((answer < 0).any(axis=-1))
    if bad.size:
        raise ValueError(_complaint("probabilities are not negative", boards, answer, bad[0]))
    bad = np.flatnonzero(((answer != 0) & (boards != 0)).any(axis=-1))
    if bad.size:
        raise ValueError(_complaint("a taken cell has probability zero", boards, answer, bad[0]))
    off = np.abs(sums - 1) > ROUNDING  # a sum that is one but for rounding is left alone
    normal: Probs = answer / np.where(off, sums, 1.0)[..., None]
    return normal


def _complaint(law: str, boards: Boards, answer: Probs, row: int) -> str:
    return f"{law}: not so on the board {brief(boards[row])}, where it is {brief(answer[row])}"


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
