"""Networks of line patterns: sums updated by stones, and values, against plain NumPy."""

import numpy as np
import pytest

from tttenv import Rules
from tttenv.game import line_patterns_kernel as network
from tttenv.game.line_patterns_kernel import (
    BIASES,
    CLIP,
    INPUT,
    VALUE,
    WEIGHT,
    PatternTables,
    count_patterns,
    count_vectors,
    new_line_patterns,
    pattern_cells,
    pattern_numbers,
    pattern_windows,
    swapped,
    vector_rows,
)
from tttenv.game.symmetry import maps

CHANNELS, UNITS = 4, 16
BOARDS = [Rules(3, 3, 3), Rules(3, 5, 3), Rules(6, 5, 4)]


def random_tables(k, rng):
    """Return random tables."""
    vectors = rng.integers(-300, 800, (count_vectors(k), CHANNELS))

    def whole(kind, most, *shape):
        return rng.integers(-most, most + 1, shape).astype(kind)

    return PatternTables(
        vectors=vectors.astype(np.int16),
        first=whole(np.int16, WEIGHT, 2 * CHANNELS, UNITS),
        second=whole(np.int16, WEIGHT, UNITS, UNITS),
        last=whole(np.int16, WEIGHT, UNITS, 1),
        first_bias=abs(whole(np.int32, BIASES[0], UNITS)),  # so that some units are not zero
        second_bias=abs(whole(np.int32, BIASES[1], UNITS)),
        last_bias=whole(np.int32, BIASES[2], 1),
    )


def held(board, rules):
    """Return what the patterns of all cells hold, (cells * 4, 2 k - 1)."""
    windows = pattern_windows(rules).reshape(-1, 2 * rules.k - 1)
    stones = np.where(board == -1, 2, board)
    return np.where(windows < 0, 3, stones[windows]).astype(np.int8)


def plain_value(tables, rules, board):
    """Return the value of a board in thousandths of a logit, without rounding in between."""
    around = held(board, rules)
    sums, rows = [], vector_rows(rules.k)
    for seen in (around, swapped(around)):
        vectors = (
            tables.vectors[rows[pattern_numbers(seen)]].reshape(rules.cells, 4, -1).sum(axis=1)
        )
        sums.append(np.clip(vectors, 0, CLIP).sum(axis=0))
    x = np.concatenate(sums) / INPUT
    layers = [
        (tables.first, tables.first_bias / BIASES[0]),
        (tables.second, tables.second_bias / BIASES[1]),
        (tables.last, tables.last_bias / BIASES[2]),
    ]
    for number, (weights, bias) in enumerate(layers):
        x = x @ (weights / WEIGHT) + bias
        x = np.maximum(x, 0) if number < 2 else x
    return VALUE * x[0]


def random_boards(rules, rng, count=20):
    return rng.choice([-1, 0, 0, 1], (count, rules.cells)).astype(np.int8)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_pattern_and_its_number_give_each_other(k):
    cells = pattern_cells(k)
    assert (pattern_numbers(cells) == np.arange(count_patterns(k))).all()
    assert len(np.unique(cells, axis=0)) == len(cells)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_pattern_shares_its_vector_with_its_mirror_image_alone(k):
    cells, rows = pattern_cells(k), vector_rows(k)
    mirrored = pattern_numbers(cells[:, ::-1])
    assert (rows == rows[mirrored]).all()
    assert np.array_equal(np.unique(rows), np.arange(count_vectors(k)))
    assert np.bincount(rows).max() <= 2


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_the_integers_value_boards_like_numpy(rules):
    rng = np.random.default_rng(0)
    tables = random_tables(rules.k, rng)
    net = new_line_patterns(rules, tables)
    values = []
    for board in random_boards(rules, rng):
        network.begin(net, board)
        values.append(network.value(net, 0))
        assert abs(network.value(net, 0) - plain_value(tables, rules, board)) < 40
        assert abs(network.value(net, 1) - plain_value(tables, rules, -board)) < 40
    assert len(set(values)) > 15


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_sums_follow_stones_that_are_put_and_taken_back(rules):
    rng = np.random.default_rng(1)
    tables = random_tables(rules.k, rng)
    net, again = (new_line_patterns(rules, tables) for _ in range(2))
    root = np.zeros(rules.cells, np.int8)
    root[rng.choice(rules.cells, 2, replace=False)] = 1, -1
    network.begin(net, root)
    board, path = root.copy(), []
    for _ in range(60):
        empty = np.flatnonzero(board == 0)
        if len(empty) and (not path or rng.random() < 0.6):
            cell = int(rng.choice(empty))
            board[cell] = 1 if len(path) % 2 == 0 else -1
            path.append(cell)
            ahead = network.value_after(net, cell)
            network.put(net, cell)
            assert ahead == network.value(net, len(path) % 2)
        else:
            length = int(rng.integers(len(path)))
            board[path[length:]] = 0
            del path[length:]
            network.take_back(net, length)
        network.begin(again, board)
        for name in ("patterns", "sums", "pooled"):
            assert (getattr(net, name) == getattr(again, name)).all()


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_images_of_a_board_have_one_value(rules):
    rng = np.random.default_rng(2)
    net = new_line_patterns(rules, random_tables(rules.k, rng))
    for board in random_boards(rules, rng, 5):
        values = set()
        for image in maps(rules):
            network.begin(net, board[image])
            values.add(network.value(net, 0))
        assert len(values) == 1
