"""Search for common mistakes in a training setup: `tttenv doctor my_module:make_env`."""

import json
from dataclasses import dataclass
from typing import Any

from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag, RulesOrNone, Subject, TextOrNone

PROG = "doctor.py"
STYLES = {"ok": "good", "weak": "weak", "problem": "bad", "skipped": "faint"}  # of a status
EXAMPLES = """
tttenv doctor runs/dqn-0
tttenv doctor my_package.agent:policy --obs onehot
"""


@dataclass(frozen=True)
class Arguments:
    """Look for the classic mistakes in your player or environment, and suggest what to change.

    A subject is a player's name with options, a checkpoint's folder, sb3:path=MODEL.zip,trust=true,
    external:command=./bot, the id of an environment, or module:attribute, imported from the
    current folder: a player, model, network or environment, or a function without arguments that
    makes one.
    Each check is ok, weak (no mistake, but not strong), a problem, or skipped; the last line is the
    verdict. The exit status is 0 without a problem, 1 with a problem, 2 for invalid input.
    """

    subject: Subject  # the player or environment to check
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    obs: TextOrNone = None  # input of your function: onehot, board or dict
    kind: str = "logits"  # output of your function or network: logits, values or probs
    games: int = 200  # number of games to play in an environment
    seed: int = 0  # random seed
    json: Flag = False  # print the findings as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Check a player or an environment, and print the findings."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    console.check_seed(given.seed)
    if given.games < 1:
        raise ValueError(f"the number of games must be at least 1, not {given.games}")
    from tttenv.certificates.certificate import require_pure
    from tttenv.cli.load_subject import load
    from tttenv.testing.diagnosis import Diagnosis, examination

    with console.stage(f"loading {given.subject}", given.json):
        subject = load(given.subject, given.rules, given.obs, given.kind)
    policy: Any = getattr(subject, "policy", None)  # an environment has none
    if policy is not None and policy.traits.depends_on == "time":
        require_pure(policy)  # it would think about hundreds of boards
    with console.bar(quiet=given.json) as bar:
        findings, count = examination(subject, given.games, given.seed)
        watched = bar.track(findings, total=count, description="examining")
        found = Diagnosis(given.subject, tuple(watched))
    if given.json:
        print(json.dumps(found.to_dict(), indent=2))
    else:
        show(found)
    if found.problems:
        raise SystemExit(1)


def show(found: Any) -> None:
    """Print a diagnosis."""
    width = text_tables.room()
    for one in found.findings:
        lines = text_tables.wrapped(f"{one.status:<8} {one.check:<12} {one.told}", width, " " * 22)
        status = text_tables.painted(one.status, STYLES[one.status])
        print("\n".join(lines).replace(one.status, status, 1))
        if one.change:
            text_tables.say(f"{'change':>8} {'':<12} {one.change}", " " * 22)
    text_tables.say(f"{found.subject}: {found.verdict}", "  ")
