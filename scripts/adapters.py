"""Cost of Stable-Baselines3: stepping many games, and exact certificates during training."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from statistics import median
from time import process_time
from typing import Any

from tttenv.certificates import phrases
from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag, NumberOrNone
from tttenv.cli.text_tables import Column

PROG = "adapters.py"
ADAPTER = "tttenv.adapters.sb3"
GAMES = 64  # side by side
TURNS = 32  # of each game in a rollout


@dataclass(frozen=True)
class Arguments:
    """Measure Stable-Baselines3 on TicTacToe-v0 with one thread of torch.

    MaskablePPO trains in turns through our VecEnv and through SB3's DummyVecEnv of as many single
    environments: steps per second of environment time (steps, resets and masks), the ratio, and
    the share of all time that is left to the network. And MaskablePPO and A2C, the quickest to
    train, with an ExactEvalCallback as it is by default: its share of the training time.
    """

    rounds: int = 5  # how often the two take turns; medians are printed
    steps: int = 6_144  # environment steps a turn
    certificates: int = 3  # how many certificates the callback's share is measured over
    every: NumberOrNone = None  # environment steps between them; the callback's own choice
    seed: int = 0  # of all random numbers
    json: Flag = False  # print the results as JSON


def main(args: list[str]) -> None:
    """Measure and print the results."""
    given = console.parse(Arguments, PROG, args)
    console.check_seed(given.seed)
    if min(given.rounds, given.steps, given.certificates) < 1 or (given.every or 1) < 1:
        raise ValueError("--rounds, --steps, --certificates and --every are at least 1")
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with console.bar(quiet=given.json) as progress:
            task = progress.add_task("measuring", total=2 * given.rounds + 2 * given.certificates)
            results = measure(given, lambda: progress.advance(task))
    finally:
        torch.set_num_threads(threads)
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        show(results)


def measure(given: Arguments, advance: Callable[[], None]) -> dict[str, Any]:
    """Run both comparisons; call `advance` after each part."""
    made = {"VecEnv": model("MaskablePPO", batch(), given), "DummyVecEnv": singles(given)}
    for one in made.values():
        one.learn(GAMES * TURNS)  # compiles
    speeds: dict[str, list[tuple[float, float]]] = {name: [] for name in made}
    for _ in range(given.rounds):
        for name, one in made.items():
            speeds[name].append(speed(one, given.steps))
            advance()
    ratios = [ours[0] / theirs[0] for ours, theirs in zip(*speeds.values(), strict=True)]
    rows = {
        name: {
            "environment_steps_per_second": median(rate for rate, _ in found),
            "share_of_time_in_network": median(share for _, share in found),
        }
        for name, found in speeds.items()
    }
    costs = {name: cost(name, given, advance) for name in ("MaskablePPO", "A2C")}
    return {"games": GAMES, "stepping": rows, "ratio": median(ratios), "exact_eval": costs}


def speed(model: Any, steps: int) -> tuple[float, float]:
    """Return the environment's steps per second, and the fraction of time spent outside it."""
    env, start, before = model.get_env(), process_time(), model.num_timesteps
    env.spent = 0.0
    model.learn(steps, reset_num_timesteps=False)
    total = process_time() - start
    return (model.num_timesteps - before) / env.spent, 1 - env.spent / total


def cost(algorithm: str, given: Arguments, advance: Callable[[], None]) -> dict[str, float]:
    """Measure the cost of a certificate relative to the training between two of them."""
    usual: Any = import_module(ADAPTER).ExactEvalCallback
    spent: list[float] = []

    class Clocked(usual):  # type: ignore[misc]  # which is known by name only
        def _measure(self) -> None:
            start = process_time()
            super()._measure()
            spent.append(process_time() - start)
            advance()

    settings = {} if given.every is None else {"every": given.every}
    callback, one = Clocked(stop=False, **settings), model(algorithm, batch(), given)
    one.learn(GAMES * TURNS, Clocked(stop=False))  # compiles, and measures once at its end
    spent.clear()
    start = process_time()
    one.learn(callback.every * given.certificates, callback)
    training = process_time() - start - sum(spent)
    return {
        "every": callback.every,
        "seconds": median(spent),
        "share_of_training_time": median(spent) * given.certificates / training,
    }


def model(algorithm: str, env: Any, given: Arguments) -> Any:
    """Return a model with SB3's default settings, except for the length of rollouts."""
    import sb3_contrib
    import stable_baselines3

    if algorithm == "MaskablePPO":
        return sb3_contrib.MaskablePPO(
            "MlpPolicy", env, n_steps=TURNS, batch_size=256, seed=given.seed, device="cpu"
        )
    return stable_baselines3.A2C("MlpPolicy", env, seed=given.seed, device="cpu")


def batch() -> Any:
    """Return a timed batch of our games."""
    return timed(import_module(ADAPTER).VecEnv(GAMES))


def singles(given: Arguments) -> Any:
    """Return a MaskablePPO model on as many single environments, timed."""
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    import tttenv  # noqa: F401  # registers the environment

    env = DummyVecEnv([lambda: gymnasium.make("TicTacToe-v0")] * GAMES)
    return model("MaskablePPO", timed(env), given)


def timed(env: Any) -> Any:
    """Wrap environments to measure the seconds spent in their methods, in `spent`."""
    from stable_baselines3.common.vec_env import VecEnvWrapper

    class Timed(VecEnvWrapper):
        spent = 0.0

        def reset(self) -> Any:
            return self.clock(self.venv.reset)

        def step_async(self, actions: Any) -> None:
            self.clock(self.venv.step_async, actions)

        def step_wait(self) -> Any:
            return self.clock(self.venv.step_wait)

        def env_method(self, *args: Any, **more: Any) -> Any:
            return self.clock(self.venv.env_method, *args, **more)

        def clock(self, work: Callable[..., Any], *args: Any, **more: Any) -> Any:
            start = process_time()
            try:
                return work(*args, **more)
            finally:
                self.spent += process_time() - start

    return Timed(env)


def show(results: dict[str, Any]) -> None:
    """Print the results as two tables."""
    columns = [
        Column(f"MaskablePPO on {results['games']} games", left=True),
        Column("steps/s of\nenvironment time"),
        Column("time in the\nnetwork, %"),
    ]
    rows = [
        [
            name,
            f"{row['environment_steps_per_second']:,.0f}",
            phrases.share(row["share_of_time_in_network"]),
        ]
        for name, row in results["stepping"].items()
    ]
    text_tables.show(columns, rows)
    text_tables.say(f"VecEnv is {results['ratio']:.1f} times as fast")
    columns = [
        Column("ExactEvalCallback", left=True),
        Column("ms each"),
        Column("every so\nmany steps"),
        Column("training\ntime, %"),
    ]
    rows = [
        [
            name,
            f"{1000 * row['seconds']:.0f}",
            f"{row['every']:,}",
            phrases.share(row["share_of_training_time"]),
        ]
        for name, row in results["exact_eval"].items()
    ]
    print()
    text_tables.show(columns, rows)


if __name__ == "__main__":
    console.run(main, PROG)
