"""Find common mistakes of a training setup: `doctor.py my_module:make_env`."""

import inspect
import json
from dataclasses import dataclass
from typing import Any

from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag, RulesOrNone, Subject, TextOrNone
from tttenv.players.hinting import hinting

PROG = "doctor.py"
EXAMPLES = """
tttenv doctor runs/dqn-0
tttenv doctor my_package.agent:policy --obs onehot
"""
VERDICTS = {  # if there are no problems, by the status of the check "learned"
    "ok": "healthy",
    "weak": "no mistake was found, but it has learned nothing",
    "skipped": "no mistake was found",
}


@dataclass(frozen=True)
class Arguments:
    """Look for the classic mistakes in your player or environment, and suggest what to change.

    A subject is a player's name with options, a checkpoint's folder, sb3:path=MODEL.zip,trust=true,
    external:command=./bot, the id of an environment, or module:attribute, imported from the
    current folder: a player, model, network or environment, or a function without arguments that
    makes one.
    The exit status is 0 without a problem, 1 with a problem, 2 for invalid input.
    """

    subject: Subject  # the player or environment to check
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    obs: TextOrNone = None  # input of your function: onehot, board or dict
    kind: str = "logits"  # output of your function or network: logits, values or probs
    games: int = 200  # number of games to play in an environment
    seed: int = 0  # random seed
    json: Flag = False  # print the findings as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Check a player or environment and print the findings.

    Args:
        args: the command-line arguments.
        prog: the command's name in help and messages.
    """
    given = console.parse(Arguments, prog, args, description=manual(), examples=EXAMPLES)
    console.check_seed(given.seed)
    if given.games < 1:
        raise ValueError(f"at least one game is played, not {given.games}")
    from tttenv.cli.subjects import Environment, load
    from tttenv.testing.env_checks import ENVIRONMENT
    from tttenv.testing.findings import examine
    from tttenv.testing.policy_checks import PLAYER
    from tttenv.testing.recorded_games import record

    checks = PLAYER
    with console.stage(f"loading {given.subject}", given.json) as tell:
        with hinting(given.subject):
            subject: Any = load(given.subject, given.rules, given.obs, given.kind)
        if isinstance(subject, Environment):
            tell(f"playing {given.games:,} games in {given.subject}")
            recorded = record(subject.env, subject.rules, given.games, given.seed)
            subject, checks = recorded, ENVIRONMENT
    with console.bar(given.json) as bar:
        found = list(
            bar.track(examine(subject, checks), total=len(checks), description="examining")
        )
    problems = sum(one.status == "problem" for one in found)
    if given.json:
        told = {"subject": given.subject, "problems": problems}
        keys = ("status", "told", "change", "check")
        rows = [{key: getattr(one, key) for key in keys} for one in found]
        print(json.dumps({**told, "checks": rows}, indent=2))
    else:
        show(given.subject, found, problems)
    if problems:
        raise SystemExit(1)


def manual() -> str:
    """Return the text that `--help` shows above the options."""
    return inspect.cleandoc(Arguments.__doc__ or "")


def show(name: str, found: list[Any], problems: int) -> None:
    """Print the findings as text."""
    for one in found:
        text_tables.say(f"{one.status:<8} {one.check:<12} {one.told}", " " * 22)
        if one.change:
            text_tables.say(f"{'change':>8} {'':<12} {one.change}", " " * 22)
    verdict = f"{problems} problem{'s' * (problems != 1)}"
    if not problems:
        learned = {one.check: one.status for one in found}.get("learned", "ok")
        verdict = VERDICTS[learned]
    print(f"{name}: {verdict}")
