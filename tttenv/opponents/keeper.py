"""Starts a program and ends it, with all that it started, as soon as its player is gone.

A program of its own, which stands between a player and the program that it asks:

    python keeper.py LIFE NEWS PLAYER COMMAND...

LIFE is a pipe that the player holds open: a byte or its end means that the program has to end.
NEWS is a pipe to the player: "+" once the keeper runs, then the number of the error if the command
cannot be executed, then the end. PLAYER is the player's process. Standard input, output and error
are the program's. The keeper ends as the program ended, by the same status or signal.

Why a process and not the parent-death signal of Linux alone: that signal reaches the program but
not its children, it is sent when the thread that started the program ends rather than the process,
it has to be asked for between fork and exec, where code is unsafe in a process with threads, and
other systems have none.
"""

import contextlib
import errno
import os
import select
import signal
import sys

IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)  # they are meant for the program


def main(life: int, news: int, player: int, command: list[str]) -> None:
    """Start the program, wait until it or its player ends, and leave nothing of it behind."""
    for pipe in (life, news):
        os.set_inheritable(pipe, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *IGNORED):
        signal.signal(number, lambda *_: None)  # exec sets handled signals back, ignored ones not
    watched = select.poll()
    for file in (life, woken, *_watch(player)):
        watched.register(file, select.POLLIN)
    os.write(news, b"+")
    if os.getppid() != player:  # it ended before it could be watched
        return
    program = os.fork()
    if not program:
        _execute(command, news)
    os.close(news)
    _let_go_of_the_pipes()
    while not _has_ended(program):
        ready = {file for file, _ in watched.poll()}
        if ready != {woken}:
            break
        os.read(woken, 4096)
    _kill(program)
    _end_alike(os.waitpid(program, 0)[1])


def _watch(player: int) -> list[int]:
    """A file that is ready to read once the player is gone, where the system has such files.

    Elsewhere LIFE alone tells of it, which a process that the player forked may hold open longer.
    """
    try:
        return [os.pidfd_open(player)]
    except (AttributeError, OSError):
        return []


def _execute(command: list[str], news: int) -> None:
    """In the child: become the program, in a session of its own, or tell why not."""
    try:
        os.setsid()
        for name in ("SIGPIPE", "SIGXFZ", "SIGXFSZ"):  # Python ignores them, others do not
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:  # an empty name is a ValueError
        os.write(news, str(getattr(error, "errno", errno.ENOENT)).encode())
    finally:
        os._exit(127)


def _let_go_of_the_pipes() -> None:
    """Hold none of the program's pipes: who reads them has to see that the program closed them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _has_ended(program: int) -> bool:
    """Whether it has ended; its number stays taken until `os.waitpid`."""
    return os.waitid(os.P_PID, program, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(program: int) -> None:
    """End it with its group; no group is there yet if it has not come to its session."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(program, signal.SIGKILL)


def _end_alike(status: int) -> None:
    """End as the program ended, without a core file of this process."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
