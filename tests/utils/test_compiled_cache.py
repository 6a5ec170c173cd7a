"""Cache of compiled code: programs run whatever has happened to its files and folders."""

import importlib
import logging
import os
import re
import stat
import tomllib
from pathlib import Path

import numba
import pytest

from tttenv.utils import compiled
from tttenv.utils.compiled import Stored


def twice(number):
    return number + number


@pytest.fixture(autouse=True)
def messages(monkeypatch):
    """Return the messages about the cache, initially none."""
    logged = []
    monkeypatch.setattr(compiled, "_warned", [])
    monkeypatch.setattr(
        logging.getLogger("tttenv"), "warning", lambda text, *parts: logged.append(text % parts)
    )
    return logged


def start(folder, *numbers):
    """Use a compiled function as a new process would; return the number of cache hits."""
    function = numba.njit(nogil=True)(twice)
    function._cache = Stored(twice, str(folder))
    for number in numbers or (21,):
        assert function(number) == 2 * number
    return sum(function.stats.cache_hits.values())


def test_code_is_stored_by_argument_types_and_found_again_without_a_word(tmp_path, messages):
    assert [start(tmp_path, *numbers) for numbers in ((21,), (21, 1.5), (1.5, 21))] == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 2
    assert not messages


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_a_damaged_file_is_compiled_again_and_replaced(tmp_path, messages, share):
    start(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    assert [start(tmp_path), start(tmp_path)] == [0, 1]
    (message,) = messages
    assert str(tmp_path) in message
    assert list(tmp_path.iterdir()) == [file]


def test_where_nothing_can_be_written_the_program_goes_on_after_one_message(
    tmp_path, messages, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert start(tmp_path, 21, 1.5) == start(tmp_path) == 0
    (message,) = messages
    assert (
        f"not kept in {tmp_path}: No space left on device. It is compiled at each start" in message
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"HOME": "{home}", "XDG_CACHE_HOME": "relative"}, ".cache/tttenv"),  # to be ignored
        ({"HOME": "{home}", "XDG_CACHE_HOME": ""}, ".cache/tttenv"),
        ({"XDG_CACHE_HOME": "{home}/xdg"}, "xdg/tttenv"),
        ({"TTTENV_CACHE": "relative"}, "relative"),
        ({"TTTENV_CACHE": "{home}/cache", "XDG_CACHE_HOME": "{home}/xdg"}, "cache"),
        ({"HOME": "/dev/null"}, None),
        ({"TTTENV_CACHE": "/dev/null/cache"}, None),
    ],
)
def test_the_cache_is_where_the_settings_say(tmp_path, messages, monkeypatch, settings, place):
    monkeypatch.chdir(tmp_path)
    for name in ("TTTENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    folder = compiled._cache_folder()
    assert len(messages) == (place is None)
    if place is None:
        assert not folder
    else:
        assert Path(folder).parent == tmp_path / place
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777, 0o1777, 0o720])
@pytest.mark.parametrize("own", [True, False])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path, messages, monkeypatch, mode, own):
    monkeypatch.setenv("TTTENV_CACHE", str(tmp_path))
    folder = tmp_path / compiled.source_hash()
    folder.mkdir()
    folder.chmod(mode)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user if own else user + 1)
    good = own and not mode & 0o022
    assert compiled._cache_folder() == (str(folder) if good else "")
    assert ["other users can write to" in text for text in messages] == [True] * (not good)


PRIVATE = {  # names of numba that tttenv.utils leans on; without them a newer one is not allowed
    "codegen:JITCodeLibrary": "_optimize_final_module _finalize_final_module has_dynamic_globals"
    " _finalize_dynamic_globals _get_module_for_linking serialize_using_object_code",
    "codegen:JITCPUCodegen": "magic_tuple",
    "compiler:CompileResult": "_rebuild _reduce",
    "compiler:Compiler": "compile_extra",
    "compiler:": "compile_result",
    "caching:NullCache": "load_overload save_overload",
    "dispatcher:Dispatcher": "_compile_for_args add_overload get_call_template typeof_pyval",
    "base:BaseContext": "insert_user_function refresh",
    "event:": "Listener register",
    "registry:": "cpu_target",
    "serialize:": "dumps loads",
    "types:Record": "mangling_args",
}
OF_A_FUNCTION = "_cache _compiler overloads py_func targetoptions"  # compiled by numba
TESTED = Path(__file__).parents[2] / "constraints.txt"


def test_numba_has_the_private_names_that_are_used():
    found = {"a compiled function": (numba.njit(twice), OF_A_FUNCTION)}
    for place, names in PRIVATE.items():
        module, _, kind = place.partition(":")
        home = importlib.import_module(f"numba.core.{module}")
        found[place] = getattr(home, kind) if kind else home, names
    for place, (owner, names) in found.items():
        assert not [name for name in names.split() if not hasattr(owner, name)], place


def test_no_numba_is_allowed_whose_private_names_nobody_has_looked_at():
    (tested,) = re.findall(r"^numba==0\.(\d+)", TESTED.read_text(encoding="utf-8"), re.M)
    project = tomllib.loads(TESTED.with_name("pyproject.toml").read_text(encoding="utf-8"))
    (allowed,) = [line for line in project["project"]["dependencies"] if line.startswith("numba")]
    assert allowed.endswith(f",<0.{int(tested) + 1}")
