"""Measure the speed of environments, play-outs, searches and certification."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import sqrt
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag
from tttenv.cli.text_tables import Column

PROG = "speed.py"
BIG = 65_536
SB3 = 64  # games side by side in Stable-Baselines3
Work = Callable[[], float]  # does some work and returns how much
Setup = Callable[[int], Work]  # given the random seed


@dataclass(frozen=True)
class Arguments:
    """Measure throughput on one core, each row several times, and print the medians.

    With --peers, the public packages of the extra "peers" that are installed do the same work in
    turns with ours, and the median of the ratios is given. Two environments in two threads are
    measured on two cores, in turns with one environment in one thread.
    """

    peers: Flag = False  # also measure other packages
    rounds: int = 5  # measurements per row
    seconds: float = 0.3  # duration of each measurement
    only: str = ""  # only rows whose name contains this
    seed: int = 0  # random seed
    json: Flag = False  # print the results as JSON


class Row(NamedTuple):
    """A workload to measure, and what it is compared with."""

    name: str
    unit: str  # counted per second
    ours: Setup
    others: Mapping[str, Setup] = {}  # other packages, and ours in another way
    cores: int = 1


def repeated(act: Callable[[], Any], amount: float, times: int = 10) -> Work:
    """Return a workload that calls `act` several times, each counted as `amount`."""

    def work() -> float:
        for _ in range(times):
            act()
        return times * amount

    return work


# Workloads of this package


def single(seed: int, opponent: str | None) -> Work:
    """Take a thousand random steps in the single environment, counted in plies."""
    import gymnasium
    import numpy as np

    env = gymnasium.make("TicTacToe-v0", opponent=opponent)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    raw: Any = env.unwrapped

    def play(steps: int) -> int:
        """Return how many stones were put down in finished games, the opponent's included."""
        plies = 0
        for _ in range(steps):
            if env.step(raw.sample_action())[2]:
                plies += int(np.count_nonzero(raw.board))
                env.reset()
        return plies

    stones = play(20_000) / 20_000  # of a step

    def work() -> float:
        for _ in range(1000):
            if env.step(raw.sample_action())[2]:
                env.reset()
        return 1000 * stones

    return work


def vector(seed: int, games: int, **options: Any) -> Work:
    """Take ten steps in all games, with random legal moves."""
    import gymnasium

    env: Any = gymnasium.make_vec("TicTacToe-v0", num_envs=games, **options).unwrapped
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return repeated(lambda: env.step(env.sample_actions()), games)


def pair(seed: int, **options: Any) -> Work:
    """Step two `vector` environments, each in its own thread."""
    pool = ThreadPoolExecutor(2)
    both = [vector(seed + i, **options) for i in range(2)]
    return lambda: sum(part.result() for part in [pool.submit(one) for one in both])


def stable_baselines3(seed: int, compiled: bool) -> Work:
    """Take ten steps in our VecEnv, or in SB3's of single environments."""
    import gymnasium
    import numpy as np
    from stable_baselines3.common.vec_env import DummyVecEnv

    single = [lambda: gymnasium.make("TicTacToe-v0")] * SB3
    env: Any = import_module("tttenv.adapters.sb3").VecEnv(SB3) if compiled else DummyVecEnv(single)
    env.seed(seed)
    env.reset()
    rng = np.random.default_rng(seed)

    def step() -> None:
        masks = np.array(env.env_method("action_masks"))
        env.step((masks * rng.random(masks.shape)).argmax(axis=1))

    return repeated(step, SB3)


def play_outs(seed: int, rules: str) -> Work:
    """Play random games from the empty board."""
    from tttenv import Rules
    from tttenv.env.rollouts import rollout
    from tttenv.policy import uniform

    games = 20_000 if rules == "3,3,3" else 500
    return repeated(lambda: rollout(Rules.of(rules), uniform, uniform, games), games, 1)


def searching(seed: int, rules: str, spec: str, stones: int = 0) -> Work:
    """Search a board with no stone or one on each side, counted in simulations or nodes."""
    from tttenv import Rules, player

    searcher: Any = player(spec, Rules.of(rules))
    board = searcher.rules.start()
    for cell in (searcher.rules.cells // 2, 0)[:stones]:
        board = searcher.rules.play(board, cell)
    return lambda: float(searcher.search(board).nodes)


def certifying(seed: int) -> Work:
    """Certify the tactical player from its table."""
    from tttenv import Rules, certify, player
    from tttenv.exact import Tabulated, tabulate

    table = tabulate(Rules(), player("tactical")).table
    return repeated(lambda: certify(Rules(), Tabulated(Rules(), table)), 1, 1)


# Workloads of other packages


def pettingzoo(seed: int) -> Work:
    """Play a thousand random plies in tictactoe_v3, sampled the fastest way."""
    import numpy as np
    from pettingzoo.classic import tictactoe_v3

    env, rng = tictactoe_v3.env(), np.random.default_rng(seed)
    env.reset(seed=seed)

    def work() -> float:
        for _ in range(1000):
            observed, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observed["action_mask"])
            env.step(int(legal[int(rng.random() * legal.size)]))
        return 1000.0

    return work


def openspiel_state(seed: int) -> Work:
    """Play a thousand plies, with each state's NumPy observation and mask."""
    import numpy as np
    import pyspiel

    game, rng = pyspiel.load_game("tic_tac_toe"), np.random.default_rng(seed)

    def work() -> float:
        state = game.new_initial_state()
        for _ in range(1000):
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            np.array(state.observation_tensor(0), np.float32)
            np.array(state.legal_actions_mask(), np.int8)
        return 1000.0

    return work


def pgx(seed: int, random: bool) -> Work:
    """Take ten jitted steps in 8,192 games, with random legal moves and restarts.

    With the first legal moves, which are the cheapest to pick, all games are the same.
    """
    import jax
    import pgx as library
    from pgx.experimental.wrappers import auto_reset

    env, games = library.make("tic_tac_toe"), 8192
    step_one = auto_reset(env.step, env.init)

    def stepped(state: Any, key: Any) -> tuple[Any, Any]:
        key, own, uniform = jax.random.split(key, 3)
        legal = state.legal_action_mask
        actions = legal.argmax(axis=1)
        if random:
            reached = legal.cumsum(axis=1)
            goals = jax.random.uniform(uniform, (games, 1)) * reached[:, -1:]
            actions = (reached <= goals).sum(axis=1)
        return jax.vmap(step_one)(state, actions, jax.random.split(own, games)), key

    step = jax.jit(stepped)
    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(seed), games))
    now = [first, jax.random.PRNGKey(seed + 1)]

    def advance() -> None:
        now[:] = step(*now)
        jax.block_until_ready(now[0].observation)

    return repeated(advance, games)


def openspiel_search(seed: int, rules: str, simulations: int, rollouts: int = 1) -> Work:
    """Run one search in C++, each simulation with some random games, counted in these games."""
    import pyspiel

    m, n, k = rules.split(",")
    game = pyspiel.load_game("tic_tac_toe" if rules == "3,3,3" else f"mnk(m={n},n={m},k={k})")
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
    bot = pyspiel.MCTSBot(game, evaluator, sqrt(2), simulations, 1000, False, seed, False)
    state = game.new_initial_state()

    return repeated(lambda: bot.mcts_search(state), simulations * rollouts, 1)


def openspiel_nash(seed: int) -> Work:
    """Compute the NashConv of the uniform player in C++."""
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    return repeated(lambda: pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)), 1, 1)


PGX = {"pgx random legal": partial(pgx, random=True), "pgx first legal": partial(pgx, random=False)}
LARGE = {"m": 15, "n": 15, "k": 5}
ROWS = [
    Row("single env, no opponent", "plies", partial(single, opponent=None)),
    Row("single env, opponent=random", "plies", partial(single, opponent="random"),
        {"PettingZoo": pettingzoo, "OpenSpiel state": openspiel_state}),
    *(Row(f"vector env 3,3,3, 8,192 games, opponent={opponent}", "steps",
          partial(vector, games=8192, opponent=opponent), PGX)
      for opponent in (None, "random", "minimax")),
    *(Row(f"vector env 15,15,5, 8,192 games, opponent={opponent}", "steps",
          partial(vector, games=8192, opponent=opponent, **LARGE))
      for opponent in (None, "random", "tactical")),
    *(Row(f"2 vector envs in 2 threads, {BIG:,} games each, opponent={opponent}", "steps",
          partial(pair, games=BIG, opponent=opponent),
          {"one env in one thread": partial(vector, games=BIG, opponent=opponent)}, cores=2)
      for opponent in (None, "random", "minimax")),
    Row(f"SB3 VecEnv, {SB3} games and their masks", "steps",
        partial(stable_baselines3, compiled=True),
        {"DummyVecEnv": partial(stable_baselines3, compiled=False)}),
    *(Row(f"play-outs {rules}", "games", partial(play_outs, rules=rules),
          {"OpenSpiel C++": partial(openspiel_search, rules=rules, simulations=1, rollouts=games)})
      for rules, games in (("3,3,3", 2000), ("15,15,5", 20))),
    *(Row(f"MCTS {rules}", "simulations",
          partial(searching, rules=rules, spec="mcts:iterations=2000"),
          {"OpenSpiel C++": partial(openspiel_search, rules=rules, simulations=2000)})
      for rules in ("3,3,3", "9,9,5")),
    *(Row(f"alpha-beta {rules}", "nodes",
          partial(searching, rules=rules, spec="alphabeta:nodes=200000", stones=2))
      for rules in ("4,4,4", "15,15,5")),
    Row("certify 3,3,3, looked up", "players", certifying,
        {"OpenSpiel nash_conv in C++": openspiel_nash}),
]  # fmt: skip
OURS = ("one env in one thread", "DummyVecEnv")  # measured without --peers too


# Measuring


def main(args: list[str]) -> None:
    """Measure all rows, and print the results."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    if given.rounds < 1 or not 0 < given.seconds < float("inf"):
        raise ValueError("--rounds must be at least 1 and --seconds above 0")
    rows = [row for row in ROWS if given.only in row.name]
    if not rows:
        raise ValueError(f"no row's name contains {given.only!r}")
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    import_module("tttenv.exact")  # before the bar, which watches what it compiles
    results = []
    with console.bar(quiet=given.json) as progress:
        for row in progress.track(rows, description="measuring"):
            if cores:
                os.sched_setaffinity(0, set(cores[: row.cores]))
            results.append(measure(row, given))
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        show(results)


def measure(row: Row, given: Arguments) -> dict[str, Any]:
    """Measure our workload and the others in turns, without packages that are not installed.

    Returns:
        The row's name and unit; the median rates `ours` and, by name, `peers`; and the median
        ratios of ours to theirs.
    """
    contestants = {"ours": row.ours(given.seed)}
    for name, setup in row.others.items():
        with suppress(ImportError):
            if given.peers or name in OURS:
                contestants[name] = setup(given.seed)
    for work in contestants.values():
        work()  # compiles
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(given.rounds):
        for name, work in contestants.items():
            rates[name].append(rate(work, given.seconds))
    own = rates.pop("ours")
    ratios = {
        name: median(mine / theirs for mine, theirs in zip(own, rates[name], strict=True))
        for name in rates
    }
    peers = {name: median(numbers) for name, numbers in rates.items()}
    about = {"name": row.name, "unit": row.unit, "ours": median(own)}
    return {**about, "peers": peers, "ratios": ratios}


def rate(work: Work, seconds: float) -> float:
    """Return the amount of work per second."""
    done, start = 0.0, perf_counter()
    while (spent := perf_counter() - start) < seconds or not done:
        done += work()
    return done / spent


def show(results: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    columns = [
        Column("", left=True),
        Column("per second"),
        Column("of", left=True),
        Column("beside", left=True, rank=1),
    ]
    rows = []
    for found in results:
        others = [
            f"{name} {short(speed)}, {found['ratios'][name]:.3g}x"
            for name, speed in found["peers"].items()
        ]
        rows.append([found["name"], short(found["ours"]), found["unit"], "; ".join(others)])
    compared = any(found["peers"] for found in results)
    text_tables.show(columns if compared else columns[:3], rows)
    if compared:
        text_tables.say("beside: how much of it others do per second; 2x: ours is twice as fast")


def short(number: float) -> str:
    """Format a number to three significant digits, with a word such as "million" if large."""
    for size, word in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if number >= size:
            return f"{number / size:.3g}{word}"
    return f"{number:.3g}"


if __name__ == "__main__":
    console.run(main, PROG)
