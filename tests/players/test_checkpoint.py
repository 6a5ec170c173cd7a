"""Checkpoints: damage named in one line, complete regular files."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save

import tttenv
from learners.selfplay import SelfPlayConfig
from learners.training.checkpoint import (
    load_learner,
    load_policy,
    load_training,
    state_bytes,
    state_of,
)
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.players.stored.checkpoint import (
    CARD,
    POLICY,
    SNAPSHOTS,
    STATE,
    WEIGHTS,
    Card,
    commit,
    digest,
    file_of,
    read_data,
)
from tttenv.utils.files import write

SHORT = Schedule(steps=8, every=4, checkpoint_every=4)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a checkpoint as training leaves it."""
    out = tmp_path_factory.mktemp("made") / "player"
    train(Run("selfplay", "default", SelfPlayConfig(seed=2, hidden=(9,)), Rules(), SHORT), out)
    return out


@pytest.fixture
def copy(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "copy"))


def card_of(folder):
    return json.loads((folder / CARD).read_text())


def data(folder, role):
    """Return the file with this role."""
    return folder / file_of(card_of(folder), role)


def change_card(folder, **changed):
    (folder / CARD).write_text(json.dumps(card_of(folder) | changed))


def replace_file(folder, role, tensors):
    """Replace the file of a role, and update the card to vouch for it."""
    card, files = read_data(folder, WEIGHTS, POLICY, STATE, SNAPSHOTS)
    commit(folder, card, files | {role: save(tensors)})


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def truncate(file):
    file.write_bytes(file.read_bytes()[:-1])


def spelled(value):
    """Return a nested state as text, with the kind, type, shape and numbers of every array."""
    if isinstance(value, dict):
        return {key: spelled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [spelled(inner) for inner in value]
    if isinstance(value, torch.Tensor | np.ndarray):
        return type(value), str(value.dtype), tuple(value.shape), value.tolist()
    return value


def test_the_card_tells_where_the_player_came_from(made):
    card = card_of(made)
    assert set(card) >= Card.__required_keys__ | {"seconds", "threads", "device"}
    assert (card["learner"], card["preset"], card["rules"]) == ("selfplay", "default", "3,3,3")
    assert (card["steps"], card["threads"], card["device"]) == (8, 1, "cpu")
    assert SelfPlayConfig(**card["config"]).seed == 2
    assert card["versions"]["tttenv"] == tttenv.__version__
    assert card["versions"]["torch"] == torch.__version__
    files = {role: data(made, role) for role in (STATE, WEIGHTS, POLICY, SNAPSHOTS)}
    assert card["files"] == {file.name: digest(file.read_bytes()) for file in files.values()}
    for role, file in files.items():
        assert file.name == f"{role}-{digest(file.read_bytes())[:16]}.safetensors"
    assert card["certificate"] == certify(Rules(), player(str(made))).to_dict()


def test_the_weights_alone_give_the_same_player_without_touching_the_dice(made):
    before = torch.random.get_rng_state()
    learner = load_learner(made)
    assert torch.equal(before, torch.random.get_rng_state())
    assert (learner.policy().table == player(str(made)).table).all()
    assert set(load_file(data(made, WEIGHTS))) == set(learner.state_dict()["weights"])


def test_the_folder_is_a_player_by_name_inside_options_too(made):
    mixed = player(f"epsilon:player=({made}),epsilon=0.25")(Rules().start(1))[0]
    assert mixed.max() == pytest.approx(0.75 + 0.25 / 9)
    with pytest.raises(ValueError, match=r"^the player in [^\n]* plays 3,3,3, not 2,3,2$"):
        player(str(made), Rules(2, 3, 2))


BAD_CARDS = {
    "missing": lambda file: file.unlink(),
    "truncated": lambda file: truncate(file.with_name(CARD)) or file.write_text('{"learner"'),
    "no text": lambda file: file.write_bytes(b"\xff\xfe\x00"),
    "another JSON": lambda file: file.write_text('{"name": "something else"}'),
    "rules that are none": lambda file: change_card(file.parent, rules="3,3,9"),
    "other rules": lambda file: change_card(file.parent, rules="2,3,2"),
    "files of nothing": lambda file: change_card(file.parent, files={}),
    "a file elsewhere": lambda file: change_card(file.parent, files={"../policy": "0" * 64}),
    "a digest that is none": lambda file: change_card(
        file.parent, files={f"{role}-{'0' * 16}.safetensors": "0" for role in (WEIGHTS, POLICY)}
    ),
    "two files of one role": lambda file: change_card(
        file.parent,
        files=card_of(file.parent)["files"]
        | {f"{role}-{'0' * 16}.safetensors": "0" * 64 for role in (WEIGHTS, POLICY)},
    ),
    "a number that is none": lambda file: change_card(file.parent, seconds=float("nan")),
    **{
        f"no {key}": lambda file, key=key: file.write_text(
            json.dumps({k: v for k, v in card_of(file.parent).items() if k != key})
        )
        for key in sorted(Card.__required_keys__)
    },
}
BAD_FILES = {"flipped": flip, "truncated": truncate, "missing": lambda file: file.unlink()}


@pytest.mark.parametrize("damage", list(BAD_CARDS))
def test_a_card_that_is_none_is_named_in_one_line(copy, damage):
    BAD_CARDS[damage](copy / CARD)
    for load in (load_learner, lambda folder: player(f"{folder}/")):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            load(copy)


@pytest.mark.parametrize("damage", list(BAD_FILES))
def test_damaged_or_missing_files_are_named_in_one_line(copy, damage):
    readers = {POLICY: lambda: player(str(copy)), WEIGHTS: lambda: load_learner(copy)}
    for role, load in (readers | {STATE: lambda: load_training(copy)}).items():
        BAD_FILES[damage](data(copy, role))
        with pytest.raises(ValueError, match=rf"^[^\n]*{role}[^\n]*$"):
            load()


@pytest.mark.parametrize(
    "tensors",
    [
        {"something": torch.zeros(3)},
        {"policy": torch.zeros(10, 9)},
        {"policy": torch.ones(5478, 9, dtype=torch.float64)},
        {"policy": torch.full((5478, 9), float("nan"), dtype=torch.float64)},
        {"policy": torch.zeros(5478, 9, dtype=torch.bfloat16)},
    ],
)
def test_contents_that_a_card_vouches_for_must_still_be_a_player(copy, tensors):
    for role, load in ((POLICY, lambda: player(str(copy))), (WEIGHTS, lambda: load_learner(copy))):
        replace_file(copy, role, tensors)
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            load()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused_naming_their_file(copy, number):
    weights = load_file(data(copy, WEIGHTS))
    next(iter(weights.values())).view(-1)[0] = number
    replace_file(copy, WEIGHTS, weights)
    for made in (load_learner, load_policy):
        with pytest.raises(ValueError, match=r"^[^\n]*/weights-\w+\.safetensors[^\n]*NaN[^\n]*$"):
            made(copy)


def test_a_state_comes_back_as_it_was(tmp_path):
    shared = torch.arange(6.0)
    state = {
        "ints": {0: {"step": torch.tensor(3.0)}, 10: None},
        "plain": ["text", True, 0.1, 2**200, -(2**70), None, [], {}],
        "tensors": [shared, shared[::2], shared.reshape(2, 3).T, torch.zeros(0, 2)],
        "kinds": [torch.tensor([1], dtype=kind) for kind in (torch.bool, torch.int8, torch.half)],
        "arrays": [np.arange(4, dtype=k) for k in (np.int64, np.uint32, np.uint64, np.float32)],
        "turned": np.arange(6).reshape(2, 3).T,
        "looks like a tensor": {"tensor": "0"},
        "without axes": [np.array(2.5), torch.tensor(2.5)],
    }
    again = state_of(state_bytes(state | {"pair": (1, (2,)), "scalar": np.int64(7)}))
    assert (again.pop("pair"), again.pop("scalar")) == ([1, [2]], 7)
    assert list(again["ints"]) == [0, 10]
    assert spelled(again) == spelled(state)


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
def test_a_write_that_fails_leaves_the_old_contents_and_nothing_else(tmp_path, monkeypatch, step):
    def failing(*_):
        raise OSError("disk full")

    write(tmp_path / "deep" / "file", "old")
    monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path / "deep" / "file", b"new")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["file"]
    assert (tmp_path / "deep" / "file").read_text() == "old"
    monkeypatch.undo()
    write(tmp_path / "deep" / "file", b"new")
    assert (tmp_path / "deep" / "file").read_text() == "new"
