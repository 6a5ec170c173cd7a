"""Ends of bots: by a signal, a kill, or a closed terminal of our process."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from processes import lives
from typist import Typist

from tttenv import Rules
from tttenv.players.programs.external import external

ROOT = Path(__file__).parents[2]
RULES = Rules()
TIME_LIMIT = 15  # seconds
DEAF = "trap '' HUP TERM INT PIPE; {family} read a; echo 4; while :; do sleep 1; done"
# What a bot that ignores signals and the end of its input starts before it answers. Each writes
# its own process and those of its children to the file PIDS.
FAMILIES = {
    "alone": "echo $$ > PIDS;",
    "with a child": "sleep 1000 & echo $$ $! > PIDS;",
    "with a deaf grandchild": "sh -c 'sleep 1000 & echo $PPID $! > PIDS; wait' & while"
    " ! [ -s PIDS ]; do sleep 0.05; done;",
}
IN_MAIN = "import tttenv; p = tttenv.player('external:command=BOT'); p(tttenv.Rules().start(1))"
IN_THREAD = (
    "import tttenv, threading; p = tttenv.player('external:command=BOT');"
    " t = threading.Thread(target=lambda: p(tttenv.Rules().start(1))); t.start(); t.join()"
)
WAIT = "; print('ready', flush=True); import time; time.sleep(1000)"
FORKED = (
    "; import os, time; copy = os.fork(); copy or time.sleep(1000)"  # the copy lives on
    "; print('copy', copy, flush=True)"
)


@pytest.fixture
def bot(tmp_path):
    """Return a function that writes a bot ignoring all signals and returns its command."""

    def write(family):
        file = tmp_path / "bot"
        text = DEAF.format(family=FAMILIES[family]).replace("PIDS", str(tmp_path / "pids"))
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return str(file)

    def pids():
        file = tmp_path / "pids"
        return [int(pid) for pid in file.read_text().split()] if file.exists() else []

    write.pids = pids
    return write


def wait_for(condition):
    until = time.monotonic() + TIME_LIMIT
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def gone(pids):
    assert pids
    return wait_for(lambda: not any(map(lives, pids)))


@contextlib.contextmanager
def running(code):
    """Yield a Python process that runs the code, once it has printed `ready`."""
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        lines = []
        for line in child.stdout:
            if line == "ready\n":
                break
            lines.append(line)
        yield child, lines
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.parametrize(
    ("family", "how"),
    [
        ("alone", signal.SIGKILL),
        ("with a child", signal.SIGTERM),
        ("with a deaf grandchild", signal.SIGKILL),
        ("with a deaf grandchild", signal.SIGINT),
        ("with a deaf grandchild", signal.SIGSEGV),
    ],
)
def test_a_deaf_bot_and_its_children_end_with_a_python_that_is_ended(bot, family, how):
    code = IN_MAIN.replace("BOT", bot(family)) + WAIT
    with running(code) as (child, _):
        assert all(map(lives, bot.pids()))
        child.send_signal(how)
        child.wait(TIME_LIMIT)
        assert gone(bot.pids())


def test_a_bot_outlives_the_thread_that_asked_first_but_not_the_process(bot):
    code = IN_THREAD.replace("BOT", bot("with a child")) + WAIT
    with running(code) as (child, _):
        time.sleep(0.5)  # time enough for a signal that came with the thread's end
        assert all(map(lives, bot.pids()))
        child.kill()
        assert gone(bot.pids())


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no files for processes")
def test_a_forked_copy_that_lives_on_keeps_no_bot(bot):
    code = IN_MAIN.replace("BOT", bot("with a child")) + FORKED + WAIT
    with running(code) as (child, lines):
        child.kill()
        assert gone(bot.pids())
    copies = [int(line.split()[1]) for line in lines]
    assert len(copies) == 1
    assert lives(copies[0])
    os.kill(copies[0], signal.SIGKILL)


def test_a_player_that_dies_while_a_bot_starts_leaves_none(bot, tmp_path):
    """Killed at many moments around the start; what began to run then is gone."""
    command = bot("alone")
    code = IN_MAIN.replace("BOT", command).replace("p(", "print('ready', flush=True); p(")
    for delay in np.linspace(0, 0.05, 6):
        (tmp_path / "pids").unlink(missing_ok=True)
        with running(code) as (child, _):
            time.sleep(delay)
            child.kill()
            child.wait()
        time.sleep(0.2)
        text = (tmp_path / "pids").read_text() if (tmp_path / "pids").exists() else ""
        assert not text or gone([int(text)])


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_script_ends_by_the_signals_own_status_and_its_bot_with_it(bot, how, status):
    spec = f"external:command={bot('with a child')},timeout=1000"
    command = [sys.executable, str(ROOT / "scripts/certify.py"), spec, "--json"]
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}

    def interruptible():  # also where whoever runs the tests ignores it
        signal.signal(signal.SIGINT, signal.default_int_handler)

    child = subprocess.Popen(
        command, env=surroundings, stderr=subprocess.PIPE, preexec_fn=interruptible
    )
    try:
        assert wait_for(lambda: bot.pids())
        time.sleep(0.3)
        child.send_signal(how)
        child.communicate(timeout=TIME_LIMIT)
        assert child.returncode == status
        assert gone(bot.pids())
    finally:
        child.kill()
        child.wait()


def test_a_script_started_to_outlive_its_terminal_does():
    """As `nohup` does: SIGHUP is ignored when the script starts, and stays so."""
    command = [sys.executable, str(ROOT / "scripts/play.py"), "first"]
    child = subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    try:
        child.stdout.read(1)
        child.send_signal(signal.SIGHUP)
        child.communicate("0\n1\n2\n", timeout=TIME_LIMIT)
        assert child.returncode == 0
    finally:
        child.kill()
        child.wait()


def test_a_closed_terminal_ends_the_script_and_its_bot(bot):
    spec = f"external:command={bot('with a deaf grandchild')},timeout=1000"
    typist = Typist(spec, "--seat", "X")
    try:
        typist.type("0")  # then the bot thinks
        assert wait_for(lambda: len(bot.pids()) == 2)
        time.sleep(0.3)
        os.close(typist.screen)
        assert typist.child.wait(TIME_LIMIT) == 129
        assert gone(bot.pids())
    finally:
        typist.child.kill()
        typist.child.wait()


def test_nothing_is_left_of_many_bots(bot, tmp_path):
    """No process, zombie or open file, whether they quit, hang, crash or cannot be started."""

    def counted():
        files = len(os.listdir("/proc/self/fd"))
        tasks = Path(f"/proc/self/task/{threading.get_native_id()}/children")
        return files, len(tasks.read_text().split())

    quits, crashes = tmp_path / "quits", tmp_path / "crashes"
    quits.write_text("#!/bin/sh\nread a; echo 4; read b\n")
    crashes.write_text("#!/bin/sh\nexit 3\n")
    for file in (quits, crashes):
        file.chmod(0o755)
    commands = [str(quits), str(crashes), "/no/such/bot", "''", bot("alone")]
    before = counted()
    for command in commands * 3:
        program = external(RULES, command, timeout=5)
        with contextlib.suppress(ValueError):
            program(RULES.start(1))
        program.close()
    assert counted() == before


def test_signals_meant_for_the_bot_do_not_end_its_watchdog(bot):
    """As by `pkill -f bot`, whose pattern fits the watchdog's command line too."""
    program = external(RULES, bot("with a child"), timeout=60)
    program(RULES.start(1))
    watchdog = program.program.process.pid
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        os.kill(watchdog, number)
    time.sleep(0.3)
    assert all(map(lives, [watchdog, *bot.pids()]))
    program.close()
    assert gone([watchdog, *bot.pids()])
