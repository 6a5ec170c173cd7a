"""td0, qtable, genetic and supervised; published numbers are in tests/large/test_reproduce.py."""

import dataclasses
import warnings

import numpy as np
import pytest
import torch

from learners.registry import LEARNERS
from learners.supervised import (
    TEST,
    images,
    published_images,
    read_csv,
    solved_positions,
)
from tttenv.certificates.certificate import certify
from tttenv.exact import solve
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules

RULES = Rules()


def trained(name, preset, steps, rules=RULES, **changes):
    kind = LEARNERS.load(name)
    learner = kind(dataclasses.replace(kind.presets[preset], **changes), rules)
    for _ in range(steps):
        learner.step()
    return learner


def test_the_error_of_td0_is_its_tables_distance_from_the_solved_game():
    kind = LEARNERS.load("td0")
    learner = kind(kind.Config(alpha=1e-12), RULES)
    state, exact = learner.state_dict(), torch.as_tensor((1 - solve(RULES).values) / 2)
    for distance in (0.0, 0.25):
        state["weights"]["values"] = exact + distance
        learner.load_state_dict(state)
        assert learner.step()["rms_error"] == pytest.approx(distance, abs=1e-6)


@pytest.mark.parametrize(("name", "steps"), [("qtable", 80), ("selfplay", 100)])
def test_learners_learn_the_game_in_which_a_line_loses(name, steps):
    rules = type("Misere", (Rules,), {"line": Outcome.LOSS})()
    policy = trained(name, "default", steps, rules).policy()
    assert certify(rules, policy).unbeatable


def test_fitness_of_random_and_perfect_individuals():
    learner = trained("genetic", "published", 0)
    fitness = learner.fitness
    assert fitness.mean() == pytest.approx(0.474, abs=0.01)
    assert 0.25 < fitness.min() < 0.336
    assert 0.584 < fitness.max() < 0.75
    optimal = solve(RULES).optimal[learner.symmetry.undecided].argmax(axis=1)
    assert learner.fitness_of(torch.as_tensor(optimal)[:, None]).item() == 1


def test_fitness_counts_the_games_of_a_walk_through_the_tree():
    learner = trained("genetic", "published", 0, population=1)
    table, game = learner.policy().table, learner.symmetry.game

    def walk(at, seat):
        if game.over[at]:
            return np.array([1, game.lost[at] and game.seats[at] == seat])
        moves = table[at] > 0 if game.seats[at] == seat else game.successors[at] >= 0
        return sum(walk(after, seat) for after in game.successors[at][moves])

    played, lost = walk(0, 0) + walk(0, 1)
    assert learner.fitness.item() == pytest.approx(1 - lost / played)
    assert 900 < played < 1300


def test_images_turn_replies_with_their_boards():
    optimal, game = solve(RULES).optimal, solve(RULES).positions
    rng = np.random.default_rng(0)
    for moves in (
        images(RULES, solved_positions(RULES)),
        published_images(RULES, solved_positions(RULES), 500, rng),
    ):
        assert ((moves.labels > 0) == optimal[game.index(moves.boards)]).all()
    assert not (moves.boards == RULES.check_all([TEST])).all(axis=1).any()


def written(file):
    """Write all optimal moves of the solved positions, as rows of cells and a move."""
    solved = solved_positions(RULES)
    which, replies = np.nonzero(solved.labels)
    rows = np.column_stack([solved.boards[which], replies])
    np.savetxt(file, rows, fmt="%d", delimiter=",")


def test_moves_of_a_file_are_read_and_bad_rows_are_reported(tmp_path):
    file = tmp_path / "moves.csv"
    written(file)
    moves, complaints = read_csv(RULES, file)
    assert not complaints
    assert len(np.unique(moves.boards, axis=0)) == 627
    file.write_text(
        "0,0,0,0,-1,0,0,0,0,0\n"  # good
        "-1,1,-1,0,1,0,0,1,0,3\n"  # won already
        "0,0,0,0,0,-1,0,0,0,6\n"  # a draw given away
        "1,0,-1,-1,-1,0,1,0,0,8\n"  # the same
        "0,0,0,0,-1,0,0,0,0,4\n"  # taken
        "0,0,zero,0,-1,0,0,0,0,4\n"
        "0,0,0\n"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner = trained("supervised", "published", 1, moves_csv=str(file))
    assert len(learner.complaints) == 6
    (warning,) = caught  # says it once, with the count
    assert str(warning.message).startswith(
        f"supervised: 6 of 7 rows are left out: {file}, line 2: unreachable board"
    )
    lines = [complaint.split(", ")[1].split(":")[0] for complaint in learner.complaints]
    assert lines == [f"line {number}" for number in range(2, 8)]
    assert "optimal are [2, 3, 4, 8]" in learner.complaints[1]


def test_a_byte_order_mark_is_no_data_and_a_file_of_bad_rows_is_refused(tmp_path):
    """As spreadsheets write them: a mark at the beginning, and a minus sign that is no hyphen."""
    file = tmp_path / "moves.csv"
    written(file)
    text = file.read_text()
    file.write_text(text, encoding="utf-8-sig", newline="\r\n")
    assert not read_csv(RULES, file)[1]
    file.write_text(text.replace("-", "\u2212"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"more than 20 rows are not valid.*, line \d+: whole num"):
        read_csv(RULES, file)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"1" * 200_000,
        b",".join([b"x\x1b[2J"] * 20_000),
        b",".join([b"0"] * 9 + [b"4" * 4000]),
        b"\n" + b"0\n" * 1001,
    ],
    ids=len,
)
def test_what_is_no_file_of_moves_is_refused_in_a_short_line(tmp_path, content, monkeypatch):
    monkeypatch.setattr("learners.supervised.MOST_ROWS", 1000)
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError, match=r"no (row|moves)") as refusal:
        read_csv(RULES, tmp_path / "file")
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 1000
