"""Prove the value of a game, and check the proof: `tttenv prove 5,5,4`."""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tttenv.cli import compile, console
from tttenv.cli.options import FileOrNone, Flag, Game, LargerOrNone, NumberOrNone, TextOrNone
from tttenv.cli.text_tables import say
from tttenv.utils.untrusted import MEBIBYTE, file_name

PROG = "prove.py"
EXAMPLES = """
tttenv prove 5,5,4
tttenv prove 3,3,3 --board X___O____
tttenv prove --check results/proofs/5-5-4.safetensors
tttenv prove --check results/proofs/15-15-4.safetensors --rules 19,19,4
"""
FOLDER = Path("results/proofs")
SAVE_EVERY = 600  # seconds between saves of an unfinished search
WRITER, CHECKER = "the writer of proofs", "the checker of proofs"  # compiled in the background
WORDS = {1: "X wins", 0: "a draw", -1: "O wins"}


@dataclass(frozen=True)
class Arguments:
    """Prove the value of a game under perfect play, write the proof to a file and check it.

    Searching a large board can take hours. Ctrl-C stops the search at once, and --resume continues
    it. The checker shares only the rules with the search, and never searches.
    """

    rules: Game = None  # the game, such as 5,5,4: rows, columns, stones in a row
    board: TextOrNone = None  # start from this position: X, O and _ row by row
    nodes: NumberOrNone = None  # maximum number of positions to search; default: unlimited
    memory: int = 2048  # maximum size of the tables in MiB; less may be slower
    out: FileOrNone = None  # proof file; default: results/proofs/m-n-k.safetensors
    resume: Flag = False  # continue an interrupted search
    check: FileOrNone = None  # only check this proof file, which need not be trusted
    larger: LargerOrNone = None  # with --check: whether a win also holds on this larger board
    json: Flag = False  # print the result as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Prove the value of a game, save the proof, check it and print the result."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.check is not None:
        if given.rules is not None:
            raise ValueError("--check takes the rules from the file: leave them out")
        for name in ("board", "nodes", "memory", "out", "resume"):
            if getattr(given, name) != getattr(Arguments, name):
                raise ValueError(f"--check searches nothing: it cannot be combined with --{name}")
        _print(given, _checked(given.check, given))
        return
    if given.larger is not None:
        raise ValueError("--rules names a larger board for --check FILE; the game has no option")
    if given.rules is None:
        raise ValueError(f"which game? As in: {prog} 5,5,4")
    if given.memory < 1:
        raise ValueError(f"--memory must be at least 1 mebibyte, not {given.memory}")
    from tttenv import Rules

    rules = Rules.of(given.rules)
    board = rules.check(rules.parse(given.board)) if given.board else rules.start()
    name = f"{rules.m}-{rules.n}-{rules.k}" + (f"-{rules.format(board)}" if given.board else "")
    out = given.out or FOLDER / f"{file_name(name)}.safetensors"
    unfinished = out.with_name(out.name.removesuffix(".safetensors") + ".search.safetensors")
    console.check_unfinished(unfinished, given.resume, "search")
    _print(given, _proved(given, rules, board, out, unfinished), unfinished)


def _proved(
    given: Arguments, rules: Any, board: Any, out: Path, unfinished: Path
) -> dict[str, Any]:
    """Search, write the proof and check it; return the result, as printed with --json."""
    from tttenv.proofs import search_checkpoint
    from tttenv.proofs.checker import checked
    from tttenv.proofs.prover import Prover
    from tttenv.proofs.search_checkpoint import SavedSearch
    from tttenv.utils.compile_time import Stopwatch

    memory, whole = given.memory * MEBIBYTE, Stopwatch()
    with (
        console.stage(f"preparing the search of {rules}", given.json) as tell,
        compile.compiling(CHECKER, WRITER) as later,
    ):
        if given.resume:
            start = search_checkpoint.read(unfinished, memory)
            if start.prover.rules != rules or (start.board != board).any():
                raise ValueError(f"{unfinished} is the search of another position")
        else:
            start = SavedSearch(Prover(rules, memory), board, 0, 0.0)
        now, saved_at = start, time.monotonic()

        def total(run: Any) -> SavedSearch:
            nodes, seconds = start.nodes + run.nodes, start.seconds + run.seconds
            return replace(start, nodes=nodes, seconds=seconds)

        def save() -> str:
            nonlocal saved_at
            search_checkpoint.write(unfinished, now)
            saved_at = time.monotonic()
            return f"{now.nodes:,} nodes are saved in {unfinished}"

        def watch(run: Any) -> None:
            nonlocal now
            now = total(run)
            tell(f"{rules}: {_described(run, start.nodes)}")
            if time.monotonic() - saved_at > SAVE_EVERY:
                save()

        with console.saved_if_interrupted(save):
            proof = start.prover.prove(board, given.nodes, watch)
            now = total(proof)
            if proof.value is None:
                save()
            else:
                later.wait(WRITER)
                tell(f"{rules}: writing the proof")
                written = proof.save(out)
        result = {
            "rules": str(rules),
            "board": rules.format(board),
            "value": proof.value,
            "at_least": proof.at_least,
            "at_most": proof.at_most,
            "nodes": now.nodes,
            "seconds": round(now.seconds, 3),
        }
        if proof.value is not None:
            later.wait(CHECKER)
            tell(f"{rules}: checking the proof")
            clock = Stopwatch()
            verified = checked(out)
            unfinished.unlink(missing_ok=True)
            result |= {
                "proof": str(out),
                "numbers": written,
                "positions": verified.positions,
                "check_seconds": round(clock.seconds, 3),
            }
        return result | {"compile_seconds": round(whole.compile_seconds, 3)}


def _print(given: Arguments, result: dict[str, Any], unfinished: Path | None = None) -> None:
    """Print the result of a search or of a check."""
    rules, value = result["rules"], WORDS.get(result["value"])
    if given.json:
        print(json.dumps(result, indent=2))
    elif given.check:
        start = result["board"].strip("_") and f" from {result['board']}"
        say(f"{rules}{start}: {value}; all {result['positions']:,} positions of the proof hold")
    elif value is None:
        known = {(-1, 1): "", (0, 1): ": O cannot force a win", (-1, 0): ": X cannot force a win"}
        bounds = known[result["at_least"], result["at_most"]]
        searched = f"{result['nodes']:,} positions in {result['seconds']:.2f} s"
        say(f"{rules}: undecided after searching {searched}{bounds}")
        say(f"search    {unfinished}, go on with --resume")
    else:
        searched = f"{result['nodes']:,} positions in {result['seconds']:.2f} s"
        say(f"{rules}: {value}, proved by searching {searched}")
        say(
            f"proof     {result['proof']}, {result['numbers']:,} numbers long; its"
            f" {result['positions']:,} positions checked without a search in"
            f" {result['check_seconds']:.2f} s"
        )


def _described(progress: Any, before: int) -> str:
    rate = progress.nodes / max(progress.seconds, 1e-9)
    left = f"{progress.moves} first moves left" if progress.moves else "looking at the board"
    return f"can {progress.attacker} win? {before + progress.nodes:,} nodes, {rate:,.0f}/s, {left}"


def _checked(file: Path, given: Arguments) -> dict[str, Any]:
    """Check a proof; return what it proves, as printed with --json."""
    from tttenv import Rules
    from tttenv.proofs.checker import checked

    try:
        with console.stage(f"checking {file}", given.json):
            found = checked(file, Rules.of(given.larger) if given.larger else None)
    except FileNotFoundError:
        raise ValueError(f"there is no proof in {file}") from None
    about = {"rules": str(found.rules), "board": found.rules.format(found.board)}
    return {**about, "value": found.value, "positions": found.positions, "proof": str(file)}
