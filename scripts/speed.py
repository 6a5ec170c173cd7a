"""Measure the speed of environments, play-outs, searches and certification."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib import import_module
from math import inf, sqrt
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from learners.registry import LEARNERS
from tttenv import Rules, certify, player
from tttenv.certificates import phrases
from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag
from tttenv.cli.text_tables import Column
from tttenv.env.rollouts import rollout
from tttenv.exact import Tabulated, positions, solve, tabulate
from tttenv.policy import uniform

PROG = "speed.py"
Work = tuple[Callable[[], Any], float]  # a call, and how much work it is


@dataclass(frozen=True)
class Arguments:
    """Measure throughput on one core, each row several times, and print the medians.

    With --peers, the public packages of the extra "peers" that are installed do the same work in
    turns with ours, and the median of the ratios is given.
    """

    peers: Flag = False  # also measure other packages
    rounds: int = 5  # measurements per row
    seconds: float = 0.3  # duration of each measurement
    only: str = ""  # only rows whose name contains this
    json: Flag = False  # print the results as JSON


class Row(NamedTuple):
    """A workload to measure, and what it is compared with."""

    name: str
    unit: str  # counted per second
    ours: Callable[[], Work]
    others: Mapping[str, Callable[[], Work]] = {}  # other packages


# Workloads of this package


def single(opponent: str | None) -> Work:
    """Take a thousand random steps in the single environment, counted in plies."""
    env = gymnasium.make("TicTacToe-v0", opponent=opponent)
    env.reset(seed=0)
    env.action_space.seed(0)
    raw: Any = env.unwrapped

    def play(steps: int = 1000, stones: Callable[[Any], int] = lambda board: 0) -> int:
        """Return how many stones were put down in finished games, the opponent's included."""
        plies = 0
        for _ in range(steps):
            if env.step(raw.sample_action())[2]:
                plies += stones(raw.board)
                env.reset()
        return plies

    return play, play(20_000, np.count_nonzero) / 20


def vector(**options: Any) -> Work:
    """Take a step in all games, with random legal moves."""
    env: Any = gymnasium.make_vec("TicTacToe-v0", num_envs=GAMES, **options).unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    return lambda: env.step(env.sample_actions()), GAMES


def play_outs(rules: str) -> Work:
    """Play random games from the empty board."""
    games = 20_000 if rules == "3,3,3" else 500
    return lambda: rollout(Rules.of(rules), uniform, uniform, games), games


def searching(rules: str, spec: str, stones: int = 0) -> Work:
    """Search a board with no stone or one on each side, counted in simulations or nodes."""
    searcher: Any = player(spec, Rules.of(rules))
    cells = (searcher.rules.cells // 2, 0)[:stones]
    board = reduce(searcher.rules.play, cells, searcher.rules.start())
    return lambda: searcher.search(board), searcher.search(board).nodes


def solving(rules: str) -> Work:
    """Solve a game whose positions are enumerated, counted in positions."""
    game = Rules.of(rules)
    return lambda: solve.__wrapped__(game), len(positions(game).boards)


def learning(rules: str) -> Work:
    """Take a step of AlphaZero without examinations: a move in every game, and gradient steps."""
    import torch

    torch.set_num_threads(1)
    kind = LEARNERS.load("alphazero")
    settings = replace(kind.presets["default"], counterexamples=False, progressive=1)
    learner = kind(settings, Rules.of(rules))
    for _ in range(30):  # games end, and their moves are learned
        learner.step()
    return learner.step, settings.games


def stable_baselines() -> Work:
    """Take a step in 64 games of the adapter for Stable-Baselines3, with random legal moves."""
    env = import_module("tttenv.adapters.sb3").VecEnv(64)
    env.reset()
    return lambda: env.step(env.games.sample_actions()), 64


def certifying() -> Work:
    """Certify the tactical player from its table."""
    table = tabulate(Rules(), player("tactical")).table
    return lambda: certify(Rules(), Tabulated(Rules(), table)), 1


# Workloads of other packages


def dummy_vector() -> Work:
    """Take a step in 64 single environments in Stable-Baselines3's DummyVecEnv."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    env = DummyVecEnv([partial(gymnasium.make, "TicTacToe-v0", opponent="random")] * 64)
    env.reset()
    games: list[Any] = [one.unwrapped for one in env.envs]
    return lambda: env.step(np.array([game.sample_action() for game in games])), 64


def openspiel_state() -> Work:
    """Play a thousand random plies on OpenSpiel's states, called from Python."""
    import pyspiel

    game, rng = pyspiel.load_game("tic_tac_toe"), np.random.default_rng(0)

    def play() -> None:
        state = game.new_initial_state()
        for _ in range(1000):
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()

    return play, 1000


def pettingzoo() -> Work:
    """Play a thousand random plies in tictactoe_v3, sampled the fastest way."""
    from pettingzoo.classic import tictactoe_v3

    env, rng = tictactoe_v3.env(), np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> None:
        for _ in range(1000):
            observed, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observed["action_mask"])
            env.step(int(legal[int(rng.random() * legal.size)]))

    return play, 1000


def pgx() -> Work:
    """Take a jitted step in 8,192 games, with random legal moves and restarts."""
    import jax
    import pgx as library
    from pgx.experimental.wrappers import auto_reset

    env, games = library.make("tic_tac_toe"), GAMES
    step_one = auto_reset(env.step, env.init)

    def stepped(state: Any, key: Any) -> tuple[Any, Any]:
        key, own, uniform = jax.random.split(key, 3)
        reached = state.legal_action_mask.cumsum(axis=1)
        goals = jax.random.uniform(uniform, (games, 1)) * reached[:, -1:]
        actions = (reached <= goals).sum(axis=1)
        return jax.vmap(step_one)(state, actions, jax.random.split(own, games)), key

    step = jax.jit(stepped)
    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
    now = [first, jax.random.PRNGKey(1)]

    def advance() -> None:
        now[:] = step(*now)
        jax.block_until_ready(now[0].observation)

    return advance, games


def openspiel_search(rules: str, simulations: int, rollouts: int = 1) -> Work:
    """Run one search in C++, each simulation with some random games, counted in these games."""
    import pyspiel

    m, n, k = rules.split(",")
    game = pyspiel.load_game("tic_tac_toe" if rules == "3,3,3" else f"mnk(m={n},n={m},k={k})")
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 0)
    bot = pyspiel.MCTSBot(game, evaluator, sqrt(2), simulations, 1000, False, 0, False)
    state = game.new_initial_state()
    return lambda: bot.mcts_search(state), simulations * rollouts


def openspiel_nash() -> Work:
    """Compute the NashConv of the uniform player in C++."""
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    return lambda: pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)), 1


GAMES = 8192
LARGE = {"m": 15, "n": 15, "k": 5}
UNIFORM = "playouts=random,heuristic=0"  # as OpenSpiel searches
ROWS = [
    Row("single env, no opponent", "plies", partial(single, opponent=None),
        {"OpenSpiel State": openspiel_state}),
    Row("single env, opponent=random", "plies", partial(single, opponent="random"),
        {"PettingZoo": pettingzoo}),
    *(Row(f"vector env 3,3,3, {GAMES:,} games, opponent={opponent}", "steps",
          partial(vector, opponent=opponent), {"pgx": pgx})
      for opponent in (None, "random", "minimax")),
    *(Row(f"vector env 15,15,5, {GAMES:,} games, opponent={opponent}", "steps",
          partial(vector, opponent=opponent, **LARGE))
      for opponent in (None, "random", "tactical")),
    *(Row(f"play-outs {rules}", "games", partial(play_outs, rules=rules),
          {"OpenSpiel C++": partial(openspiel_search, rules=rules, simulations=1, rollouts=games)})
      for rules, games in (("3,3,3", 2000), ("15,15,5", 20))),
    Row("64 games for Stable-Baselines3", "steps", stable_baselines,
        {"its DummyVecEnv": dummy_vector}),
    *(Row(f"MCTS {rules}, uniform play-outs", "simulations",
          partial(searching, rules=rules, spec=f"mcts:iterations=2000,{UNIFORM}"),
          {"OpenSpiel C++": partial(openspiel_search, rules=rules, simulations=2000)})
      for rules in ("3,3,3", "9,9,5")),
    Row("MCTS 9,9,5, tactical play-outs", "simulations",
        partial(searching, rules="9,9,5", spec="mcts:iterations=2000")),
    *(Row(f"alpha-beta {rules}", "nodes",
          partial(searching, rules=rules, spec="alphabeta:nodes=200000", stones=2))
      for rules in ("4,4,4", "15,15,5")),
    *(Row(f"AlphaZero {rules}, self-play and learning", "moves", partial(learning, rules))
      for rules in ("4,4,4", "6,6,4", "9,9,5")),
    Row("solve 4,3,3", "positions", partial(solving, "4,3,3")),
    Row("certify 3,3,3, looked up", "players", certifying,
        {"OpenSpiel nash_conv in C++": openspiel_nash}),
]  # fmt: skip


# Measuring


def main(args: list[str]) -> None:
    """Measure all rows, and print the results."""
    given = console.parse(Arguments, PROG, args)
    if given.rounds < 1 or not 0 < given.seconds < inf:
        raise ValueError("--rounds must be at least 1 and --seconds above 0")
    rows = [row for row in ROWS if given.only in row.name]
    if not rows:
        raise ValueError(f"no row's name contains {given.only!r}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with console.bar(quiet=given.json) as progress:
        results = [measure(row, given) for row in progress.track(rows, description="measuring")]
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
    works = {"ours": row.ours()}
    for name, setup in row.others.items() if given.peers else ():
        with suppress(ImportError):
            works[name] = setup()
    for act, _ in works.values():
        act()  # compiles
    rounds = [
        {name: rate(*work, given.seconds) for name, work in works.items()}
        for _ in range(given.rounds)
    ]
    rates = {name: median(found[name] for found in rounds) for name in works}
    ratios = {name: median(found["ours"] / found[name] for found in rounds) for name in works}
    ours, _ = rates.pop("ours"), ratios.pop("ours")
    return {"name": row.name, "unit": row.unit, "ours": ours, "peers": rates, "ratios": ratios}


def rate(act: Callable[[], Any], amount: float, seconds: float) -> float:
    """Return the amount of work per second."""
    calls, start = 0, perf_counter()
    while (spent := perf_counter() - start) < seconds or not calls:
        act()
        calls += 1
    return calls * amount / spent


def show(results: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    rows = []
    for found in results:
        others = [
            f"{name} {phrases.large(speed)}, {found['ratios'][name]:.3g}x"
            for name, speed in found["peers"].items()
        ]
        rows.append([found["name"], phrases.large(found["ours"]), found["unit"], "; ".join(others)])
    left = [Column(name, left=True) for name in ("", "of", "beside")]
    compared = any(found["peers"] for found in results)
    columns = [left[0], Column("per second"), *left[1 : 2 + compared]]
    text_tables.show(columns, [row[: len(columns)] for row in rows])
    if compared:
        text_tables.say("beside: how much of it others do per second; 2x: ours is twice as fast")


if __name__ == "__main__":
    console.run(main, PROG)
