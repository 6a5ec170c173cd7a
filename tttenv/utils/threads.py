"""Work in threads that an interrupt or the end of its time does not wait for."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


def in_threads(
    work: Callable[..., _T],
    items: list[tuple[Any, ...]],
    threads: int,
    seconds: float | None = None,
) -> list[_T]:
    """Return the results of `work` for the arguments in `items`, computed in several threads.

    Neither an interrupt nor the end of the time waits for threads that are running: a server may
    send one byte every few seconds, even in the headers. What `work` raises is raised here.

    Args:
        work: called with the arguments of each item; no further item begins after an error.
        items: the arguments of each call.
        threads: how many at the same time.
        seconds: for which each thread is waited for; None for as long as it takes.

    Returns:
        The results in the order of the items.

    Raises:
        TimeoutError: if a thread is still running after its `seconds`.
    """
    if threads == 1 and seconds is None:
        return [work(*item) for item in items]
    waiting = iter(range(len(items)))  # each thread takes the next number
    found: dict[int, _T] = {}
    failed: list[BaseException] = []

    def run() -> None:
        for number in waiting:
            if failed:
                return
            try:
                found[number] = work(*items[number])
            except BaseException as error:  # raised again in the caller's thread
                failed.append(error)

    running = [Thread(target=run, daemon=True) for _ in range(min(threads, len(items)))]
    try:
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(seconds)
    except BaseException as error:
        failed.append(error)
        raise
    if failed:
        raise failed[0]
    if any(thread.is_alive() for thread in running):
        raise TimeoutError(f"not done within {seconds:g} s")
    return [found[number] for number in range(len(items))]
