"""Compile what a machine will need, once: `tttenv compile`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tttenv.cli import console, workers
from tttenv.cli.text_tables import say
from tttenv.parallel import Task
from tttenv.parallel.tasks import Context

PROG = "tttenv compile"


@dataclass(frozen=True)
class Arguments:
    """Compile the environments, searches, certificates and the prover, once on this machine.

    Otherwise each is compiled when it is first used. The code is kept in the user's cache
    (TTTENV_CACHE names another folder) until tttenv, numba or Python change. To compile again what
    is there already takes a few seconds.
    """

    jobs: int | None = None  # processes; without it, as many as there are cores
    json: bool = False  # print the result as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Compile everything, with a progress bar.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args)
    where = workers.Workers(jobs=given.jobs)
    workers.check(where)
    from tttenv.kernels import CACHE_FOLDER
    from tttenv.kernels.compiling import Stopwatch

    clock = Stopwatch()
    tasks = [Task(name, compile_one, name) for name in PARTS]
    done = workers.values(workers.run_all(tasks, where, quiet=given.json, pieces="compiled"))
    functions = sum(part["functions"] for part in done)
    parts = {task.name: part for task, part in zip(tasks, done, strict=True)}
    about = {"functions": functions, "seconds": round(clock.seconds, 3), "folder": CACHE_FOLDER}
    if given.json:
        print(json.dumps({**about, "parts": parts}, indent=2))
    elif CACHE_FOLDER:
        say(f"{functions} functions compiled in {clock.seconds:.1f} s, kept in {CACHE_FOLDER}")
    else:
        raise ValueError("there is no folder for compiled code: TTTENV_CACHE names one")


def compile_one(name: str, _: Context) -> dict[str, Any]:
    """Compile one of the parts, in a worker; how many functions it took, and seconds."""
    from tttenv.kernels.compiling import watch

    before = watch.functions, watch.seconds
    PARTS[name]()
    seconds = round(watch.seconds - before[1], 3)
    return {"functions": watch.functions - before[0], "compile_seconds": seconds}


def _prover() -> None:
    import tttenv

    with TemporaryDirectory() as folder:
        file = Path(folder) / "proof"
        for rules in (tttenv.Rules(3, 4, 3), tttenv.Rules(4, 4, 4)):  # a win and a draw
            tttenv.prove(rules).save(file)
            tttenv.check_proof(file)


def _alphabeta() -> None:
    _play("5,5,4", "alphabeta:nodes=100", "alphabeta:nodes=100,threats=0")


def _tree_searches() -> None:
    _play("4,4,4", "gumbel:simulations=8", "gumbel:simulations=4,evaluator=tactical")
    _play("4,4,4", "gumbel:simulations=4,evaluator=playouts")


def _mcts() -> None:
    _play("4,4,4", "mcts:iterations=20", "mcts:iterations=20,playouts=tactical,solver=true")
    _play("4,4,4", "mcts:iterations=20,heuristic=1", "tactical")


def _environments() -> None:
    import gymnasium as gym

    for m, opponents in ((3, (None, "random", "minimax")), (5, (None, "random", "first"))):
        for opponent in opponents:
            given: dict[str, Any] = {"m": m, "n": m, "k": m, "opponent": opponent}
            games: Any = gym.make_vec("TicTacToe-v0", num_envs=2, **given)
            games.reset(seed=0)
            game: Any = gym.make("TicTacToe-v0", **given)
            game.reset(seed=0)
            over = False
            while not over:
                games.step(games.unwrapped.sample_actions())
                over = game.step(game.unwrapped.sample_action())[2]


def _certificates() -> None:
    import tttenv

    for name in ("minimax", "random"):
        tttenv.certify(tttenv.Rules(), name)
    for name in ("first", "tactical"):
        tttenv.certify(tttenv.Rules(4, 4, 3), name, positions=10_000, method="reachable positions")
    tttenv.refute(tttenv.Rules(4, 4, 3), tttenv.player("random", tttenv.Rules(4, 4, 3)), "O")


def _networks() -> None:
    import numpy as np

    from tttenv.exact.mistakes import THREATS, find_mistakes
    from tttenv.exact.move_values import MoveValues
    from tttenv.game.rules import Rules
    from tttenv.game.symmetry import maps
    from tttenv.kernels.line_planes import PLANES, new_plane_lines, write_line_planes
    from tttenv.opponents import player

    rules = Rules(3, 3, 3)
    planes = np.zeros((1, PLANES, rules.cells), np.float32)
    write_line_planes(rules.start(1), new_plane_lines(rules.lines, maps(rules), THREATS), planes)
    policy, rng = player("first", rules), np.random.default_rng(0)
    find_mistakes(rules, policy, "X", 0, 100, 10, rng, MoveValues(rules))


def _play(rules: str, *names: str) -> None:
    """Ask players for a move on the empty board."""
    from tttenv.game.rules import Rules
    from tttenv.opponents import player

    game = Rules.of(rules)
    for name in names:
        player(name, game)(game.start(1))


# What is compiled, the longest first: each in a process of its own, by doing a little of it.
PARTS: dict[str, Callable[[], None]] = {
    "the prover": _prover,
    "tree searches": _tree_searches,
    "alpha-beta": _alphabeta,
    "certificates": _certificates,
    "environments": _environments,
    "what networks see": _networks,
    "Monte Carlo tree search": _mcts,
}
