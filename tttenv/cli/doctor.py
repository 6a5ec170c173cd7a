"""Search for common mistakes in a training setup: `tttenv doctor my_module:make_env`."""

import contextlib
import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
from dataclasses import dataclass, replace
from typing import Any

from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag, RulesOrNone, Subject, TextOrNone
from tttenv.players import FOREIGN, PYTHON, checkpoint_of, full, is_path
from tttenv.utils.registry import parse

STYLES = {"ok": "good", "weak": "weak", "problem": "bad", "skipped": "faint"}  # of a status
EXAMPLES = """
tttenv doctor runs/dqn-0
tttenv doctor my_package.agent:policy --obs onehot
"""


@dataclass(frozen=True)
class Arguments:
    """Look for the classic mistakes in your player or environment, and suggest what to change.

    A subject is a player's name with options, a checkpoint's folder, sb3:path=MODEL.zip,trust=true,
    external:command=./bot, a Python file with a bot, the id of an environment, or module:attribute,
    imported from the current folder: a player, model, network or environment, or a function without
    arguments that makes one. In tictactoe.py of CS50 AI each function is checked on all positions.
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


def main(args: list[str], prog: str = "tttenv doctor") -> None:
    """Check a player or an environment, and print the findings."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.games < 1:
        raise ValueError(f"the number of games must be at least 1, not {given.games}")
    from tttenv.policy import require_pure
    from tttenv.testing.diagnosis import examination
    from tttenv.testing.findings import Finding

    first = course(given)
    try:
        with console.stage(f"loading {given.subject}", given.json):
            subject = load(given.subject, given.rules, given.obs, given.kind)
    except ValueError as error:
        if not any(one.status == "problem" for one in first):
            raise
        report(given, [*first, Finding("problem", str(error), check="answers")])
    policy: Any = getattr(subject, "policy", None)  # an environment has none
    if policy is not None and policy.traits.depends_on == "time":
        require_pure(policy)  # it would think about hundreds of boards
    with console.bar(quiet=given.json) as bar:
        findings, count = examination(subject, given.games, given.seed)
        watched = bar.track(findings, total=count, description="examining")
        found = [*first, *watched]
    report(given, found)


def course(given: Arguments) -> list[Any]:
    """Return the findings about the functions of a course's project, if the subject is one."""
    name, options = parse(full(given.subject)) if PYTHON in given.subject else ("", {})
    if name != "python" or not os.path.isfile(options.get("path", "")):
        return []
    from tttenv.testing.course import course_findings

    with console.stage(f"checking the rules in {options['path']}", given.json):
        return list(course_findings(options["path"]))


def report(given: Arguments, findings: list[Any]) -> None:
    """Print the findings.

    Raises:
        SystemExit: with status 1, if there is a problem.
    """
    from tttenv.testing.diagnosis import Diagnosis

    found = Diagnosis(given.subject, tuple(findings))
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
        lines = text_tables.wrapped(f"{one.status:<8} {one.check:<12} {one.text}", width, " " * 22)
        status = text_tables.painted(one.status, STYLES[one.status])
        print("\n".join(lines).replace(one.status, status, 1))
        if one.change:
            text_tables.say(f"{'change':>8} {'':<12} {one.change}", " " * 22)
    text_tables.say(f"{found.subject}: {found.verdict}", "  ")


def load(name: str, rules: str | None, obs: str | None, kind: str) -> Any:
    """Load the subject that the command's arguments name.

    Args:
        name: a player's spec, an environment's id, or module:attribute.
        rules: the game as m,n,k; None for the subject's own.
        obs: the input of a function or network; None for the default.
        kind: the output of a function or network.

    Returns:
        A `CheckedPlayer` or a `CheckedEnv`.

    Raises:
        ValueError: for an unknown name, for code of the user that fails, and for `obs` or `kind`
            with a subject that is no function or network.
    """
    import gymnasium

    from tttenv.game.rules import Rules
    from tttenv.testing import diagnosis
    from tttenv.testing.findings import user_errors

    named = Rules.of(rules) if rules else None
    module, colon, path = name.partition(":")
    attribute = bool(colon) and not os.path.isdir(name)
    attribute &= all(part.isidentifier() for part in [*module.split("."), *path.split(".")])
    if (obs is not None or kind != "logits") and not attribute:
        raise ValueError(
            f"--obs and --kind need a function or network, as module:attribute, not {name}"
        )
    if name in gymnasium.registry or _is_environment_id(name):
        sys.path.insert(0, os.getcwd())
        with user_errors(name):
            made = gymnasium.make(name)
        return diagnosis.subject_of(name, made, named)
    if attribute:
        return diagnosis.subject_of(name, _imported(name), named, obs, kind)
    game = console.rules_for(rules, name)
    found = console.load_player(name, game, quiet=True)
    if name.startswith("sb3:"):  # trusted: the player was loaded above
        options = parse(name)[1]
        adapter = importlib.import_module("tttenv.adapters.sb3")
        algorithm = options.get("algorithm", "detect")
        model = adapter.load(options["path"], None if algorithm == "detect" else algorithm)
        sampled = options.get("deterministic") == "true"
        return diagnosis.model_subject(game, model, sampled)
    subject: Any = diagnosis.subject_of(name, found, game, obs, kind)
    return replace(subject, unbeatable_at=_unbeatable_at(name))


def _unbeatable_at(name: str) -> int | None:
    """Return the step of a checkpoint's training at which it was first unbeatable, if known."""
    from tttenv.certificates.curve import Curve
    from tttenv.players.stored.checkpoint import read_card

    if stored := checkpoint_of(name):
        with contextlib.suppress(ValueError):  # of a damaged curve, which plays no part in the rest
            curve = Curve.from_card(read_card(stored[0]))
            return curve.unbeatable_at[0] if curve and curve.unbeatable_at else None
    return None


def _is_environment_id(name: str) -> bool:
    """Return whether a name has the form of an environment's id, alone or after a module."""
    module, _, env_id = name.rpartition(":")
    known = module in FOREIGN.rows if module else is_path(name)
    return not known and bool(re.fullmatch(r"([\w-]+/)?[\w.-]+-v\d+", env_id))


def _imported(name: str) -> Any:
    """Import an attribute, and call it if it is a class or function without required arguments."""
    from tttenv.testing.findings import user_errors

    sys.path.insert(0, os.getcwd())
    with user_errors(name):
        found: Any = pkgutil.resolve_name(name)
        if inspect.isfunction(found) or inspect.isclass(found):
            wanted = inspect.signature(found).parameters.values()
            if all(one.default is not one.empty or one.kind in (2, 4) for one in wanted):
                found = found()
    if inspect.isclass(found):
        raise ValueError(
            f"{name} is a class that needs arguments; name a function that returns an instance"
        )
    return found
