"""Certificates: a player's exact strength, with games that prove it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.certificates import POSITIONS
from tttenv.exact.determinism import tabulate_pure
from tttenv.exact.enumeration import (
    Positions,
    enumerable,
    positions,
    require_rules,
    require_solvable,
)
from tttenv.exact.evaluation import SEATS, keeps_value, worst_case_of
from tttenv.exact.solution import Solution, solve
from tttenv.exact.tabular import Mixture, Tabulated
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules
from tttenv.game.types import Mask, Probs
from tttenv.players.as_player import as_player
from tttenv.policy import Player, Policy, display_name
from tttenv.utils import schema
from tttenv.utils.arrays import integers_from, one_of
from tttenv.utils.schema import Meta

if TYPE_CHECKING:
    from tttenv.certificates.reachability import Watch
    from tttenv.certificates.reachable_certificate import SearchCheckpoint, ValueOf

TINY = 1e-6  # a value-losing move counts as a blunder if its probability is above this
IN_TRAINING = 200_000  # limit of positions per seat beyond 15 cells, during training
ALL_POSITIONS: Final = "all positions"
REACHABLE: Final = "reachable positions"
METHODS = (ALL_POSITIONS, REACHABLE)
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1 + 1e-9)]  # up to rounding, if it is a mean
Odds: TypeAlias = Annotated[list[Share], Meta(min_length=3, max_length=3)]  # win, draw, loss
Value: TypeAlias = Annotated[float, Meta(ge=-1, le=1)]


@dataclass(frozen=True)
class Certificate:
    """The exact strength of a player; anyone with the player can recompute it.

    None means unknown. `never_loses` and `losing_line` consider all moves of nonzero probability,
    `blunders` only moves above 1e-6, and `unbeatable` allows 1e-9. So a player that plays a losing
    move with a probability of 1e-12 is unbeatable without blunders, but has a losing line.
    """

    rules: str  # "m,n,k"
    value: Annotated[int, Meta(ge=-1, le=1)] | None  # the game's value for X under perfect play
    vs_random: dict[str, Odds | None]  # by seat: win, draw, loss against random play
    vs_perfect: dict[str, Odds | None]  # the same against evenly mixed value-optimal moves
    worst_case: dict[str, Value | None]  # by seat: this player's value against a best response
    unbeatable: bool | None  # the worst case is the game's value in both seats
    optimal_moves: dict[str, Share | None]  # probability on optimal moves: all, critical, reached
    blunders: schema.Count | None  # positions where it plays a value-losing move with p > 1e-6
    losing_line: dict[str, list[int] | None]  # by seat: a game it loses, cell by cell; `shortest`
    method: Literal["all positions", "reachable positions"] = ALL_POSITIONS
    reached: dict[str, schema.Count] | None = None  # by seat: queried, if by reachable positions
    never_loses: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(SEATS))
    shortest: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(SEATS))
    symmetry: str | None = None  # how equivariance is known, if symmetry is used
    # By seat, whether positions were left out because the player answers by pairs from there on.
    pairing: dict[str, bool] | None = None
    # Boards queried again in other batches, with the same result; 0 for tables and our networks.
    queried_twice: int | None = field(default=None, compare=False)
    illegal_mass: Share | None = None  # see `tttenv.policy.hidden_by_mask`; None by reachable ones
    only_illegal: Share | None = None
    more: dict[str, float] | None = None  # metrics that are no field, by tag; see `metric_table`

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, as JSON-serializable values; some only if they are known."""
        return {
            name: value
            for name, value in asdict(self).items()
            if value is not None or name not in ("pairing", "illegal_mass", "only_illegal", "more")
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Certificate":
        """Create a certificate from untrusted fields, or raise ValueError if they are invalid."""
        return schema.checked(cls, fields)


def stated_certificate(card: Mapping[str, Any], rules: Rules) -> Certificate | None:
    """Return the certificate of an untrusted card, or None if it has no valid one.

    Args:
        card: a checkpoint's card, which may hold anything.
        rules: the game that the certificate has to be of.
    """
    try:
        found = Certificate.from_dict(card["certificate"])
    except (ValueError, KeyError):
        return None
    by_seat: list[Any] = [found.vs_random, found.vs_perfect, found.worst_case, found.never_loses]
    by_seat += [found.losing_line, found.shortest]
    if found.method == REACHABLE or found.reached is not None:
        by_seat.append(found.reached or {})
    whole = found.rules == str(rules) and all(set(part) == set(SEATS) for part in by_seat)
    if not whole or set(found.optimal_moves) != {"all", "critical", "reached"}:
        return None
    lost = all(
        line is None or (found.never_loses[seat] is False and _is_lost(rules, seat, line))
        for seat, line in found.losing_line.items()
    )
    return found if lost else None


def _is_lost(rules: Rules, seat: str, line: list[int]) -> bool:
    """Return whether `line`, played from the empty board, is a legal game that `seat` loses."""
    board = rules.start()
    for cell in line:
        if not 0 <= cell < rules.cells or rules.over(board) or board[cell]:
            return False
        board = rules.play(board, cell)
    lost = Outcome.LOSS if SEATS[len(line) % 2] == seat else Outcome.WIN  # for the side to move
    return bool(rules.outcomes(board) == lost)


def default_method(player: Player) -> str:
    """Return the default method for certifying a player, of few boards if it is costly."""
    small = enumerable(player.rules) or isinstance(player, Tabulated)
    return ALL_POSITIONS if small and not player.traits.costly else REACHABLE


def certify(
    rules: Rules,
    policy: Policy | str | Any,
    positions: int = POSITIONS,
    *,
    method: str | None = None,
    value_of: "ValueOf | None" = None,
    name: str = "",
    watch: "Watch | None" = None,
    checkpoint: "SearchCheckpoint | None" = None,
) -> Certificate:
    """Compute the exact certificate of `policy` on `rules`.

    Below 16 cells it is computed over all positions. From 16 cells on, and for players that are
    costly to query, it is computed over the positions that the player's own moves and any replies
    lead to; values that these do not determine are None, and a seat with more positions than
    allowed is undecided; symmetric ones are merged if the player declares itself equivariant.

    The policy is queried once on each undecided position. Then it is queried again in a different
    order and in other batches, see `tttenv.exact.determinism`, except for tables and the networks
    of our learners.

    Args:
        rules: the game.
        policy: a player, its name, or a model of Stable-Baselines3; for other networks and
            functions of observations see `tttenv.policy.from_observations`.
        positions: the limit of reachable positions per seat.
        method: "all positions", on up to 16 cells, or "reachable positions"; None chooses.
        value_of: the game's value for X, if known; by default `tttenv.proofs.prover.known_value`.
        name: the player's name in messages; by default its spec, function or class.
        watch: called before each query of reachable positions with the progress of the search.
        checkpoint: saves long searches of reachable positions to its file, and continues the
            search that it has loaded, of the same game and limit.

    Raises:
        ValueError: if the limit is not a positive integer, if all positions are requested and the
            game has more than 16 cells, or the policy plays another game, returns invalid
            probabilities, or is not pure.
    """
    require_rules(rules)
    integers_from(1, positions=positions)
    if method is not None:
        one_of("the method", method, METHODS)
    if method == ALL_POSITIONS:
        require_solvable(rules)
    player = as_player(rules, policy)
    require_pure(player)
    name = display_name(name or player)
    if (method or default_method(player)) == REACHABLE:
        from tttenv.certificates.reachable_certificate import measure

        fields = measure(player, name, positions, value_of, watch, checkpoint)
        return _in_its_seat(Certificate(**fields, method=REACHABLE), player.traits.seat)
    table = tabulate_pure(player, name)
    if table not in _CERTIFICATES:
        _CERTIFICATES[table] = _certificate(rules, table)
    return deepcopy(_CERTIFICATES[table])  # its dicts may be written


# Certificates by player, cached because a `Tabulated` never changes.
_CERTIFICATES: WeakKeyDictionary[Tabulated, Certificate] = WeakKeyDictionary()


def _in_its_seat(found: Certificate, seat: str | None) -> Certificate:
    """Leave out the results in the other seat, if the player plays in one seat only."""
    if seat is None:
        return found
    names = ("vs_random", "vs_perfect", "worst_case", "never_loses", "losing_line", "shortest")
    kept: dict[str, Any] = {
        name: {one: part if one == seat else None for one, part in getattr(found, name).items()}
        for name in names
    }
    if found.reached:
        kept["reached"] = {one: found.reached[one] * (one == seat) for one in SEATS}
    unknown = dict.fromkeys(found.optimal_moves)
    return replace(found, **kept, unbeatable=None, optimal_moves=unknown)


def _certificate(rules: Rules, player: Tabulated) -> Certificate:
    from tttenv.certificates.metric_table import stated, versus

    game, solution = positions(rules), solve(rules)
    worst = worst_case_of(player)
    lines = {
        name: losing_line(game, player.table, seat, TINY)
        or losing_line(game, player.table, seat, 0.0)
        for seat, name in enumerate(SEATS)
    }
    vs_random, vs_perfect = (
        {seat: list(odds) for seat, odds in versus(rules, player, other).items()}
        for other in (policies.Uniform(rules), Mixture(rules, solution.optimal))
    )
    wrong = blunders(solution, player.table)
    if seat := player.traits.seat:
        wrong &= game.seats == SEATS.index(seat)
    found = Certificate(
        rules=str(rules),
        value=solution.value,
        vs_random={**vs_random},
        vs_perfect={**vs_perfect},
        worst_case={**worst},
        unbeatable=keeps_value(solution.value, worst),
        optimal_moves={**optimal_moves(game, solution, player.table)},
        blunders=int(wrong.sum()),
        losing_line=lines,
        never_loses={seat: line is None for seat, line in lines.items()},
        shortest={seat: None if line is None else True for seat, line in lines.items()},
        queried_twice=player.queried_twice,
        illegal_mass=player.illegal_mass,
        only_illegal=player.only_illegal,
        more=stated(rules, player),
    )
    return _in_its_seat(found, seat)


def require_pure(player: Player) -> None:
    """Raise if a player's moves depend on anything besides the board.

    Raises:
        ValueError: if its traits say that they depend on time or on sampling.
    """
    if limit := player.traits.depends_on:
        instead = "limit its iterations or nodes" if limit == "time" else "set its temperature to 0"
        raise ValueError(
            f"a player limited by {limit} cannot be certified; {instead} instead, so that it always"
            " gives the same answer"
        )


def optimal_moves(game: Positions, solution: Solution, table: Probs) -> dict[str, float]:
    """Compute the mean of a player's probabilities on value-optimal moves; see `Certificate`.

    Args:
        game: all positions.
        solution: of the game.
        table: the player's probabilities (positions, cells).

    Returns:
        The means over all undecided positions, over the critical ones, where a move can lose value,
        and over those that the player reaches; 1 over none.
    """
    share, critical = np.empty(len(game)), np.empty(len(game), np.bool_)
    for rows in game.blocks():
        optimal = solution.optimal[rows]
        share[rows] = (table[rows] * optimal).sum(axis=1)
        critical[rows] = ((game.successors[rows] >= 0) & ~optimal).any(axis=1)
    reached: Mask = np.zeros(len(game), np.bool_)
    for seat in range(len(SEATS)):
        reached[reachable(game, table, seat) & (game.seats == seat)] = True
    groups = {"all": ~game.over, "critical": critical, "reached": reached & ~game.over}
    return {name: float(share[rows].mean()) if rows.any() else 1.0 for name, rows in groups.items()}


def reachable(game: Positions, table: Probs, seat: int) -> Mask:
    """Return a mask (positions,) of the positions that the player can reach in `seat`.

    Args:
        game: all positions.
        table: the player's probabilities (positions, cells).
        seat: 0 for X, 1 for O.
    """
    found = np.zeros(len(game), np.bool_)
    found[0] = True
    for stones in range(len(game.plies) - 1):
        ply = game.ply(stones)
        moves: Mask = game.successors[ply] >= 0
        if stones % 2 == seat:
            moves = moves & (table[ply] > 0)
        found[game.successors[ply][moves & found[ply][:, None]]] = True
    return found


def blunders(solution: Solution, table: Probs) -> NDArray[np.bool_]:
    """Return a mask of the positions where the player may lose value, by a move or a forfeit.

    Args:
        solution: of the game.
        table: the player's probabilities (positions, cells); moves of at most 1e-6 do not count.
    """
    found = np.empty(len(table), np.bool_)
    game = solution.positions
    for rows in game.blocks():
        played = table[rows] > 0
        forfeited = ~played.any(axis=1) & ~game.over[rows] & (solution.values[rows] > -1)
        found[rows] = ((table[rows] > TINY) & ~solution.optimal[rows]).any(axis=1) | forfeited
    return found


NEVER = np.iinfo(np.int16).max // 2  # more plies than any game has


def losing_line(game: Positions, table: Probs, seat: int, least: float) -> list[int] | None:
    """Find the shortest game lost in `seat` (0 is X) by moves with probability above `least`.

    Among these the likeliest is chosen, then the one whose cells come first. If the player
    forfeits, the game ends before its move.

    Args:
        game: all positions.
        table: the player's probabilities (positions, cells).
        seat: 0 for X, 1 for O.
        least: the probability that its moves have to exceed.

    Returns:
        The cells of both sides in turn; None if the player never loses by such moves.
    """
    length = np.full(len(game), NEVER, np.int16)
    lost = np.where(game.seats == seat, Outcome.LOSS, Outcome.WIN)  # for the side to move
    forfeited = (game.seats == seat) & ~game.over & ~table.any(axis=1)
    length[(game.outcomes == lost) | forfeited] = 0
    chance = np.where(length == 0, 1.0, 0.0)
    choice = np.full(len(game), -1, np.int8)
    for stones in reversed(range(len(game.plies) - 1)):
        ply = game.ply(stones)
        own = stones % 2 == seat
        for rows in game.blocks(ply):
            after, probs = game.successors[rows], table[rows] if own else np.float64(1)
            moves = (after >= 0) & (probs > least)
            lengths = np.where(moves, length[after] + 1, NEVER)
            chances = np.where(moves, chance[after] * probs, 0.0)
            shortest = lengths == lengths.min(axis=1, keepdims=True)
            likely = np.where(shortest, chances, -1.0)
            # Probabilities that differ by less than one part in 10**9 count as equal.
            cells = (likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
            each, loses = np.arange(len(cells)), lengths.min(axis=1) < NEVER
            length[rows] = np.where(loses, lengths[each, cells], length[rows])
            chance[rows] = np.where(loses, chances[each, cells], chance[rows])
            choice[rows] = np.where(loses, cells, -1)
    line, at = [], 0
    while choice[at] >= 0:
        line.append(int(choice[at]))
        at = int(game.successors[at, choice[at]])
    return line if length[0] < NEVER else None
