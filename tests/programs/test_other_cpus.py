"""lms as published, with the matrix products of other CPUs."""

import json
import subprocess
import sys

from processes import surroundings
from test_tabular_learners import trained


def test_lms_as_published_is_the_same_with_the_matrix_products_of_other_cpus():
    code = "from learners.lms import LMS; from tttenv import Rules\n"
    code += "learner = LMS(LMS.presets['published'], Rules())\n"
    code += "[learner.step() for _ in range(30)]; print(learner.weights.tolist())"
    learner = trained("lms", "published", 30)
    for core in ("Prescott", "Nehalem", "Haswell"):
        env = surroundings(OPENBLAS_CORETYPE=core)
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert json.loads(done.stdout) == learner.weights.tolist(), core
