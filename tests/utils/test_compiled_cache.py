"""Cache of compiled code: programs run whatever has happened to its files and folders."""

import errno
import logging
import os
import stat
from pathlib import Path

import numba
import pytest

from tttenv.utils import compile_cache
from tttenv.utils.compile_cache import CheckedCache, SharedFolderError, private_folder


def twice(number):
    return number + number


@pytest.fixture(autouse=True)
def messages(monkeypatch):
    """Return the messages about the cache, initially none."""
    told = []
    monkeypatch.setattr(compile_cache, "_warned", [])
    monkeypatch.setattr(
        logging.getLogger("tttenv"), "warning", lambda text, *parts: told.append(text % parts)
    )
    return told


@pytest.fixture
def folder(tmp_path):
    """Return a folder for compiled code with the code for integers in it."""
    made = tmp_path / "cache"
    private_folder(made)
    assert start(made) == 0
    return made


def start(folder, *numbers):
    """Use a compiled function as a new process would; return the number of cache hits."""
    function = numba.njit(nogil=True)(twice)
    function._cache = CheckedCache(twice, str(folder))
    for number in numbers or (21,):
        assert function(number) == 2 * number
    return sum(function.stats.cache_hits.values())


def anew():
    """Forget earlier warnings, as a new process does."""
    compile_cache._warned.clear()


def files(folder, kind):
    return sorted(folder.glob(f"*.{kind}"))


def test_what_was_compiled_is_found_again_without_a_word(folder, messages):
    assert start(folder) == 1
    assert not messages
    assert [len(files(folder, kind)) for kind in ("nbi", "nbc")] == [1, 1]


def cut(share):
    """Return damage by truncation to this share."""

    def damage(file):
        file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])

    return damage


def overwritten(content):
    """Return damage by other contents."""
    return lambda file: file.write_bytes(content)


DAMAGE = {
    **{f"cut to {share}": cut(share) for share in (0, 0.01, 0.5, 0.99)},
    "one byte": overwritten(b"x"),
    "zeros": overwritten(bytes(5000)),
}


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_again_and_replaced(folder, messages, damage, kind):
    (file,) = files(folder, kind)
    DAMAGE[damage](file)
    assert start(folder) == 0
    (told,) = messages
    assert str(folder) in told
    assert "\n" not in told
    anew()
    assert start(folder) == 1  # good again
    assert len(messages) == 1  # and nothing more to tell
    assert not list(folder.glob("*.tmp.*"))


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_code_that_is_missing_is_compiled_without_a_word(folder, messages, kind):
    files(folder, kind)[0].unlink()
    assert start(folder) == 0
    assert start(folder) == 1
    assert not messages


def test_a_sound_file_of_other_arguments_is_never_taken_for_these(folder, messages):
    start(folder, 1.5)
    whole, real = files(folder, "nbc")
    kept = whole.read_bytes(), real.read_bytes()
    whole.write_bytes(kept[1])
    real.write_bytes(kept[0])
    assert start(folder, 21, 1.5) == 0
    assert start(folder, 21, 1.5) == 2
    assert not messages


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
def test_where_nothing_can_be_written_the_program_goes_on_after_one_message(
    tmp_path, messages, monkeypatch, code
):
    def fail(*arguments):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        assert start(private_folder(tmp_path / "cache"), 21, 1.5) == 0
        assert start(tmp_path / "cache") == 0
    (told,) = messages
    assert str(tmp_path / "cache") in told
    assert os.strerror(code) in told
    assert not list((tmp_path / "cache").iterdir())


def test_a_file_that_cannot_be_read_is_replaced(folder, messages):
    (index,) = files(folder, "nbi")
    index.unlink()
    index.mkdir()  # not even by an administrator
    assert start(folder) == 0
    assert str(folder) in messages[0]
    assert len(messages) == 1


def test_files_are_for_the_user_alone_whatever_the_mask_of_the_process(tmp_path):
    before = os.umask(0)
    try:
        made = private_folder(tmp_path / "new" / "cache")
        start(made)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in made.iterdir()}
    assert modes == {0o600}
    assert [stat.S_IMODE(path.stat().st_mode) for path in (made, made.parent)] == [0o700] * 2


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o711])
def test_a_folder_that_only_its_user_writes_to_is_used(tmp_path, mode):
    made = tmp_path / "cache"
    made.mkdir()
    made.chmod(mode)
    assert private_folder(made) == made


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o720, 0o702, 0o2775])
def test_a_folder_that_others_write_to_is_refused(tmp_path, mode):
    made = tmp_path / "cache"
    made.mkdir()
    made.chmod(mode)
    with pytest.raises(SharedFolderError, match=f"other users can write to {made}"):
        private_folder(made)


@pytest.mark.parametrize(
    ("mode", "group_of_one", "good"),
    [
        (0o1777, False, True),  # as /tmp
        (0o755, False, True),
        (0o775, True, True),
        (0o775, False, False),
        (0o777, True, False),
        (0o757, True, False),
    ],
)
def test_a_parent_in_which_others_can_replace_the_folder_is_refused(
    tmp_path, monkeypatch, mode, group_of_one, good
):
    monkeypatch.setattr(compile_cache, "_group_of_one", lambda group: group_of_one)
    parent = tmp_path / "parent"
    parent.mkdir()
    parent.chmod(mode)
    for wanted in (parent / "cache", parent / "within" / "cache"):
        if good:
            assert private_folder(wanted) == wanted
        else:
            with pytest.raises(SharedFolderError, match=f"other users can write to {parent}"):
                private_folder(wanted)


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    made = private_folder(tmp_path / "cache")
    monkeypatch.setattr(os, "geteuid", lambda: made.stat().st_uid + 1)
    with pytest.raises(SharedFolderError, match="belongs to another user"):
        private_folder(made)


@pytest.mark.parametrize("theirs", [True, False])
def test_a_link_that_somebody_else_made_is_refused(tmp_path, monkeypatch, theirs):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    lstat = os.lstat

    def another(path, **options):
        found = lstat(path, **options)
        if theirs and Path(path).name == "link":
            found = os.stat_result([*found[:4], os.geteuid() + 1, *found[5:]])
        return found

    monkeypatch.setattr(os, "lstat", another)
    if theirs:
        with pytest.raises(SharedFolderError, match="another user's link"):
            private_folder(tmp_path / "link" / "cache")
        assert not list((tmp_path / "real").iterdir())
    else:
        assert private_folder(tmp_path / "link" / "cache") == tmp_path / "real" / "cache"


def test_where_the_system_knows_no_owners_the_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert private_folder(tmp_path / "a" / "cache").is_dir()
    assert start(tmp_path / "a" / "cache") == 0
    assert start(tmp_path / "a" / "cache") == 1
