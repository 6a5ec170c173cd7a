"""Certificates of players evaluated by workers: the same with any number of them."""

import numpy as np
import pytest

from tttenv import Rules, certify, player
from tttenv.certificates.certificate import ALL_POSITIONS, REACHABLE
from tttenv.league import worker_player
from tttenv.league.worker_player import MOST, WorkerPlayer, worth_sharing
from tttenv.parallel.processes import Processes

CASES = [
    (Rules(), "mcts:iterations=20", ALL_POSITIONS),
    (Rules(), "epsilon:player=(mcts:iterations=10),epsilon=0.1", REACHABLE),
    (Rules(4, 4, 4), "alphabeta:depth=1,ties=first", REACHABLE),
    (Rules(4, 4, 3), "mcts:iterations=10", REACHABLE),
]
POSITIONS = 3000


@pytest.fixture(scope="module", params=[1, 3])
def backend(request):
    with Processes(request.param) as made:
        yield made


@pytest.mark.parametrize(("rules", "spec", "method"), CASES, ids=str)
def test_the_certificate_is_that_without_workers(backend, rules, spec, method):
    alone = player(spec, rules)
    shared = WorkerPlayer(backend, spec, alone)
    first, second = (
        certify(rules, one, POSITIONS, method=method, name=spec).to_dict()
        for one in (alone, shared)
    )
    assert first == second


def test_answers_are_those_of_the_player_in_the_order_of_the_boards(monkeypatch):
    rules, spec = Rules(4, 4, 4), "mcts:iterations=5"
    alone = player(spec, rules)
    boards = [rules.start()]
    for _ in range(3):
        boards += [rules.play(boards[-1], cell) for cell in np.flatnonzero(boards[-1] == 0)]
    boards = np.array(boards)
    with Processes(2) as backend:
        shared = WorkerPlayer(backend, spec, alone)
        for most in (MOST, 1, 7):
            monkeypatch.setattr(worker_player, "MOST", most)
            assert (shared(boards) == alone(boards)).all()
        backend._workers[0].process.kill()
        assert (shared(boards) == alone(boards)).all()
        assert shared(boards[:0]).shape == (0, rules.cells)


def test_only_players_that_are_asked_board_by_board_are_worth_sharing():
    rules = Rules()
    for spec, worth in (
        *(("mcts", True), ("alphabeta:depth=2", True), ("epsilon:player=mcts", True)),
        *(("random", False), ("selfplay", False), ("first", False)),
    ):
        assert worth_sharing(player(spec, rules)) is worth, spec


def test_a_player_with_other_files_where_a_worker_is_is_refused(monkeypatch):
    rules = Rules()
    with Processes(1) as backend:
        shared = WorkerPlayer(backend, "mcts:iterations=5", player("mcts", rules))
        shared._files = ["0" * 64]
        with pytest.raises(ValueError, match="its files have changed, or differ"):
            shared(rules.start(1))


def test_workers_without_a_certificate_are_refused_in_a_line(run_here):
    told = run_here("certify.py", "minimax", "--jobs", "2", "--sampled")
    assert told.returncode == 2
    assert "cannot be combined with --sampled" in " ".join(told.stderr.split())
