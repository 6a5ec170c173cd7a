"""Prove the value of a game, and check the proof: `tttenv prove 5,5,4`."""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tttenv.cli import compile, console, workers
from tttenv.cli.options import (
    AddressOrNone,
    FileOrNone,
    Flag,
    Game,
    LargerOrNone,
    NumberOrNone,
    TextOrNone,
)
from tttenv.cli.text_tables import say
from tttenv.utils.untrusted import MEBIBYTE, file_name

if TYPE_CHECKING:  # which starts the workers
    from tttenv.parallel.tasks import Context

EXAMPLES = """
tttenv prove 5,5,4
tttenv prove 3,3,3 --board X___O____
tttenv prove --check results/proofs/5-5-4.safetensors
tttenv prove --check results/proofs/15-15-4.safetensors --rules 19,19,4
tttenv prove 15,15,5 --jobs 2
tttenv prove 15,15,5 --parts checkpoints/proofs/15-15-5
"""
FOLDER = Path("results/proofs")
SAVE_EVERY = 600  # seconds between saves of an unfinished search
WRITER, CHECKER = "the writer of proofs", "the checker of proofs"  # compiled in the background
PART = "proof.safetensors.xz"  # the file of a part, in a folder for the reply
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
    out: FileOrNone = None  # proof file, ending with .xz to be compressed; default: results/proofs/
    parts: FileOrNone = None  # folder of proofs of positions of the game, to be parts of this one
    jobs: NumberOrNone = None  # processes that first prove the missing parts, one a reply
    ray: AddressOrNone = None  # Ray cluster that proves them; auto: RAY_ADDRESS or local
    resume: Flag = False  # continue an interrupted search
    check: FileOrNone = None  # only check this proof file, which need not be trusted
    larger: LargerOrNone = None  # with --check: whether a win also holds on this larger board
    json: Flag = False  # print the result as JSON


def main(args: list[str], prog: str = "tttenv prove") -> None:
    """Prove the value of a game, save the proof, check it and print the result."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if given.check is not None:
        if given.rules is not None:
            raise ValueError("--check takes the rules from the file: leave them out")
        for name in ("board", "nodes", "memory", "out", "parts", "jobs", "ray", "resume"):
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
    unfinished = _unfinished(out)
    console.check_unfinished(unfinished, given.resume, "search")
    if given.jobs is not None or given.ray is not None:
        folder = given.parts or FOLDER / file_name(name)
        given = replace(given, parts=folder)
        _prove_parts(given, folder, rules, board)
    elif given.parts is not None and not _parts(given.parts):
        raise ValueError(f"there is no proof in the folder {given.parts}")
    _print(given, _proved(given, rules, board, out, unfinished), unfinished)


def _unfinished(out: Path) -> Path:
    """Return the file of the search for a proof."""
    name = out.name.removesuffix(".xz").removesuffix(".safetensors")
    return out.with_name(f"{name}.search.safetensors")


def _prove_parts(given: Arguments, folder: Path, rules: Any, board: Any) -> None:
    """Prove on workers that the side to move wins after its first move and each reply to that.

    Of replies that are images of each other, one is enough. Those with a proof in the folder are
    left out; each other proof is written there as soon as it is done.
    """
    from tttenv.game.rules import name_of
    from tttenv.parallel.tasks import Task, TaskResult
    from tttenv.proofs.proof_file import read
    from tttenv.proofs.quiet_moves import QuietSearch, with_stones

    search = QuietSearch(rules, MEBIBYTE)
    first = with_stones(board, (search.candidates(board)[0],), 1)
    ready = (read(file) for file in _parts(folder))
    found = {search.image(part.board)[0] for part in ready if part.rules == rules}
    tasks = []
    for cell in (first == 0).nonzero()[0].tolist():
        after = with_stones(first, (cell,), -1)
        key = search.image(after)[0]
        if key not in found:
            found.add(key)
            name = name_of(rules, cell)
            arguments = [str(rules), rules.format(after), given.nodes, given.memory]
            tasks.append(Task(name, prove_part, arguments, folder / name))

    def keep(outcome: TaskResult) -> str | None:
        if outcome.error:
            return None
        made = folder / outcome.task.name / PART
        made.replace(folder / PART.replace("proof", outcome.task.name))
        made.parent.rmdir()
        return f"{outcome.task.name}: {_found(outcome.value)}"

    options = workers.Workers(given.jobs, given.ray)
    workers.check(options)
    workers.values(workers.run_all(tasks, options, None, given.json, keep, "replies"))


def prove_part(arguments: list[Any], context: "Context") -> dict[str, Any]:
    """Prove that the side to move wins, in the task's folder; go on with a search saved there.

    Args:
        arguments: rules, board, most nodes or None, and mebibytes of tables.
        context: with the folder, for the proof.

    Returns:
        The result, as printed with --json.

    Raises:
        ValueError: if the win is not proved.
    """
    from tttenv import Rules

    text, position, nodes, memory = arguments
    rules, out = Rules.of(text), Path(context.folder or ".") / PART
    board, unfinished = rules.check(rules.parse(position)), _unfinished(out)
    given = Arguments(text, position, nodes, memory, resume=unfinished.exists(), json=True)
    result = _proved(given, rules, board, out, unfinished, context)
    if result["value"] != (1, -1)[int(rules.seat(board))]:
        raise ValueError(f"no win was found in {result['nodes']:,} positions")
    return result


def _proved(
    given: Arguments,
    rules: Any,
    board: Any,
    out: Path,
    unfinished: Path,
    context: "Context | None" = None,
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
        for done, file in enumerate(parts := _parts(given.parts)):
            tell(f"checking the parts of the proof: {done} of {len(parts)} done")
            start.prover.use(file)
        now, saved_at, most = start, time.monotonic(), 0

        def total(run: Any) -> SavedSearch:
            nodes, seconds = start.nodes + run.nodes, start.seconds + run.seconds
            return replace(start, nodes=nodes, seconds=seconds)

        def save() -> str:
            nonlocal saved_at
            search_checkpoint.write(unfinished, now)
            saved_at = time.monotonic()
            return f"{now.nodes:,} nodes are saved in {unfinished}"

        def watch(run: Any) -> None:
            nonlocal now, most
            now, most = total(run), max(most, run.moves)
            words = _described(run, start.nodes, rules)
            tell(f"{rules}: {words}")
            if context is not None:
                context.tell(most - run.moves, most, words)
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


def _parts(folder: Path | None) -> list[Path]:
    """Return the proofs in a folder."""
    return sorted(folder.glob("*.safetensors*")) if folder is not None else []


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
        say(f"{rules}: {_found(result)}")
        say(
            f"proof     {result['proof']}, {result['numbers']:,} numbers long; its"
            f" {result['positions']:,} positions checked without a search in"
            f" {result['check_seconds']:.2f} s"
        )


def _found(result: dict[str, Any]) -> str:
    searched = f"{result['nodes']:,} positions in {result['seconds']:.2f} s"
    return f"{WORDS[result['value']]}, proved by searching {searched}"


def _described(progress: Any, before: int, rules: Any) -> str:
    from tttenv.game.rules import name_of

    rate = progress.nodes / max(progress.seconds, 1e-9)
    left = f"{progress.moves} first moves left" if progress.moves else "looking at the board"
    if progress.resists is not None:
        left = f"{progress.moves} replies left, now {name_of(rules, progress.resists)}"
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
