"""Re-run published experiments: each number claimed, exact as published, and repaired."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag
from tttenv.utils.files import write
from tttenv.utils.registry import unknown

PROG = "reproduce.py"
SOURCES = ("S0", "S1", "S2", "S3", "S4")  # those of reproduction/published.json


@dataclass(frozen=True)
class Arguments:
    """Re-run the published experiments and print for each number: claimed, exact, repaired.

    Here "as published" is our re-run of the published form, its flaws included, measured exactly,
    and "repaired" is our own player in its place. The exit status is 1 if a row is not near enough.
    The table of a source is printed once it is done. Writes results/reproduce.json.
    """

    only: tuple[str, ...] = SOURCES  # sources to reproduce
    quick: Flag = False  # small budgets; rows that need more are not judged
    seed: int = 0  # random seed of training and sampling
    out: Path = Path("results")  # folder for reproduce.json
    json: Flag = False  # print the results as JSON instead of tables


def main(args: list[str]) -> None:
    """Run the sources, and list the rows outside their tolerance."""
    given = console.parse(Arguments, PROG, args)
    for name in given.only:
        if name not in SOURCES:
            raise ValueError(unknown("source", name, SOURCES))
    if not given.only:
        raise ValueError("--only must name at least one source")
    console.check_folder(given.out)
    with console.stage("loading PyTorch", given.json):
        import torch

        from scripts.reproduction import rows, sources

    torch.set_num_threads(1)
    run, found = rows.Run(given.quick, given.seed), []
    for source in (name for name in SOURCES if name in given.only):
        with console.stage(f"running {rows.TITLES[source]}", given.json):
            new = sources.NUMBERS[source](run)
        found += new
        if not given.json:
            rows.show(source, new)
            sys.stdout.flush()
    about = {"rules": "3,3,3", "quick": given.quick, "seed": given.seed, "rows": found}
    text = json.dumps(about, indent=1) + "\n"
    write(given.out / "reproduce.json", text)
    if given.json:
        print(text, end="")
    else:
        text_tables.say(f"{rows.verdict(found)}; results {given.out / 'reproduce.json'}")
    if missed := [row["id"] for row in found if row["holds"] is False]:
        sys.stdout.flush()
        print(f"{PROG}: not within tolerance: {', '.join(missed)}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    console.run(main, PROG)
