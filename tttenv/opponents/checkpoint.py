"""Trained players from their folders, looked up without the library that trained them."""

import importlib
from pathlib import Path
from typing import cast

from safetensors import SafetensorError
from safetensors.numpy import load as tensors

from tttenv.card import POLICY, file_of, read_card, read_data
from tttenv.exact import Tabulated, enumerable, positions
from tttenv.game.rules import Rules
from tttenv.policy import Policy
from tttenv.tensor_file import header
from tttenv.untrusted import shown

TYPES = ("U8", "F32", "F64")  # of a policy's probabilities


def load(folder: Path, rules: Rules | None = None) -> Policy:
    """The player of the checkpoint in `folder`; nothing that the checkpoint names is run.

    Args:
        folder: of the checkpoint.
        rules: the game it is to play, which must be the checkpoint's; None takes the latter.

    Raises:
        ValueError: if the checkpoint is missing, damaged, or of other rules.
    """
    trained = rules_of(folder)
    if rules is not None and rules != trained:
        raise ValueError(f"the player in {shown(folder)} plays {trained}, not {rules}")
    if not enumerable(trained):  # too large for a table: its network has to think
        rebuild = importlib.import_module("learners.checkpoint").load_policy
        return cast("Policy", rebuild(folder))
    card, data = read_data(folder, POLICY)
    if Rules.of(card["rules"]) != trained:
        raise ValueError(f"the checkpoint in {shown(folder)} has just been replaced by another")
    file, shape = folder / str(file_of(card, POLICY)), positions(trained).boards.shape
    found = header(data[POLICY], file).tensors
    if list(found) != ["policy"] or found["policy"][0] not in TYPES or found["policy"][1] != shape:
        raise ValueError(
            f"{shown(file)} holds no policy on {trained}: wanted are {shape} probabilities"
        )
    try:
        table = tensors(data[POLICY])["policy"]
    except (SafetensorError, ValueError) as error:
        raise ValueError(f"{shown(file)} holds no policy: {shown(error)}") from None
    try:
        return Tabulated(trained, table)
    except ValueError as error:
        raise ValueError(f"{shown(file)} holds no policy: {shown(error)}") from None


def rules_of(folder: Path) -> Rules:
    """The game that the checkpoint in `folder` is for.

    Raises:
        ValueError: if there is none, or its card says no rules.
    """
    text = read_card(folder)["rules"]
    try:
        return Rules.of(text)
    except ValueError as error:
        raise ValueError(f"{shown(folder)}: {shown(error)}") from None
