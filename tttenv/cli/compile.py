"""Compile the package once for this machine: `tttenv compile`, and what others do meanwhile."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tttenv.cli import console
from tttenv.cli.options import NumberOrNone
from tttenv.cli.text_tables import say

if TYPE_CHECKING:  # every command imports this module to compile in the background
    from tttenv.parallel.tasks import Context

CODE = "import sys; from tttenv.cli import compile; compile.compile_part(sys.argv[1])"
EXAMPLES = """
tttenv compile
tttenv compile --jobs 1
"""


@dataclass(frozen=True)
class Arguments:
    """Compile the environments, searches, certificates and the prover, once on this machine.

    Otherwise each is compiled when it is first used. The code is cached in the user's cache folder
    (or TTTENV_CACHE) until tttenv, numba or Python change. Running it again takes a few seconds.
    """

    jobs: NumberOrNone = None  # number of processes; if omitted, one per core


def main(args: list[str], prog: str = "tttenv compile") -> None:
    """Compile all parts, with a progress bar."""
    from tttenv.cli import workers

    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    where = workers.Workers(jobs=given.jobs)
    workers.check(where)
    from tttenv.parallel.tasks import Task
    from tttenv.utils.compile_time import Stopwatch
    from tttenv.utils.compiled import CACHE_FOLDER

    clock = Stopwatch()
    tasks = [Task(next(iter(group)), compile_group, [*group], size=len(group)) for group in GROUPS]
    functions = sum(workers.values(workers.run_all(tasks, where, pieces="compiled")))
    if not CACHE_FOLDER:
        raise ValueError("there is no usable folder for compiled code: set TTTENV_CACHE")
    say(f"{functions} functions compiled in {clock.seconds:.1f} s, kept in {CACHE_FOLDER}")


def compile_group(names: list[str], context: "Context") -> int:
    """Compile parts in a worker; return the number of functions that were compiled."""
    from tttenv.utils.compile_time import watch

    before = watch.functions
    for done, name in enumerate(names):
        context.tell(done, len(names), name)
        compile_part(name)
    return watch.functions - before


def compile_part(name: str) -> None:
    """Compile a part and mark it as compiled."""
    from tttenv.game.rules import Rules
    from tttenv.players import player

    part = PARTS[name]
    if isinstance(part, tuple):
        game = Rules.of(part[0])
        for spec in part[1:]:
            player(spec, game)(game.start(1))
    else:
        part()
    if mark := _mark(name):
        with suppress(OSError):  # then the next check goes function by function
            mark.touch()


def _prover() -> None:
    import tttenv

    for rules in (tttenv.Rules(3, 4, 3), tttenv.Rules(4, 4, 4)):  # a win and a draw
        tttenv.prove(rules)


def _proof_recorder() -> None:
    """Compile the recording of proofs, by starting to record one without a search."""
    from tttenv.game.line_board_kernel import ATTACKER
    from tttenv.game.rules import Rules
    from tttenv.proofs.prover import Prover
    from tttenv.proofs.recording_kernel import new_recording, record

    rules = Rules(4, 4, 4)
    record(Prover(rules).searches["X"], new_recording(rules, 2**10), ATTACKER, 1)
    Prover(Rules(3, 4, 3)).recorded_win(Rules(3, 4, 3).start(), "X")


def _proof_checker() -> None:
    """Compile the proof checker, and the player of proofs, by a win of two in a row."""
    import numpy as np

    import tttenv
    from tttenv.proofs.proof_file import WINS, Claim, write

    rules = tttenv.Rules(1, 3, 2)
    with TemporaryDirectory() as folder:
        claims = {"X": Claim(WINS, np.ones(1, np.int16), 2)}
        write(Path(folder) / "proof", rules, rules.start(), 1, claims)
        tttenv.player(f"proved:path=({folder}/proof)")(rules.start(1))


def _environments() -> None:
    from tttenv.env import TicTacToe, VectorTicTacToe

    for m, opponents in ((3, (None, "random", "minimax")), (5, (None, "random", "first"))):
        for opponent in opponents:
            given: dict[str, Any] = {"m": m, "n": m, "k": m, "opponent": opponent}
            games = VectorTicTacToe(2, **given)
            games.reset(seed=0)
            game: Any = TicTacToe(**given)
            game.reset(seed=0)
            over = False
            while not over:
                games.step(games.sample_actions())
                over = game.step(game.sample_action())[2]


def _certificates() -> None:
    import tttenv

    for name in ("minimax", "random"):
        tttenv.certify(tttenv.Rules(), name)


def _reachable_positions() -> None:
    import tttenv

    rules = tttenv.Rules(4, 4, 3)
    about: dict[str, Any] = {"method": "reachable positions", "value_of": lambda rules: None}
    for name in ("first", "tactical"):
        tttenv.certify(rules, name, positions=10_000, **about)
    tttenv.refute(rules, tttenv.player("random", rules), "O")


def _networks() -> None:
    import numpy as np

    from tttenv.certificates.mistakes import THREATS, find_mistakes
    from tttenv.game.line_planes_kernel import PLANES, new_plane_lines, write_line_planes
    from tttenv.game.rules import Rules
    from tttenv.players import player
    from tttenv.proofs.move_values import MoveValues

    rules = Rules(3, 3, 3)
    planes = np.zeros((1, PLANES, rules.cells), np.float32)
    write_line_planes(rules.start(1), new_plane_lines(rules, THREATS), planes)
    policy, rng = player("first", rules), np.random.default_rng(0)
    find_mistakes(rules, policy, "X", 0, 100, 10, rng, MoveValues(rules))


# The parts, each compiled by running a small example: a function, or players (the game, then their
# names) that are queried on the empty board. Parts that share code are in one group, which one
# process compiles; the slowest groups come first.
GROUPS: tuple[dict[str, Callable[[], None] | tuple[str, ...]], ...] = (
    {"the prover": _prover, "the writer of proofs": _proof_recorder},
    {
        "the tree search": ("4,4,4", "gumbel:simulations=8"),
        "networks of line patterns": ("3,3,3", "alphabeta:nodes=100,evaluator=patterns"),
    },
    {"alpha-beta": ("5,5,4", "alphabeta:nodes=100", "alphabeta:nodes=100,threats=0")},
    {"reachable positions": _reachable_positions, "certificates": _certificates},
    {"environments": _environments},
    {"what networks see": _networks},
    {"the checker of proofs": _proof_checker},
    {
        "Monte Carlo tree search": (
            "4,4,4",
            "mcts:iterations=20",
            "mcts:iterations=20,playouts=tactical,solver=true",
            "mcts:iterations=20,heuristic=1",
            "tactical",
        ),
    },
)
PARTS = {name: part for group in GROUPS for name, part in group.items()}


class BackgroundCompile:
    """Parts of the package that background processes compile, one each, if they are not cached."""

    def __init__(self, names: Sequence[str]) -> None:
        left = [name for name in names if (mark := _mark(name)) and not mark.exists()]
        self.running = {name: _started(name) for name in left}

    def wait(self, *names: str) -> None:
        """Wait until parts are compiled or have failed; this counts as compile time."""
        from tttenv.utils.compile_time import watch

        began = time.perf_counter()
        for name in filter(self.running.__contains__, names):
            watch.tell(name)
            if self.running[name].poll() is None:
                watch.hint(name)
            self.running[name].wait()
        watch.seconds += time.perf_counter() - began


@contextmanager
def compiling(*names: str) -> Iterator[BackgroundCompile]:
    """Compile uncached parts in processes that the end of the block ends."""
    compiled = BackgroundCompile(names)
    try:
        yield compiled
    finally:
        for process in compiled.running.values():
            process.kill()
            process.wait()


def _mark(name: str) -> Path | None:
    """Return the path of the empty file that marks a part as compiled; None without a cache."""
    from tttenv.utils.compile_time import processor
    from tttenv.utils.compiled import CACHE_FOLDER

    about = repr((name, sys.version, processor()))
    name = f"part-{hashlib.sha256(about.encode()).hexdigest()[:16]}"
    return Path(CACHE_FOLDER) / name if CACHE_FOLDER else None


def _started(name: str) -> "subprocess.Popen[bytes]":
    """Start a process that compiles a part and marks it."""
    home = str(Path(__file__).parents[2])  # the folder of tttenv, installed or not
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", CODE, name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": path},
    )
