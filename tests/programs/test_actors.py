"""Trainings and certificates with workers: the same bit for bit, whatever their number and fate."""

import json

import pytest

from tests import acting
from tests import parallel_work as work
from tttenv.cli import certify
from tttenv.parallel.processes import Processes
from tttenv.parallel.tasks import answers


@pytest.mark.parametrize("name", list(acting.ACTING))
def test_a_learner_learns_the_same_with_any_number_of_actors_and_if_one_is_killed(name):
    expected = acting.learned(name)
    with Processes(1) as one, Processes(2) as two:

        def kill():
            two._workers[0].process.kill()

        assert acting.learned(name, two, two, kill) == expected
        assert acting.learned(name, one, None) == expected


def test_parts_whose_workers_are_all_lost_are_answered_here():
    with Processes(2) as backend, pytest.warns(UserWarning, match="ended 3 times.*answered here"):
        assert answers(work.alone_answering, [1, 2], backend) == [3, 6]


def test_a_certificate_by_workers_is_the_same(capsys):
    certificates = []
    for jobs in ([], ["--jobs", "2"]):
        player = ["gumbel:simulations=4", "--rules", "4,4,4", "--positions", "300", "--json"]
        certify.main([*player, *jobs])
        certificates.append(json.loads(capsys.readouterr().out))
    assert certificates[0] == certificates[1]
