"""The blocks of a league as tasks for workers, and what these return read back."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.league.league import LONGEST, Block, Failed, Result, play_block
from tttenv.league.league_file import result_from_dict, result_to_dict
from tttenv.parallel import Context, ResultsFolder, Task, TaskResult
from tttenv.players import checkpoint_of, inner_specs
from tttenv.players.bundled import CARD
from tttenv.utils.registry import parse
from tttenv.utils.untrusted import read_bytes, shown

LARGEST_FILE = 2**31  # bytes of a player's file


@dataclass(frozen=True)
class BlockTask:
    """All that decides the results of a block, but for clocks and programs."""

    block: Block
    files: dict[str, list[str]]  # for each player's spec the digests of the files that it names
    threads: int  # of a player that is a network: another number may change the last digits


def tasks(blocks: Sequence[Block], threads: int = 1) -> list[Task]:
    """A task for each block, in this order.

    Args:
        blocks: no two the same.
        threads: that the numerical libraries of a worker use.

    Raises:
        ValueError: if a file that a player's spec names cannot be read; or OSError.
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


def digests(spec: str) -> list[str]:
    """The digests of the files that a spec names, or its options do.

    The players of a spec are told apart by these: of a checkpoint by its card, which names its
    weights. What a program plays is not known.
    """
    place = checkpoint_of(spec)
    if place is not None:
        return [hashlib.sha256(read_bytes(place[0] / CARD, LARGEST_FILE)).hexdigest()]
    name, options = parse(spec)
    inner, found = inner_specs(name, options), []
    for option, value in options.items():
        if option in inner:
            found += digests(value)
        elif _is_file(value):
            found.append(hashlib.sha256(read_bytes(Path(value), LARGEST_FILE)).hexdigest())
    return found


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # no name of a file: too long, or with a zero byte in it
        return False


def play(given: BlockTask, context: Context) -> list[dict[str, Any]]:
    """The work of a task: the results of a block's pairs as what JSON can hold.

    Raises:
        ValueError: if a player's files are not those of the task; or OSError, if they are missing.
    """
    for spec, expected in given.files.items():
        if digests(spec) != expected:
            raise ValueError(f"{spec}: its files have changed, or are others where it is to play")
    return [result_to_dict(found) for found in play_block(given.block)]


def results(value: Any, block: Block, openings: int) -> list[Result]:
    """The inverse of `play`, of whatever a folder of results holds.

    Args:
        value: of the block's task.
        block: the block.
        openings: how many there are.

    Raises:
        ValueError: for anything but one result for each pair.
    """
    if not isinstance(value, list) or len(value) != len(block.pairs):
        raise ValueError(f"a list of {len(block.pairs)} results is wanted")
    try:
        return [result_from_dict(row, openings) for row in value]
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"no result of a pair: {type(error).__name__}") from None


def results_of(outcome: TaskResult, openings: int) -> list[Result]:
    """What came of a task; where it has no value, all its pairs failed for the same reason.

    Args:
        outcome: of one of `tasks`.
        openings: how many there are.
    """
    block = outcome.task.arguments.block
    reason = outcome.error.removeprefix(f"{outcome.task.name}: ")
    if not reason:
        try:
            return results(outcome.value, block, openings)
        except ValueError as error:
            reason = str(error)
    return [Failed(shown(reason, LONGEST))] * len(block.pairs)


def whole(found: Sequence[Result]) -> bool:
    """Whether all pairs have a result."""
    return not any(isinstance(result, Failed) for result in found)


def forget_failed(folder: ResultsFolder, todo: Sequence[Task], openings: int) -> None:
    """Have blocks played again of which the folder holds a failed pair, or what is no result.

    Args:
        folder: of an earlier run.
        todo: the tasks of this one.
        openings: how many there are.
    """
    for task in todo:
        stored = folder.get(task)
        if stored is None:
            continue
        try:
            keep = whole(results(stored.value, task.arguments.block, openings))
        except ValueError:
            keep = False
        if not keep:
            folder.forget(task)
