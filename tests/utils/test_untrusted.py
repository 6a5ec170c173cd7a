"""Untrusted input: files, sizes, nesting, texts, and the players that files may name."""

import io
import itertools
import json
import os
import typing
import zipfile

import numpy as np
import pytest

from tttenv import Rules
from tttenv.adapters.sb3.callbacks import CERTIFICATE, stored_certificate
from tttenv.adapters.sb3.models import LARGEST_SETTINGS
from tttenv.adapters.sb3.models import load as load_model
from tttenv.players import FOREIGN, PLAYERS, SAFE, checked_spec, player, untrusted_player
from tttenv.report import load_players
from tttenv.utils.registry import Row, Spec
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import (
    file_name,
    read_bytes,
    read_json,
    shown,
)

PLAIN = (int, float, bool)  # kinds of option that name nothing


def options(row):
    """Yield the types of a player's options, without None."""
    hints = typing.get_type_hints(PLAYERS.load(row) if row in PLAYERS else FOREIGN.load(row))
    for name, hint in hints.items():
        if name not in ("rules", "return"):
            for kind in set(typing.get_args(hint) or [hint]) - {type(None)}:
                yield from typing.get_args(kind) or [kind]  # the words of a list that may be None


@pytest.mark.parametrize("row", list(PLAYERS))
def test_a_safe_player_takes_numbers_words_of_a_list_and_safe_players(row):
    assert row in SAFE
    for kind in options(row):
        assert kind in (*PLAIN, Spec) or isinstance(kind, str), f"{row} takes {kind}"


@pytest.mark.parametrize("row", list(FOREIGN))
def test_players_from_outside_are_not_for_files(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for spec in (row, f"{row}:command=(touch ran)", f"epsilon:player=({row}:command=(touch ran))"):
        with pytest.raises(ValueError, match="a file must not name the player"):
            untrusted_player(spec, Rules())
    assert not (tmp_path / "ran").exists()


def test_a_row_added_later_is_unsafe_until_it_says_otherwise(monkeypatch):
    monkeypatch.setitem(PLAYERS.rows, "mine", Row("tttenv.players.baselines:first", "mine"))
    assert player("mine") is not None
    with pytest.raises(ValueError, match="a file must not name the player 'mine'"):
        checked_spec("mine")


ELSEWHERE = ["hub:a/b", "bot.py", "python:path=bot.py", "checkpoints/dqn", "./first", "", "\x1b[2J"]


@pytest.mark.parametrize(
    "spec",
    [
        *(spec for name in ELSEWHERE for spec in (name, f"epsilon:player=({name}),epsilon=0.1")),
        *("alphabeta:evaluator=patterns", "alphabeta:evaluator=a/b", None, 3, ["first"]),
    ],
)
def test_a_file_may_not_name_a_folder_or_rubbish(spec):
    with pytest.raises(
        ValueError, match=r"a (file must not name|player's name must be)"
    ) as refusal:
        untrusted_player(spec, Rules())
    assert "\x1b" not in str(refusal.value)


def test_a_folder_with_a_card_wins_over_a_player_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("first", "external:command=(touch ran)"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "card.json").write_text("{}")
        with pytest.raises(ValueError, match="is not the card of a checkpoint"):
            player(name)
    assert not (tmp_path / "ran").exists()
    untrusted_player("first", Rules())  # a file means the row, whatever folders there are
    with pytest.raises(ValueError, match="a file must not name the folder 'first'"):
        untrusted_player("epsilon:player=first", Rules())


def not_regular(folder):
    """Yield paths that are not regular files, with names that are none."""
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "device").symlink_to("/dev/zero")
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(10**11)
    for name in ("pipe", "folder", "device", "sparse", "loop", "a" * 5000, "zero\0byte"):
        yield folder / name


def refused(read, file):
    """Check that a reader refuses a file in a short printable line."""
    with pytest.raises(ValueError, match=r".") as refusal:
        read(file)
    message = str(refusal.value).replace(str(file.parent), "").replace(file.name, "")
    assert message.isprintable(), message
    assert len(message) < 500, message


def test_only_regular_files_of_bounded_size_are_read(tmp_path):
    for file in not_regular(tmp_path):
        refused(lambda file: read_bytes(file, 1000), file)
    (tmp_path / "whole").write_bytes(b"12345")
    assert read_bytes(tmp_path / "whole", 5) == b"12345"
    refused(lambda file: read_bytes(file, 4), tmp_path / "whole")
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none", 1)


def saved_model(file):
    """Read any file as `stored_certificate` does."""
    (file.parent / CERTIFICATE).unlink(missing_ok=True)
    (file.parent / CERTIFICATE).symlink_to(file)
    return stored_certificate(file.parent, Rules())


READERS = [read_json, load_players.from_benchmark, saved_model]
NOT_JSON = ["[" * 100_000, '{"a":' * 100_000, '{"a": NaN}', "[Infinity]", "[1e999]", "1" * 5000]
NOT_JSON += ["{", "\xff", "", "\x1b]0;title\x07"]
OTHER_JSON = ["[]", "5", '"text"', "{}", '{"certificate": 3, "players": 3, "rows": 3}']
OTHER_JSON += ['{"certificate": {"\\u001b[2J": 1}, "players": [3], "rows": [3]}']


@pytest.mark.parametrize("reader", READERS)
def test_other_contents_are_refused_in_a_short_line(tmp_path, reader):
    for number, content in enumerate(NOT_JSON + OTHER_JSON * (reader != read_json)):
        file = tmp_path / f"{number}.file"
        file.write_bytes(content.encode("latin-1"))
        refused(reader, file)
    for file in itertools.islice(not_regular(tmp_path), 4):  # some readers take others as missing
        refused(reader, file)


def test_zips_of_any_kind_are_refused_in_a_short_line(tmp_path):
    """Damaged ones, bombs, settings of other kinds; nothing in them is run to find that out."""
    rng, file = np.random.default_rng(0), tmp_path / "model.zip"
    known = '{"policy_class": {"__module__": "stable_baselines3.common.policies"}, "gae_lambda": 1}'
    several = [b"", zipped(None), *map(zipped, (" " * (LARGEST_SETTINGS + 1), "[" * 10**5, "[1]"))]
    several += [zipped(json.dumps({"policy_class": {"__module__": "\x1b[2J" * 10_000}}))]
    for _ in range(100):
        data = np.frombuffer(zipped(known), np.uint8).copy()
        data[rng.integers(0, len(data), 3)] = rng.integers(0, 256, 3)
        several += [data.tobytes(), data.tobytes()[: int(rng.integers(1, len(data) + 1))]]
    for data in several:
        file.write_bytes(data)
        refused(load_model, file)


def zipped(settings):
    """Return a zip with these settings of a saved model, or an empty one for None."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if settings is not None:
            archive.writestr("data", settings)
    return out.getvalue()


def test_what_is_shown_holds_no_control_characters_and_is_cut():
    assert shown("a\x1b]0;pwn\x07\n\u202eb") == "a\\x1b]0;pwn\\x07\\n\\u202eb"
    for length, letter in itertools.product((0, 9, 10, 11, 10**6), "a\x1b"):
        made = shown(letter * length, 10)
        assert len(made) <= 10
        assert made.endswith("...") == (len(made) < len(letter * length) or "..." in made)
    assert shown("grün 🎲") == "grün 🎲"


@pytest.mark.parametrize("hostile", ["\x1b]0;pwned\x07\x1b[2J", "F" * 10**5])
@pytest.mark.parametrize("place", ["name", "type", "shape"])
def test_what_a_file_of_tensors_holds_is_named_in_a_short_printable_line(place, hostile):
    name, kind = (hostile, "F64") if place == "name" else ("a", hostile)
    shape = [3] * len(hostile) if place == "shape" else [3]
    entry = {name: {"dtype": kind, "shape": shape, "data_offsets": [0, 24]}}
    head = json.dumps(entry).encode()
    found = header(len(head).to_bytes(8, "little") + head + bytes(24), "file")
    with pytest.raises(ValueError, match="wrong") as refusal:
        found.arrays({"b" if place == "name" else "a": ("F64", (3,))}, "wrong")
    message = str(refusal.value)
    assert message.isprintable()
    assert len(message) < 300


BOARD = "14-14-5-" + "_" * 196
TEXTS = [
    *("5-5-4", "3-3-3-X___O____", "first-3-3-3"),  # names already
    *("runs/a-3-3-3", "runs-a-3-3-3", "runs:a-3-3-3", "runs//a-3-3-3"),
    *(BOARD[:at] + "X" + BOARD[at + 1 :] for at in range(8, len(BOARD))),
    *("", ".", "..", "\udce9t", "ét", "çt", "x" * 100, "x" * 101, "é" * 300),
]


def test_different_texts_have_different_names_that_are_valid_and_short():
    names = [file_name(text) for text in TEXTS]
    assert len(set(names)) == len(TEXTS)
    assert names[:3] == TEXTS[:3]
    for name in names:
        assert len(name.encode()) < 128  # room for an ending, and for temporary files
        assert "/" not in name
