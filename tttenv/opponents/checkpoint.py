"""Trained players from their folders, looked up without the library that trained them."""

import importlib
from pathlib import Path
from typing import cast

from safetensors import SafetensorError
from safetensors.numpy import load as tensors

from tttenv.card import POLICY, read_card, read_file
from tttenv.exact import Tabulated, enumerable
from tttenv.policy import Policy
from tttenv.rules import Rules


def load(folder: Path, rules: Rules | None = None) -> Policy:
    """The player of the checkpoint in `folder`.

    Args:
        folder: of the checkpoint.
        rules: the game it is to play, which must be the checkpoint's; None takes the latter.

    Raises:
        ValueError: if the checkpoint is missing, damaged, or of other rules.
    """
    card = read_card(folder)
    trained = Rules.of(str(card["rules"]))
    if rules is not None and rules != trained:
        raise ValueError(f"the player in {folder} plays {trained}, not {rules}")
    if not enumerable(trained):  # too large for a table: its network has to think
        rebuild = importlib.import_module("learners.checkpoint").load_policy
        return cast("Policy", rebuild(folder))
    try:
        table = tensors(read_file(folder, card, POLICY))["policy"]
    except (SafetensorError, KeyError) as error:
        raise ValueError(f"{folder / POLICY} holds no policy: {error}") from None
    return Tabulated(trained, table)
