"""Commands that can be typed instead of a cell, and their help."""

from tttenv.cli.play.notation import ways
from tttenv.game.rules import Rules

COMMANDS = {  # command, aliases, description
    "undo": (("u", "back", "take-back"), "take your last stone back, and the answer to it"),
    "hint": (("h",), "what every move is worth, and how likely the player would make it"),
    "hints": ((), "show that before each of your moves, or stop; also tells of blunders"),
    "why": (("explain",), "why the player made its last move: its values, and what it expects"),
    "resign": ((), "give the game up"),
    "again": (("n", "new"), "a new game with the seats swapped"),
    "score": ((), "the games so far"),
    "help": (("?",), "this list"),
    "quit": (("exit",), "leave; so does the end of input"),
}
NAMES = {alias: name for name, (others, _) in COMMANDS.items() for alias in (name, *others)}


def help_lines(rules: Rules) -> list[str]:
    """Return help on how to place a stone, and on every command with its aliases."""
    known = [(", ".join((name, *others)), about) for name, (others, about) in COMMANDS.items()]
    return [
        f"To put a stone, name a cell by {ways(rules)}.",
        "A coordinate is a column's letter and a row's number, counted from the top.",
        *(f"  {names:<26}{about}" for names, about in known),
    ]
