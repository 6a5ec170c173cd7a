"""Pytest plugin that imitates another CPU's rounding: `pytest -m trained --disturbances 20`.

Two types of CPU add the same numbers in another order and round differently, so that a training
with the same seed ends elsewhere. Tests marked `trained` assert what a training reached; with
`--disturbances N` each of them runs N times, and every run multiplies the first weights by
1 + 1e-6 * u, u uniform in [-1, 1], from a seed of its own (1 to N). Weights are disturbed when an
optimiser takes them, and what table learners have learned after their first step, as they begin as
constants. A summary shows how far the reached numbers are from the bounds asserted.

A short training may end the same after all 20 disturbances and yet elsewhere on some CPU, once a
die falls just beyond the edge of another move. `--disturbance-size 1e-2` makes all runs part ways
early, and so shows how far the endings of a training spread.
"""

import re
import statistics
from collections import defaultdict

import pytest

SIZE = 1e-6  # unless another is asked for
TABLES = {"td0": "values", "qtable": "values", "lms": "weights", "genetic": "fitness"}


def pytest_addoption(parser):
    parser.addoption(
        "--disturbances",
        type=int,
        default=0,
        metavar="N",
        help="run each test marked `trained` with N different disturbances of the first weights",
    )

    parser.addoption(
        "--disturbance-size",
        type=float,
        default=SIZE,
        metavar="SHARE",
        help="the largest share by which a first weight is changed",
    )


def pytest_generate_tests(metafunc):
    count = metafunc.config.getoption("disturbances")
    if count and metafunc.definition.get_closest_marker("trained"):
        seeds = range(1, count + 1)
        ids = [f"disturbed{seed}" for seed in seeds]
        metafunc.parametrize("disturbance", seeds, indirect=True, ids=ids, scope="module")


@pytest.fixture(autouse=True, scope="module")
def disturbance(request):
    """Yield the seed of this run's disturbance; 0 for none."""
    seed = getattr(request, "param", 0)
    with pytest.MonkeyPatch.context() as patch:
        if seed:
            disturb(patch, seed, request.config.getoption("disturbance_size"))
        yield seed


@pytest.fixture
def reached(request, record_property):
    """Return a function that asserts a bound of a number and records it for the summary."""
    marked = request.node.get_closest_marker("trained")
    assert marked, "a test that asserts what a training reached bears @pytest.mark.trained"

    def check(what, number, above=None, below=None):
        bounds = [None if bound is None else float(bound) for bound in (above, below)]
        record_property("reached", (what, float(number), *bounds))  # plain: sent between processes
        assert above is None or number > above, f"{what}: {number} is not above {above}"
        assert below is None or number < below, f"{what}: {number} is not below {below}"

    return check


def disturb(patch, seed, size=SIZE):
    """Make all optimisers and learners with tables start slightly off their initial values."""
    import torch  # not every test needs it

    def disturbed(numbers, generator):
        shares = torch.rand(numbers.shape, generator=generator, dtype=torch.float64) * 2 - 1
        return numbers * (1 + size * shares).to(numbers.dtype)

    take = torch.optim.Optimizer.add_param_group

    def take_disturbed(optimiser, group):
        take(optimiser, group)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for weights in optimiser.param_groups[-1]["params"]:
                weights.copy_(disturbed(weights.cpu(), generator))

    patch.setattr(torch.optim.Optimizer, "add_param_group", take_disturbed)
    for name, table in TABLES.items():
        _disturb_after_first_step(patch, name, table, seed, disturbed)


def _disturb_after_first_step(patch, name, table, seed, disturbed):
    import torch

    from learners.registry import LEARNERS

    kind = LEARNERS.load(name)
    step = kind.step

    def first_step_disturbed(learner):
        logged = step(learner)
        if not vars(learner).get("_disturbed"):
            learner._disturbed = True
            generator = torch.Generator().manual_seed(seed)
            numbers = getattr(learner, table)
            exact = numbers * 2 == (numbers * 2).round()  # 0, 1/2 and 1 are the same on every CPU
            setattr(learner, table, torch.where(exact, numbers, disturbed(numbers, generator)))
        return logged

    patch.setattr(kind, "step", first_step_disturbed)


def pytest_terminal_summary(terminalreporter, config):
    """Print for each test its passes, and the least, median and largest of each number reached."""
    if not config.getoption("disturbances"):
        return
    found, stats = defaultdict(list), terminalreporter.stats
    for report in [*stats.get("passed", []), *stats.get("failed", [])]:
        name = re.sub(r"disturbed\d+-|\[disturbed\d+\]", "", report.nodeid)
        if report.when == "call":
            found[name, "passed"].append(report.passed)
            found[name, "seconds"].append(report.duration)
        for key, value in report.user_properties if report.when == "call" else ():
            if key == "reached":
                what, number, above, below = value
                found[name, f"{what} (above {above}, below {below})"].append(number)
    terminalreporter.section("what trainings reached from disturbed first weights")
    for (name, what), numbers in found.items():
        spread = f"{min(numbers):.4g} / {statistics.median(numbers):.4g} / {max(numbers):.4g}"
        terminalreporter.line(f"{name}: {what}: {spread}")
