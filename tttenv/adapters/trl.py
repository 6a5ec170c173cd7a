"""Exact rewards for TRL: rows of a dataset, and reward functions for its trainers.

TRL itself is not imported. `GRPOTrainer` of trl 1.16 calls a reward function with the completions
and the columns of the dataset, and expects a list of numbers.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from tttenv import text
from tttenv.game.rules import Rules
from tttenv.utils.arrays import one_of


class RewardFunction(Protocol):
    """A reward function as TRL calls it."""

    __name__: str  # names the reward in TRL's logs

    def __call__(
        self, completions: Sequence[Any], *, rules: Sequence[str], position: Sequence[str], **_: Any
    ) -> list[float | None]:
        """Return one reward for each completion; None leaves it out."""
        ...


def rows(
    tasks: Iterable[text.Task], notation: str = "grid", legal: bool = False, chat: bool = True
) -> list[dict[str, Any]]:
    """Return tasks as rows for `datasets.Dataset.from_list`: prompt, rules and position.

    Args:
        tasks: such as those of `tttenv.text.tasks`.
        notation: of the prompts, as for `tttenv.text.prompt`.
        legal: list the legal moves in the prompts.
        chat: each prompt is a list of one user message; False: a text.

    Raises:
        ValueError: for an unknown notation.
    """
    found = []
    for task in tasks:
        asked = task.prompt(notation, legal)
        prompt = [{"role": "user", "content": asked}] if chat else asked
        found.append({"prompt": prompt, "rules": str(task.rules), "position": task.position})
    return found


def reward_function(scheme: str = "regret") -> RewardFunction:
    """Return a reward function that judges completions of the prompts of `rows`.

    A move on a large board that a search leaves undecided has the reward None: TRL leaves it out.

    Args:
        scheme: "regret", "kept" or "game", see `tttenv.text.reward`.

    Raises:
        ValueError: for an unknown scheme.
    """
    one_of("scheme", scheme, tuple(text.SCHEMES))

    def rewards(
        completions: Sequence[Any], *, rules: Sequence[str], position: Sequence[str], **_: Any
    ) -> list[float | None]:
        return [
            _reward(Rules.of(game), board, answered(completion), scheme)
            for completion, game, board in zip(completions, rules, position, strict=True)
        ]

    rewards.__name__ = f"exact_{scheme}"
    return rewards


def answered(completion: Any) -> str:
    """Return the text of a completion: a text, or a list of messages, of which the last counts."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else None
    return content if isinstance(content, str) else ""


def _reward(rules: Rules, position: str, answer: str, scheme: str) -> float | None:
    found = text.verdict(rules, rules.parse(position), answer)
    try:
        return text.reward(found, scheme)
    except ValueError:  # undecided
        return None
