"""Crashes and failures during the writing of a checkpoint, which stays complete and resumable."""

import gc
import threading
from contextlib import suppress

import pytest
from faults import MANNERS, Death, failing
from test_train import contents, names, sound

from learners.td0 import TD0, TD0Config
from learners.training.checkpoint import load_learner, save
from learners.training.run import Run, Schedule
from learners.training.train import LOCK, train
from tttenv import Rules, certify, player
from tttenv.players.stored.checkpoint import (
    CARD,
    POLICY,
    RUN,
    STATE,
    WEIGHTS,
    commit,
    read_data,
    tidy,
)

SMALL = TD0Config(seed=1, games=8)
PLAN = Schedule(steps=4, every=2, checkpoint_every=2)


def trained(out, plan=PLAN, **more):
    return train(Run("td0", "default", SMALL, Rules(), plan), out, **more)


@pytest.fixture(scope="module")
def through(tmp_path_factory):
    out = tmp_path_factory.mktemp("through")
    trained(out)
    return out


def test_every_call_of_a_checkpoint_may_die_or_fail(tmp_path, through):
    """The older player or the newer plays, and the training goes on to the same bytes.

    A few of the failures here; `make campaign` draws from all of them, and with every learner.
    """
    with failing(tmp_path / "counted") as counted:
        trained(tmp_path / "counted")
    assert len(counted.calls) > 60
    for number, manner in enumerate(MANNERS):
        for at in range(15 * number, len(counted.calls), 60):
            out = tmp_path / f"{manner}-{at}"
            with suppress(Death, OSError, KeyboardInterrupt), failing(out, at, manner):
                trained(out)
            gc.collect()  # its lock is gone, as that of a dead process
            if (out / CARD).exists():
                certify(Rules(), player(f"{out}/"))
                load_learner(out)
            try:
                trained(out, resume=True)
            except ValueError as refusal:
                if "is finished at step 4" not in str(refusal):  # died before its first state
                    assert not (out / CARD).exists()
                    trained(out)
            assert contents(out) == contents(through), (manner, at)
            assert sound(out), (manner, at, names(out))


def test_a_failing_disk_is_named_and_leaves_the_older_player(tmp_path):
    trained(tmp_path, plan=Schedule(2, 2, 2))
    before = contents(tmp_path, [WEIGHTS, POLICY, STATE, CARD])
    for call, named in ((5, "run.json"), (14, "state-")):
        with (
            failing(tmp_path, call, "full"),
            pytest.raises(OSError, match=rf"No space left on device: '[^']*{named}[^']*'"),
        ):
            trained(tmp_path, resume=True)
    assert contents(tmp_path, [WEIGHTS, POLICY, STATE, CARD]) == before
    assert sound(tmp_path)


def test_a_reader_beside_a_training_always_finds_a_player(tmp_path):
    learner = TD0(SMALL, Rules())
    about = {"learner": "td0", "preset": "default", "config": {"seed": 1, "games": 8}}
    save(tmp_path, learner, Rules(), {**about, "steps": 0}, {"step": 0})
    card, data = read_data(tmp_path, WEIGHTS, POLICY, STATE)
    done, failures = threading.Event(), []

    def write():
        for step in range(30):
            changed = {role: content + bytes([step % 256]) for role, content in data.items()}
            commit(tmp_path, card | {"steps": step}, changed)
        done.set()

    def read():
        while not done.is_set():
            try:
                found, contents = read_data(tmp_path, WEIGHTS, POLICY)
            except Exception as error:
                failures.append(error)
            else:
                ends = {content[-1] for content in contents.values()}
                if ends != {found["steps"] % 256}:
                    failures.append(ends)

    readers = [threading.Thread(target=read) for _ in range(2)]
    commit(tmp_path, card, {role: content + b"\0" for role, content in data.items()})
    for thread in readers:
        thread.start()
    write()
    for thread in readers:
        thread.join()
    assert not failures


def test_tidying_leaves_what_is_not_a_checkpoints(tmp_path):
    ours = [
        "state-0123456789abcdef.safetensors",
        "weights-0123456789abcdef.safetensors",
        ".card.json.abcd1234",
        ".run.json.abcd1234",
        ".policy-0123456789abcdef.safetensors.x_y",
    ]
    theirs = [
        "weights.safetensors",
        "policy-0123456789abcdef.safetensors",
        "notes.txt",
        ".hidden",
        CARD,
        RUN,
        LOCK,
        "state-0123456789abcdef.safetensors.bak",
    ]
    for name in ours + theirs:
        (tmp_path / name).touch()
    tidy(tmp_path, ["policy-0123456789abcdef.safetensors"])
    assert {path.name for path in tmp_path.iterdir()} == set(theirs)
