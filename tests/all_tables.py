"""Prints every script's tables from results that are at hand, for cli/test_text_tables.py."""

import contextlib
import importlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = {  # the scripts that take options, and where their arguments are; train has its own
    "analyze": "tttenv.cli.analyze",
    "benchmark": "learners.cli.benchmark",
    "certify": "tttenv.cli.certify",
    "prove": "tttenv.cli.prove",
    "doctor": "tttenv.cli.doctor",
    "export": "tttenv.cli.export",
    "gomocup": "tttenv.cli.gomocup",
    "league": "tttenv.cli.league",
    "match": "tttenv.cli.match",
    "pictures": "scripts.pictures",
    "play": "tttenv.cli.play.main",
    "pull": "tttenv.cli.pull",
    "push": "tttenv.cli.push",
    "report": "tttenv.cli.report",
    "reproduce": "scripts.reproduce",
    "speed": "scripts.speed",
    "sweep": "learners.cli.sweep",
}
LONG = "shows mine and theirs swapped on a board that is told of in words that go on for a while"


def begin(name):
    print(f"@{name}")


def read(*path):
    return json.loads(ROOT.joinpath("checkpoints", *path).read_text(encoding="utf-8"))


def measured():
    """Print the tables of measurements."""
    from learners.cli import benchmark
    from learners.registry import LEARNERS
    from scripts import speed
    from scripts.reproduction import rows as tables

    begin("benchmark")
    card = read("genetic", "card.json")["certificate"]
    names = ["random", "alphabeta", *(f"{name} 0" for name in LEARNERS)]
    card |= {"seconds": 12.3, "expert_seconds": 45.6, "moves_per_second": 310_000}
    players = [{**card, "player": name, "folder": None} for name in names]
    steps = {"seeds": 20, "unbeatable": 20, "median_steps": 700, "perfect": 0}
    times = {"median_seconds": 3.2, "slowest_seconds": 50.1, "moves_per_second": 310_000}
    learners = [{"learner": name, **steps, **times} for name in LEARNERS]
    benchmark.show({"rules": "3,3,3", "players": players, "learners": learners})
    begin("speed")
    results = []
    for row in speed.ROWS:
        about = {"name": row.name, "unit": row.unit, "ours": 1.15e8}
        peers, ratios = dict.fromkeys(row.others, 3.95e7), dict.fromkeys(row.others, 13.3)
        results.append({**about, "peers": peers, "ratios": ratios})
    speed.show(results)
    begin("reproduce")
    rows = read("published.json")["rows"]
    for source in tables.TITLES:
        tables.show(source, [row for row in rows if row["source"] == source])


def exact():
    """Print the tables about one player or two, and about proofs."""
    from tttenv.certificates.certificate import Certificate
    from tttenv.cli import certify, doctor, league
    from tttenv.testing import Diagnosis, Finding

    begin("certify")
    card = read("genetic", "card.json")["certificate"]
    line = {**card["losing_line"], "X": list(range(16))}
    card |= {"rules": "4,4,4", "losing_line": line}
    certify.print_certificate("tactical", Certificate.from_dict(card))
    reached = {
        "rules": "15,15,5",
        "method": "reachable positions",
        "reached": {"X": 20_000_000, "O": 1_234_567},
        "value": None,
        "unbeatable": False,
        "vs_random": {"X": None, "O": [0.5849206, 0.1269841, 0.2880952]},
        "worst_case": {"X": None, "O": -1.0},
        "never_loses": {"X": None, "O": False},
        "losing_line": {"X": None, "O": list(range(100, 133))},
        "shortest": {"X": None, "O": False},
        "symmetry": "mirror images treated alike: declared, checked on 1,234 of 21,234,567",
    }
    certify.print_certificate("alphabeta:depth=4", Certificate.from_dict(card | reached))
    begin("league")
    league.show(played())
    begin("doctor")
    finding = Finding("problem", LONG, f"change {LONG}", "view")
    doctor.show(Diagnosis("my_module:make_env", (finding,)))


def played():
    """Return a league of 24 players, one without a result, as its file stores it."""
    count = 24
    names = [
        f"epsilon:player=(alphabeta:depth=8,ties=first),epsilon=0.{n:02}" for n in range(count)
    ]
    shares = {"win": 0.5849206, "draw": 0.1269841, "loss": 0.2880952}
    rows = [{"player": n, "elo": -1234.5, "elo_error": 12.3, **shares} for n in names]
    rows[-1] = dict.fromkeys(rows[-1]) | {"player": names[-1]}
    of_all = [(i, j) for i in range(count) for j in range(i + 1, count)]
    methods = [("failed" if j == count - 1 else "exact" if i else "sampled") for i, j in of_all]
    pairs = [
        {"first": i, "second": j, "method": method, "error": 0.0123}
        for (i, j), method in zip(of_all, methods, strict=True)
    ]
    return {
        "settings": {"rules": "15,15,5", "stones": 2, "games": 1000},
        "openings": [""] * 6405,
        "players": rows,
        "matrix": [[-0.9999] * (count - 1) + [None]] * count,
        "pairs": pairs,
        "cycles": [[0, 1, 2]] * 3,
    }


def helps():
    """Print the list of learners, and the help of every script."""
    from learners.cli import train
    from tttenv.cli import console

    begin("train")
    train._overview(["--help"])
    for name, home in PROGRAMS.items():
        begin(f"{name} --help")
        module = importlib.import_module(home)
        describe = getattr(module, "manual", getattr(module, "_description", None))
        more = {} if describe is None else {"description": describe()}
        with contextlib.suppress(SystemExit):
            console.parse(module.Arguments, name, ["--help"], **more)
