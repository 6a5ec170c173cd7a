"""Tasks that play the blocks of a league, and parsing of their results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tttenv.league.league import LONGEST, Block, Failed, Result, play_block
from tttenv.league.league_file import FAILED, result_from_dict, result_to_dict
from tttenv.parallel import Context, ResultsFolder, Task, TaskResult
from tttenv.players.digests import digests
from tttenv.utils.untrusted import shown


@dataclass(frozen=True)
class BlockTask:
    """Everything that determines a block's results, except clocks and external programs."""

    block: Block
    files: dict[str, list[str]]  # by player's spec: digests of the files it names
    threads: int  # of network players; may change the last digits


def tasks(blocks: Sequence[Block], threads: int = 1) -> list[Task]:
    """Return one task per block, in order.

    Args:
        blocks: distinct blocks.
        threads: the number of threads of a worker's numerical libraries.

    Raises:
        ValueError: if a file named in a player's spec cannot be read; or OSError.
    """
    specs = sorted({spec for block in blocks for names in block.pairs for spec in names})
    files = {spec: digests(spec) for spec in specs}
    found = []
    for block in blocks:
        own = {spec: files[spec] for names in block.pairs for spec in names}
        first, second = block.pairs[0]
        others = second if len(block.pairs) == 1 else f"{len(block.pairs)} players"
        given = BlockTask(block, own, threads)
        found.append(Task(f"{first} against {others}", play, given, size=len(block.pairs)))
    return found


def play(given: BlockTask, context: Context) -> list[dict[str, Any]]:
    """Play a task's block, and return the results of its pairs as JSON-serializable dicts.

    Raises:
        ValueError: if a player's files differ from the task's; or OSError, if they are missing.
    """
    for spec, expected in given.files.items():
        if digests(spec) != expected:
            raise ValueError(f"{spec}: its files have changed, or differ on the worker")
    return [result_to_dict(found) for found in play_block(given.block)]


def results_of(outcome: TaskResult, openings: int) -> list[Result]:
    """Return a task's results; if it failed, every pair fails for the same reason."""
    if outcome.error:
        reason = outcome.error.removeprefix(f"{outcome.task.name}: ")
        return [Failed(shown(reason, LONGEST))] * len(outcome.task.arguments.block.pairs)
    return [result_from_dict(row, openings) for row in outcome.value]


def forget_failed(folder: ResultsFolder, todo: Sequence[Task]) -> None:
    """Delete stored blocks of an earlier run with a failed pair, so that they are played again."""
    for task in todo:
        stored = folder.get(task)
        if stored is not None and any(row["method"] == FAILED for row in stored.value):
            folder.forget(task)
