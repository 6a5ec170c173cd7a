"""Names of cells: keyboard keys on 3x3, numbers and coordinates such as b2."""

import re

from tttenv.game.rules import COLUMNS, Rules, name_of

KEYS = "qweasdzxc"  # arranged on the keyboard like the cells on the board


def cell_of(rules: Rules, text: str, otherwise: str = "") -> int:
    """Parse the name of a cell, ignoring case: a key (on 3x3), a number or a coordinate.

    Args:
        rules: the game.
        text: the name, untrusted.
        otherwise: the end of the error message for other text.

    Raises:
        ValueError: if the text names no cell; the message lists valid names.
    """
    name = text.strip().lower()
    if len(name) == 1 and name in keys(rules):
        return KEYS.index(name)
    if re.fullmatch("[0-9]{1,4}", name):
        if int(name) < rules.cells:
            return int(name)
        raise ValueError(f"there is no cell {name}: cells are numbered 0 to {rules.cells - 1}")
    if found := re.fullmatch("([a-z])([0-9]{1,2})", name):
        column, row = COLUMNS.find(found[1]), int(found[2]) - 1
        if 0 <= column < rules.n and 0 <= row < rules.m:
            return row * rules.n + column
        raise ValueError(f"there is no cell {name}: cells are a1 to {name_of(rules, -1)}")
    shown = shortened(text)
    raise ValueError(f"{shown} is not a cell (by {ways(rules)}){otherwise}")


def keys(rules: Rules) -> str:
    """Return the keys that name cells, or an empty string on boards other than 3x3."""
    return KEYS if (rules.m, rules.n) == (3, 3) else ""


def ways(rules: Rules) -> str:
    """Describe the ways to name a cell, in one line."""
    row, column = (rules.m + 1) // 2, (rules.n + 1) // 2
    middle = (row - 1) * rules.n + column - 1
    others = f"number (0 to {rules.cells - 1}) or coordinate ({name_of(rules, middle)})"
    return f"key (q w e / a s d / z x c), {others}" if keys(rules) else others


def shortened(text: str) -> str:
    """Quote user text for display, with non-ASCII and control characters escaped, cut if long."""
    shown = ascii(text)
    return shown if len(shown) <= 40 else f"{shown[:36]}...'"
