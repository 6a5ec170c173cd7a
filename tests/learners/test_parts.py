"""What a learner names as its parts is saved and restored, and nothing less."""

import numpy as np
import pytest
import torch

from learners.buffers import Replay, Transitions
from learners.parts import SavesParts
from learners.testing import _same as same
from tttenv import Rules
from tttenv.env.vector import VectorTicTacToe


class Parts(SavesParts):
    """One part of each kind."""

    def __init__(self, seed):
        self.rng, self.steps = np.random.default_rng(seed), 0
        self.net, self.best = torch.nn.Linear(2, 2), torch.zeros(2)
        self.optimiser = torch.optim.Adam(self.net.parameters())
        self.replay = Replay(4, Rules())
        self.env = VectorTicTacToe(2, obs="board", opponent=None)
        self.env.np_random = self.rng
        self.env.reset()
        self.width = np.zeros(3)

    def parts(self):
        """Return all of them."""
        return {
            "weights": {"net": self.net},
            "tables": {"best": self.best, "width": self.width},
            "optimiser": self.optimiser,
            "replay": self.replay,
            "boards": self.env,
            "steps": self.steps,
            "rng": self.rng,
        }

    def step(self):
        """Change all of them."""
        self.optimiser.zero_grad()
        self.net(torch.ones(2)).sum().backward()
        self.optimiser.step()
        boards, cells = self.env.boards, self.rng.choice(9, 2, replace=False)
        cells = np.where(boards[:, cells] == 0, cells, (boards == 0).argmax(axis=1)[:, None])[:, 0]
        over = self.env.step(cells)[2]
        self.replay.add(Transitions(boards, cells, np.zeros(2, np.float32), over, self.env.boards))
        self.best += self.rng.random()
        self.width[:] = self.rng.random(3)
        self.steps += 1


@pytest.fixture
def stepped():
    learner = Parts(1)
    for _ in range(3):
        learner.step()
    return learner


def test_every_kind_of_part_is_restored_and_goes_on_the_same(stepped):
    other, state = Parts(2), stepped.state_dict()
    other.load_state_dict(state)
    assert same(other.state_dict(), state)
    for learner in (stepped, other):
        learner.step()
    assert same(other.state_dict(), stepped.state_dict())
    assert not same(other.state_dict(), state)  # it was a copy


def test_the_weights_alone_leave_all_other_parts_as_they_are(stepped):
    other = Parts(2)
    before, state = other.state_dict(), stepped.state_dict()
    other.load_state_dict({"weights": state["weights"]})
    assert same(other.state_dict(), before | {"weights": state["weights"]})


@pytest.mark.parametrize("key", ["tables", "optimiser", "replay", "boards", "steps", "rng"])
def test_a_state_without_one_of_its_parts_is_refused(stepped, key):
    state = stepped.state_dict()
    del state[key]
    with pytest.raises(KeyError):
        Parts(2).load_state_dict(state)
