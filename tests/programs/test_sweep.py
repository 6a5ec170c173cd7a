"""Sweeps: tried settings, and results that do not depend on the workers."""

import gc
import json
from contextlib import suppress

import pytest
from faults import Death, failing
from processes import run_script

from learners.cli import sweep, trainings
from learners.training.run import Schedule
from tttenv import certify, player
from tttenv.game.rules import Rules
from tttenv.parallel.tasks import Context
from tttenv.players.stored.checkpoint import read_card


def settings(*learners, **more):
    return sweep.settings(sweep.Arguments(learners, **more), "sweep.py")


def ran(folder, *arguments, status=0):
    """Run the script in a folder."""
    told = run_script("sweep.py", *arguments, cwd=folder)
    assert told.returncode == status, told.stderr
    return told


def test_a_grid_is_every_combination_in_order_and_none_twice():
    found = settings("dqn", grid=["lr=1e-3,3e-3,0.001", "games=32,64"])
    assert [one.changes for one in found] == [
        {"lr": lr, "games": games} for lr in (1e-3, 3e-3) for games in (32, 64)
    ]
    assert found[0].name == "dqn lr=0.001 games=32"
    found = settings("dqn", "reinforce", presets=["default"], rules=["3,3,3", "4,4,4"])
    assert [one.name for one in found] == ["dqn", "dqn 4,4,4", "reinforce", "reinforce 4,4,4"]


def test_folders_have_names_of_their_own_that_lead_nowhere_else():
    words = ["random", "mcts:iterations=5/../x", "mcts:iterations=5 ../x", "a b", "a-b"]
    found = [
        trainings.Setting("dqn", "default", "3,3,3", {"opponent": word})
        for word in [*words, "long" * 100, "long" * 101]
    ]
    names = [one.folder(seed) for one in found for seed in (1, 11)]
    assert len(set(names)) == len(names)
    assert all(len(name) < 120 and "/" not in name and name[0] != "." for name in names)


def test_a_grid_of_too_many_trainings_is_refused_before_anything_is_trained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = ",".join(map(str, range(1, 400)))
    with pytest.raises(ValueError, match="more than 100,000"):
        sweep.main(["dqn", "--grid", f"games={values}", "--grid", f"batch={values}"])
    assert not list(tmp_path.iterdir())


def test_summaries_are_medians_and_quartiles_of_the_seeds_that_got_there():
    blank = {"learner": "td0", "worst_case_X": 0.0, "worst_case_O": -1.0, "error": ""}
    blank |= {"unbeatable_at": None, "perfect_at": None}
    rows = [blank | {"unbeatable_at": (steps, 1)} for steps in (10, 20, 30, 40, 90)]
    rows += [blank, blank | {"error": "failed"}]
    found = trainings.summary("some", rows)
    assert (found["seeds"], found["unbeatable"], found["failed"]) == (7, 5, 1)
    assert (found["median_steps"], found["quartiles_steps"]) == (30, [20.0, 40.0])
    assert (found["worst_case_X"], found["worst_case_O"]) == (0.0, -1.0)


SMALL = ["td0", "qtable", "--seeds", "2", "--grid", "games=16,32", "--steps", "12", "--json"]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Return the results of a sweep by one worker, and its folder."""
    folder = tmp_path_factory.mktemp("sweep")
    return ran(folder, *SMALL, "--jobs", "1").stdout, folder


def test_more_seeds_add_to_what_is_there_and_nothing_is_computed_twice(done):
    text, folder = done
    cards = {card: card.stat().st_mtime_ns for card in folder.glob("runs/sweep/*/card.json")}
    more = [*SMALL[:2], "--seeds", "3", *SMALL[4:]]
    again = json.loads(ran(folder, *more).stdout)["trainings"]
    assert [row for row in again if row["seed"] < 2] == json.loads(text)["trainings"]
    assert len(again) == 12
    assert {card: card.stat().st_mtime_ns for card in cards} == cards


def test_results_are_those_of_the_checkpoints_as_json(done):
    text, folder = done
    found = json.loads(text)
    assert json.loads((folder / "results" / "sweep.json").read_text()) is not None
    rows = found["trainings"]
    assert [row["setting"] for row in rows[::2]] == [
        f"{name} games={games}" for name in ("td0", "qtable") for games in (16, 32)
    ]
    for row in rows:
        card = read_card(folder / row["folder"])
        assert card["config"]["games"] == row["changes"]["games"]
        assert (card["steps"], card["config"]["seed"]) == (row["steps"], row["seed"])
        worst = certify(Rules(), player(str(folder / row["folder"]))).worst_case
        assert worst == {"X": row["worst_case_X"], "O": row["worst_case_O"]}


def test_a_failed_training_is_named_and_the_others_are_told(tmp_path):
    told = ran(
        tmp_path, "td0", "--rules", "3,3,3", "4,4,4", "--seeds", "1", "--steps", "1", status=1
    )
    lines = [line for line in told.stdout.splitlines() if " seed 0: " in line]
    assert len(lines) == 2
    assert sum("failed: " in line for line in lines) == 1
    assert "sweep.py: 1 of 2 trainings failed, the first one: " in told.stderr


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "runs/sweep/td0-0").mkdir(parents=True)
    (tmp_path / "runs/sweep/td0-0/mine").touch()
    told = ran(tmp_path, "td0", "--seeds", "1", status=2)
    assert (
        "was not created by this command: choose another folder with --runs"
        in told.stderr.replace("\n  ", " ")
    )
    assert (tmp_path / "runs/sweep/td0-0/mine").exists()


def test_a_training_killed_while_its_folder_is_cleared_runs_again_to_the_same_end(tmp_path):
    (setting,) = settings("td0", grid=["games=4"])
    run, older = (setting.run(seed, Schedule(4, 2, 2)) for seed in (0, 1))

    def one(folder):
        return trainings.train_one(run, Context(print, folder))

    one(tmp_path / "alone" / "td0-0")
    expected = [file.read_bytes() for file in tmp_path.glob("alone/td0-0/weights-*")]
    call, begun = 0, False
    while not begun:
        runs = tmp_path / str(call)
        if call % 2:  # there is a finished training of another seed in the folder
            trainings.train_one(older, Context(print, runs / "td0-0"))
        with suppress(Death), failing(runs, call) as faults:
            one(runs / "td0-0")
        gc.collect()  # its lock is gone, as that of a dead process
        assert faults.dead
        folder = runs / "td0-0"  # it is ours, even if it has no mark yet
        assert trainings._made_here(folder) or not folder.exists()
        if faults.calls[-1] != "os.truncate lock~":  # whose file this process would hold open
            one(runs / "td0-0")
            assert [file.read_bytes() for file in runs.glob("td0-0/weights-*")] == expected
        begun, call = "fsync state~" in faults.calls, call + 1
    assert call > 16
