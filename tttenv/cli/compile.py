"""Compile the package once for this machine: `tttenv compile`."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tttenv.cli import console, workers
from tttenv.cli.background_compile import mark_of
from tttenv.cli.options import Flag, NumberOrNone
from tttenv.cli.text_tables import say

if TYPE_CHECKING:  # every command imports this module to compile in the background
    from tttenv.parallel.tasks import Context

PROG = "tttenv compile"
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
    json: Flag = False  # print the result as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Compile all parts, with a progress bar."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    where = workers.Workers(jobs=given.jobs)
    workers.check(where)
    from tttenv.parallel import Task
    from tttenv.utils.compile_time import Stopwatch
    from tttenv.utils.compiled import CACHE_FOLDER

    clock = Stopwatch()
    tasks = [Task(next(iter(group)), compile_group, [*group], size=len(group)) for group in GROUPS]
    done = workers.values(workers.run_all(tasks, where, quiet=given.json, pieces="compiled"))
    parts = {name: found for group in done for name, found in group.items()}
    functions = sum(part["functions"] for part in parts.values())
    about = {"functions": functions, "seconds": round(clock.seconds, 3), "folder": CACHE_FOLDER}
    if given.json:
        print(json.dumps({**about, "parts": parts}, indent=2))
    elif CACHE_FOLDER:
        say(f"{functions} functions compiled in {clock.seconds:.1f} s, kept in {CACHE_FOLDER}")
    else:
        raise ValueError("there is no usable folder for compiled code: set TTTENV_CACHE")


def compile_group(names: list[str], context: "Context") -> dict[str, dict[str, Any]]:
    """Compile parts in a worker; return the number of functions and the seconds of each."""
    from tttenv.utils.compile_time import watch

    found = {}
    for done, name in enumerate(names):
        context.tell(done, len(names), name)
        before = watch.functions, watch.seconds
        compile_part(name)
        seconds = round(watch.seconds - before[1], 3)
        found[name] = {"functions": watch.functions - before[0], "compile_seconds": seconds}
    return found


def compile_part(name: str) -> None:
    """Compile a part and mark it as compiled."""
    from tttenv.utils.compiled import CACHE_FOLDER

    PARTS[name]()
    if CACHE_FOLDER:
        with suppress(OSError):  # then the next check goes function by function
            mark_of(name).touch()


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
    record(Prover(rules).searches["X"], new_recording(rules.cells, 2**10), True, ATTACKER, 1)


def _proof_checker() -> None:
    """Compile the proof checker by checking an invalid proof."""
    import numpy as np

    import tttenv
    from tttenv.proofs.proof_file import WINS, Claim, write

    rules = tttenv.Rules(4, 4, 4)
    with TemporaryDirectory() as folder, suppress(ValueError):
        claims = {"X": Claim(WINS, np.zeros(1, np.int16), 1)}
        write(Path(folder) / "proof", rules, rules.start(), 1, claims)
        tttenv.check_proof(Path(folder) / "proof")


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


def _play(rules: str, *names: str) -> None:
    """Compile players by querying them on the empty board."""
    from tttenv.game.rules import Rules
    from tttenv.players import player

    game = Rules.of(rules)
    for name in names:
        player(name, game)(game.start(1))


# The parts, each compiled by running a small example. Parts that share code are in one group, which
# one process compiles; the slowest groups come first.
GROUPS: tuple[dict[str, Callable[[], None]], ...] = (
    {"the prover": _prover, "the writer of proofs": _proof_recorder},
    {
        "the tree search": partial(_play, "4,4,4", "gumbel:simulations=8"),
        "evaluators of the tree search": partial(
            _play,
            "4,4,4",
            "gumbel:simulations=4,evaluator=tactical",
            "gumbel:simulations=4,evaluator=playouts",
        ),
        "networks of line patterns": partial(
            _play, "3,3,3", "gumbel:simulations=4,evaluator=patterns"
        ),
    },
    {
        "alpha-beta": partial(
            _play, "5,5,4", "alphabeta:nodes=100", "alphabeta:nodes=100,threats=0"
        ),
    },
    {"reachable positions": _reachable_positions, "certificates": _certificates},
    {"environments": _environments},
    {"what networks see": _networks},
    {"the checker of proofs": _proof_checker},
    {
        "Monte Carlo tree search": partial(
            _play,
            "4,4,4",
            "mcts:iterations=20",
            "mcts:iterations=20,playouts=tactical,solver=true",
            "mcts:iterations=20,heuristic=1",
            "tactical",
        ),
    },
)
PARTS = {name: part for group in GROUPS for name, part in group.items()}
