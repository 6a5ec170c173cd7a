"""Watchdog that runs a program and kills its process group when the player's process ends.

The watchdog is a separate process between a player and the program that the player queries:

    python watchdog.py LIFE NEWS PLAYER COMMAND...

LIFE is the descriptor of a pipe that the player holds open: when a byte or the end arrives, the
watchdog kills the program. NEWS is the descriptor of a pipe to the player: the watchdog writes "+"
once it runs and, if the command cannot be executed, the number of the error, then closes it. PLAYER
is the process id of the player. Standard input, output and error are passed on to the program. The
watchdog ends with the program's exit status or signal.

A process is used instead of Linux's parent-death signal, because that signal reaches the program
but not its children, is sent when the starting thread ends rather than the process, must be
requested between fork and exec, where code is unsafe in a process with threads, and is missing on
other systems.
"""

import contextlib
import errno
import os
import select
import signal
import sys

IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)  # the watchdog outlives the program


def main(life: int, news: int, player: int, command: list[str]) -> None:
    """Start the program, wait until it or its player ends, and kill its process group."""
    for pipe in (life, news):
        os.set_inheritable(pipe, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *IGNORED):
        # A handler, since exec would leave ignored signals ignored in the program.
        signal.signal(number, lambda *_: None)
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
    _close_pipes()
    while not _has_ended(program):
        ready = {file for file, _ in watched.poll()}
        if ready != {woken}:
            break
        os.read(woken, 4096)
    _kill(program)
    _exit_like_program(os.waitpid(program, 0)[1])


def _watch(player: int) -> list[int]:
    """List a descriptor that becomes readable when the player ends, on systems that support it.

    On other systems only the end of LIFE counts, which a process forked by the player may delay.
    """
    try:
        return [os.pidfd_open(player)]
    except (AttributeError, OSError):
        return []


def _execute(command: list[str], news: int) -> None:
    """Execute the program in a new session, or write the error to `news`; runs in the child."""
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


def _close_pipes() -> None:
    """Close the watchdog's copies of the program's pipes, so that readers see their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _has_ended(program: int) -> bool:
    """Return whether the program has ended; its process id is not reused before `os.waitpid`."""
    return os.waitid(os.P_PID, program, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(program: int) -> None:
    """Kill the program's process group, and the program itself if it has no group yet."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(program, signal.SIGKILL)


def _exit_like_program(status: int) -> None:
    """Exit with the program's exit status or signal, without writing a core file."""
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
