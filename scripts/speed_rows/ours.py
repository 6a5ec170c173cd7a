"""Workloads of this package for speed.py."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, NamedTuple, cast

import gymnasium
import numpy as np

from scripts.speed_rows import SpeedRow, Work, self_play
from tttenv import Rules, certify, player
from tttenv.env.env import TicTacToe
from tttenv.env.rollouts import rollout
from tttenv.exact import Tabulated, tabulate
from tttenv.exact.enumeration import positions
from tttenv.exact.solution import solve
from tttenv.policy import uniform

BOARDS = ((3, 3, 3), (9, 9, 5), (15, 15, 5))
BIG = 65_536
SB3 = 64  # games side by side in Stable-Baselines3


def rows(seed: int) -> Iterator[SpeedRow]:
    """Yield all rows; their workloads are set up only when they are measured."""
    rivals: tuple[str, ...] = ()
    for opponent, rivals in ((None, ()), ("random", ("PettingZoo", "OpenSpiel state"))):
        name = f"single env, opponent={opponent}"
        yield SpeedRow(name, "plies", _later(single, seed, opponent), rivals)
    for m, n, k in BOARDS:
        for opponent in (None, "random", "minimax" if m == 3 else "tactical"):
            for case in cases(m):
                name = f"vector env {m},{n},{k}, opponent={opponent}, {case.games:,} games"
                name += "" if case.obs == "onehot" else f", obs={case.obs}"
                options = {"m": m, "n": n, "k": k, "opponent": opponent, "obs": case.obs}
                rivals = ("pgx random legal", "pgx first legal")
                compared = m == 3 and case.games == 8192 and case.obs == "onehot"
                work = _later(vector, seed, case.games, options)
                yield SpeedRow(name, "steps", work, rivals if compared else ())
    for opponent in (None, "random", "minimax"):
        name = f"2 vector envs in 2 threads, opponent={opponent}, {BIG:,} games each"
        work, one = (_later(kind, seed, BIG, {"opponent": opponent}) for kind in (pair, vector))
        yield SpeedRow(name, "steps", work, cores=2, beside=(("one env in one thread", one),))
    beside = (("DummyVecEnv", _later(stable_baselines3, seed, False)),)
    work = _later(stable_baselines3, seed, True)
    yield SpeedRow(f"SB3 VecEnv, {SB3} games and their masks", "steps", work, beside=beside)
    for m, n, k in BOARDS:
        rivals = (f"OpenSpiel C++ play-outs {m},{n},{k}",)
        yield SpeedRow(f"play-outs {m},{n},{k}", "games", _later(playouts, m, n, k), rivals)
    for m, n, k in BOARDS[:2]:
        rivals = (f"OpenSpiel C++ MCTS {m},{n},{k}",)
        yield SpeedRow(f"MCTS {m},{n},{k}", "simulations", _later(simulations, m, n, k), rivals)
    yield SpeedRow("alpha-beta 4,4,4", "nodes", _later(nodes, 4, 4, 4))
    yield SpeedRow("alpha-beta 15,15,5", "nodes", _later(nodes, 15, 15, 5))
    for rules in (Rules(4, 4, 4), Rules(6, 6, 4), Rules(9, 9, 5)):
        yield SpeedRow(
            f"self-play with a network {rules}, {self_play.SIMULATIONS} simulations",
            "positions",
            _later(self_play.positions, rules, seed),
            (f"OpenSpiel in Python {rules}",),
        )
    yield SpeedRow("solve 3,3,3", "games", lambda: solving, ("OpenSpiel MinimaxSolver",))
    nash = ("OpenSpiel nash_conv in C++", "OpenSpiel nash_conv in Python")
    yield SpeedRow("certify 3,3,3, looked up", "players", _later(certifying), nash)


class Case(NamedTuple):
    """A batch of games to measure."""

    games: int
    obs: str = "onehot"


def cases(m: int) -> list[Case]:
    """Return the batches to measure on boards with m rows."""
    if m > 9:
        return [Case(64), Case(8192)]
    return [Case(games, obs) for games in (64, 8192, BIG) for obs in ("onehot", "board")]


def _later(make: Callable[..., Work], *args: Any) -> Callable[[], Work]:
    return lambda: make(*args)


def single(seed: int, opponent: str | None) -> Work:
    """Return a workload of a thousand random steps in the single environment, counted in plies."""
    env = gymnasium.make("TicTacToe-v0", opponent=opponent)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    raw, stones = cast("TicTacToe", env.unwrapped), 1.0

    def work() -> float:
        for _ in range(1000):
            if env.step(raw.sample_action())[2]:
                env.reset()
        return 1000 * stones

    if opponent is not None:  # how many stones a step puts down, the opponent's openings included
        steps = plies = 0
        for _ in range(20_000):
            over = env.step(raw.sample_action())[2]
            steps += 1
            if over:
                plies += int(np.count_nonzero(raw.board))
                env.reset()
        stones = plies / steps
    return work


def vector(seed: int, batch: int, options: dict[str, Any]) -> Work:
    """Return a workload of ten steps in all games, with random legal moves."""
    env: Any = gymnasium.make_vec("TicTacToe-v0", num_envs=batch, **options).unwrapped
    env.reset(seed=seed)
    env.action_space.seed(seed)

    def work() -> float:
        for _ in range(10):
            env.step(env.sample_actions())
        return 10.0 * batch

    return work


def pair(seed: int, batch: int, options: dict[str, Any]) -> Work:
    """Return a workload of steps in two `vector` environments, each in its own thread."""
    pool = ThreadPoolExecutor(2)
    both = [vector(seed + i, batch, options) for i in range(2)]

    def work() -> float:
        return sum(part.result() for part in [pool.submit(one) for one in both])

    return work


def stable_baselines3(seed: int, compiled: bool) -> Work:
    """Return a workload of ten steps in our VecEnv, or in SB3's of single environments."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    single = [lambda: gymnasium.make("TicTacToe-v0")] * SB3
    env: Any = import_module("tttenv.adapters.sb3").VecEnv(SB3) if compiled else DummyVecEnv(single)
    env.seed(seed)
    env.reset()
    rng = np.random.default_rng(seed)

    def work() -> float:
        for _ in range(10):
            masks = np.array(env.env_method("action_masks"))
            env.step((masks * rng.random(masks.shape)).argmax(axis=1))
        return 10.0 * SB3

    return work


def playouts(m: int, n: int, k: int) -> Work:
    """Return a workload of random games from the empty board."""
    rules, games = Rules(m, n, k), 20_000 if m == 3 else 500

    def work() -> float:
        rollout(rules, uniform, uniform, games)
        return float(games)

    return work


def simulations(m: int, n: int, k: int) -> Work:
    """Return a workload of one MCTS search from the empty board, with 2,000 iterations."""
    searcher: Any = player("mcts:iterations=2000", Rules(m, n, k))
    start = Rules(m, n, k).start()
    return lambda: float(searcher.search(start).nodes)


def nodes(m: int, n: int, k: int) -> Work:
    """Return a workload of one alpha-beta search of a board with two stones, with 200,000 nodes."""
    rules = Rules(m, n, k)
    searcher: Any = player("alphabeta:nodes=200000", rules)
    board = rules.play(rules.play(rules.start(), rules.cells // 2), 0)
    return lambda: float(searcher.search(board).nodes)


def solving() -> float:
    """Solve the game from scratch."""
    positions.cache_clear()
    solve.cache_clear()
    return float(solve(Rules()).value == 0)


def certifying() -> Work:
    """Return a workload that certifies the tactical player from its table."""
    rules = Rules()
    table = tabulate(rules, player("tactical", rules)).table
    return lambda: float(bool(certify(rules, Tabulated(rules, table)).blunders))
