"""What is said of a wrong command line: one sentence that names the option and what it takes."""

import contextlib
import dataclasses
import errno
import importlib
import io
import os
import re
import shlex
import typing
from pathlib import Path

import pytest
import tyro
from all_tables import PROGRAMS
from hypothesis import given, settings
from hypothesis import strategies as st
from test_readme import READMES

from learners.cli import train
from learners.registry import LEARNERS
from scripts import reproduction
from tttenv.certificates import metrics
from tttenv.cli import arguments, console
from tttenv.players import PLAYERS, bundled, player
from tttenv.players.hinting import hinting
from tttenv.utils.registry import near

ROOT = Path(__file__).parents[2]


INTERNAL = re.compile(r"Errno|instantiated|NoneType|<class|invalid literal|Unrecognized|parse")
# Arguments that must be there.
PLACES = {"certify": ["minimax"], "doctor": ["minimax"], "gomocup": ["minimax"]}


def nested(kind):
    """The dataclasses among the fields of one, whose options stand beside its own."""
    hints = typing.get_type_hints(kind).values()
    return [hint for hint in hints if dataclasses.is_dataclass(hint)]


def readers():
    """For each script: its name, the dataclasses of its options, and what reads them."""
    for name, home in PROGRAMS.items():
        module = importlib.import_module(home)
        more = PLACES.get(name, [])
        yield (
            name,
            [module.Arguments, *nested(module.Arguments)],
            lambda args, m=module, more=more: console.parse(m.Arguments, m.PROG, [*more, *args]),
        )
    for name in LEARNERS:
        kind = LEARNERS.load(name).Config
        yield (
            f"train {name}",
            [train.Options, kind],
            lambda args, n=name, k=kind: train._parse_from(n, args, train.Options(), k()),
        )


READERS = {name: (kinds, read) for name, kinds, read in readers()}
OPTIONS = [
    (script, field.name, hint)
    for script, (kinds, _) in READERS.items()
    for kind in kinds
    for hints in [typing.get_type_hints(kind)]
    for field in dataclasses.fields(kind)
    for hint in [hints[field.name]]
    if field.name not in ("player", "players", "subject")
    and (script, field.name) != ("sweep", "learners")
    and not dataclasses.is_dataclass(hints[field.name])
    and (script, field.name) != ("prove", "rules")
]


ONE_OF_A_KIND = {str(hint): (script, field, hint) for script, field, hint in OPTIONS}
LONGEST = {row[0]: row for row in sorted(OPTIONS, key=lambda row: len(row[1]))}  # of each script


def refusal(read, args, capsys):
    """The one line that a wrong command line gets."""
    with pytest.raises(SystemExit) as end:
        read(args)
    told = capsys.readouterr()
    assert (end.value.code, told.out) == (2, "")
    assert re.fullmatch(r"[^\n]+ \(see [^\n]+ --help\)\n", told.err), told.err
    assert not INTERNAL.search(told.err), told.err
    assert len(told.err) < 250
    return told.err


@pytest.mark.parametrize(("script", "field", "hint"), ONE_OF_A_KIND.values())
def test_a_wrong_value_of_every_kind_is_told_what_is_wanted(script, field, hint, capsys):
    _, read = READERS[script]
    option, kinds = f"--{field.replace('_', '-')}", str(hint)
    words = {"Literal": "one of ", "float": "a number", "int": "a whole number"}
    wanted = next((said for kind, said in words.items() if kind in kinds), None)
    if "bool" in kinds:
        told = refusal(read, [f"{option}=perhaps"], capsys)
        assert "'perhaps'" in told
        assert option in told
    elif wanted:
        for wrong in ([option, "many"], [f"{option}=many"]):
            assert f" {option}: {wanted}" in (told := refusal(read, wrong, capsys))
            assert "not 'many'" in told
    if hint is not bool and "tuple" not in kinds:
        told = refusal(read, [option], capsys)
        assert re.search(rf" {option}: .+ is missing", told)


@pytest.mark.parametrize(("script", "field", "hint"), LONGEST.values())
def test_a_misspelt_option_of_every_script_is_told_the_nearest(script, field, hint, capsys):
    known = {f"--{name.replace('_', '-')}" for where, name, _ in OPTIONS if where == script}
    option = f"--{field.replace('_', '-')}"
    for wrong in (option[:-1], option + option[-1]):
        if len(wrong) < 5 or wrong in known:
            continue
        told = refusal(READERS[script][1], [wrong, "3"], capsys)
        assert f"there is no option {wrong}; did you mean {option}?" in told


def test_arguments_that_stand_alone_are_counted(capsys):
    certify, speed = (importlib.import_module(PROGRAMS[name]) for name in ("certify", "speed"))
    for module, args, said in (
        (certify, [], "PLAYER is required"),
        (certify, ["--json"], "PLAYER is required"),
        (certify, ["minimax", "more", "--json"], "'more' is one argument too many"),
        (speed, ["extra"], "'extra' is one argument too many"),
        (speed, ["--json", "3"], "'3' is one argument too many"),
    ):
        told = refusal(lambda a, m=module: console.parse(m.Arguments, m.PROG, a), args, capsys)
        assert said in told


WORDS = ["minimax", "--json", "--no-json", "--games", "3", "-1", "x", "--seed", "--rules", "None"]
WORDS += ["--sampled", "--seed=3", "--games=x", "--against", "--sampld", "-q", "3,3,3", "--"]


@settings(deadline=None)
@given(args=st.lists(st.sampled_from(WORDS), max_size=5))
def test_nothing_is_said_against_what_the_parser_accepts(args):
    kind = importlib.import_module(PROGRAMS["certify"]).Arguments
    silence = io.StringIO()
    try:
        with contextlib.redirect_stderr(silence), contextlib.redirect_stdout(silence):
            tyro.cli(kind, args=args)
    except SystemExit:
        return
    assert arguments.complaint(kind, args) is None


def test_nothing_is_said_against_the_readmes_commands():
    text = "\n".join(READMES.values())
    command = r"^    (?:python scripts/(?=\w+\.py)|tttenv )(\w+)(?:\.py)?(.*?)(?: {2,}#.*)?$"
    commands = re.findall(command, text, re.MULTILINE)
    assert len(commands) > 40
    for script, rest in commands:
        args = shlex.split(rest)
        if script == "train":
            if args:
                READERS[f"train {args[0]}"][1](args[1:])
        else:
            module = importlib.import_module(PROGRAMS[script])
            assert arguments.complaint(module.Arguments, args) is None


TABLES = {
    "player": ([*PLAYERS, *bundled.names()], player),
    "learner": (LEARNERS, lambda name: importlib.import_module("learners.registry").row(name)),
    "metric": (metrics.EXACT, metrics.EXACT.load),
    "source": (reproduction.SOURCES, reproduction.home),
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
    assert near("maskable", ["mask", "maskable_ppo"]) == "maskable_ppo"
    assert near("--check", ["--checkpoint-every", "--every"]) == "--checkpoint-every"


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("selfpaly", "or the folder of a checkpoint"),
        ("{}/selfpaly", "; did you mean {}/selfplay?"),
        ("nosuch", "or the folder of a checkpoint"),
        ("minimax:tie=first", "did you mean ties? it takes ties, search"),
    ],
)
def test_players_that_are_nearly_called_so_are_told(spec, hint):
    spec, hint = (text.format(bundled.home()) for text in (spec, hint))
    with pytest.raises(ValueError, match=re.escape(hint) + "$"), hinting(spec):
        player(spec)


def test_a_checkpoint_that_is_there_and_refused_is_not_suggested(tmp_path):
    (tmp_path / "card.json").write_text("[")
    with pytest.raises(ValueError, match=r"is not JSON: [^;]*$"), hinting(str(tmp_path)):
        player(str(tmp_path))


def test_what_the_system_refuses_is_said_with_the_file_and_without_a_number():
    for number in errno.errorcode:
        why = os.strerror(number)
        told = console.failure(OSError(number, why, "some/file"))
        assert re.fullmatch(rf"cannot (open|write) some/file: {re.escape(why)}", told)


def test_refusals_without_a_file_or_with_two_are_said_too():
    assert console.failure(OSError("no display")) == "no display"
    assert console.failure(OSError(errno.ENOENT, "gone")) == "gone"
    assert console.failure(OSError(errno.ENOSPC, "full")) == "cannot write: full"
    assert console.failure(OSError(errno.ENOSPC, "full", b"f")) == "cannot write f: full"
    moved = OSError(errno.EXDEV, "other disk", "a", None, "b")
    assert console.failure(moved) == "cannot move a to b: other disk"


def test_folders_are_tried_before_any_work_and_left_as_they_were(tmp_path):
    console.check_folder(tmp_path / "new" / "newer")
    console.check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=r"^cannot write /proc/x: No such file or directory$"):
        console.check_folder(Path("/proc/x"))
