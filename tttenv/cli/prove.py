"""Prove the value of a game, and check the proof: `tttenv prove 5,5,4`."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.cli import compile, console
from tttenv.cli.compile import BackgroundCompile
from tttenv.cli.options import FileOrNone, Flag, Game, NumberOrNone, TextOrNone
from tttenv.cli.text_tables import say
from tttenv.utils.untrusted import MEBIBYTE, file_name

PROG = "prove.py"
EXAMPLES = """
tttenv prove 5,5,4
tttenv prove 3,3,3 --board X___O____
tttenv prove --check results/proofs/5-5-4.safetensors
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
    json: Flag = False  # print the result as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Prove the value of a game, save the proof, check it and print the result."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.check is not None:
        if given.rules is not None:
            raise ValueError("--check takes the rules from the file: leave them out")
        searching = ("board", "nodes", "memory", "out", "resume")
        named = [
            f"--{name}" for name in searching if getattr(given, name) != getattr(Arguments, name)
        ]
        if named:
            raise ValueError(f"--check searches nothing: it cannot be combined with {named[0]}")
        _check(given.check, given.json)
        return
    if given.rules is None:
        raise ValueError(f"which game? As in: {prog} 5,5,4")
    if given.memory < 1:
        raise ValueError(f"--memory must be at least 1 mebibyte, not {given.memory}")
    from tttenv import Rules

    rules = Rules.of(given.rules)
    board = rules.check(rules.parse(given.board)) if given.board else rules.start()
    name = f"{rules.m}-{rules.n}-{rules.k}"
    if given.board:
        name += f"-{rules.format(board)}"
    out = given.out or FOLDER / f"{file_name(name)}.safetensors"
    _prove(given, rules, board, out)


def _prove(given: Arguments, rules: Any, board: Any, out: Path) -> None:
    unfinished = out.with_name(out.name.removesuffix(".safetensors") + ".search.safetensors")
    with (
        console.stage(f"preparing the search of {rules}", given.json) as tell,
        compile.compiling(CHECKER, WRITER) as later,
    ):
        begun = _begun(given, rules, board, unfinished)
        search = _ProofSearch(begun, unfinished, later, lambda text: tell(f"{rules}: {text}"))
        result = search.run(given.nodes, out)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        _show(result, unfinished)


def _begun(given: Arguments, rules: Any, board: Any, unfinished: Path) -> Any:
    """Load the saved search, or start a new one."""
    from tttenv.proofs import search_checkpoint
    from tttenv.proofs.prover import Prover

    memory = given.memory * MEBIBYTE
    if not given.resume:
        if unfinished.exists():
            raise ValueError(
                f"{unfinished} is an unfinished search: continue with --resume, or delete the file"
            )
        return search_checkpoint.SavedSearch(Prover(rules, memory), board, 0, 0.0)
    try:
        begun = search_checkpoint.read(unfinished, memory)
    except FileNotFoundError:
        raise ValueError(f"there is no unfinished search in {unfinished}") from None
    if begun.prover.rules != rules or (begun.board != board).any():
        raise ValueError(f"{unfinished} is the search of another position")
    return begun


class _ProofSearch:
    """A proof search that is saved to a file periodically and when interrupted."""

    def __init__(
        self, begun: Any, file: Path, later: BackgroundCompile, tell: Callable[[str], Any]
    ) -> None:
        self.begun, self.file, self.later, self.tell = begun, file, later, tell
        self.nodes, self.seconds = begun.nodes, begun.seconds  # summed over all runs
        self.last_kept = time.monotonic()

    def run(self, nodes: int | None, out: Path) -> dict[str, Any]:
        """Search at most `nodes` positions, write the proof to `out`, and check it.

        Returns:
            The result, as printed with --json.
        """
        from tttenv.proofs.checker import checked
        from tttenv.utils.compile_time import Stopwatch

        board, rules, whole = self.begun.board, self.begun.prover.rules, Stopwatch()
        try:
            proof = self.begun.prover.prove(board, nodes, self._watch)
            self._spent(proof)
            if proof.value is not None:
                self.later.wait(WRITER)
                self.tell("writing the proof")
                written = proof.save(out)
        except SystemExit:  # terminated by a signal
            self._keep()
            raise
        except KeyboardInterrupt:
            self._keep()
            raise KeyboardInterrupt(
                f"{self.nodes:,} nodes are saved in {self.file}: continue with --resume"
            ) from None
        result = {
            "rules": str(rules),
            "board": rules.format(board),
            "value": proof.value,
            "at_least": proof.at_least,
            "at_most": proof.at_most,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "compile_seconds": round(whole.compile_seconds, 3),
        }
        if proof.value is None:
            self._keep()
            return result
        self.later.wait(CHECKER)
        self.tell("checking the proof")
        clock = Stopwatch()
        verified = checked(out)
        self.file.unlink(missing_ok=True)
        return result | {
            "proof": str(out),
            "numbers": written,
            "positions": verified.positions,
            "check_seconds": round(clock.seconds, 3),
            "compile_seconds": round(whole.compile_seconds, 3),
        }

    def _watch(self, progress: Any) -> None:
        self._spent(progress)
        self.tell(_described(progress, self.begun.nodes))
        if time.monotonic() - self.last_kept > SAVE_EVERY:
            self._keep()

    def _spent(self, run: Any) -> None:
        """Add the nodes and seconds of this run to the totals."""
        self.nodes = self.begun.nodes + run.nodes
        self.seconds = self.begun.seconds + run.seconds

    def _keep(self) -> None:
        from tttenv.proofs import search_checkpoint

        about = self.begun.board, self.nodes, self.seconds
        search_checkpoint.write(self.file, search_checkpoint.SavedSearch(self.begun.prover, *about))
        self.last_kept = time.monotonic()


def _show(result: dict[str, Any], unfinished: Path) -> None:
    rules, nodes, seconds = result["rules"], result["nodes"], result["seconds"]
    if result["value"] is None:
        known = {(-1, 1): "", (0, 1): ": O cannot force a win", (-1, 0): ": X cannot force a win"}
        say(
            f"{rules}: undecided after {nodes:,} nodes in {seconds:.1f} s"
            f"{known[result['at_least'], result['at_most']]}"
        )
        say(f"search    {unfinished}, go on with --resume")
        return
    say(
        f"{rules}: {WORDS[result['value']]}, proved by searching {nodes:,} positions in"
        f" {seconds:.2f} s"
    )
    say(
        f"proof     {result['proof']}, {result['numbers']:,} numbers long; its"
        f" {result['positions']:,} positions checked without a search in"
        f" {result['check_seconds']:.2f} s"
    )


def _described(progress: Any, before: int) -> str:
    rate = progress.nodes / max(progress.seconds, 1e-9)
    left = f"{progress.moves} first moves left" if progress.moves else "looking at the board"
    return f"can {progress.attacker} win? {before + progress.nodes:,} nodes, {rate:,.0f}/s, {left}"


def _check(file: Path, as_json: bool) -> None:
    from tttenv.proofs.checker import checked

    try:
        with console.stage(f"checking {file}", as_json):
            found = checked(file)
    except FileNotFoundError:
        raise ValueError(f"there is no proof in {file}") from None
    board = found.rules.format(found.board)
    if as_json:
        about = {"rules": str(found.rules), "board": board, "value": found.value}
        print(json.dumps({**about, "positions": found.positions, "proof": str(file)}, indent=2))
        return
    where = f" from {board}" if found.board.any() else ""
    say(
        f"{found.rules}{where}: {WORDS[found.value]}; all {found.positions:,} positions of the"
        " proof hold"
    )
