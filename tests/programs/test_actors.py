"""Actors: the same training with and without them, and when they are lost."""

import time
from copy import deepcopy

import numpy as np
import pytest
import torch

from learners.actors import Actors
from learners.alphazero import AlphaZero, AlphaZeroConfig
from learners.alphazero_searches import begin_searches, end_searches
from learners.patterns import Patterns, PatternsConfig
from tttenv.game.rules import Rules
from tttenv.parallel import Shared, Task, run
from tttenv.parallel.processes import Processes
from tttenv.parallel.tasks import Done, key

RULES = Rules(3, 4, 3)
CONFIG = AlphaZeroConfig(
    games=16, batch=32, channels=8, blocks=1, examine=5, doubtful=10, width=100, progressive=4
)
LEARNED, STEPS = 9, 12  # it has learned after so many steps, and trains on


def flat(state, name=""):
    """Return all numbers of a learner's state, by path."""
    if isinstance(state, dict):
        return {k: v for part in state for k, v in flat(state[part], f"{name}/{part}").items()}
    if isinstance(state, list | tuple):
        return flat(dict(enumerate(state)), name)
    return {name: state.tolist() if hasattr(state, "tolist") else state}


def trained(backend=None, number=1, overlap=False, steps=STEPS, learner=None, disturb=None):
    """Return the learner after `steps` steps, disturbed before each."""
    torch.set_num_threads(1)
    learner = AlphaZero(CONFIG, RULES) if learner is None else learner
    learner.actors = None if backend is None else Actors(backend, number, overlap)
    for step in range(steps):
        if disturb is not None:
            disturb(step)
        learner.step()
    return learner


@pytest.fixture(scope="module")
def two():
    with Processes(2) as backend:
        yield backend


@pytest.fixture(scope="module")
def alone(two):
    """Return the states of undisturbed trainings with two actors, without and with overlap."""
    return [flat(trained(two, 2, overlap).state_dict()) for overlap in (False, True)]


def test_with_one_actor_a_training_is_bit_for_bit_that_without(two):
    plain, acted = trained(steps=LEARNED), trained(two, 1)
    assert len(plain.replay) > CONFIG.batch
    assert len(plain.mistakes) > 0
    trained(steps=STEPS - LEARNED, learner=plain)
    assert len(flat(plain.state_dict())) > 50
    assert flat(plain.state_dict()) == flat(acted.state_dict())


@pytest.mark.parametrize("overlap", [False, True])
def test_lost_actors_are_replaced_and_change_nothing(two, alone, overlap):
    lost = []

    def disturb(step):
        if step in (2, LEARNED + 1):
            process = two._workers[0].process
            process.kill()
            lost.append(process.pid)

    learner = trained(two, 2, overlap, disturb=disturb)
    assert len(set(lost)) == 2
    assert flat(learner.state_dict()) == alone[overlap]


@pytest.mark.parametrize("overlap", [False, True])
def test_a_learner_goes_on_from_its_state(two, alone, overlap):
    first = trained(two, 2, overlap, steps=LEARNED)
    other = AlphaZero(CONFIG, RULES)
    other.load_state_dict(first.state_dict())
    assert flat(trained(two, 2, overlap, STEPS - LEARNED, other).state_dict()) == alone[overlap]


def test_what_the_parts_find_is_put_together_in_the_order_of_the_games(two):
    learner = trained(steps=2)
    wanted, _ = learner._wanted_searches()
    here = learner.search.search(*wanted)
    actors = Actors(two, 3)
    begin_searches(actors, wanted, learner.average, learner.search)
    found = end_searches(actors)
    assert not np.allclose(here.policy[::-1], here.policy, atol=1e-2)
    assert np.allclose(found.policy, here.policy, atol=1e-4)
    assert np.allclose(found.values, here.values, atol=1e-4)


LABELS = PatternsConfig(
    nodes=100, play_nodes=20, games=4, updates=2, smaller=0.5, bootstrap=2, renew=2
)


@pytest.mark.parametrize("number", [1, 3])
def test_actors_that_label_change_no_label_and_no_weight(two, number):
    states = []
    for actors in (None, Actors(two, number)):
        learner = Patterns(LABELS, Rules(6, 6, 3))
        learner.actors = actors
        for _ in range(5):  # from the third on, the network itself values positions
            learner.step()
        states.append(flat(learner.state_dict()))
    assert states[0] == states[1]


def test_a_learner_gets_what_it_shares_from_actors_that_worked_for_another(two):
    rules, targets = Rules(6, 6, 5), []
    for steps in (3, 9):  # networks that have learned for so many steps
        learner = Patterns(LABELS, rules)
        for _ in range(steps):
            learner.step()
        alone, acted = Patterns(LABELS, rules), Patterns(LABELS, rules)
        alone.load_state_dict(deepcopy(learner.state_dict()))
        acted.load_state_dict(deepcopy(learner.state_dict()))
        acted.actors = Actors(two, 1)
        for each in (alone, acted):
            each.rng = np.random.default_rng(0)
            each.step()
        assert flat(alone.state_dict()) == flat(acted.state_dict())
        targets.append(acted.buffer.kept.targets[: len(acted.buffer)][-10:])
    assert (targets[0] != targets[1]).any()


def test_an_actor_that_is_lost_again_and_again_ends_the_training_in_a_line(two, monkeypatch):
    begun = []
    monkeypatch.setattr(two, "submit", lambda number, task: begun.append(number))
    monkeypatch.setattr(two, "wait", lambda seconds: [(begun[0], Done(None, "its process ended"))])
    with pytest.raises(ValueError, match="actor 0: its process ended"):
        trained(two, 2, steps=1)


def itself(part, context):
    if part == "refused":
        raise ValueError(part)
    time.sleep(0.3 if part == "late" else 0)
    return part


def test_what_a_failed_step_leaves_is_no_result_of_the_next():
    with Processes(2) as backend:
        actors = Actors(backend, 2)
        actors.begin(itself, ["refused", "late"])
        with pytest.raises(ValueError, match="actor 0: refused"):
            actors.end()
        actors.begin(itself, ["first", "second"])
        assert actors.end() == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["alphazero", "--overlap"], "overlap needs actors: set their number"),
        (["alphazero", "--actors", "-1"], "actors must be 0 to 1,024, not -1"),
        (["alphazero", "--ray", "auto"], "--ray needs --actors N"),
        (["dqn", "--actors", "2"], "dqn plays its games itself: it does not support actors"),
    ],
)
def test_options_that_no_training_can_have_are_told_in_a_line(
    arguments, complaint, run_here, tmp_path, monkeypatch
):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    told = run_here("train.py", *arguments, "--out", "o")
    assert told.returncode == 2
    assert complaint in " ".join(told.stderr.split())
    assert not (tmp_path / "o").exists()


def version_and_length(given, context):
    return [context.shared.version, len(context.shared.value)]


def test_what_tasks_share_is_what_each_gets_though_it_changes(two):
    for version in (1, 2, 2):
        shared = Shared(version, b"x" * version)
        tasks = [Task(str(n), version_and_length, n, shared=shared) for n in range(6)]
        assert [found.value for found in run(tasks, two)] == [[version, version]] * 6
    with pytest.raises(ValueError, match="a task with a shared value has no description"):
        key(tasks[0])
