"""Untrusted input: files, sizes, nesting, texts, and the players that files may name."""

import itertools
import json
import os
import typing

import numpy as np
import pytest
from safetensors.numpy import load

from tttenv import Rules
from tttenv.players import FOREIGN, PLAYERS, checked_spec, player, untrusted_player
from tttenv.utils.registry import Row, Spec
from tttenv.utils.tensor_file import header, pieces
from tttenv.utils.untrusted import (
    DEEPEST_JSON,
    QUOTED,
    file_name,
    parse_json,
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
    assert PLAYERS.rows[row].safe
    for kind in options(row):
        assert kind in (*PLAIN, Spec) or isinstance(kind, str), f"{row} takes {kind}"


@pytest.mark.parametrize("row", list(FOREIGN))
def test_players_from_outside_are_not_for_files(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not FOREIGN.rows[row].safe
    for spec in (row, f"{row}:command=(touch ran)", f"epsilon:player=({row}:command=(touch ran))"):
        with pytest.raises(ValueError, match="a file must not name the player"):
            untrusted_player(spec, Rules())
    assert not (tmp_path / "ran").exists()


def test_a_row_added_later_is_unsafe_until_it_says_otherwise(monkeypatch):
    monkeypatch.setitem(PLAYERS.rows, "mine", Row("tttenv.players.baselines:first", "mine"))
    assert player("mine") is not None
    with pytest.raises(ValueError, match="a file must not name the player 'mine'"):
        checked_spec("mine")


@pytest.mark.parametrize("spec", ["checkpoints/dqn", "./first", "", "\x1b[2J", None, 3, ["first"]])
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


def test_only_regular_files_of_bounded_size_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "device").symlink_to("/dev/zero")
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(10**11)
    (tmp_path / "whole").write_bytes(b"12345")
    for name in ("pipe", "folder", "loop", "device", "sparse", "a" * 5000, "zero\0byte"):
        with pytest.raises(ValueError, match=r"cannot be read|is too large"):
            read_bytes(tmp_path / name, 1000)
    assert read_bytes(tmp_path / "whole", 5) == b"12345"
    with pytest.raises(ValueError, match="whole is too large: 5 bytes, the limit is 4"):
        read_bytes(tmp_path / "whole", 4)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none", 1)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * (DEEPEST_JSON + 1) + "]" * (DEEPEST_JSON + 1),
        '{"a":' * 100_000,
        '{"a": NaN}',
        "[Infinity]",
        "[1e999]",
        "1" * 5000,
        "{",
        "\xff",
        "",
    ],
)
def test_json_is_finite_and_bounded_or_refused_in_a_line(tmp_path, text):
    file = tmp_path / "card.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"card\.json is not JSON") as refusal:
        read_json(file)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < QUOTED + len(str(file)) + 20


def test_brackets_in_strings_do_not_nest():
    text = b'["' + b"[" * 1000 + b'\\"[[["]'
    assert parse_json(text, "text") == ["[" * 1000 + '"[[[']
    deep = b"[" * DEEPEST_JSON + b"]" * DEEPEST_JSON
    assert parse_json(deep, "text")


def test_what_is_shown_holds_no_control_characters_and_is_cut():
    assert shown("a\x1b]0;pwn\x07\n\u202eb") == "a\\x1b]0;pwn\\x07\\n\\u202eb"
    for length, limit in itertools.product((0, 1, 9, 10, 11, 10**6), (10, 300)):
        for letter in "a\x1b":
            made = shown(letter * length, limit)
            assert len(made) <= limit
            assert made.endswith("...") == (len(made) < len(letter * length) or "..." in made)
    assert shown("grün 🎲") == "grün 🎲"


@pytest.mark.parametrize("hostile", ["\x1b]0;pwned\x07\x1b[2J", "F" * 10**5])
@pytest.mark.parametrize("place", ["name", "type", "shape"])
def test_what_a_file_of_tensors_holds_is_named_in_a_short_printable_line(place, hostile):
    name, kind = (hostile, "F64") if place == "name" else ("a", hostile)
    shape = [3] * len(hostile) if place == "shape" else [3]
    told = {name: {"dtype": kind, "shape": shape, "data_offsets": [0, 24]}}
    head = json.dumps(told).encode()
    found = header(len(head).to_bytes(8, "little") + head + bytes(24), "file")
    with pytest.raises(ValueError, match="wrong") as refusal:
        found.arrays({"b" if place == "name" else "a": ("F64", (3,))}, "wrong")
    message = str(refusal.value)
    assert message.isprintable()
    assert len(message) < 300


def test_a_file_written_in_pieces_is_one_of_safetensors():
    arrays = {
        "small": np.arange(6, dtype=np.int8).reshape(2, 3),
        "large": np.linspace(0, 1, 5),
        "empty": np.empty((0, 2), np.int64),
        "words": np.arange(3, dtype=np.uint16),
    }
    data = b"".join(pieces(arrays, {"text": "é"}))
    found = load(data)
    assert header(data, "it").metadata == {"text": "é"}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tolist() == array.tolist()


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
