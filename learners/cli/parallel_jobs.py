"""Several jobs at the same time, a core each, with a progress bar for each; mostly trainings."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from tttenv.cli import console


class Job(NamedTuple):
    """One training: a learner's name and seed, and the folder its player goes to."""

    learner: str
    seed: int
    folder: Path
    shorter: int  # train one step in so many of the usual number


MARK = ".benchmark"  # in folders that the benchmark made and may replace
MOST_BARS = 20  # of more jobs, only those at work show a bar
_news: Any = None  # in a worker: where its progress goes


def train_all(jobs: list[Job], workers: int, quiet: bool) -> list[dict[str, Any]]:
    """Train all jobs and return what came out, in the order of the jobs.

    Which job ran beside which makes no difference to the results but for the seconds.
    """
    return run_all(train_one, jobs, [f"{job.learner} {job.seed}" for job in jobs], workers, quiet)


def run_all(
    work: Callable[[int, Any], dict[str, Any]],
    jobs: list[Any],
    names: list[str],
    workers: int,
    quiet: bool,
) -> list[dict[str, Any]]:
    """Do `work(number, job)` for all jobs and return what came out, in the order of the jobs.

    Args:
        work: a function of a module; in what it returns stands under "steps" how far its bar goes.
        jobs: what can be pickled.
        names: a bar each.
        workers: processes, an interrupt of which is left to this one.
        quiet: show no bars.
    """
    context = get_context("spawn")
    news = context.Queue()
    with (
        _progress(quiet) as bars,
        ProcessPoolExecutor(min(workers, len(jobs)), context, _listen, (news,)) as pool,
    ):
        shown = len(jobs) <= MOST_BARS
        whole = bars.add_task("all", total=len(jobs), state="jobs", visible=not shown)
        tasks = [bars.add_task(n, total=None, state="waiting", visible=shown) for n in names]
        futures = [pool.submit(work, number, job) for number, job in enumerate(jobs)]
        try:
            _follow(futures, news, bars, tasks, whole)
        except BaseException:  # an interrupt, too, ends the workers
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in processes:
                worker.terminate()
            raise
        return [future.result() for future in futures]


def train_one(number: int, job: Job) -> dict[str, Any]:
    """Train one job in this process, telling of every measure."""
    from learners.registry import LEARNERS
    from learners.training.loop import Evaluation, usual_schedule
    from learners.training.train import remove, train
    from tttenv import Rules

    usual = usual_schedule(job.learner)
    steps = None if job.shorter == 1 else max(usual.every, usual.steps // job.shorter)
    schedule = usual_schedule(job.learner, steps=steps, stop_when_unbeatable=True)
    config = LEARNERS.load(job.learner).Config(seed=job.seed)
    if job.folder.exists() and not (job.folder / MARK).exists():
        raise ValueError(f"{job.folder} is not the benchmark's: choose another folder with --runs")
    remove(job.folder)
    (job.folder / MARK).touch()

    def tell(report: Evaluation) -> None:
        tell_of(number, report.step, schedule.steps, console.standing(report.numbers))

    report = train(job.learner, config, Rules(), schedule, job.folder, watch=tell)
    return {
        "learner": job.learner,
        "seed": job.seed,
        "folder": str(job.folder),
        "steps": report.step,
        "seconds": report.seconds,
        "unbeatable_at": report.unbeatable_at,
        "certificate": None if report.certificate is None else report.certificate.to_dict(),
    }


def tell_of(number: int, step: int, steps: int, state: str) -> None:
    """In a worker: how far the job of this number is, and a few words on how it stands."""
    if _news is not None:
        _news.put((number, step, steps, state))


def _listen(news: Any) -> None:
    """In a worker: where to tell of progress; an interrupt is the main process's to handle.

    A worker whose main process is gone, however it went, has nobody to work for.
    """
    global _news
    _news = news
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_outlive_nobody, daemon=True).start()


def _outlive_nobody() -> None:
    main = parent_process()
    if main is not None:
        main.join()
        os._exit(1)


def _follow(futures: list[Future[Any]], news: Any, bars: Any, tasks: list[Any], whole: Any) -> None:
    """Show what the workers tell until all are done; the first failure is raised."""
    going, crowded = set(futures), len(futures) > MOST_BARS
    while going:
        done, going = wait(going, timeout=0.1, return_when=FIRST_COMPLETED)
        try:
            while True:
                number, step, total, state = news.get_nowait()
                bars.update(tasks[number], completed=step, total=total, state=state, visible=True)
        except Empty:
            pass
        for future in done:
            future.result()
            bars.update(tasks[futures.index(future)], visible=not crowded)
            bars.advance(whole)
    for future, task in zip(futures, tasks, strict=True):
        steps = future.result()["steps"]
        bars.update(task, completed=steps, total=steps)


def _progress(quiet: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
        console=Console(stderr=True),
        disable=quiet,
    )
