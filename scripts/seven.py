"""Proofs about what seven features can and cannot do: `python scripts/seven.py`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.certificates import phrases
from tttenv.cli import console
from tttenv.cli.options import FileOrNone, Flag
from tttenv.cli.text_tables import say

PROG = "seven.py"
FILE = Path(__file__).resolve().parents[1] / "checkpoints/seven.json"
HANG = " " * 5  # what further lines of a sentence begin with


@dataclass(frozen=True)
class Arguments:
    """Check and show what is proved about the seven features of the published LMS player.

    No weights of them are unbeatable as O; how few games they lose; which feature they lack.
    Checking needs whole numbers only. --prove searches for all proofs anew (a minute or two,
    with SciPy), --best for the best weights; both write what they find.
    """

    file: Path = FILE  # proofs, weights and certificates
    check: Flag = False  # check the file and say no more than that it holds
    prove: Flag = False  # search for all proofs anew
    best: Flag = False  # search for the best weights anew, and prove again
    climbs: int = 40  # with --best: how often hill climbing starts
    seed: int = 0  # with --best: of all random numbers
    out: FileOrNone = None  # where to write; with --prove and --best the file itself
    json: Flag = False  # print all of it as JSON


def main(args: list[str]) -> None:
    """Search if requested, then check, write and print."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    if given.climbs < 1:
        raise ValueError("--climbs is at least 1")
    out = given.out or (given.file if given.prove or given.best else None)
    if out:
        console.check_folder(out.parent)
    data = search(given) if given.prove or given.best else read(given.file)
    verify(data, given.file)
    if out:
        from tttenv.utils.files import write

        write(out, lines(data))
    if given.json:
        print(json.dumps(data, indent=2))
    elif given.check:
        print(f"{given.file}: all {len(data['answers'])} answers and certificates hold")
    else:
        show(data)


def read(file: Path) -> dict[str, Any]:
    """Return the claims in a file.

    Raises:
        ValueError: if they are not JSON, or the file is no regular one of bounded size.
        OSError: if there is no such file.
    """
    from tttenv.utils.untrusted import read_json

    found = read_json(file)
    if not isinstance(found, dict):
        raise ValueError(f"{file} does not hold what this script writes")
    return found


def verify(data: dict[str, Any], file: Path) -> None:
    """Check all claims again.

    Raises:
        ValueError: naming the file and what does not hold.
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


def best_weights(file: Path) -> list[float]:
    """Return the best weights found so far, from a file.

    Raises:
        ValueError: if they are not seven numbers.
    """
    found = read(file).get("best_weights")
    if not isinstance(found, list) or len(found) != 7 or not all(map(is_number, found)):
        raise ValueError(f"{file} does not hold what this script writes: no seven best weights")
    return found


def is_number(value: object) -> bool:
    """Return whether a value is a number, not a boolean, with absolute value below 1e9."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def search(given: Arguments) -> dict[str, Any]:
    """Search for all proofs and, with --best, for the best weights."""
    from scripts.seven_features import claims
    from scripts.seven_features.best import climb

    with console.bar(quiet=given.json) as progress:
        if given.best:
            task = progress.add_task("climbing", total=given.climbs)
            weights = climb(given.seed, given.climbs, lambda: progress.advance(task))
        else:
            weights = best_weights(given.file)
        task = progress.add_task("proving", total=None)
        return claims.find(weights, lambda what: progress.update(task, description=what))


def lines(data: dict[str, Any]) -> str:
    """Format the claims as JSON, with one line per entry and answer."""
    rows = {key: json.dumps(entry) for key, entry in data.items()}
    for key in ("answers", "lacking", "why"):
        rows[key] = "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in data[key]) + "\n ]"
    return "{\n" + ",\n".join(f' "{key}": {row}' for key, row in rows.items()) + "\n}\n"


def show(data: dict[str, Any]) -> None:
    """Print the claims."""
    from scripts.seven_features.claims import title
    from scripts.seven_features.features import ABOUT, TIES, Question
    from scripts.seven_features.proof import size

    for found in data["answers"]:
        below = found["losing_below"]
        question = Question(found["seat"], found["ties"], tuple(found["added"]), fraction(below))
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


def fraction(text: str | None) -> Any:
    """Parse a fraction from the file; return None for None."""
    from fractions import Fraction

    return None if text is None else Fraction(text)


def show_player(name: str, weights: list[float], certificate: dict[str, Any]) -> None:
    """Print a player's weights and certificate."""
    say(f"{name}: weights {weights}", HANG)
    for seat in ("X", "O"):
        worst = phrases.value(certificate["worst_case"][seat])
        against = phrases.odds(certificate["vs_random"][seat])
        say(f"{HANG}{seat}: worst case {worst}, against random {against} %", HANG + "  ")


if __name__ == "__main__":
    console.run(main, PROG)
