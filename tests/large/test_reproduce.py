"""Re-run of the published numbers: the tables, their cheap exact numbers, and the script."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import has_children

from learners.cli import readme_blocks, train
from learners.registry import LEARNERS
from learners.supervised import read_csv, solved_positions
from scripts import reproduce, reproduction
from scripts.reproduction import tables, work
from scripts.reproduction.rows import Row, Task, holds, scores, tolerance
from tttenv import Rules
from tttenv.parallel import Context, TaskResult
from tttenv.players import PLAYERS

ROOT = Path(__file__).parents[2]
QUIET = Context(tell=lambda done, of, state: None)


ROWS = {
    row.id: (source, row)
    for source in reproduction.SOURCES
    for row in reproduction.load(source).ROWS
}
SUMMARY = ROOT / "checkpoints" / "published.json"
# Jobs without any chance in them, or with seeded dice that no learner shares; seconds in all.
CHEAP = [
    *(("ground", job) for job in ("counts", "players", "searches")),
    *(("S0", job) for job in ("published", "final board", "x first", "random")),
    *(("S1", job) for job in ("matches", "mcts", "mcts 2000")),
    *(("S2", job) for job in ("depths", "counted")),
    *(("S3", "facts"), ("S4", "facts"), ("S4", "drawn"), ("others", "fixed point")),
]
# As the sources and exact computations have it, typed in once more.
CLAIMED = {
    "S1.random_random": (0.6010, 0.2890, 0.1100),
    "S1.minimax_random": (0.9680, 0, 0.0320),
    "S1.random_minimax": (0, 0.7810, 0.2190),
    "S1.minimax": (0, 0, 1),
    "S1.q_table": (0.931, 0.61),
    "S1.q_items": (747,),
    "S1.mcts": (0.818, 0.635),
    "S1.net": (0.984, 0.754),
    "S1.seconds": (90, 0.8, 0.3),
    "S0.mean": (0.919, 0.038, 0.046),
    "S4.losses": (0.002995, 0.00329),
    "S3.answer": (6,),
    "S3.pairs": (216, 171, 31, 12),
    "S2.slower": (165, 2836),
    "S2.missed": (163,),
    "S2.sooner": (109, 632),
    "S2.no_depth": (2524,),
    "ground.cached": (5477, 16167),
    "ground.symmetric": (764, 2270),
    "ground.plain": (549946,),
    "ground.alphabeta": (18297,),
}


def found_by(source, job):
    """Return what a job finds with the budget of --quick."""
    amount = reproduction.load(source).JOBS[job].amounts[0]
    return work.run_one(work.Piece(Task(source, job, amount, 0, None), None), QUIET)["found"]


def command(*arguments):
    return [sys.executable, str(ROOT / "scripts" / "reproduce.py"), *arguments]


def ran(folder, *arguments):
    """Run the script in a folder."""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=surroundings,
        text=True,
        capture_output=True,
        timeout=200,
    )


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    """Return the script's output about the solved game, and the folder it ran in."""
    folder = tmp_path_factory.mktemp("ground")
    return ran(folder, "--only", "ground", "--json", "--jobs", "1", "--out", "o"), folder


def test_every_row_is_found_by_a_job_of_its_source_or_says_why_not():
    for source in reproduction.SOURCES:
        module = reproduction.load(source)
        assert len({row.id for row in module.ROWS}) == len(module.ROWS)
        assert {row.job for row in module.ROWS if row.job} == set(module.JOBS)
        for row in module.ROWS:
            assert row.id.startswith(f"{source}.")
            assert row.job or "not re-run" in row.note
            player, _, key = row.repaired.partition("/")
            assert not player or (key and player.split(":")[0] in {*LEARNERS, *PLAYERS})
            assert len({len(part) for part in (row.known, row.band) if part}) <= 1
            assert row.least <= max(module.JOBS[row.job].amounts if row.job else [0])
        for job in module.JOBS.values():
            assert list(job.amounts) == sorted(job.amounts)
            assert min(job.amounts) >= 1


def test_the_claims_are_those_of_the_sources():
    assert {id: ROWS[id][1].claimed for id in CLAIMED} == CLAIMED
    assert ROWS["S0.weights"][1].known[0] == -0.464049
    assert ROWS["S0.twice"][1].known == (0.843,)


@pytest.mark.parametrize(("source", "job"), CHEAP)
def test_what_has_no_chance_in_it_is_as_published_and_as_the_summary_has_it(source, job):
    found = found_by(source, job)
    amount = reproduction.load(source).JOBS[job].amounts[0]
    summary = {row["id"]: row for row in json.loads(SUMMARY.read_text())["rows"]}
    own = [row for row in reproduction.load(source).ROWS if row.job == job]
    assert own
    for row in own:
        assert holds(row, found[row.key], amount), row.id
        assert summary[row.id]["published"] == pytest.approx(found[row.key], abs=1e-9), row.id


@pytest.mark.parametrize(
    ("source", "job"),
    [
        (source, job)
        for source in reproduction.SOURCES
        for job in reproduction.load(source).JOBS
        if (source, job) not in CHEAP
    ],
)
def test_every_other_job_finds_what_its_rows_ask_for_after_a_single_step_too(source, job):
    found = work.run_one(work.Piece(Task(source, job, 1, 0, None), None), QUIET)["found"]
    for row in (row for row in reproduction.load(source).ROWS if row.job == job):
        known = {row.key, f"repaired {row.key}", f"note {row.key}"} & set(found)
        assert known or "needs --moves-csv" in row.note, row.id


def test_the_summary_holds_every_row_and_none_that_misses():
    summary = json.loads(SUMMARY.read_text())
    assert (summary["rules"], summary["mode"], summary["missed"]) == ("3,3,3", "default", [])
    assert [row["id"] for row in summary["rows"]] == list(ROWS)
    for told in summary["rows"]:
        source, row = ROWS[told["id"]]
        assert (told["source"], told["claimed"]) == (source, list(row.claimed))
        assert told["tolerance"] == tolerance(row)
        if row.repaired.endswith("/worst"):
            assert told["repaired"] == [0, 0]


@pytest.mark.parametrize(
    ("row", "found", "amount", "verdict"),
    [
        (Row("a.b", "", claimed=(1, 2), within=0), (1, 2), 1, True),
        (Row("a.b", "", claimed=(1, 2), within=0), (1, 2.001), 1, False),
        (Row("a.b", "", claimed=(0.6,), known=(0.5,)), (0.5,), 1, True),
        (Row("a.b", "", claimed=(0.6,), known=(0.5,)), (0.6,), 1, False),
        (Row("a.b", "", claimed=(0.6,), band=((0.5, 0.7),)), (0.5,), 1, True),
        (Row("a.b", "", claimed=(0.6,), band=((0.5, 0.7),)), (0.49,), 1, False),
        (Row("a.b", "", claimed=(0.6,), least=10), (0.5,), 9, None),
        (Row("a.b", "", claimed=(0.6,), least=10), (0.5,), 10, False),
        (Row("a.b", "", claimed=(0.6,)), None, 1, None),
        (Row("a.b", "", claimed=(0.6,), within=None), (0.5,), 1, None),
        (Row("a.b", ""), (0.5,), 1, None),
    ],
)
def test_rows_are_judged_by_what_is_known_within_their_tolerance(row, found, amount, verdict):
    assert holds(row, found, amount) is verdict


def test_a_sampled_claim_is_told_in_standard_errors():
    row = Row("a.b", "", claimed=(0.6010, 0.2890, 0.11), games=1000)
    assert scores(row, (737 / 1260, 121 / 420, 8 / 63)) == [1.03, 0.06, -1.61]
    assert scores(row._replace(band=((0, 1),) * 3), (0.5, 0.5, 0.5)) == []


def test_the_script_tells_and_writes_the_same(ground):
    told, folder = ground
    assert (told.returncode, told.stderr) == (0, "")
    result = json.loads(told.stdout)
    assert result == json.loads((folder / "o" / "reproduce.json").read_text())
    assert [p.name for p in folder.rglob("*") if p.is_file()] == ["reproduce.json"]
    assert [row["id"] for row in result["rows"]] == [id for id in ROWS if id.startswith("ground.")]
    assert all(row["holds"] for row in result["rows"])
    assert not result["missed"]


def test_a_row_off_its_tolerance_is_named_and_the_status_is_1(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(work, "holds", lambda row, found, amount: row.id != "ground.cached")
    with pytest.raises(SystemExit) as end:
        reproduce.main(["--out", str(tmp_path), "--only", "ground", "--jobs", "1"])
    assert end.value.code == 1
    told = capsys.readouterr()
    assert told.err.endswith("reproduce.py: not within tolerance: ground.cached\n")
    assert "5,478 / 4,520" in told.out


def test_the_table_of_a_source_is_shown_as_soon_as_its_jobs_are_done(tmp_path, monkeypatch):
    order = []
    found = {row.key: [0.0] for _, row in ROWS.values()}

    def run_all(todo, workers, kept, quiet, ended):
        for number, task in enumerate(todo):
            order.append(task.arguments.task.source)
            ended(TaskResult(number, task, {"found": found, "seconds": 1.0}))
        return []

    monkeypatch.setattr(reproduce.workers, "run_all", run_all)
    monkeypatch.setattr(work, "holds", lambda row, found, amount: True)
    monkeypatch.setattr(work, "scores", lambda row, found: [])
    given = reproduce.Arguments(only=("ground", "S4"), out=tmp_path)
    reproduce.reproduce(given, "default", lambda source, rows: order.append(f"shown {source}"))
    jobs = reproduction.load("ground").JOBS
    assert [order.count(one) for one in ("ground", "shown ground", "shown S4")] == [len(jobs), 1, 1]
    last = max(place for place, one in enumerate(order) if one == "ground")
    assert order[last + 1] == "shown ground"
    assert order[-1] == "shown S4"


def test_a_training_is_judged_by_the_median_of_its_seeds():
    seeds = [task.seed for task in work.tasks(("S4",), "default", 7, None) if task.job == "nets"]
    assert seeds == [7, 8, 9, 10, 11]
    assert [t.seed for t in work.tasks(("S4",), "quick", 7, None) if t.job == "nets"] == [7]
    found = [{"a": [n, -n], "note a": f"of {n}"} for n in (3, 1, 10, 2, 5)]
    assert work.merged(found) == {"a": [3, -3], "note a": "of 3"}


def test_a_readme_gets_the_main_rows_between_its_marks_and_keeps_the_rest(tmp_path):
    rows = json.loads(SUMMARY.read_text())["rows"]
    readme = tmp_path / "README.md"
    begin, end = "<!-- published: begin -->\n", "<!-- published: end -->"
    readme.write_text(f"# A\n{begin}what was there\n{end}\nrest\n")
    for _ in range(2):
        readme_blocks.put(readme, "published", tables.markdown(rows))
        text = readme.read_text()
        assert text.startswith(f"# A\n{begin}| number |")
        assert text.endswith(f"{end}\nrest\n")
        assert "what was there" not in text
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.count("|") for line in lines}) == 1
    assert len(lines) == 1 + len(reproduction.SOURCES) + sum(row["main"] for row in rows)
    assert "60.10 / 28.90 / 11.00" in text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--only", "S9"], "known are"),
        (["--only"], "at least one"),
        (["--only", "S0", "S0"], "once"),
        (["--quick", "--full"], "not both"),
        (["--jobs", "0"], "--jobs"),
        (["--seed", "-1"], "seed"),
        (["--colour"], "--colour"),
        (["--moves-csv", "none.csv"], "none.csv"),
        (["--moves-csv", str(ROOT / "LICENSE")], "LICENSE"),
    ],
)
def test_wrong_input_ends_with_one_line_before_anything_is_run(
    arguments, named, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["reproduce.py", *arguments])
    with pytest.raises(SystemExit) as end:
        reproduce.console.run(reproduce.main, reproduce.PROG)
    told = capsys.readouterr()
    assert (end.value.code, told.out) == (2, "")
    assert re.fullmatch(r"reproduce.py: [^\n]+\n", told.err), told.err
    assert named in told.err
    assert not list(tmp_path.iterdir())


def test_an_interrupt_ends_it_with_one_line_and_writes_no_results(tmp_path):
    """Only pieces that were finished are kept, for the run that goes on."""
    with subprocess.Popen(
        command("--only", "S4", "--json", "--jobs", "2", "--out", "o"),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert has_children(child.pid, 2)
        time.sleep(1)  # in the midst of 3,000 rounds
        os.killpg(child.pid, signal.SIGINT)
        out, complaint = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    assert complaint == "\nreproduce.py: interrupted\n"
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in written} <= {tmp_path / "o" / reproduce.FINISHED}


def test_the_cookbooks_file_is_counted_with_its_bad_rows(tmp_path):
    file = tmp_path / "moves.csv"
    file.write_text(
        "0,0,0,0,-1,0,0,0,0,0\n"  # good: 4 images of this pair, on 1 board
        "0,0,0,0,-1,0,0,0,0,2\n"  # an image of it
        "0,0,0,0,0,-1,0,0,0,6\n"  # a draw given away: 8 pairs on 4 boards, 2 to each
        "0,0,0,0,0,-1,0,0,0,4\n"  # optimal on the same: 4 pairs
        "-1,1,-1,0,1,0,0,1,0,3\n"  # won already: 8 pairs on 8 boards but for its mirror: 4 boards
        "no,row\n"
    )
    job = reproduction.load("S3").JOBS["file"]
    found = job.run(Task("S3", "file", 1, 0, str(file)), lambda done, of: None)
    assert found["rows"] == (5, 3)
    pairs, boards, several, mixed = found["pairs"]
    assert (pairs, boards) == (4 + 8 + 4 + 8, 1 + 4 + 4)
    assert (several, mixed) == (1 + 4 + 4, 4)


def test_the_data_set_of_supervised_is_exported_and_read_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    train.main(["supervised", "--export-csv", "moves.csv"])
    moves, complaints = read_csv(Rules(), tmp_path / "moves.csv")
    assert not complaints
    assert len(moves.boards) == (solved_positions(Rules()).labels > 0).sum()
    assert str(len(moves.boards)) in capsys.readouterr().out
    for name, complaint in (("supervised", "exists already"), ("td0", "is for supervised")):
        with pytest.raises(ValueError, match=complaint):
            train.main([name, "--export-csv", "moves.csv"])
    assert [p.name for p in tmp_path.iterdir()] == ["moves.csv"]
