"""Proofs about what seven features can and cannot do: `python scripts/seven.py`."""

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.certificates import phrases
from tttenv.cli import console
from tttenv.cli.options import Flag
from tttenv.cli.text_tables import say

PROG = "seven.py"
FILE = Path(__file__).resolve().parents[1] / "checkpoints/seven.json"
HANG = " " * 5  # what further lines of a sentence begin with


@dataclass(frozen=True)
class Arguments:
    """Check and show the proofs about the seven features of the published LMS player.

    No weights of them are unbeatable as O; how few games they lose; which feature they lack.
    Checking needs whole numbers only. The proofs were found by a search over the player's moves, in
    which linear programs tell which moves some weights still allow.
    """

    file: Path = FILE  # proofs, weights and certificates
    check: Flag = False  # only check the file
    json: Flag = False  # print the claims as JSON


def main(args: list[str]) -> None:
    """Check the claims in the file, and print them."""
    given = console.parse(Arguments, PROG, args)
    data = read(given.file)
    verify(data, given.file)
    if given.json:
        print(json.dumps(data, indent=2))
    elif given.check:
        print(f"{given.file}: all {len(data['answers'])} answers and certificates hold")
    else:
        show(data)


def read(file: Path) -> dict[str, Any]:
    """Return the claims in a file.

    Raises:
        ValueError: if they are not JSON, or the file is not a regular file of bounded size.
        OSError: if the file does not exist.
    """
    from tttenv.utils.untrusted import read_json

    found = read_json(file)
    if not isinstance(found, dict):
        raise ValueError(f"{file} does not hold what this script writes")
    return found


def verify(data: dict[str, Any], file: Path) -> None:
    """Verify all claims again.

    Raises:
        ValueError: naming the file and the claim that does not hold.
    """
    from scripts.seven_features import claims
    from tttenv.utils.untrusted import shown

    try:
        claims.verify(data)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        told = shown(repr(error))
        raise ValueError(f"{file} does not hold what this script writes: {told}") from None
    except ValueError as error:
        raise ValueError(f"{file} does not hold: {shown(error)}") from None


def show(data: dict[str, Any]) -> None:
    """Print the claims."""
    from scripts.seven_features.claims import title
    from scripts.seven_features.features import ABOUT, TIES, Question
    from scripts.seven_features.proof import size

    for found in data["answers"]:
        below = found["losing_below"]
        limit = None if below is None else Fraction(below)
        question = Question(found["seat"], found["ties"], tuple(found["added"]), limit)
        if "yes" in found:
            say(f"yes  {title(question)}: weights {found['yes']}", HANG)
        else:
            branches, leaves = size(found["no"])
            say(f"no   {title(question)}: proof of {branches} branches, {leaves} leaves", HANG)
    for lead, (name, about) in zip(("ties ", *[HANG] * len(TIES)), TIES.items(), strict=False):
        say(f"{lead}{name}: {about}", HANG + "  ")
    say("why  as O, in all features counted, what keeps the draw less what loses it:", HANG)
    for row in data["why"]:
        cells = f"{row['keeps']} less {row['loses']}"
        say(f"{HANG}{row['board']}: {cells} is {row['difference']}", HANG + "  ")
    show_player("best of the seven", data["best_weights"], data["best"])
    for row in data["lacking"]:
        name = row["feature"]
        show_player(f"with {name} ({ABOUT[name]})", row["weights"], row["certificate"])


def show_player(name: str, weights: list[float], certificate: dict[str, Any]) -> None:
    """Print a player's weights and certificate."""
    say(f"{name}: weights {weights}", HANG)
    for seat in ("X", "O"):
        worst = phrases.value(certificate["worst_case"][seat])
        against = phrases.odds(certificate["vs_random"][seat])
        say(f"{HANG}{seat}: worst case {worst}, against random {against} %", HANG + "  ")


if __name__ == "__main__":
    console.run(main, PROG)
