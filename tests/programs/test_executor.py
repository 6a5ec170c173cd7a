"""Invariants of the executor with processes: the same results when shared, lost or resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError

import pytest

from tests import parallel_work as work
from tests.parallel_work import tasks_of
from tttenv.cli import workers
from tttenv.cli.workers import Workers
from tttenv.parallel.processes import Processes
from tttenv.parallel.ray_cluster import pack, unpack
from tttenv.parallel.tasks import ATTEMPTS, LONGEST, ResultsFolder, Task, description, key, run
from tttenv.utils import optional_dependencies

ROOT = Path(__file__).parents[2]
# A run of its own: python -c DRIVER NOTES RESULTS FUNCTION COUNT SECONDS WORKERS
DRIVER = """
import json, sys
from pathlib import Path
from tests import parallel_work
from tttenv.cli import console, workers
from tttenv.parallel.tasks import Task

def main(args):
    notes, results, name, count, seconds, jobs = args
    given = [{"seed": n, "notes": notes, "seconds": float(seconds)} for n in range(int(count))]
    tasks = [Task(f"task {g['seed']}", getattr(parallel_work, name), g) for g in given]
    options = workers.Workers(jobs=int(jobs))
    done = workers.run_all(tasks, options, Path(results), quiet=True)
    print(json.dumps(workers.values(done)))

if __name__ == "__main__":
    console.run(main, "driver")
"""


def outcomes(tasks, number=2, results=None):
    with Processes(number) as backend:
        return sorted(run(tasks, backend, results), key=lambda outcome: outcome.number)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def driver(tmp_path):
    """Yield a function that starts DRIVER in a process group of its own."""
    started = []

    def start(function, count=4, seconds=0.0, jobs=2):
        notes, results = tmp_path / "notes", tmp_path / "results"
        notes.mkdir(exist_ok=True)
        arguments = [str(notes), str(results), function, str(count), str(seconds), str(jobs)]
        script = tmp_path / "driver.py"
        script.write_text(DRIVER)
        child = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(child)
        return child, notes, results

    yield start
    for child in started:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def wait_for(folder, pattern, count):
    for _ in range(600):
        if len(list(folder.glob(pattern))) >= count:
            return
        time.sleep(0.05)
    pytest.fail(f"never {count} files {pattern}: {list(folder.iterdir())}")


def group_is_gone(child):
    for _ in range(100):
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_results_are_the_same_bit_for_bit_with_any_number_of_workers(tmp_path):
    expected, files = None, None
    for number in (1, 2, 4):
        folder = tmp_path / str(number)
        found = outcomes(tasks_of(work.drawn), number, ResultsFolder(folder))
        values = [outcome.value for outcome in found]
        assert [value["seed"] for value in values] == list(range(6))  # in the order of the tasks
        expected, files = expected or values, files or contents(folder)
        assert values == expected
        assert contents(folder) == files


def test_nothing_runs_twice_that_is_done(tmp_path):
    (notes := tmp_path / "notes").mkdir()
    results = ResultsFolder(tmp_path / "results")
    tasks = tasks_of(work.noted, notes=str(notes))
    first = outcomes(tasks[:4], 2, results)
    found = outcomes(tasks, 2, results)
    assert [outcome.value for outcome in found[:4]] == [outcome.value for outcome in first]
    assert found[0].value["sizes"] == [1, 2]  # as JSON gives it back, reused or not
    assert [outcome.reused for outcome in found] == [True] * 4 + [False] * 2
    assert sorted(int(note.name.split("-")[0]) for note in notes.iterdir()) == list(range(6))
    results.remove()
    assert not results.folder.exists()


def test_a_description_holds_all_that_a_value_depends_on(monkeypatch, tmp_path):
    @dataclass(frozen=True)
    class Arguments:
        seed: int = 0

    base = Task("a name", work.drawn, {"seed": 0})
    same = Task("another name", work.drawn, Arguments(), tmp_path)
    assert key(base) == key(same)
    others = [Task("", work.noted, {"seed": 0}), Task("", work.drawn, {"seed": 1})]
    others.append(Task("", work.drawn, {"seed": 0, "notes": ""}))
    assert len({key(task) for task in [base, *others]}) == 4
    code = description(base)["code"]
    assert {"python", "numpy", "sources of tttenv", "sources of learners"} <= code.keys()
    monkeypatch.setattr(
        "tttenv.parallel.tasks.code_version", lambda package: code | {"sources of tttenv": "0"}
    )
    assert key(base) != key(others[0])
    assert description(base)["code"] != code
    with pytest.raises(ValueError, match="is not a module-level function"):
        key(Task("mine", lambda given, context: 0, {}))
    with pytest.raises(ValueError, match="mine: its arguments cannot be described"):
        key(Task("mine", work.drawn, {"seed": object()}))


def test_edited_sources_are_another_version(tmp_path, monkeypatch):
    from tttenv.parallel.tasks import code_version

    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "some_package_of_tasks"
    package.mkdir()
    (package / "__init__.py").write_text("")
    versions = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (package / "deep.py").write_text(text)
        code_version.cache_clear()
        versions.append(code_version(package.name))
    code_version.cache_clear()
    assert versions[0] == versions[2] != versions[1]


def test_damaged_files_are_ignored_and_the_task_runs_again(tmp_path):
    task = tasks_of(work.drawn, 1)[0]
    results = ResultsFolder(tmp_path)
    value = outcomes([task], 1, results)[0].value
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    drawn = str(value["drawn"][0])
    for altered in (
        text[: len(text) // 2],
        text.replace(drawn, "0.5"),
        text.replace(drawn, "NaN"),
        text.replace('"seed": 0', '"seed": 1', 1),  # of another task
        text.replace('"python": "', '"python": "1', 1),  # of other code
        "[]",
        text + " " * LONGEST,
    ):
        assert altered != text
        file.write_text(altered)
        assert results.get(task) is None, altered[:300]
    found = outcomes([task], 1, results)[0]
    assert (found.reused, found.value) == (False, value)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (work.failing, "task 1: KeyError: 'no 1\\nand more'"),
        (work.refusing, "task 1: 1 is refused"),
        (work.leaving, "task 1: SystemExit: 3"),
        (work.unheard_of, "task 1: Object of type object is not JSON serializable"),
        (work.endless_number, "task 1: Out of range float values are not JSON compliant"),
    ],
)
def test_an_error_names_its_task_and_does_not_end_the_others(function, line, tmp_path):
    tasks = tasks_of(work.drawn)
    tasks[1] = tasks_of(function)[1]
    results = ResultsFolder(tmp_path)
    found = outcomes(tasks, 2, results)
    assert found[1].error.startswith(line)
    unexpected = function in (work.failing, work.leaving)
    assert (f"in {function.__name__}\n" in found[1].traceback) == unexpected
    assert bool(found[1].traceback) == unexpected
    assert [outcome.error for n, outcome in enumerate(found) if n != 1] == [""] * 5
    assert results.get(tasks[1]) is None
    with pytest.raises(ValueError, match=r"^1 of 6 failed: task 1: "):
        workers.values(found)


@pytest.mark.parametrize("deaths", [ATTEMPTS - 1, ATTEMPTS])
def test_a_killed_workers_task_runs_again_and_no_other_does(deaths, tmp_path):
    (notes := tmp_path / "notes").mkdir()
    tasks = tasks_of(work.noted, notes=str(notes))
    tasks[2] = Task("dying", work.dying, {"seed": 2, "notes": str(notes), "deaths": deaths})
    found = outcomes(tasks, 2)
    expected = [outcome.value for outcome in outcomes(tasks_of(work.drawn), 1)]
    if deaths == ATTEMPTS:
        ended = f"dying: its worker process ended {ATTEMPTS} times, at last by SIGKILL, sent from"
        assert found[2].error.startswith(f"{ended} outside: if memory is short, ")
        expected[2] = None
    assert [outcome.value for outcome in found] == expected
    times = [len(list(notes.glob(f"{seed}-*"))) for seed in range(6)]
    assert times == [1, 1, min(deaths + 1, ATTEMPTS), 1, 1, 1]


def test_a_bounded_number_is_in_flight():
    """No task is taken from its source before there is room for it."""
    taken, ended, most = 0, 0, 0

    def source():
        nonlocal taken, most
        for task in tasks_of(work.drawn, 30):
            taken += 1
            most = max(most, taken - ended)
            yield task

    with Processes(2) as backend:
        for _ in run(source(), backend):
            ended += 1
    assert (taken, ended, most) == (30, 30, 2)


def test_a_run_that_stops_early_ends_its_tasks_and_the_next_one_gets_its_own_results(tmp_path):
    given = [{"seed": seed} for seed in (10, 11, 12)]
    sleeping = tasks_of(work.sleeping, 1, notes=str(tmp_path))
    with Processes(2) as backend:
        first = run([*sleeping, *tasks_of(work.drawn, 1)], backend)
        assert next(first).number == 1
        first.close()
        assert not backend._workers
        with pytest.raises((AttributeError, TypeError, PicklingError)):
            list(run([Task("unsent", work.drawn, lambda: None)], backend))
        found = list(run([Task("", work.drawn, one) for one in given], backend))
    assert {outcome.number: outcome.value["seed"] for outcome in found} == {0: 10, 1: 11, 2: 12}


def test_progress_is_told_of_every_task_by_its_name():
    heard = []
    with Processes(2) as backend:
        tasks = tasks_of(work.drawn, 3, seconds=0.3)
        list(run(tasks, backend, None, lambda *news: heard.append(news)))
    assert sorted(heard) == [(seed, f"task {seed}", (1, 2, "half")) for seed in range(3)]


def test_each_worker_has_as_many_threads_as_a_task_has_cores(monkeypatch):
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    names = ["OMP_NUM_THREADS", "MKL_NUM_THREADS"]
    with Processes(2, 3) as backend:
        (found,) = run([Task("", work.threads, {"names": names})], backend)
    assert found.value == dict.fromkeys(names, "3")
    assert dict(os.environ) == before
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    for options, number in (({}, 8), ({"jobs": 20}, 20), ({"cores_per_task": 3}, 2)):
        assert workers.backend(Workers(**options)).room() == number, options


@pytest.mark.parametrize(
    "options",
    [
        {"jobs": 0},
        {"cores_per_task": 10**5},
        {"gpus_per_task": float("nan"), "ray": "auto"},
        {"gpus_per_task": 1.0},  # needs Ray
    ],
)
def test_options_that_no_workers_have_are_refused_before_anything_runs(options):
    with pytest.raises(ValueError, match=next(iter(options)).replace("_", "-")):
        workers.check(Workers(**options))


def test_without_ray_asking_for_it_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError):
        workers.run_all(tasks_of(work.drawn, 1), Workers(ray="auto"), quiet=True)
    missing = ModuleNotFoundError("", name="ray")
    assert optional_dependencies.to_install(missing).endswith("pip install 'tttenv[ray]'")


def test_a_folders_files_travel_and_none_leads_out_of_it(tmp_path):
    (tmp_path / "from" / "deep").mkdir(parents=True)
    (tmp_path / "from" / "deep" / "one").write_bytes(b"1")
    (tmp_path / "from" / ".two").write_bytes(b"2")
    (tmp_path / "from" / ".lock").write_bytes(b"held")
    (tmp_path / "from" / "link").symlink_to("/etc/passwd")
    files = pack(tmp_path / "from")
    assert files == {"deep/one": b"1", ".two": b"2"}
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "old").write_bytes(b"old")
    unpack(files, tmp_path / "to")
    assert pack(tmp_path / "to") == files
    for name in ("../out", "/etc/out", "a/../../out", ""):
        with pytest.raises(ValueError, match="is not a path within the folder"):
            unpack({name: b""}, tmp_path / "to")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["at work", "starting"])
def test_an_interrupt_ends_everything_within_seconds(driver, number, when):
    child, notes, _ = driver("sleeping")
    if when == "at work":
        wait_for(notes, "*-begun", 2)
    else:
        time.sleep(0.4)
        if child.poll() is not None:
            pytest.fail(child.stderr.read())
    before = time.monotonic()
    if number == signal.SIGINT:
        os.killpg(child.pid, number)  # as Ctrl-C does: to the workers too
    else:
        child.send_signal(number)  # to it alone, not to its workers
    out, complaint = child.communicate(timeout=20)
    assert time.monotonic() - before < 10
    assert out == ""
    if when == "at work":
        assert child.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
        assert complaint == {signal.SIGINT: "\ndriver: interrupted\n", signal.SIGTERM: ""}[number]
    assert group_is_gone(child)


def test_no_finished_task_is_lost_and_no_worker_left_when_the_driver_is_killed(driver):
    child, notes, results = driver("noted", 30, 0.1)
    wait_for(results, "*.json", 5)
    child.kill()
    child.wait()
    assert group_is_gone(child)
    kept = contents(results)
    finished = {name for name in kept if not name.startswith(".")}
    assert len(finished) >= 5
    ran_before = {note.name for note in notes.iterdir()}
    child, notes, results = driver("noted", 30, 0.1)
    out, _ = child.communicate(timeout=60)
    after = {note.name for note in notes.iterdir()}
    assert len(after - ran_before) == 30 - len(finished)
    assert contents(results).items() >= {name: kept[name] for name in finished}.items()
    assert [value["seed"] for value in json.loads(out)] == list(range(30))
