"""Untrusted checkpoints: nothing they name is executed, invalid ones are rejected in one line."""

import json
import shutil
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

import tttenv.env.vector
import tttenv.players
from learners.dqn import DQN
from learners.registry import LEARNERS
from learners.training.checkpoint import load_learner, load_policy, load_training, state_bytes
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv import Rules, player
from tttenv.players.stored.checkpoint import (
    LARGEST,
    RUN,
    STATE,
    WEIGHTS,
    commit,
    file_of,
    read_card,
    read_data,
)
from tttenv.players.stored.config_io import from_stored, spec_fields
from tttenv.testing import some_boards
from tttenv.utils.registry import Spec

SHIPPED = Path(__file__).parents[2] / "checkpoints"
ANY_BOARD = ("dqn", "reinforce", "patterns", "maskable_ppo")  # play on boards without a table
HOSTILE = (
    "external:command=(touch PWNED)",
    "sb3:path=x.zip,trust=true",
    "gomocup:command=(touch PWNED),anyk=true",
    "epsilon:player=(external:command=(touch PWNED))",
    "checkpoints/dqn",
)


def config_of(name, **changed):
    """Return the default config of a learner as a card stores it."""
    return json.loads(json.dumps(asdict(LEARNERS.load(name).presets["default"]) | changed))


def gift(folder, name, rules="5,5,4", weights=None, **changed):
    """Write a handmade checkpoint: weights with an arbitrary card."""
    kind, config = LEARNERS.load(name), LEARNERS.load(name).presets["default"]
    shapes = kind.empty_weights(config, Rules.of(rules))
    made = weights or {key: torch.zeros(t.shape, dtype=t.dtype) for key, t in shapes.items()}
    card = {
        "learner": name,
        "preset": "default",
        "config": config_of(name),
        "rules": rules,
        "steps": 1,
        "versions": {},
        "certificate": None,
    }
    commit(folder, card | changed, {WEIGHTS: save(made)})
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Yield the path where an executed command would leave a file."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize("name", list(LEARNERS))
def test_to_play_nothing_but_networks_and_tables_is_made(name, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("playing makes no environment and no opponent")

    kind = LEARNERS.load(name)
    table = player(f"{SHIPPED / name}/").table
    for home, made in ((tttenv.env.vector.VectorTicTacToe, "__init__"), (kind, "__init__")):
        monkeypatch.setattr(home, made, refuse)
    monkeypatch.setattr(tttenv.players, "player", refuse)
    boards = some_boards(Rules(), 200)
    at = tttenv.exact.positions(Rules()).index(boards)
    assert (load_policy(SHIPPED / name)(boards) == table[at]).all()


@pytest.mark.parametrize("name", list(LEARNERS))
def test_empty_weights_are_those_of_the_learner(name):
    kind = LEARNERS.load(name)
    for preset in kind.presets.values():
        small = replace(preset, games=2) if "games" in {f.name for f in fields(preset)} else preset
        weights = kind(small, Rules()).state_dict()["weights"]
        empty = kind.empty_weights(small, Rules())
        assert {n: (t.shape, t.dtype) for n, t in weights.items()} == {
            n: (t.shape, t.dtype) for n, t in empty.items()
        }
        assert all(tensor.device.type == "meta" for tensor in empty.values())


@pytest.mark.parametrize("spec", HOSTILE)
@pytest.mark.parametrize("name", list(LEARNERS))
def test_a_player_that_a_config_names_is_not_run(tmp_path, name, spec):
    named = spec_fields(LEARNERS.load(name).Config)
    assert named == {"dqn": ["opponent"], "maskable_ppo": ["pool"]}.get(name, [])
    for field in named:
        value = [spec] if field == "pool" else spec
        folder = gift(tmp_path / field, name, config=config_of(name, **{field: value}))
        for way in (load_policy, load_learner, lambda f: player(f"{f}/")):
            with pytest.raises(ValueError, match=rf"^[^\n]*{field}: a file must not name[^\n]*$"):
                way(folder)


@pytest.mark.parametrize("name", ANY_BOARD)
def test_a_gift_without_tricks_plays(tmp_path, name):
    policy = player(f"{gift(tmp_path / 'gift', name)}/")
    probs = policy(Rules(5, 5, 4).start(1))
    assert probs.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "config",
    [
        {"hidden": [20_000, 20_000]},
        {"hidden": [1] * 100_000},
        {"hidden": [0]},
        {"hidden": "wide"},
        {"lr": "x"},
        {"seed": None},
        {"\x1b]0;pwn\x07": 1},
        {"a" * 100_000: 1},
    ],
)
@pytest.mark.parametrize("name", ANY_BOARD)
def test_configs_that_do_not_fit_the_weights_are_refused_at_once(tmp_path, name, config):
    folder = gift(tmp_path / "gift", name, config={**config_of(name), **config})
    for way in (load_policy, load_learner):
        with pytest.raises(ValueError, match=r"^[^\n\x1b]+$") as refusal:
            way(folder)
        assert len(str(refusal.value)) < 600 + len(str(folder))


@pytest.mark.parametrize("name", list(LEARNERS))
def test_weights_of_other_names_shapes_or_types_are_refused(tmp_path, name):
    rules = "5,5,4" if name in ANY_BOARD else "3,3,3"
    whole = load(next((SHIPPED / name).glob("weights*")).read_bytes())
    if rules != "3,3,3":
        gift(tmp_path / "whole", name, rules)
        whole = load(next((tmp_path / "whole").glob("weights*")).read_bytes())
    key = next(key for key, tensor in whole.items() if tensor.numel() > 1)
    card = read_card(SHIPPED / name)
    for number, wrong in enumerate(
        [
            {},
            {"\x1b[2J": torch.zeros(1)},
            whole | {"more": torch.zeros(1)},
            whole | {key: whole[key].flatten()[:1].clone()},
            whole | {key: whole[key][..., None].clone()},
            whole | {key: whole[key].to(torch.float16)},
            {other: tensor for other, tensor in whole.items() if other != key},
        ]
    ):
        settings = {"config": card["config"]} if rules == "3,3,3" else {}
        folder = gift(tmp_path / str(number), name, rules, weights=wrong or None, **settings)
        if not wrong:
            (file,) = folder.glob("weights*")
            file.write_bytes(b"")
        for way in (load_policy, load_learner):
            with pytest.raises(ValueError, match=r"^[^\n\x1b]+$"):
                way(folder)


def test_genes_and_tables_of_nonsense_are_no_player(tmp_path):
    count = tttenv.exact.positions(Rules()).boards.shape[0]
    classes = LEARNERS.load("genetic").empty_weights(None, Rules())["genes"].shape
    for genes in (-1, 9, 2**40):
        weights = {"genes": torch.full(classes, genes)}
        with pytest.raises(ValueError, match="genes must be cells"):
            load_policy(gift(tmp_path / str(genes), "genetic", "3,3,3", weights))
    for number in (float("nan"), float("-inf")):
        weights = {"values": torch.full((count,), number, dtype=torch.float64)}
        folder = gift(tmp_path / str(number), "td0", "3,3,3", weights)
        try:
            probs = load_policy(folder)(some_boards(Rules(), 50))
        except ValueError:
            continue
        assert np.allclose(probs.sum(axis=1), 1)


def test_a_strangers_training_names_its_players_again_or_is_refused(tmp_path, run_here):
    config = DQN.Config(opponent=Spec("epsilon"), games=4, batch=4, hidden=(4,))
    plan = Schedule(1, 1, 1)
    folder = tmp_path / "runs"
    train(Run("dqn", "default", config, Rules(), plan), folder)
    stored = json.loads((folder / RUN).read_text())
    for spec in HOSTILE[:2]:
        stored["config"]["opponent"] = spec
        (folder / RUN).write_text(json.dumps(stored))
        done = run_here("train.py", "dqn", "--resume", "--out", str(folder), "--steps", "2")
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "a file must not name the player" in done.stderr
        assert "repeat --opponent" in done.stderr
    Run.load(folder, trusted=["opponent"]).with_digests().save(folder)
    same = ("--opponent", HOSTILE[1])  # said by the user: then SB3's own refusal is heard
    done = run_here("train.py", "dqn", "--resume", "--out", str(folder), *same)
    assert "x.zip" in done.stderr
    assert "must not name" not in done.stderr


BROKEN_STATES = {
    "no learner": lambda state: state.pop("learner"),
    "a progress of more": lambda state: state["progress"].update(more=1),
    "no progress": lambda state: state.pop("progress"),
    "no weights": lambda state: state["learner"].pop("weights"),
    "no generator": lambda state: state["learner"].pop("rng"),
    "weights of one number": lambda state: state["learner"]["weights"].update(
        {key: tensor.flatten()[:1].clone() for key, tensor in state["learner"]["weights"].items()}
    ),
    "weights that are no numbers": lambda state: state["learner"]["weights"].update(
        {key: tensor / 0 * 0 for key, tensor in state["learner"]["weights"].items()}
    ),
}


@pytest.mark.parametrize("name", list(LEARNERS))
def test_states_of_wrong_contents_are_refused_in_a_line(tmp_path, name):
    kind = LEARNERS.load(name)
    usual = kind.presets["default"]
    sizes = {"games": 2, "population": 4, "turns": 2, "batch": 2, "hidden": (4,)}
    small = {k: v for k, v in sizes.items() if isinstance(getattr(usual, k, None), type(v))}
    config = usual if name == "lms" else replace(usual, **small)
    plan = Schedule(1, 1, 1)
    made = tmp_path / "made"
    train(Run(name, "default", config, Rules(), plan), made)
    for number, broken in enumerate(BROKEN_STATES.values()):
        if name not in ("td0", "alphazero") and (number + list(LEARNERS).index(name)) % 3:
            continue  # each damage to every third learner, all of them to these two
        folder = Path(shutil.copytree(made, tmp_path / "broken"))
        card, state = load_training(folder)
        broken(state)
        _, files = read_data(folder, *(role for role in LARGEST if file_of(card, role)))
        commit(folder, card, files | {STATE: state_bytes(state)})
        with pytest.raises(ValueError, match=r"^[^\n\x1b]+$"):
            train(Run(name, "default", config, Rules(), Schedule(2, 1, 1)), folder, resume=True)
        shutil.rmtree(folder)


def test_settings_read_back_are_those_written():
    for name in LEARNERS:
        kind = LEARNERS.load(name)
        for preset in kind.presets.values():
            stored = json.loads(json.dumps(asdict(preset)))
            assert from_stored(kind.Config, stored, name) == preset
