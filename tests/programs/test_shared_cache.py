"""Processes that compile for different boards share one cache of compiled code."""

import os
import subprocess
import sys


def test_processes_that_compile_for_different_boards_can_share_a_cache(tmp_path):
    script = """
import sys
import numpy as np
from tttenv.env.vector import VectorTicTacToe

for shape in sys.argv[1:]:
    env = VectorTicTacToe(50, *map(int, shape.split(",")), opponent="random")
    env.reset(seed=0)
    for _ in range(10):
        planes = env.step(env.sample_actions())[0].reshape(50, 3, -1)
        assert (planes == np.stack([env.boards == stone for stone in (1, -1, 0)], axis=1)).all()
"""
    for boards in (["2,2,2"], ["3,4,3"], ["2,2,2", "3,4,3"]):
        subprocess.run(
            [sys.executable, "-c", script, *boards],
            env=os.environ | {"TTTENV_CACHE": str(tmp_path)},
            check=True,
            timeout=300,
        )
