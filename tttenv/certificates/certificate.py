"""Certificates: a player's exact strength, with games that prove it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

from tttenv.certificates import POSITIONS
from tttenv.exact.determinism import tabulate_pure
from tttenv.exact.enumeration import enumerable, require_rules, require_solvable
from tttenv.exact.evaluation import SEATS
from tttenv.exact.tabular import Tabulated
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Player, Policy, display_name, require_pure
from tttenv.utils import schema
from tttenv.utils.arrays import integers_from, one_of
from tttenv.utils.schema import Meta

if TYPE_CHECKING:
    from tttenv.certificates.reachability import Watch
    from tttenv.certificates.reachable_certificate import SearchCheckpoint, ValueOf

IN_TRAINING = 200_000  # limit of positions per seat beyond 15 cells, during training
ALL_POSITIONS: Final = "all positions"
REACHABLE: Final = "reachable positions"
IF_KNOWN = ("pairing", "proof", "illegal_mass", "only_illegal", "more")  # else left out of files
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
    # SHA-256 of the file whose proof shows that it always wins as X; no position was queried there.
    proof: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None
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
            if value is not None or name not in IF_KNOWN
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
    Where more positions than allowed can arise, a player that wins as X by a proof, see
    `Player.proof`, is not followed as X.

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
    from tttenv.certificates import all_positions

    table = tabulate_pure(player, name)
    if table not in _CERTIFICATES:
        found = Certificate(**all_positions.measure(table))
        _CERTIFICATES[table] = _in_its_seat(found, table.traits.seat)
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
