"""Errors about invalid command lines: one sentence with the option and its valid values."""

import errno
import importlib
import os
import re
import signal
import sys
import time
import types

import pytest
from all_tables import PROGRAMS

from learners.cli import train
from learners.registry import LEARNERS
from tttenv.cli import console
from tttenv.cli.main import COMMANDS
from tttenv.players import PLAYERS, bundled, did_you_mean, player
from tttenv.utils.registry import near

MODULES = {name: importlib.import_module(home) for name, home in PROGRAMS.items()}
PARSERS = {
    name: lambda args, name=name, home=home: console.parse(home.Arguments, name, args)
    for name, home in MODULES.items()
}
PARSERS |= {
    f"train {name}": lambda args, name=name: train._parse_from(
        name, args, train.Options(), LEARNERS.load(name).Config()
    )
    for name in LEARNERS
}


@pytest.mark.parametrize(
    ("command", "typed", "words"),
    [
        ("certify", "minimax --games many", "--games: 'many' is not an integer"),
        ("certify", "minimax --games", "--games"),
        ("certify", "minimax --method any", "known are all, reachable"),
        ("certify", "--json", "PLAYER is required"),
        ("certify", "minimax --json=3", "3"),
        ("certify", "minimax --player first", "options: --player, first"),
        ("league", "--job 2", "did you mean --jobs?"),
        ("prove", "5,5,4 --rule 6,6,4", "did you mean --rules?"),
        ("prove", "5,5,4 --memory=-x", "--memory: '-x' is not an integer"),
        ("speed", "extra", "extra"),
        ("train dqn", "--lr fast", "--lr: 'fast' is not a number"),
        ("train dqn", "--lrr 1", "did you mean --lr?"),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_line(command, typed, words, capsys):
    with pytest.raises(SystemExit) as end:
        PARSERS[command](typed.split())
    told = capsys.readouterr()
    assert (end.value.code, told.out) == (2, "")
    assert re.fullmatch(r"[^\n]+ \(see [^\n]+ --help\)\n", told.err), told.err
    assert words in told.err
    assert len(told.err) < 250


@pytest.mark.parametrize("command", sorted(set(PROGRAMS) & set(COMMANDS)))
def test_help_shows_examples_and_no_placeholders(command, capsys):
    home = MODULES[command]
    with pytest.raises(SystemExit):
        home.main(["--help"])
    printed = capsys.readouterr().out
    page = " ".join(printed.split())
    assert page.endswith(" ".join(["examples:", *home.EXAMPLES.split()]))
    wrong = ("{None", "(default: None)", "(default: )", "(default: False)", "--no-")
    assert not [placeholder for placeholder in wrong if placeholder in page]


TABLES = {
    "player": ([*PLAYERS, *bundled.names()], player),
    "learner": (LEARNERS, lambda name: importlib.import_module("learners.registry").row(name)),
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, (table, _) in TABLES.items() for name in table]
)
def test_every_misspelt_name_is_told_the_nearest(kind, name):
    table, load = TABLES[kind]
    wrong = {name[:-2] + name[-1] + name[-2], name + name[-1], name[0] + name[2:], name.upper()}
    for other in wrong - set(table):
        if len(other) > 2:
            with pytest.raises(ValueError, match=re.escape(f"{other!r}; did you mean {name}? ")):
                load(other)
    with pytest.raises(ValueError, match=r"^unknown .* 'wxyzwxyz'; known are ") as error:
        load("wxyzwxyz")
    assert all(other in str(error.value) for other in table)


def test_no_name_is_near_to_one_that_resembles_none():
    assert near("minimax", ["random", "mcts"]) is None
    assert near("", ["a"]) is None
    assert near("m" * 10**6, ["mm"]) is None  # at once
    assert near("MCTS", ["random", "mcts"]) == "mcts"
    for known in (["net_554", "net_555"], ["net_555", "net_554"]):
        assert near("net_545", known) == "net_554"
    assert near("maskable", ["mask", "maskable_ppo"]) == "maskable_ppo"
    assert near("learning-rate", ["opening", "lr"]) == "lr"
    assert near("learning", ["opening"]) == "opening"
    assert near("--learning-rate", ["--lr", "--log"]) == "--lr"
    assert near("arena", COMMANDS) == "match"
    assert near("--check", ["--checkpoint-every", "--every"]) == "--checkpoint-every"


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("selfpaly", "or the folder of a checkpoint"),
        ("{}/selfpaly", "; did you mean {}/selfplay?"),
        ("minimax:tie=first", "did you mean ties? it takes ties, search"),
    ],
)
def test_players_that_are_nearly_called_so_are_told(spec, hint):
    spec, hint = (text.format(bundled.home()) for text in (spec, hint))
    with pytest.raises(ValueError, match=re.escape(hint) + "$"), did_you_mean(spec):
        player(spec)


def test_a_checkpoint_that_is_there_and_refused_is_not_suggested(tmp_path):
    (tmp_path / "card.json").write_text("[")
    with pytest.raises(ValueError, match=r"is not JSON: [^;]*$"), did_you_mean(str(tmp_path)):
        player(str(tmp_path))


@pytest.mark.parametrize(
    ("spec", "way"),
    [
        ("my_net.onnx", "onnx:path=my_net.onnx"),
        ("model.zip", "sb3:path=model.zip"),
    ],
)
def test_a_network_of_another_program_is_told_its_way(spec, way):
    with pytest.raises(ValueError, match=re.escape(way)), did_you_mean(spec):
        player(spec)
    with pytest.raises(ValueError, match="options must be written"), did_you_mean("mcts:fast"):
        player("mcts:fast")


def test_long_work_speaks_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr(console, "SPOKEN_EVERY", 0.01)
    for quiet in (False, True):
        with console.stage("beginning", quiet) as tell:
            tell("going on")
            time.sleep(0.2)
        assert ("going on" in capsys.readouterr().err) is not quiet


def test_what_the_system_refuses_is_said_with_the_file_and_without_a_number():
    for number in errno.errorcode:
        why = os.strerror(number)
        told = console.failure(OSError(number, why, "some/file"))
        assert re.fullmatch(rf"cannot (open|write) some/file: {re.escape(why)}", told)


def test_running_out_of_memory_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    for error in (
        MemoryError(),
        MemoryError("Unable to allocate 8.19 TiB"),
        RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory:\nyou tried"),
    ):

        def script(args, error=error):
            raise error

        with pytest.raises(SystemExit, match="2"):
            console.run(script, "prog", [])
        assert re.fullmatch(r"prog: not enough memory[^\n]*\n", capsys.readouterr().err)
    with pytest.raises(RuntimeError, match="other"):
        console.run(lambda args: (_ for _ in ()).throw(RuntimeError("another")), "prog", [])


def test_progress_is_drawn_while_another_thread_imports_the_clock_of_compilation(monkeypatch):
    name = "tttenv.utils.compile_time"
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))  # as at the import's beginning
    assert console._Compiling().__rich__() == ""


def test_folders_are_tried_before_any_work_and_left_as_they_were(tmp_path):
    console.check_folder(tmp_path / "new" / "newer")
    console.check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="is a file"):
        console.check_folder(tmp_path / "file" / "new")


@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_a_signal_during_an_import_ends_a_command_after_it(number, status, tmp_path, monkeypatch):
    """The module loses any exception, as the compiled part of a library may."""
    lines = ["import os, signal, time", "try:", f"    os.kill(os.getpid(), signal.{number})"]
    lines += ["    time.sleep(0.1)", "except BaseException:", "    pass"]
    (tmp_path / f"lost_in_{number}.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    usual = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}

    def script(args):
        importlib.import_module(f"lost_in_{number}")
        time.sleep(2)

    try:
        with pytest.raises(SystemExit) as end:
            console.run(script, "prog", [])
    finally:
        for n, handler in usual.items():
            signal.signal(n, handler)
    assert end.value.code == status
    assert f"lost_in_{number}" in sys.modules
