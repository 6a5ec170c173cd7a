"""Learners: the invariants for every row and preset, toys that violate them, and networks."""

import inspect
import json
import random
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from learners.base import Learner, LearnerTraits
from learners.nets import MaskedMLP, evaluate, greedy_player
from learners.registry import LEARNERS, LearnerRow, presets
from learners.testing import check_learner
from learners.training.checkpoint import load_learner, load_policy
from learners.training.run import Run, usual_schedule
from learners.training.train import train
from tttenv import Rules
from tttenv.game.features import one_hot
from tttenv.parallel.tasks import Context, perform
from tttenv.players.stored.checkpoint import read_card
from tttenv.policy import first_best, greedy
from tttenv.testing import LawBrokenError, some_boards

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"

HEADER = (
    "from dataclasses import dataclass\nimport numpy as np\nimport torch\n"
    "from learners.base import Learner\nfrom tttenv.policy import greedy\n\n"
)


@dataclass(frozen=True)
class ToyConfig:
    """Settings of a toy learner."""

    seed: int = 0
    rate: float = 0.5


class Toy(Learner):
    """Toy learner that prefers some cells to others, and changes its preferences at random."""

    Config = ToyConfig
    presets = {"default": ToyConfig()}

    def __init__(self, config, rules):
        super().__init__(config, rules)
        self.rng = np.random.default_rng(config.seed)
        self.preferences = torch.zeros(rules.cells)

    def step(self):
        """Change the preferences at random."""
        self.moves += 1
        drift = self.config.rate * self.rng.standard_normal(len(self.preferences))
        self.preferences += torch.as_tensor(drift.astype(np.float32))
        return {"drift": float(np.abs(drift).mean())}

    def policy(self):
        """Return the player of the legal cell with the highest preference."""
        preferences = self.preferences.clone().numpy()
        return lambda boards: greedy(np.broadcast_to(preferences, boards.shape), boards == 0)

    def state_dict(self):
        """Return the preferences and the generator's state."""
        return {
            "weights": {"preferences": self.preferences.clone()},
            "rng": self.rng.bit_generator.state,
        }

    def load_state_dict(self, state):
        """Restore the result of `state_dict()`."""
        self.preferences = state["weights"]["preferences"].clone()
        if "rng" in state:
            self.rng.bit_generator.state = state["rng"]


def toy_with(**changed):
    """Return a toy that violates an invariant by other methods or attributes."""
    return type("Broken", (Toy,), changed)


def config_class(frozen=True, **annotations):
    fields = annotations | {"__annotations__": dict.fromkeys(annotations, int)}
    return dataclass(frozen=frozen)(type("Config", (), fields))


def prefers(preferences):
    return lambda boards: greedy(np.broadcast_to(preferences, boards.shape), boards == 0)


def numbers(rng):
    return rng.bit_generator.state["state"]["state"]


# Presets with large batches; tests/training holds them to the laws.
SLOW = [(name, "published") for name in ("maskable_ppo", "qtable", "td0")]
SLOW += [("maskable_ppo", "default")]  # a smaller one: test_deep_learners.py
BROKEN = [  # the law and a toy that breaks it
    (
        "leaves the global generators alone",
        {"step": lambda toy: Toy.step(toy) | {"die": np.random.rand()}},  # noqa: NPY002  # watched
    ),
    (
        "the same seed gives the same state",
        {
            "step": lambda toy: (
                Toy.step(toy) | {"die": toy.preferences[0].add_(random.random()).item()}
            )
        },
    ),
    ("a frozen snapshot", {"policy": lambda toy: lambda boards: prefers(toy.preferences)(boards)}),
    (
        "stopping and resuming makes no difference",
        {
            "age": 0,
            "step": lambda toy: Toy.step(toy) | {"age": setattr(toy, "age", toy.age + 1) or 0.0},
            "state_dict": lambda toy: Toy.state_dict(toy) | {"age": toy.age},
        },
    ),
    (
        "the weights alone are enough to play",
        {"policy": lambda toy: prefers(np.roll(toy.preferences.numpy(), numbers(toy.rng) % 8 + 1))},
    ),
    ("step returns finite numbers", {"step": lambda toy: Toy.step(toy) | {"loss": float("nan")}}),
    ("step adds to moves", {"moves": property(lambda toy: 0, lambda toy, number: None)}),
    (
        "plays without a mask",
        {"policy": lambda toy: lambda b: np.eye(9)[b[:, 0] * 0]},
    ),
    ("Config is frozen", {"Config": config_class(frozen=False, seed=0)}),
    ("Config has a seed", {"Config": config_class(rate=0)}),
    ("JSON", {"presets": {"default": ToyConfig(seed={0})}}),
]


@pytest.mark.parametrize("name", list(LEARNERS))
def test_a_learner_has_one_config_class_which_the_registry_loads(name):
    kind = LEARNERS.load(name)
    assert presets(name) is kind.presets
    assert {type(one) for one in kind.presets.values()} == {kind.Config}


class HereWorkers:
    """Perform in this process what workers would be sent."""

    asked, room = 0, lambda self: 1

    def submit(self, number, task):
        """Perform a task."""
        self.asked += 1
        self.done = [(number, perform(task.work, task.arguments, Context(print)))]

    def wait(self, seconds):
        """Return the outcome of the last task."""
        return self.done


def works(act):
    """Return whether a call succeeds."""
    try:
        act()
    except (ValueError, NotImplementedError):
        return False
    return True


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_trait_is_true_exactly_if_what_it_promises_works(name):
    folder, card = CHECKPOINTS / name, read_card(CHECKPOINTS / name)
    learner = load_learner(folder)
    weights = learner.state_dict()["weights"]
    other = works(lambda: load_policy(folder, rules=Rules(5, 5, 3))(Rules(5, 5, 3).start(1)))
    other_k = works(lambda: load_policy(folder, rules=Rules(5, 5, 4))(Rules(5, 5, 4).start(1)))
    learner.actors = HereWorkers()
    learner.step()
    assert asdict(learner.traits) == {
        "any_board": other,
        "same_k": other and not other_k,
        "tolerance": card["choice"]["tolerance"],
        "searches": works(lambda: load_policy(folder, simulations=4)(Rules().start(1))),
        "starts_from": works(lambda: learner.start_from(weights)),
        "examines": learner.doubts() is not None,
        "divides": learner.actors.asked > 0,
    }


@pytest.mark.parametrize(
    ("trait", "method"),
    [
        ({"searches": True}, None),
        ({"starts_from": True}, None),
        ({"examines": True}, None),
        ({"any_board": True}, None),
        ({"same_k": True}, "empty_weights"),
        ({}, "search_player"),
        ({}, "start_from"),
        ({}, "doubts"),
    ],
)
def test_traits_that_contradict_the_methods_are_refused_when_a_class_is_made(trait, method):
    own = {} if method is None else {method: lambda *_: None}
    with pytest.raises(TypeError, match=rf"^Broken: [^\n]*{next(iter(trait), method)}[^\n]*$"):
        toy_with(traits=LearnerTraits(**trait), **own)
    with pytest.raises(TypeError, match=r"^Broken: traits must be a LearnerTraits, not {}$"):
        toy_with(traits={})


def test_a_learner_that_does_not_play_from_its_weights_alone_says_so():
    with pytest.raises(NotImplementedError, match="Toy does not play from its weights alone"):
        Toy.player(ToyConfig(), Rules(), {})
    assert Toy.empty_weights(ToyConfig(), Rules()) is None
    assert len(inspect.getsource(Toy).splitlines()) <= 40


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("selfplay", {"batch": 0, "fits": 0, "lr": 0.0, "halving": 0}),
        ("td0", {"alpha": 0.0, "epsilon": 1.5, "games": 0, "opening": -1}),
        ("qtable", {"lr": 0.0, "fall": 0, "turns": 0}),
        ("genetic", {"elite": 500, "mutation": 1.5}),
        ("supervised", {"holdout": 1.0, "lr": 0.0, "batch": 0}),
        ("lms", {"eta": 0.0, "epsilon": 2.0}),
        ("dqn", {"games": 0, "capacity": 8, "epsilon": 1.5, "draw": 0.5, "sync": 0}),
        ("reinforce", {"games": 0, "opening": -1, "bound": 0.0}),
        ("transformer", {"width": 0, "heads": 3, "random": 1.5, "lr": 0.0}),
        ("alphazero", {"games": 0, "share": 1.5, "channels": 0, "blocks": 1000, "opening": -1}),
        ("patterns", {"nodes": 0, "games": 1001, "batch": 2**17, "smaller": -0.1, "lr": 0.0}),
        ("maskable_ppo", {"games": 0, "pool": (), "opening": -1}),
    ],
)
def test_settings_out_of_range_are_refused_in_a_line_that_names_the_learner(name, settings):
    kind = LEARNERS.load(name)
    for field, value in settings.items():
        with pytest.raises(ValueError, match=rf"^{name}: [^\n]*{field}[^\n]*$"):
            kind(replace(kind.presets["default"], **{field: value}), Rules())


@pytest.mark.parametrize("name", list(LEARNERS))
def test_the_shipped_player_was_trained_with_its_presets_settings(name):
    card = read_card(CHECKPOINTS / name)
    settings = LEARNERS.load(card["learner"]).presets[card["preset"]]
    assert card["config"] == json.loads(json.dumps(asdict(settings)))


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        (name, preset)
        for name in LEARNERS
        for preset in LEARNERS.load(name).presets
        if (name, preset) not in SLOW
    ],
)
def test_every_learner_and_preset_obeys_the_laws(name, preset):
    kind = LEARNERS.load(name)
    check_learner(kind, Rules(), kind.presets[preset], steps=2)


@pytest.mark.parametrize("rules", [(2, 3, 2), (3, 3, 3), (5, 5, 4)])
def test_a_lawful_toy_passes_on_any_rules(rules):
    check_learner(Toy, Rules(*rules))


@pytest.mark.parametrize(("law", "changed"), BROKEN)
def test_the_kit_names_the_law_that_a_toy_breaks(law, changed):
    kind = toy_with(**changed)
    with pytest.raises(LawBrokenError, match=law):
        check_learner(kind, Rules(), next(iter(kind.presets.values())))


def test_one_file_and_one_row_add_a_learner_that_trains_and_is_listed(tmp_path, monkeypatch):
    source = inspect.getsource(ToyConfig) + "\n\n" + inspect.getsource(Toy)
    (tmp_path / "toy_learner.py").write_text(HEADER + source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(LEARNERS.rows, "toy", LearnerRow("toy_learner:Toy", "a toy", 30, 10))
    check_learner(LEARNERS.load("toy"), Rules())
    assert asdict(presets("toy")["default"]) == asdict(ToyConfig())
    out = tmp_path / "out"
    config = LEARNERS.load("toy").Config(seed=3)
    report = train(Run("toy", "default", config, Rules(), usual_schedule("toy")), out)
    assert (report.step, report.last) == (30, True)
    assert json.loads((out / "card.json").read_text())["learner"] == "toy"
    sys.modules.pop("toy_learner")
    listing = (
        "from learners.cli import train; from learners.registry import *;"
        "LEARNERS.rows['toy'] = LearnerRow('toy_learner:Toy', 'a toy'); train.main(['--help'])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", listing],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert re.search(r"^  toy +a toy$", shown, re.MULTILINE)


def test_first_weights_are_glorots_uniform_and_come_from_the_given_dice_alone():
    before = torch.random.get_rng_state()
    net, again = (MaskedMLP(9, (256, 256), np.random.default_rng(5)) for _ in range(2))
    assert torch.equal(before, torch.random.get_rng_state())
    for one, other in zip(net.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    for (fan_in, fan_out), layer in zip(pairwise([27, 256, 256, 9]), net.layers[::2], strict=True):
        bound = (6 / (fan_in + fan_out)) ** 0.5
        assert 0.97 * bound < layer.weight.abs().max() <= bound
        assert abs(layer.weight.std() / bound - 3**-0.5) < 0.02
        assert not layer.bias.any()


@pytest.mark.parametrize("rules", [Rules(), Rules(5, 5, 4)])
def test_each_seat_is_played_by_its_own_net_and_the_player_is_a_frozen_snapshot(rules):
    nets = [MaskedMLP(rules.cells, (8,), np.random.default_rng(seed)) for seed in (1, 2)]
    player, boards = greedy_player(rules, nets), some_boards(rules, 300)
    seats = np.count_nonzero(boards, axis=1) % 2
    own = [net(torch.as_tensor(one_hot(boards))).detach().numpy() for net in nets]
    values = np.where(seats[:, None] == 0, own[0], own[1])
    np.testing.assert_allclose(evaluate(rules, nets, boards), values, atol=1e-6)
    before = player(boards)
    assert (before == first_best(values, boards == 0)).all()
    np.testing.assert_allclose(evaluate(rules, nets[:1], boards), own[0], atol=1e-6)
    for net in nets:
        nn.init.zeros_(net.layers[-1].weight)
    assert (player(boards) == before).all()
