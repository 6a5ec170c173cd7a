"""Learners whose steps actors share, for the tests with processes and on Ray."""

from dataclasses import replace

import numpy as np
import torch

from learners.registry import LEARNERS
from tttenv import Rules
from tttenv.parallel import Crew

ACTING = {  # settings of the learners with searches for actors: three parts, or games, a step
    "alphazero": {
        **{"channels": 4, "blocks": 1, "games": 400, "opening": 2, "batch": 16, "capacity": 900},
        **{"examine": 3, "width": 10, "failures": 2, "reached": 100, "doubtful": 1},
    },
    "patterns": {"games": 3, "nodes": 50, "play_nodes": 10, "batch": 8, "channels": 4},
}


def learned(name, backend=None, disturb=lambda: None, steps=8):
    """Return the state of a learner after some steps on 4,4,3, as text, disturbed amid them."""
    kind, threads = LEARNERS.load(name), torch.get_num_threads()
    torch.set_num_threads(1)
    learner = kind(replace(kind.presets["default"], **ACTING[name]), Rules(4, 4, 3))
    learner.crew = backend and Crew(backend)
    for step in range(steps):
        if step == steps // 2:
            disturb()
        learner.step()
    torch.set_num_threads(threads)
    with np.printoptions(threshold=10**9, floatmode="unique"):
        torch.set_printoptions(threshold=10**9, precision=17)
        return repr(learner.state_dict())
