"""The walk over positions, against the whole game and what a visitor counts on it."""

import numpy as np
import pytest

from tttenv import Rules, player
from tttenv.certificates.all_positions import reachable
from tttenv.exact import positions, tabulate
from tttenv.game.symmetry import inverses, orbits
from tttenv.reach import Graph
from tttenv.reach import walk as walks
from tttenv.reach.moves_kernel import open_for
from tttenv.reach.walk import TooManyPositionsError, first_boards, walk

RULES = Rules(3, 3, 3)


def counts(spec, seat, most=None, images=False, size=None):
    """Return the number of positions at each of a player's moves."""
    graph, policy, found = Graph(RULES, images), player(spec, RULES), []
    for ply in walk(graph, graph.encode(first_boards(RULES, seat)), most):
        assert ply.number == len(found)
        found.append(len(ply.codes))
        for visit in ply.query(policy, size):
            for _, replies in visit.replies():
                ply.follow(replies.codes)
    return found


@pytest.mark.parametrize("seat", "XO")
@pytest.mark.parametrize("spec", ["random", "tactical", "first"])
def test_a_visitor_counts_the_positions_of_each_ply_as_the_whole_game_does(spec, seat):
    game, number = positions(RULES), "XO".index(seat)
    mask = reachable(game, tabulate(RULES, player(spec, RULES)).table, number)
    mask &= (game.seats == number) & ~game.over
    stones = np.count_nonzero(game.boards, axis=1)
    expected = [np.count_nonzero(mask & (stones == ply)) for ply in range(number, RULES.cells, 2)]
    found = counts(spec, seat)
    assert found == [count for count in expected if count]
    assert counts(spec, seat, size=7) == found
    assert counts(spec, seat, sum(found)) == found
    with pytest.raises(TooManyPositionsError):
        counts(spec, seat, sum(found) - 1)


def test_a_walk_that_merges_symmetric_positions_counts_classes():
    game = positions(RULES)
    boards = game.boards[(game.seats == 0) & ~game.over]
    assert sum(counts("random", "X", images=True)) == len(orbits(RULES, boards)[0])


def test_numbers_lead_from_each_followed_code_to_its_position_in_the_next_ply():
    graph, followed = Graph(RULES, images=False), None
    for ply in walk(graph, graph.encode(first_boards(RULES, "O"))):
        if followed is not None:
            assert (ply.codes[ply.numbers] == followed).all()
        parts = [visit.moves().codes for visit in ply.query(player("random", RULES), 100)]
        followed = np.concatenate(parts)
        for part in parts:
            ply.follow(part)


def test_labels_before_the_words_keep_positions_apart():
    graph = Graph(RULES, images=False)
    code = graph.encode(RULES.start(1))
    start = np.column_stack([[1, 0, 1], np.tile(code, (3, 1))])
    ply = next(walk(graph, start))
    assert ply.codes[:, 0].tolist() == [0, 1]
    assert ply.numbers.tolist() == [1, 0, 1]
    assert not graph.decode(ply.codes).any()


def test_a_query_reports_how_many_positions_wait_and_keeps_their_order():
    graph, policy = Graph(RULES, images=False), player("first", RULES)
    codes, waiting = graph.encode(first_boards(RULES, "O")), []
    rows = np.array([8, 2, 5])
    found = [*walks.visits(graph, policy, codes, rows, 2, before=waiting.append)]
    assert waiting == [3, 1]
    assert [visit.rows.tolist() for visit in found] == [[8, 2], [5]]
    boards = np.concatenate([visit.boards for visit in found])
    assert (graph.encode(boards) == codes[rows]).all()


def test_codes_of_two_words_are_the_least_of_all_images_and_lead_back_to_the_board():
    rules = Rules(6, 7, 4)
    boards = np.random.default_rng(0).integers(-1, 2, (9, 42), np.int8)
    plain = Graph(rules, images=False)
    assert (plain.decode(plain.encode(boards)) == boards).all()
    least = [min(plain.encode(images).tolist()) for images in boards[:, inverses(rules)]]
    merged, board = Graph(rules, images=True), rules.start(1)
    assert merged.encode(boards).tolist() == least
    board[0, [0, 41]] = 1, -1
    moves = merged.moves(board, board == 0)
    after = np.repeat(-board, len(moves.cell), axis=0)
    after[np.arange(len(after)), moves.cell] = -1
    assert (moves.codes == merged.encode(after)).all()


@pytest.mark.parametrize(("side", "most"), [(1, 1), (-1, 2)])
def test_a_line_is_open_without_the_others_stones_and_with_few_empty_cells(side, most):
    boards = positions(RULES).boards
    lines = boards[:, RULES.lines]
    expected = (lines != -side).all(axis=2) & ((lines == 0).sum(axis=2) <= most)
    assert (open_for(boards, side, RULES.lines, most) == expected.any(axis=1)).all()
