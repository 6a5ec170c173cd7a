"""Executor on Ray, on a cluster of three nodes on one machine; run by `make test-ray`."""

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # ray calls home otherwise
os.environ["RAY_DEDUP_LOGS_SKIP_REGEX"] = "."  # as ray_cluster.py sets before it imports ray
os.environ["RAY_AUTH_MODE"] = "disabled"  # whatever token another cluster left
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # a warning otherwise

import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from tests import acting
from tests import parallel_work as work
from tests.parallel_work import tasks_of
from tttenv.parallel.processes import Processes
from tttenv.parallel.ray_cluster import RayCluster
from tttenv.parallel.tasks import ATTEMPTS, ResultsFolder, Task, run

ROOT = Path(__file__).parents[2]
NODES = 3  # of a core each
MEGABYTES = 10**6
LONGEST = 300  # seconds of a script on a busy machine
TIME_LIMIT = 60  # seconds in which a driver that was asked to end has ended, and its tasks too


def processes(*options):
    """Return the ids of the processes that pgrep finds."""
    found = subprocess.run(["pgrep", *options], capture_output=True, text=True).stdout
    return [int(number) for number in found.split()]


def kill(number):
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


class Nodes:
    """Cluster whose nodes can be removed and added."""

    def __init__(self):
        self.cluster = Cluster()
        self.head = self._started(include_dashboard=False)
        self.others = [self._started() for _ in range(NODES - 1)]
        self.address = self.cluster.address

    def lose(self):
        """Remove one node at once, with all that runs there."""
        node = self.others.pop()
        running = processes("-P", str(raylet(node)))
        self.cluster.remove_node(node, allow_graceful=False)
        for number in running:
            kill(number)

    def add(self):
        """Add a node; works only in the main thread."""
        self.others.append(self._started())

    def replace(self):
        """Remove one node and add another one."""
        self.lose()
        self.add()

    def at_work(self):
        """Return the ids of the processes that run a task of the executor."""
        raylets = ",".join(str(raylet(node)) for node in [self.head, *self.others])
        return processes("-P", raylets, "-f", "^ray::_perform")

    def _started(self, **more):
        return self.cluster.add_node(num_cpus=1, object_store_memory=100 * MEGABYTES, **more)


def raylet(node):
    """Return the process id of a node."""
    (found,) = node.all_processes["raylet"]
    return found.process.pid


@pytest.fixture(scope="module")
def nodes():
    """Yield a cluster that programs here find, hiding those of others on this machine."""
    with tempfile.TemporaryDirectory(prefix="ray-") as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", place)
        made = Nodes()
        yield made
        ray.shutdown()
        made.cluster.shutdown()


def outcomes(tasks, backend, results=None):
    with backend:
        return sorted(run(tasks, backend, results), key=lambda outcome: outcome.number)


def contents(folder):
    return {f.relative_to(folder): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def script(name, *arguments, **environment):
    """Return one of our scripts, running in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_results_are_those_of_processes_bit_for_bit(nodes, tmp_path):
    kept = []
    for name, backend in (
        ("1", Processes(1)),
        ("one in flight", RayCluster(nodes.address, most=1)),
        ("all", RayCluster(nodes.address)),
    ):
        folder = tmp_path / name
        found = outcomes(tasks_of(work.drawn), backend, ResultsFolder(folder))
        assert [outcome.error for outcome in found] == [""] * 6
        kept.append((contents(folder), [outcome.value for outcome in found]))
    assert kept[0] == kept[1] == kept[2]


def test_a_tasks_files_come_back_from_wherever_it_ran(nodes, tmp_path):
    for name, backend in (("p", Processes(2)), ("r", RayCluster(nodes.address))):
        (tmp_path / name / "1").mkdir(parents=True)
        for seed in range(3):
            (tmp_path / name / str(seed)).mkdir(exist_ok=True)
        (tmp_path / name / "1" / "old").write_bytes(b"kept")
        found = outcomes(tasks_of(work.writing, 3, tmp_path / name), backend)
        assert [outcome.value for outcome in found] == [[], ["old"], []]
    assert contents(tmp_path / "p") == contents(tmp_path / "r")
    assert len(contents(tmp_path / "r")) == 7


@pytest.mark.parametrize("deaths", [1, ATTEMPTS])
def test_a_killed_workers_task_runs_again(nodes, tmp_path, deaths):
    tasks = tasks_of(work.drawn)
    tasks[2] = Task("dying", work.dying, {"seed": 2, "notes": str(tmp_path), "deaths": deaths})
    found = outcomes(tasks, RayCluster(nodes.address))
    expected = [outcome.value for outcome in outcomes(tasks_of(work.drawn), Processes(1))]
    if deaths == ATTEMPTS:
        assert found[2].error.startswith("dying: its worker was lost: ")
        expected[2] = None
    assert [outcome.value for outcome in found] == expected


def test_a_lost_nodes_tasks_run_again_elsewhere(nodes, tmp_path):
    def disturb():
        while len(list(tmp_path.glob("*.begun"))) < NODES:  # until each node is at a task
            time.sleep(0.05)
        nodes.lose()
        (tmp_path / "go").touch()

    tasks = tasks_of(work.watched, 9, notes=str(tmp_path))
    with RayCluster(nodes.address) as backend:
        threading.Thread(target=disturb, daemon=True).start()
        found = sorted(run(tasks, backend), key=lambda outcome: outcome.number)
    nodes.add()
    undisturbed = outcomes(tasks_of(work.drawn, 9), Processes(2))
    assert [outcome.error for outcome in found] == [""] * 9
    assert [outcome.value for outcome in found] == [outcome.value for outcome in undisturbed]
    assert len(list(tmp_path.glob("*.begun"))) == 10
    assert len(list(tmp_path.glob("*.ended"))) == 9


@pytest.mark.parametrize("name", list(acting.ACTING))
def test_a_learner_learns_the_same_on_the_nodes_and_if_one_is_lost(nodes, name):
    with RayCluster(nodes.address) as backend:
        found = acting.learned(name, backend, backend, nodes.lose)
    nodes.add()
    assert found == acting.learned(name)


def test_what_ray_prints_of_lost_nodes_is_not_among_the_results(nodes, capsys):
    with RayCluster(nodes.address):
        nodes.replace()
        time.sleep(2)
        print("a result")
    assert capsys.readouterr().out == "a result\n"


def test_a_node_with_other_code_refuses_its_tasks(nodes, monkeypatch):
    task = tasks_of(work.drawn, 1)[0]
    with RayCluster(nodes.address) as backend:
        monkeypatch.setattr("tttenv.parallel.ray_cluster.code_version", lambda package: {"x": "1"})
        (found,) = run([task], backend)
    assert "has another version of" in found.error


def test_an_address_without_a_cluster_is_told_in_a_line(nodes, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "no address")
    with pytest.raises(ValueError, match="no Ray cluster answers at no address: "):
        outcomes([], RayCluster("auto"))
    with pytest.raises(ValueError, match="no Ray cluster answers at nobody: "):
        outcomes([], RayCluster("nobody"))


SWEEP = ["td0", "qtable", "--seeds", "6", "--steps", "40", "--grid", "games=64", "--json"]


def places(folder):
    return ["--out", folder / "o", "--runs", folder / "r"]


def results(folder):
    return {f.name: f.read_bytes() for f in folder.glob("r/.finished/[0-9a-f]*.json")}


def wait_until(reached, child):
    """Wait until a condition holds while a script runs."""
    until = time.monotonic() + LONGEST
    while not reached():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until, f"{child.args} does nothing"
        time.sleep(0.05)


def finish_more(child, folder, kept):
    """Wait until one more training is done."""
    wait_until(lambda: len(results(folder)) > len(kept), child)


def test_a_sweep_whose_driver_ends_leaves_no_task_at_work_and_loses_none_that_is_done(
    nodes, tmp_path
):
    arguments, kept = [*SWEEP, *places(tmp_path)], {}
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        child = script("sweep.py", *arguments, "--ray", "auto", RAY_ADDRESS=nodes.address)
        finish_more(child, tmp_path, kept)
        os.killpg(child.pid, number)
        out, complaint = child.communicate(timeout=TIME_LIMIT)
        assert out == ""
        assert child.returncode == status, complaint[-2000:]
        until = time.monotonic() + TIME_LIMIT
        while nodes.at_work():
            assert time.monotonic() < until, "a task is still at work"
            time.sleep(0.1)
        now = results(tmp_path)
        assert now.items() >= kept.items()  # what was done before has not run again
        kept = now


def test_ray_tune_finds_the_numbers_of_the_sweep_by_the_recipe_of_the_docs(
    nodes, tmp_path, monkeypatch
):
    text = (ROOT / "docs" / "how-to" / "sweeps.md").read_text(encoding="utf-8")
    section = text.partition("\n## Training under Ray Tune\n")[2].partition("\n## ")[0]
    (command,) = re.findall(r"`sweep\.py ([^`]*)`", section)
    (recipe,) = re.findall(r"```python\n(.*?)```", section, re.S)
    monkeypatch.chdir(tmp_path)
    child = script("sweep.py", *command.split(), "--json")
    names = {}
    with RayCluster(nodes.address):
        exec(recipe, names)
    out, complaint = child.communicate(timeout=LONGEST)
    assert (child.returncode, complaint) == (0, "")
    sweep = {
        (row["changes"]["games"], row["seed"]): [
            *(row["worst_case_X"], row["worst_case_O"], row["unbeatable_steps"])
        ]
        for row in json.loads(out)["trainings"]
    }
    assert not names["results"].errors
    tuned = {
        (result.config["games"], result.config["seed"]): [
            result.metrics[name] for name in ("X", "O", "unbeatable_steps")
        ]
        for result in names["results"]
    }
    assert tuned == sweep
    assert len(sweep) == len(list(tmp_path.glob("runs/tune/*/card.json"))) == 4
