"""Digests of what the package computes, compared with a golden file: `python -m tests.signature`.

Each line of the table measures one subject and returns its items by name; the golden file
`signature.txt` holds a digest of every item. A change that should compute the same as before leaves
the file untouched. Only public names are used, so the code beneath them may move.
"""

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy and torch are first imported

import gymnasium as gym
import numpy as np

from learners.registry import LEARNERS
from tttenv import (
    Rules,
    certify,
    check_proof,
    player,
    policy,
    prove,
    refute,
    score,
    solve,
    text,
    worst_case,
)
from tttenv.certificates.metrics.arena import arena
from tttenv.certificates.mistakes import find_mistakes
from tttenv.cli.main import COMMANDS
from tttenv.env import ExploringStarts, VectorExploringStarts
from tttenv.exact import positions, solvable
from tttenv.league.league import LeagueSettings, assembled, pairs_of, play_pair
from tttenv.players import PLAYERS
from tttenv.proofs.move_values import MoveValues
from tttenv.testing import some_boards

Items = dict[str, Any]  # what a line measures, by name

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "signature.txt"
OF_ONE_MACHINE = "# of one machine: "
SEATS = ("X", "O")
EXACT, NETWORK = 9_999_999_967, 9973  # what numbers are multiplied by before they are rounded


# --- Digests
def digest(value: Any, scale: int = EXACT) -> str:
    """Return a short digest of nested lists, dictionaries, arrays, tensors and dataclasses."""
    return hashlib.sha256(json.dumps(_plain(value, scale)).encode()).hexdigest()[:10]


def _plain(value: Any, scale: int) -> Any:
    """Return a value as JSON, with real numbers rounded.

    Numbers are rounded to multiples of 1 / scale, so that the last bits, which differ between CPUs,
    do not count. The scale is prime: few numbers lie half-way between two multiples.
    """
    if is_dataclass(value):
        return _plain(asdict(value), scale)
    if isinstance(value, dict):
        return {str(name): _plain(part, scale) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, scale) for part in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    kind = f"{array.dtype} {array.shape}"
    if array.dtype.names:
        return [kind, {name: _plain(array[name], scale) for name in array.dtype.names}]
    if array.dtype.kind == "f":
        array = np.rint(array.astype(np.float64) * scale) + 0.0  # without negative zeros
    return [kind, hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()]


# --- Games
def corner_first(boards: Any) -> Any:
    """Play an opponent that only Python code can play: the first cells are the likeliest."""
    weights = (boards == 0) * np.arange(boards.shape[1], 0, -1.0)
    return weights / weights.sum(axis=1, keepdims=True)


def opponents(rules: Rules) -> dict[str, Any]:
    """Return opponents that compiled code plays, that Python plays, and none."""
    named = ["random", "first", "tactical", "mcts:iterations=20"]
    named += ["epsilon:player=tactical,epsilon=0.3"]
    named += ["minimax"] if solvable(rules) else []
    made = {name: player(name, rules) for name in named}
    return made | {"a function": corner_first, "none": None}


def single_games(size: str) -> Items:
    """Play single games, some moves illegal, from the start, from a seat and from a board."""
    rules, found = Rules.of(size), {}
    settings = list(itertools.product(SEATS + ("random",), ("onehot", "board", "dict", "text")))
    for name, opponent in opponents(rules).items():
        steps: list[Any] = []
        for number, (seat, obs) in enumerate(settings):
            options = {"seat": seat, "obs": obs, "draw": number % 3 / 4, "render_mode": "ansi"}
            env = _make(gym.make, rules, opponent, **options, disable_env_checker=True).unwrapped
            env.action_space.seed(number)
            board = rules.format(rules.start()).replace("_", "X", 1).replace("_", "O", 1)
            for game, start in enumerate((None, None, {"seat": "O"}, {"board": board})):
                steps.append(env.reset(seed=None if game == 1 else game, options=start))
                over = False
                while not over:
                    illegal = len(steps) % 11 == 0
                    action = int(env.action_masks().argmin()) if illegal else env.sample_action()
                    steps.append(env.step(action))
                    over = steps[-1][2]
                steps.append(env.render())
        found[name] = digest(steps)
    return found


def batches(size: str) -> Items:
    """Play batches of games, some moves illegal, in all autoreset modes."""
    rules, found = Rules.of(size), {}
    modes, kinds = ("SameStep", "NextStep", "Disabled"), ("onehot", "board", "dict")
    for name, opponent in opponents(rules).items():
        for mode in modes:
            steps: list[str] = []
            for seat, obs in itertools.product(SEATS + ("random",), kinds):
                options = {"num_envs": 9, "seat": seat, "obs": obs, "draw": len(steps) % 3 / 4}
                envs = _make(gym.make_vec, rules, opponent, **options, autoreset_mode=mode)
                steps.append(digest(envs.reset(seed=len(steps))))
                envs.action_space.seed(len(steps))
                for number in range(rules.cells + 3):
                    actions = envs.unwrapped.sample_actions()
                    actions[number % 9] = number % rules.cells
                    steps.append(digest(step := envs.step(actions)))
                    if mode == "Disabled" and step[2].any():
                        steps.append(digest(envs.reset(options={"reset_mask": step[2]})))
            found[f"{name} {mode}"] = digest(steps)
    return found


def starts(size: str) -> Items:
    """Start games in other ways: from random stones, from boards, with a seed for each game."""
    rules, found = Rules.of(size), {}
    env = ExploringStarts(_make(gym.make, rules, "random"), stones=4)
    found["single, random stones"] = [env.reset(seed=seed) for seed in range(9)]
    envs = _make(gym.make_vec, rules, "random", num_envs=9)
    found["a seed for each game"] = envs.reset(seed=list(range(9)))
    found["boards"] = envs.reset(options={"board": some_boards(rules, 9)})
    envs = VectorExploringStarts(_make(gym.make_vec, rules, "tactical", num_envs=9), stones=4)
    envs.action_space.seed(0)
    found["random stones"] = [envs.reset(seed=0)]
    for _ in range(rules.cells):
        found["random stones"].append(envs.step(envs.unwrapped.sample_actions()))
    return found


def _make(make: Callable[..., Any], rules: Rules, opponent: Any, **options: Any) -> Any:
    shape = {"m": rules.m, "n": rules.n, "k": rules.k}
    return make("TicTacToe-v0", **shape, opponent=opponent, **options)


# --- The game and its solution
def counts(size: str) -> Items:
    """Count the positions of each ply, those that are over, and the games."""
    game = positions(Rules.of(size))
    ways, games = np.zeros(len(game), np.int64), 0
    ways[0] = 1
    for stones in range(len(game.plies) - 1):
        ply = game.ply(stones)
        games += int(ways[ply][game.over[ply]].sum())
        for after in game.successors[ply].T:
            np.add.at(ways, after[after >= 0], ways[ply][after >= 0])
    over = [int(game.over[game.ply(stones)].sum()) for stones in range(len(game.plies) - 1)]
    return {"plies": list(game.plies), "over": over, "lost": int(game.lost.sum()), "games": games}


def solved(size: str) -> Items:
    """Solve a game, and compute exact results of pairs of players."""
    rules = Rules.of(size)
    found, names = solve(rules), ("random", "first", "tactical", "minimax")
    pairs = {} if rules.cells > 12 else dict.fromkeys(itertools.product(names, names))
    for first, second in pairs:
        pairs[first, second] = score(rules, player(first, rules), player(second, rules))
    return {
        "value": found.value,
        **{name: getattr(found, name) for name in ("ranks", "values", "distances")},
        **{name: getattr(found, name) for name in ("optimal", "fastest")},
        "scores": list(pairs.values()),
        "worst case": worst_case(rules, policy.uniform) if pairs else None,
    }


# --- Players
def policies(size: str) -> Items:
    """Turn numbers with many ties into probabilities, and these into moves."""
    rules, rng = Rules.of(size), np.random.default_rng(0)
    boards = some_boards(rules)
    legal, numbers = boards == 0, rng.integers(0, 4, boards.shape) / 3
    ways = (policy.greedy, policy.first_best, policy.softmax, policy.masked_normalise)
    found = {each.__name__: each(numbers, legal) for each in ways}
    moves = {name: policy.sample(probs, rng.random(len(probs))) for name, probs in found.items()}
    for kind in ("logits", "values", "probs"):
        seeing = policy.from_observations(_planes_weighed, rules, kind=kind)
        found[f"from observations, {kind}"] = [seeing(boards), seeing.unmasked(boards)]
    return found | {"moves": moves}


def _planes_weighed(planes: Any) -> Any:
    """Return a number for every cell: 3 for mine, 2 for theirs, 1 for empty ones, some more."""
    cells = planes.shape[1] // 3
    weighed = planes.reshape(-1, 3, cells) * [[3], [2], [1]]
    return weighed.sum(axis=1) + np.arange(cells) % 3


QUICK = {  # options for players that would take long, and for players that need some
    "mcts": "mcts:iterations=20",
    "gumbel": "gumbel:simulations=8",
    "alphabeta": "alphabeta:nodes=200",
    "epsilon": "epsilon:player=tactical,epsilon=0.2",
}
MORE = (
    *("minimax:ties=first", "minimax:ties=fastest"),
    *("alphabeta:depth=2,ties=first", "mcts:iterations=20,playouts=tactical,solver=true"),
    *("epsilon:player=(minimax:ties=first),epsilon=0.1", "selfplay:canonical=true"),
    "pairing:player=first",
)
TRAINED = sorted((HERE.parent / "checkpoints").glob("*/card.json"))
LARGER_TRAINED = sorted((HERE.parent / "checkpoints" / "larger").glob("*/card.json"))


def of_players(measure: Callable[[Rules, str], Any], size: str) -> Items:
    """Measure every named player that plays a game."""
    rules, found = Rules.of(size), {}
    cards = TRAINED if rules.cells <= 12 else LARGER_TRAINED
    specs = [QUICK.get(name, name) for name in PLAYERS] + list(MORE)
    for spec in specs + [card.parent.name for card in cards]:
        if "minimax" in spec and rules.cells > 15:
            continue  # solving takes long
        try:
            player(spec, rules)
        except ValueError:  # it does not play this game
            continue
        found[spec] = measure(rules, spec)
    return found


def certificate(limit: int, rules: Rules, spec: str) -> Any:
    """Return a player's certificate."""
    return certify(rules, spec, positions=limit).to_dict()


def lost_games(limit: int, rules: Rules, spec: str) -> Any:
    """Return a game that a player loses in each seat, or None."""
    return [refute(rules, spec, seat, positions=limit) for seat in SEATS]


def mistakes(width: int, rules: Rules, spec: str) -> Any:
    """Search for a player's mistakes in both seats."""
    named, values, found = player(spec, rules), MoveValues(rules, work=20_000), []
    for seat in SEATS:
        rng = np.random.default_rng(0)
        found.append(find_mistakes(rules, named, seat, 0, width, 5, rng, values))
    return found


def sampled(rules: Rules, spec: str) -> Any:
    """Play a player's games against two others."""
    named = player(spec, rules)
    rivals = [player(name, rules) for name in ("random", "tactical")]
    return [arena(rules, named, rival, seat, 20) for rival in rivals for seat in SEATS]


SEARCHES = (
    *("alphabeta:nodes=3000", "alphabeta:nodes=3000,ties=first", "alphabeta:depth=3"),
    *("alphabeta:nodes=3000,threats=30", "alphabeta:nodes=3000,width=6"),
    *("alphabeta:nodes=2000,evaluator=patterns", "alphabeta:nodes=2000,evaluator=patterns_15155"),
    *("mcts:iterations=300", "mcts:iterations=300,playouts=tactical,heuristic=1,solver=true"),
    *("gumbel:simulations=40", "gumbel:simulations=40,threats=50,threes=500"),
)


def searches(size: str) -> Items:
    """Search boards, each from a fresh player: moves, values and numbers of nodes."""
    rules, found = Rules.of(size), {}
    boards = some_boards(rules, 40 * rules.cells)
    boards = boards[np.linspace(0, len(boards) - 1, 8).astype(int)]
    for spec in SEARCHES:
        try:
            searching = player(spec, rules)
        except ValueError:  # a network for another k
            continue
        results = [searching.search(board) for board in boards]
        explained = [searching.explain(board) for board in boards[:2]]
        found[spec] = digest([results, explained], NETWORK)
    return found


# --- Proofs, leagues, files
def proved(size: str, nodes: int | None = None) -> Items:
    """Prove the value of a game and of some positions; save and check the proofs."""
    rules, found = Rules.of(size), {}
    boards = [rules.start(), *some_boards(rules, 400)[100:400:60]]
    for board in boards:
        proof = prove(rules, board, nodes)
        item = [proof.value, proof.at_least, proof.at_most, proof.nodes]
        if proof.value is not None:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "proof.safetensors"
                item += [proof.save(file), _tensors(file.read_bytes()), check_proof(file)]
        found[rules.format(board)] = item
    return found


def _tensors(data: bytes) -> Any:
    """Return the parts of a safetensors file, whose header has its metadata in random order."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    return json.dumps(header, sort_keys=True), data[8 + length :]


def command(name: str, *arguments: str) -> Items:
    """Run a command in an empty folder; return what it prints, and its files."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            COMMANDS.load(name)(list(arguments), f"tttenv {name}")
        files = {file.name: _content(file) for file in sorted(Path().glob("*.*")) if file.is_file()}
    return {"printed": json.loads(printed.getvalue()) if "--json" in arguments else None} | files


def _content(file: Path) -> Any:
    return json.loads(file.read_text()) if file.suffix == ".json" else file.read_bytes()


def league(size: str, *names: str) -> Items:
    """Play a league."""
    settings = LeagueSettings(size, games=20, positions=20_000, searches=500)
    played: dict[tuple[str, str], Any] = {}
    for pair in pairs_of(dict.fromkeys(names, False)):
        played[pair] = play_pair(settings, *pair)
    found = assembled(settings, names, played)
    pairs = {" ".join(pair): result for pair, result in sorted(played.items())}
    return pairs | {"openings": found.openings, "standings": digest(found.standings(), NETWORK)}


EIGHT = (
    *("random", "first", "tactical", "minimax:ties=first", "mcts:iterations=20", "qtable", "lms"),
    "alphabeta:depth=1",
)
LARGER = (
    *("random", "first", "tactical", "mcts:iterations=20", "alphabeta:depth=1", "reinforce_444"),
    *("alphazero_444", "gumbel:simulations=8"),
)


def exports(size: str) -> Items:
    """Export solved positions."""
    found = {}
    for rows in ("class", "position"):
        found[rows] = command("export", "positions.csv", "--rules", size, "--rows", rows)
    return found


def texts(size: str) -> Items:
    """Describe positions to language models, and judge answers."""
    rules, found = Rules.of(size), {}
    for notation in text.NOTATIONS:
        found[notation] = [
            text.prompt(rules, board, notation, True) for board in some_boards(rules)
        ]
    found["tasks"] = text.tasks(rules, "test", 1)
    answers = ("b2", "I play a1.", '{"move": "c3"}', "no move")
    judged = [text.verdict(rules, b, answer) for b in some_boards(rules, 50) for answer in answers]
    for scheme in text.SCHEMES:
        found[scheme] = [[each, text.reward(each, scheme)] for each in judged]
    return found


# --- Learners
def learner(name: str) -> Items:
    """Take three steps of a learner."""
    import torch

    torch.set_num_threads(1)
    kind, rules = LEARNERS.load(name), Rules()
    trained = kind(kind.presets["default"], rules)
    numbers = [trained.step() for _ in range(3)]
    probs = trained.policy()(some_boards(rules))
    return {"numbers": numbers, "weights": trained.state_dict()["weights"], "policy": probs}


def _over(sizes: str, name: str, measure: Callable[..., Items], *more: Any) -> dict[str, Any]:
    return {f"{name} {size}": partial(measure, *more, size) for size in sizes.split()}


LINES: dict[str, Callable[[], Items]] = {
    **_over("3,3,3 3,4,3 5,5,4", "games", single_games),
    **_over("3,3,3 3,4,3 5,5,4", "batches", batches),
    **_over("3,3,3 3,4,3 5,5,4", "starts", starts),
    **_over("2,2,2 3,3,3 3,4,3 2,6,3 4,4,3", "counts", counts),
    **_over("2,2,2 3,3,3 3,4,3 2,6,3 4,4,3", "solve", solved),
    **_over("3,3,3 5,5,4", "policy", policies),
    **_over("3,3,3 3,4,3", "certify", of_players, partial(certificate, 1)),
    **_over("4,4,3 4,4,4 5,5,4", "certify", of_players, partial(certificate, 500)),
    **_over("3,3,3 3,4,3 4,4,3 4,4,4 5,5,4", "refute", of_players, partial(lost_games, 100)),
    **_over("3,3,3 3,4,3 4,4,3 4,4,4 5,5,4", "mistakes", of_players, partial(mistakes, 30)),
    **_over("4,4,3 5,5,4", "arena", of_players, sampled),
    **_over("3,3,3 3,4,3 4,4,3 5,5,4 7,7,5 15,15,5", "search", searches),
    **_over("3,3,3 3,4,3 4,4,3 4,4,4 4,5,4", "prove", proved),
    **_over("5,5,5 6,6,5", "prove", lambda size: proved(size, 2000)),
    "league 3,3,3": lambda: league("3,3,3", *EIGHT),
    "league 4,4,4": lambda: league("4,4,4", *LARGER),
    **_over("3,3,3 3,4,3", "export", exports),
    **_over("3,3,3 3,4,3", "text", texts),
    **{f"learner {name}": partial(learner, name) for name in LEARNERS},
}
SLOW = {  # left out by `make test`: a second or more each, told by other sizes too
    *("games 3,4,3", "batches 3,4,3", "counts 4,4,3", "solve 2,6,3", "solve 4,4,3"),
    *("certify 3,4,3", "certify 4,4,4", "certify 5,5,4", "refute 3,4,3", "mistakes 3,4,3"),
    *("mistakes 5,5,4", "export 3,4,3"),
}


# --- The golden file
def of_one_machine(line: str) -> bool:
    """Return whether a line's digests depend on the machine: those of trainings do."""
    return line.startswith("learner ")


def machine() -> str:
    """Return what the digests of trainings depend on: the CPU, PyTorch and NumPy."""
    cpu, about = platform.processor() or platform.machine(), Path("/proc/cpuinfo")
    if about.exists():
        told = dict(row.split(":", 1) for row in about.read_text().splitlines() if ":" in row)
        told = {name.strip(): value.strip() for name, value in told.items()}
        known = (told.get(name, "") for name in ("model name", "cpu family", "model", "stepping"))
        cpu = " ".join(known)
    return f"{cpu}, torch {version('torch')}, numpy {np.__version__}"


def measured(line: str) -> dict[str, str]:
    """Return the digests of a line, by item."""
    return {item: digest(value) for item, value in LINES[line]().items()}


def read() -> tuple[dict[str, dict[str, str]], str]:
    """Return the golden digests, by line and item, and the machine of those of one machine."""
    found: dict[str, dict[str, str]] = {}
    made_on = ""
    for row in GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else ():
        if row.startswith(OF_ONE_MACHINE):
            made_on = row.removeprefix(OF_ONE_MACHINE)
        else:
            number, line, item = row.split("\t")
            found.setdefault(line, {})[item] = number
    return found, made_on


def write(found: dict[str, dict[str, str]], made_on: str) -> None:
    """Write the golden file, in the order of the table."""
    rows: list[str] = []
    for line in sorted(LINES, key=of_one_machine):
        if of_one_machine(line) and not any(row.startswith(OF_ONE_MACHINE) for row in rows):
            rows.append(OF_ONE_MACHINE + made_on)
        rows += [f"{number}\t{line}\t{item}" for item, number in found.get(line, {}).items()]
    GOLDEN.write_text("\n".join(rows) + "\n", encoding="utf-8")


def compared(slow: bool) -> list[str]:
    """Return the lines that tests compare here: the quick ones, or the slow ones."""
    made_on = read()[1]
    lines = [line for line in LINES if (line in SLOW) == slow]
    return [line for line in lines if not of_one_machine(line) or made_on == machine()]


def changes(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Describe the items of a line that changed."""
    names = list(dict.fromkeys([*old, *new]))
    return [
        f"{name}: {old.get(name, 'nothing')} → {new.get(name, 'nothing')}"
        for name in names
        if old.get(name) != new.get(name)
    ]


def main(args: list[str]) -> int:
    """Compute the lines, print which changed, and return 1 if any did."""
    parser = argparse.ArgumentParser(prog="python -m tests.signature", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], help="lines whose names begin so")
    parser.add_argument("--write", action="store_true", help="renew the golden file")
    given = parser.parse_args(args)
    golden, made_on = read()
    here, changed, begun = machine(), 0, time.perf_counter()
    if given.write and made_on != here:
        golden = {line: items for line, items in golden.items() if not of_one_machine(line)}
        made_on = here
    for line in [line for line in LINES if line.startswith(tuple(given.only))]:
        if of_one_machine(line) and made_on != here:
            print(f"{'-':8}{line}: of another machine, not compared")
            continue
        start = time.process_time()
        found = measured(line)
        told = changes(golden.get(line, {}), found)
        changed += bool(told)
        seconds = time.process_time() - start
        print(
            f"{'CHANGED' if told else 'ok':8}{line:24}{len(found):3} items {seconds:6.1f} s",
            flush=True,
        )
        print("".join(f"{'':10}{each}\n" for each in told), end="")
        golden[line] = found
    if given.write:
        write(golden, made_on)
    print(f"{changed} changed, {time.perf_counter() - begun:.0f} s")
    return 0 if given.write else int(changed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
