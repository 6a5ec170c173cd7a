"""Networks of line patterns in checkpoints, which score positions for searches."""

from pathlib import Path

import numpy as np

from tttenv.game.line_patterns_kernel import PatternTables, count_vectors
from tttenv.game.rules import Rules
from tttenv.utils.registry import LONGEST_NAME, Spec, near
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import shown

LINES = Spec("lines")  # the evaluator without a network
LEARNER = "patterns"  # that trains them
LARGEST_K = 6  # a table for 7 in a row would have 3.5 million patterns
LARGEST_CHANNELS, LARGEST_HIDDEN = 64, 256
PREFIX = "tables."  # of the tensors' names


def shapes(k: int, channels: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each of `PatternTables`.

    Args:
        k: in a row to win.
        channels: numbers for each pattern of a line.
        hidden: the width of both layers.

    Raises:
        ValueError: for sizes that are not supported.
    """
    if not 1 <= k <= LARGEST_K:
        raise ValueError(f"networks of line patterns are for k from 1 to {LARGEST_K}, not {k}")
    if not (1 <= channels <= LARGEST_CHANNELS and 1 <= hidden <= LARGEST_HIDDEN):
        raise ValueError(
            f"channels must be from 1 to {LARGEST_CHANNELS} and hidden from 1 to {LARGEST_HIDDEN},"
            f" not {channels} and {hidden}"
        )
    return {
        "vectors": (count_vectors(k), channels),
        "first": (2 * channels, hidden),
        "second": (hidden, hidden),
        "last": (hidden, 1),
        "first_bias": (hidden,),
        "second_bias": (hidden,),
        "last_bias": (1,),
    }


def read_tables(spec: Spec, rules: Rules) -> PatternTables:
    """Return the network of a checkpoint.

    Args:
        spec: names the checkpoint, without options.
        rules: the game, with the same k as that of its training.

    Raises:
        ValueError: for another spec, learner or k, and for a damaged checkpoint.
    """
    from tttenv.players import bundled, checkpoint_of
    from tttenv.players.stored import checkpoint

    found = checkpoint_of(spec)
    given = shown(repr(spec), LONGEST_NAME)
    if found is None:
        close = near(spec, [LINES, *bundled.names()])
        raise ValueError(
            f"evaluator must be {LINES} or a checkpoint of the learner {LEARNER}, not"
            f" {given}" + (f"; did you mean {close}?" if close else "")
        )
    folder, options = found
    if options:
        raise ValueError(f"an evaluator takes no options, as in {given}")
    card, data = checkpoint.read_data(folder, checkpoint.WEIGHTS)
    trained = checkpoint.rules_of(folder)
    if card["learner"] != LEARNER:
        raise ValueError(
            f"an evaluator is a network of the learner {LEARNER}: {shown(folder)} is a player of"
            f" the learner {shown(card['learner'])}"
        )
    if trained.k != rules.k:
        raise ValueError(
            f"the evaluator in {shown(folder)} is for {trained.k} in a row, not {rules.k}"
        )
    file = folder / str(checkpoint.file_of(card, checkpoint.WEIGHTS))
    return _tables_of(data[checkpoint.WEIGHTS], trained.k, file)


def _tables_of(data: bytes, k: int, file: Path) -> PatternTables:
    """Return the network in the bytes of a safetensors file."""
    found, refusal = header(data, file), f"{shown(file)} holds no network of line patterns"
    channels = (*found.tensors.get(f"{PREFIX}vectors", ("", ()))[1], 0, 0)[1]
    try:
        wanted = shapes(k, channels, found.length(f"{PREFIX}second"))
    except ValueError as error:
        raise ValueError(f"{refusal}: {error}") from None
    kinds = {name: "I32" if name.endswith("bias") else "I16" for name in wanted}
    arrays = found.arrays(
        {f"{PREFIX}{name}": (kinds[name], shape) for name, shape in wanted.items()}, refusal
    )
    return PatternTables(**{name: np.array(arrays[f"{PREFIX}{name}"]) for name in wanted})
