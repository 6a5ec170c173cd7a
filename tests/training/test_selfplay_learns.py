"""Self-play becomes unbeatable as repaired, and stays beatable as published."""

from dataclasses import replace

import numpy as np
import pytest
from reference import mover, put, view, winner
from test_selfplay import DEFAULT

from learners.selfplay import SelfPlay
from learners.training.loop import Progress, run, usual_schedule
from tttenv import Rules


@pytest.mark.trained
@pytest.mark.parametrize("seed", range(3))
def test_the_default_becomes_unbeatable_and_never_loses_any_game(seed, reached):
    learner = SelfPlay(replace(DEFAULT, seed=seed), Rules())
    *_, report = run(learner, Rules(), usual_schedule("selfplay"), Progress())
    reached("steps", report.step, below=101)
    assert report.certificate.unbeatable
    player = report.policy
    for seat in "XO":
        boards, seen = ["_" * 9], set()
        while boards:
            board = boards.pop()
            if board in seen:
                continue
            seen.add(board)
            result = winner((3, 3, 3), board)
            assert result in (None, "_", seat), board
            if result is None:
                empty = [cell for cell, mark in enumerate(board) if mark == "_"]
                if mover(board) == seat:
                    probs = player(np.array([view(board)], np.int8))[0]
                    empty = [cell for cell in range(9) if probs[cell] > 0]
                boards += [put(board, cell) for cell in empty]


@pytest.mark.trained
def test_as_published_the_second_seat_stays_beatable_though_the_losses_are_small(reached):
    learner = SelfPlay(SelfPlay.presets["published"], Rules())
    first, *_, last = run(
        learner, Rules(), usual_schedule("selfplay", "published", steps=600, every=100), Progress()
    )
    assert last.certificate.worst_case["O"] == pytest.approx(-1, abs=1e-9)
    reached("optimal moves", last.certificate.optimal_moves["all"], above=0.9)
    for loss in ("train/loss_X", "train/loss_O"):
        reached(loss, last.numbers[loss], below=0.03)
        reached(f"{loss} of the first", last.numbers[loss] / first.numbers[loss], below=0.5)
