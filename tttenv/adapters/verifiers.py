"""Taskset for verifiers: positions with exact rewards.

verifiers looks for a module by its name, without dots. A file `mnk_game.py` of two lines is one::

    from tttenv.adapters.verifiers import *
    from tttenv.adapters.verifiers import __all__

and then::

    vf-eval mnk_game --env.taskset.rules 3,3,3 --model NAME -n 20 --no-push

One task is one position, see `tttenv.text.tasks`; its reward is that of `tttenv.text.reward`.
"""

from collections.abc import Iterator

from tttenv import text
from tttenv.adapters import wanted
from tttenv.game.rules import Rules
from tttenv.utils.arrays import one_of

with wanted("verifiers", extra="agents"):
    import verifiers.v1 as vf

__all__ = ["MnkGameConfig", "MnkGameData", "MnkGameTask", "MnkGameTaskset"]


class MnkGameData(vf.TaskData):
    """A position in which to find a move."""

    rules: str  # m rows, n columns, k in a row
    position: str  # X, O and _ row by row
    best: tuple[int, ...]  # the best moves
    scheme: str  # of the reward


class MnkGameTask(vf.Task[MnkGameData, vf.State, vf.TaskConfig]):
    """A task that scores the model's last reply."""

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]  # without verifiers installed
    async def exact(self, trace: vf.Trace) -> float:
        """Return the exact reward, from 0 to 1; without a legal move, or cut off, it is 0."""
        return 0.0 if trace.is_truncated else self.paid(trace.last_reply or "")

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Return whether every best move gets the full reward, and an empty answer no reward."""
        moves = [self.paid(f"<move>{cell}</move>") for cell in self.data.best]
        return set(moves) == {self.full} and not self.paid("")

    @property
    def full(self) -> float:
        """Reward for a best move; with scheme "game" it is below 1 unless the position is won."""
        rules = Rules.of(self.data.rules)
        board = rules.parse(self.data.position)
        value = text.verdict(rules, board, f"<move>{self.data.best[0]}</move>").value_before
        return (1 + (value or 0)) / 2 if self.data.scheme == "game" else 1.0

    def paid(self, answer: str) -> float:
        """Return the reward for an answer."""
        rules = Rules.of(self.data.rules)
        found = text.verdict(rules, rules.parse(self.data.position), answer)
        return text.reward(found, self.data.scheme)


class MnkGameConfig(vf.TasksetConfig):
    """Settings of the taskset."""

    rules: str = "3,3,3"
    """m rows, n columns, k in a row; at most 15 cells."""
    split: str = "train"
    """"train", "test" or "all", see `tttenv.text.tasks`."""
    notation: str = "grid"
    """"grid", "coordinates" or "moves"."""
    legal: bool = False
    """Whether the prompt lists the legal moves."""
    scheme: str = "regret"
    """"regret", "kept" or "game", see `tttenv.text.reward`."""
    seed: int = 0
    """Of the order of the positions, and of the image of each."""


class MnkGameTaskset(vf.Taskset[MnkGameTask, MnkGameConfig]):
    """A taskset with one task per symmetry class of positions."""

    def load(self) -> Iterator[MnkGameTask]:
        """Yield the tasks."""
        config = self.config
        one_of("notation", config.notation, tuple(text.NOTATIONS))
        one_of("scheme", config.scheme, tuple(text.SCHEMES))
        for task in text.tasks(Rules.of(config.rules), config.split, config.seed):
            data = MnkGameData(
                name=f"{config.rules} {task.position}",
                prompt=task.prompt(config.notation, config.legal),
                rules=config.rules,
                position=task.position,
                best=task.best,
                scheme=config.scheme,
            )
            yield MnkGameTask(data, config.task)
