"""Search of reachable positions, compared with all positions where these can be listed."""

import numpy as np
import pytest
from lost_games import require_lost_by_own_moves
from pairs import pairs

from tttenv.certificates import reachability
from tttenv.certificates.all_positions import losing_line, reachable
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.exact import Tabulated, positions, score, solve, tabulate, worst_case
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, maps, orbits
from tttenv.players import PLAYERS, player
from tttenv.players.symmetric_player import Canonical
from tttenv.policy import Wrapped, blend, player_for, uniform
from tttenv.reach import Graph, distinct, require_images_alike
from tttenv.reach import moves_kernel as kernels
from tttenv.testing import some_boards

GAMES = [Rules(), Rules(1, 2, 2), Rules(2, 2, 2), Rules(2, 3, 3), Rules(1, 9, 3), Rules(3, 4, 3)]
MORE = [
    "minimax:ties=first",
    "minimax:ties=fastest",
    "epsilon:player=first,epsilon=0.3",
    "mcts:iterations=20",
]
SPECS = [*PLAYERS, *MORE]
by_seat = pytest.mark.parametrize("seat", "XO")


def search(rules, policy, seat, images=True, **options):
    known = player_for(rules, policy)
    known = known if images else Wrapped(known, equivariant=False)
    seated = SeatedPlayer(rules, known, seat, "the player")
    return reachability.Search(seated, reachability.SearchOptions(**options)).run()


def agree(rules, policy, seat, found):
    """Check the results of the search against all positions."""
    game, table = positions(rules), tabulate(rules, policy)
    number = "XO".index(seat)
    met = reachable(game, table.table, number) & (game.seats == number) & ~game.over
    if found.symmetry is None:
        assert found.positions == met.sum()
    else:
        assert found.positions == len(orbits(rules, game.boards[met])[0])
    assert found.one_move == ((table.table[met] > 0).sum(axis=1) == 1).all()
    shortest = losing_line(game, table.table, number, 0.0)
    assert found.never_loses == (shortest is None)
    worst = worst_case(rules, table)[seat]
    assert found.always_wins == (worst == 1)
    if found.one_move:
        assert worst == (1 if found.always_wins else 0 if found.never_loses else -1)
    sides = (table, uniform) if seat == "X" else (uniform, table)
    odds = list(score(rules, *sides))[:: 1 if seat == "X" else -1]
    assert found.vs_random == pytest.approx(odds, abs=1e-12)
    if shortest is None:
        assert found.losing_line is None
    else:
        assert len(found.losing_line) == len(shortest)
        require_lost_by_own_moves(rules, policy, seat, found.losing_line)


@pytest.mark.parametrize(
    ("rules", "spec", "seat"),
    [
        row
        for row in pairs(GAMES, SPECS, "XO")
        if row[0].cells < 12 or row[1] in ("random", "tactical")
    ],
    ids=str,
)
def test_where_all_positions_can_be_listed_the_search_says_the_same(rules, spec, seat):
    policy = player(spec, rules)
    full, found = search(rules, policy, seat, images=False), search(rules, policy, seat)
    agree(rules, policy, seat, full)
    if player_for(rules, policy).traits.equivariant:
        agree(rules, policy, seat, found)
        assert found.symmetry is not None
    else:
        assert found == full


@by_seat
@pytest.mark.parametrize("seed", range(10))
def test_it_says_the_same_of_players_that_play_anything(seed, seat):
    rules = Rules(2, 4, 3)
    game, rng = positions(rules), np.random.default_rng(seed)
    moves = (game.successors >= 0) * rng.random(game.boards.shape)
    kept = moves >= np.sort(moves, axis=1)[:, [-1 - seed % 3]]
    moves = np.where(kept | ~game.over[:, None], kept & (game.successors >= 0), False)
    policy = tabulate(rules, lambda boards: _evenly(moves[game.index(boards)]))
    agree(rules, policy, seat, search(rules, policy, seat))


def _evenly(moves):
    return moves / moves.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("rules", "spec", "seat"),
    pairs(
        [Rules(), Rules(3, 4, 3), Rules(3, 4, 4)],
        ["first", "tactical", "minimax:ties=first", "minimax"],
        "XO",
    ),
    ids=str,
)
def test_positions_that_cannot_be_lost_are_left_out_without_harm(rules, spec, seat):
    policy = player(spec, rules)
    full, closed = search(rules, policy, seat), search(rules, policy, seat, followed=0)
    assert closed.never_loses == full.never_loses
    assert closed.always_wins == full.always_wins
    assert closed.positions <= full.positions
    assert len(closed.losing_line or []) == len(full.losing_line or [])
    if not full.never_loses:
        require_lost_by_own_moves(rules, policy, seat, closed.losing_line)


@by_seat
@pytest.mark.parametrize("rules", [Rules(2, 5, 4)], ids=str)
def test_one_slip_anywhere_is_found_also_when_positions_are_left_out(rules, seat):
    game, solution, number = positions(rules), solve(rules), "XO".index(seat)
    table = tabulate(rules, player("minimax:ties=first", rules)).table
    met = reachable(game, table, number) & (game.seats == number) & ~game.over
    slips = (game.successors >= 0) & (solution.values[game.successors] == 1)  # for the opponent
    slips &= solution.values[:, None] > -1
    last = game.rules.cells - np.count_nonzero(game.boards, axis=1) == 2  # a lost game is near
    closed = ~kernels.open_for(game.boards, 1, rules.lines, rules.k)  # the player can no longer win
    tried = np.flatnonzero(met & slips.any(axis=1) & (last | closed))
    assert closed[tried].any()
    for row in tried[:: max(1, len(tried) // 40)]:
        slipping = table.copy()
        slipping[row] = np.eye(rules.cells)[slips[row].argmax()]
        found = search(rules, Tabulated(rules, slipping), seat, followed=0)
        assert found.never_loses is False
        require_lost_by_own_moves(rules, Tabulated(rules, slipping), seat, found.losing_line)


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(1, 19, 3), Rules(5, 8, 4), Rules(19, 19, 5)], ids=str
)
def test_codes_tell_boards_apart_and_images_alike(rules):
    rng = np.random.default_rng(0)
    boards = rng.integers(-1, 2, (50, rules.cells)).astype(np.int8)
    plain, images = (Graph(rules, images) for images in (False, True))
    codes = plain.encode(boards)
    assert codes.shape == (50, -(-rules.cells // kernels.WORD))
    assert (plain.decode(codes) == boards).all()
    in_order = sorted(range(50), key=lambda i: boards[i].tolist())
    assert sorted(range(50), key=lambda i: codes[i].tolist()) == in_order
    assert distinct(codes[[*range(50), *range(50)]]).tolist() == codes[in_order].tolist()
    first, _ = canonical(rules, boards)
    assert (plain.decode(images.encode(boards)) == first).all()
    for image in maps(rules):
        assert (images.encode(boards[:, image]) == images.encode(boards)).all()


SQUARES = [Rules(), Rules(4, 4, 3), Rules(4, 4, 4), Rules(3, 4, 3), Rules(5, 4, 4)]


def declared(rules):
    """Return all players that declare themselves equivariant."""
    named = {name: player(name, rules) for name in ("random", "tactical", "pairing")}
    mixed = blend(rules, named["tactical"], uniform, 0.2)
    depth = 3 if rules.cells <= 20 else 1
    to_depth = player(f"alphabeta:depth={depth},width={rules.cells},threats=0", rules)
    return {
        **named,
        "blend": mixed,
        "one step": Canonical(player("alphabeta:depth=1,ties=first", rules)),
        "to a depth": to_depth,
    }


def test_the_players_that_declare_it_are_these():
    rules = Rules()
    told = {name for name in PLAYERS if player(name, rules).traits.equivariant}
    assert told == {"random", "tactical", "pairing"}
    assert all(one.traits.equivariant for one in declared(rules).values())
    # A search that is cut off short, or tries some of the moves, hangs on their order.
    for options in ("nodes=100", "depth=2,nodes=9", "depth=2,width=8", "depth=2,ties=first"):
        assert not player(f"alphabeta:{options}", rules).traits.equivariant
    assert not player("alphabeta:depth=2,threats=30", Rules(5, 5, 4)).traits.equivariant


@pytest.mark.parametrize("name", declared(Rules()))
@pytest.mark.parametrize("rules", [*SQUARES, Rules(6, 7, 5), Rules(19, 19, 5)], ids=str)
def test_who_declares_it_plays_images_on_images(rules, name):
    require_images_alike(declared(rules)[name], some_boards(rules, seed=0)[:20], name)


class Corner:
    """Player that declares itself equivariant, but breaks ties by the number of the cell."""

    equivariant = True

    def __init__(self, rules, stones):
        self.rules, self.stones = rules, stones

    def __call__(self, boards):
        """Return uniform probabilities, or on some boards the first cell, (batch, cells)."""
        probs = uniform(boards)
        first = np.eye(self.rules.cells)[(boards == 0).argmax(axis=1)]
        breaks = (boards != 0).sum(axis=1) == self.stones
        return np.where(breaks[:, None], first, probs)


@pytest.mark.parametrize("stones", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("rules", [Rules(), Rules(4, 4, 4), Rules(3, 4, 3)], ids=str)
def test_who_declares_it_falsely_is_found_out(rules, stones):
    told = r"^the player is declared equivariant, but its moves on [XO_]+ and on the image [XO_]+ "
    with pytest.raises(ValueError, match=told):
        search(rules, Corner(rules, stones), "XO"[stones % 2])


def test_on_a_board_that_is_its_own_image_any_of_the_alike_moves_will_do():
    rules = Rules()

    class Opens(Corner):
        """Player that opens in one corner instead of all four."""

    policy = Opens(rules, 0)
    full, found = search(rules, policy, "X", images=False), search(rules, policy, "X")
    assert found.positions < full.positions
    assert found.vs_random == pytest.approx(full.vs_random, abs=1e-12)
