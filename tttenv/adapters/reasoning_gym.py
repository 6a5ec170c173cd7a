"""Dataset for reasoning-gym: positions with exact scores.

Example::

    import reasoning_gym, tttenv.adapters.reasoning_gym

    data = reasoning_gym.create_dataset("mnk_game", rules="3,3,3", size=100, seed=0)
    data.score_answer("<move>4</move>", data[0])

The items are the tasks of `tttenv.text.tasks`, and an answer is read strictly.
"""

from dataclasses import dataclass
from typing import Any

from tttenv import text
from tttenv.adapters import wanted
from tttenv.game.rules import Rules
from tttenv.utils.arrays import one_of

with wanted("reasoning_gym", extra="language"):
    from reasoning_gym.factory import ProceduralDataset, register_dataset

NAME = "mnk_game"


@dataclass
class MnkGameConfig:
    """Settings of the dataset, including those that reasoning-gym expects."""

    rules: str = "3,3,3"  # m rows, n columns, k in a row; at most 15 cells
    split: str = "train"  # "train", "test" or "all", see `tttenv.text.tasks`
    notation: str = "grid"  # "grid", "coordinates" or "moves"
    legal: bool = False  # list the legal moves in the question
    scheme: str = "regret"  # "regret", "kept" or "game", see `tttenv.text.reward`
    size: int = 500  # items; where there are fewer positions, they come again
    seed: int | None = 0  # of the order of the positions, and of the image of each; None is 0

    def validate(self) -> None:
        """Validate the settings.

        Raises:
            ValueError: for a setting out of range, or a game of more than 15 cells.
        """
        one_of("notation", self.notation, tuple(text.NOTATIONS))
        one_of("scheme", self.scheme, tuple(text.SCHEMES))
        if self.size < 1:
            raise ValueError(f"size must be at least 1, not {self.size}")
        text.tasks(Rules.of(self.rules), self.split, self.seed or 0)


class MnkGameDataset(ProceduralDataset):  # type: ignore[misc]  # reasoning-gym is not typed
    """A dataset with one item per symmetry class of positions; see `tttenv.text.tasks`."""

    def __init__(self, config: MnkGameConfig) -> None:
        super().__init__(config=config, seed=config.seed or 0, size=config.size)
        self.rules = Rules.of(config.rules)
        self.tasks = text.tasks(self.rules, config.split, config.seed or 0)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        """Return an item: question, answer (one of the best moves) and metadata.

        Raises:
            IndexError: beyond the last item.
        """
        if not 0 <= idx < self.size:
            raise IndexError(idx)
        task = self.tasks[idx % len(self.tasks)]
        return {
            "question": task.prompt(self.config.notation, self.config.legal),
            "answer": f"<move>{task.best[0]}</move>",
            "metadata": {
                "source_dataset": NAME,
                "source_index": idx,
                "rules": str(self.rules),
                "position": task.position,
                "value": task.value,
                "best": list(task.best),
                "difficulty": {"stones": sum(mark != "_" for mark in task.position)},
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Return the exact reward for an answer, from 0 to 1; 0 if it has no legal move.

        Args:
            answer: the model's answer.
            entry: an item of this dataset.
        """
        about = entry["metadata"]
        rules = Rules.of(about["rules"])
        found = text.verdict(rules, rules.parse(about["position"]), answer or "")
        return text.reward(found, self.config.scheme)


register_dataset(NAME, MnkGameDataset, MnkGameConfig)
