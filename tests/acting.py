"""Learners whose steps actors share, for the tests with processes and on Ray."""

from dataclasses import replace

import numpy as np
import torch

from learners.registry import LEARNERS
from tttenv import Rules

ACTING = {  # settings of the learners with searches for actors: three parts, or games, a step
    "alphazero": {
        **{"channels": 4, "blocks": 1, "games": 260, "opening": 2, "batch": 16, "capacity": 900},
        **{"examine": 3, "width": 10, "failures": 2, "reached": 100, "doubtful": 1},
    },
    "patterns": {"games": 3, "nodes": 50, "play_nodes": 10, "batch": 8, "channels": 4},
}


def learned(name, first=None, then=None, disturb=lambda: None):
    """Return the state, as text, of a learner resumed with other actors on 4,4,3."""
    kind, state = LEARNERS.load(name), None
    for actors in (first, then):
        learner = kind(replace(kind.presets["default"], **ACTING[name]), Rules(4, 4, 3))
        if state is not None:
            learner.load_state_dict(state)
            disturb()
        learner.actors = actors
        for _ in range(4):
            learner.step()
        state = learner.state_dict()
    with np.printoptions(threshold=10**9, floatmode="unique"):
        torch.set_printoptions(threshold=10**9, precision=17)
        return repr(state)
