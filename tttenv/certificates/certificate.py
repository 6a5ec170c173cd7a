"""The certificate: a player's exact strength, with games to check it by."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.certificates import reachability
from tttenv.certificates.reachability import Watch
from tttenv.certificates.reachable_certificate import ValueOf, measure
from tttenv.exact import (
    SEATS,
    Mixture,
    Positions,
    Solution,
    Tabulated,
    enumerable,
    positions,
    require_solvable,
    score,
    solve,
    worst_case,
)
from tttenv.exact.determinism import display_name, tabulate_pure
from tttenv.exact.enumeration import require_rules
from tttenv.game.rules import Rules
from tttenv.game.types import Mask, Probs
from tttenv.players.as_policy import resolve_policy
from tttenv.policy import Policy
from tttenv.proofs.prover import known_value
from tttenv.utils.untrusted import shown

TINY = 1e-6  # a value-losing move counts as a blunder if its probability is above this
TOLERANCE = 1e-9  # values that differ by less are equal


IN_TRAINING = 200_000  # positions that each seat may take beyond 15 cells, as a training goes on
ALL_POSITIONS, REACHABLE = METHODS = ("all positions", "reachable positions")


@dataclass(frozen=True)
class Certificate:
    """A player's exact strength; anyone who has the player can compute it again.

    None stands for what is not known. By the method "all positions" all is known.

    A player is unbeatable if its expected result against a best response is the game's value in
    both seats, up to 1e-9. `never_loses` and `losing_line` count every move of a probability above
    zero, however small, `blunders` those above 1e-6: so a player that mixes in a losing move with a
    probability of 1e-12 is unbeatable, has no blunders, and has a losing line.
    """

    rules: str  # "m,n,k"
    value: int | None  # the game's value for X under perfect play
    vs_random: dict[str, list[float] | None]  # by seat: win, draw, loss against uniform random
    vs_perfect: dict[str, list[float] | None]  # the same against evenly mixed value-optimal moves
    worst_case: dict[str, float | None]  # by seat: this player's value against a best response
    unbeatable: bool | None  # the worst case is the game's value in both seats
    optimal_moves: dict[str, float | None]  # probability on optimal moves: all, critical, reached
    blunders: int | None  # positions where it plays a value-losing move with p > 1e-6
    losing_line: dict[str, list[int] | None]  # by seat: a game it loses, cell by cell; `shortest`
    method: str = ALL_POSITIONS  # or "reachable positions": of its own moves and every reply
    reached: dict[str, int] | None = None  # by seat: positions it was asked about, if reachable
    never_loses: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(SEATS))
    shortest: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(SEATS))
    symmetry: str | None = None  # how mirror images are known to be treated alike, if that is used
    # Boards queried again, in other batches: all gave the same answer. 0: it is a table, or one of
    # our networks. Two certificates are equal whatever this number is.
    queried_twice: int | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, as values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Certificate":
        """The certificate that `to_dict` wrote, also before there were other methods.

        Raises:
            TypeError: for missing or unknown fields.
        """
        found = cls(**fields)
        if "never_loses" in fields:
            return found
        lines = found.losing_line
        return replace(found, never_loses=_never_loses(lines), shortest=_shortest(lines))


def _never_loses(lines: dict[str, list[int] | None]) -> dict[str, bool | None]:
    """By seat, whether a player of which all positions are known never loses."""
    return {seat: line is None for seat, line in lines.items()}


def _shortest(lines: dict[str, list[int] | None]) -> dict[str, bool | None]:
    """By seat, that the lost game is the shortest, if there is one."""
    return {seat: None if line is None else True for seat, line in lines.items()}


def default_method(rules: Rules, policy: Policy) -> str:
    """The method by which a player is certified unless another one is asked for."""
    return ALL_POSITIONS if enumerable(rules) or isinstance(policy, Tabulated) else REACHABLE


def certify(
    rules: Rules,
    policy: Policy | str | Any,
    positions: int = reachability.POSITIONS,
    *,
    method: str | None = None,
    value_of: ValueOf = known_value,
    images: bool = True,
    name: str = "",
    watch: Watch | None = None,
) -> Certificate:
    """Compute the exact certificate of `policy` on `rules`.

    Below 16 cells it is computed over all positions. The policy is asked once about each undecided
    one, in batches of some 100,000; each row of its answer is divided by its sum. Then it is asked
    again, in another order and other batches: about all that leave a choice if these are at most
    5,000 and the player does not search, else about 460, enough to see with a probability of 99 %
    that 1 % are answered otherwise. A player that samples its move, remembers or adds noise is
    refused. Tables and the networks of our learners are not asked again.

    From 16 cells on, the positions are taken that the player's own moves and any replies lead to.
    What cannot be known from these is None, and a seat that needs more positions than allowed is
    undecided. Of these positions the player is asked again in the same way. A player that is a
    table of all positions of 16 cells, such as minimax, is measured over all of them.

    Args:
        rules: the game.
        policy: a player, its name, or a model of Stable-Baselines3; for other networks and
            functions over observations see `tttenv.policy.from_observations`.
        positions: by reachable positions, how many are followed in each seat.
        method: "all positions", on up to 16 cells, or "reachable positions"; None chooses as
            described above.
        value_of: by reachable positions, the game's value for X, where it is known.
        images: by reachable positions, let mirror images stand for one another if the player
            declares, by its attribute `equivariant`, that it treats them alike; this is checked.
        name: what messages call the player; its spec, function or class unless told otherwise.
        watch: by reachable positions, called before each question with how far the search is.

    Raises:
        ValueError: if all positions are asked for and the game has more than 16 cells, the policy
            has a time limit, its answers break the laws of a policy, or it does not give the same
            board the same answer twice; for an unknown method, a `policy` that is no player and
            `rules` that are none.
    """
    require_rules(rules)
    if method not in (None, *METHODS):
        raise ValueError(f"the method is {' or '.join(METHODS)}, not {shown(repr(method), 60)}")
    if method == ALL_POSITIONS:
        require_solvable(rules)
    resolved = resolve_policy(rules, policy)
    require_pure(resolved)
    name = display_name(name or policy)
    if (method or default_method(rules, resolved)) == REACHABLE:
        limits: dict[str, Any] = {"positions": positions, "images": images}
        fields = measure(rules, resolved, name, value_of=value_of, watch=watch, **limits)
        return Certificate(**fields, method=REACHABLE)
    player = tabulate_pure(rules, resolved, name)
    if player not in _CERTIFICATES:
        _CERTIFICATES[player] = _certificate(rules, player)
    return _CERTIFICATES[player]


# Certificates by player: a `Tabulated` never changes, so its certificate is computed once.
_CERTIFICATES: WeakKeyDictionary[Tabulated, Certificate] = WeakKeyDictionary()


def _certificate(rules: Rules, player: Tabulated) -> Certificate:
    game, solution = positions(rules), solve(rules)
    worst = worst_case(rules, player)
    lines = losing_lines(game, player.table, TINY)
    worth = {"X": solution.value, "O": -solution.value}
    return Certificate(
        rules=str(rules),
        value=solution.value,
        vs_random=_both_seats(rules, player, policies.uniform),
        vs_perfect=_both_seats(rules, player, perfect_player(rules)),
        worst_case={**worst},
        unbeatable=all(worst[seat] >= worth[seat] - TOLERANCE for seat in SEATS),
        optimal_moves={**optimal_moves(game, solution, player.table)},
        blunders=int(blunders(solution, player.table).sum()),
        losing_line=lines,
        never_loses=_never_loses(lines),
        shortest=_shortest(lines),
        queried_twice=player.queried_twice,
    )


def require_pure(policy: Policy) -> None:
    """Raise unless the policy is pure, as far as it declares itself.

    Raises:
        ValueError: if its `impure` names a limit, such as the time, that its moves depend on; the
            message names other limits.
    """
    limit = getattr(policy, "impure", None)
    if limit:
        raise ValueError(f"a player limited by {limit} cannot be certified; {IMPURE}")


IMPURE = "limit its iterations or nodes instead, so that it always answers alike"


def perfect_player(rules: Rules) -> Policy:
    """The player that is uniform over all value-optimal moves."""
    return Mixture(rules, solve(rules).optimal)


def optimal_moves(game: Positions, solution: Solution, table: Probs) -> dict[str, float]:
    """The mean probability put on value-optimal moves.

    Args:
        game: the positions.
        solution: the solved game.
        table: the player's probabilities, (positions, cells).

    Returns:
        "all": over all positions with a move; "critical": over those where some legal move loses
        value; "reached": over those that the player's own moves and any replies lead to, from
        both seats.
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
    """Which positions the player's own moves in `seat` and any replies lead to, (positions,)."""
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
    """In which positions the player may play a move that loses value, (positions,)."""
    found = np.empty(len(table), np.bool_)
    for rows in solution.positions.blocks():
        found[rows] = ((table[rows] > TINY) & ~solution.optimal[rows]).any(axis=1)
    return found


def _both_seats(rules: Rules, player: Policy, other: Policy) -> dict[str, list[float] | None]:
    """Win, draw and loss of the player against another, by seat."""
    as_x = score(rules, player, other)
    as_o = score(rules, other, player)
    return {"X": list(as_x), "O": list(reversed(as_o))}


NEVER = np.iinfo(np.int16).max // 2  # more plies than any game has


def losing_lines(game: Positions, table: Probs, tiny: float) -> dict[str, list[int] | None]:
    """The shortest game the player loses, by seat, as the cells of both sides; None if none.

    The player plays its moves with probability above `tiny`; if none of these games is lost, all
    its moves with probability above zero. The opponent plays any legal move. Ties between the
    shortest games go to the likeliest game, then to the one whose cells come first.

    Args:
        game: the positions.
        table: the player's probabilities, (positions, cells).
        tiny: moves up to this probability count only if the other moves never lose.
    """
    return {
        name: losing_line(game, table, seat, tiny) or losing_line(game, table, seat, 0.0)
        for seat, name in enumerate("XO")
    }


def losing_line(game: Positions, table: Probs, seat: int, least: float) -> list[int] | None:
    """The shortest game lost in `seat` (0 is X) by moves with probability above `least`, if any."""
    length = np.full(len(game), NEVER, np.int16)
    length[game.lost & (game.seats == seat)] = 0
    chance = np.where(length == 0, 1.0, 0.0)
    choice = np.full(len(game), -1, np.int8)
    for stones in reversed(range(len(game.plies) - 1)):
        ply = game.ply(stones)
        own = stones % 2 == seat
        for rows in game.blocks(ply):
            after, probs = game.successors[rows], table[rows] if own else None
            moves = after >= 0 if probs is None else (after >= 0) & (probs > least)
            lengths = np.where(moves, length[after] + 1, NEVER)
            chances = np.where(moves, chance[after] * (1.0 if probs is None else probs), 0.0)
            cells = _best_cells(lengths, chances)
            each, loses = np.arange(len(cells)), lengths.min(axis=1) < NEVER
            length[rows] = np.where(loses, lengths[each, cells], length[rows])
            chance[rows] = np.where(loses, chances[each, cells], chance[rows])
            choice[rows] = np.where(loses, cells, -1)
    return _line_of(game, choice) if length[0] < NEVER else None


def _best_cells(lengths: NDArray[np.int16], chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """In each row the first of the likeliest among the cells with the shortest game, (rows,).

    Chances that differ by less than one part in 10**9 count as equal.
    """
    shortest = lengths == lengths.min(axis=1, keepdims=True)
    likely = np.where(shortest, chances, -1.0)
    best: NDArray[np.int64] = (likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(1)
    return best


def _line_of(game: Positions, choice: NDArray[np.int8]) -> list[int]:
    """The cells of the game that plays `choice` (positions,) from the empty board; -1 ends it."""
    line, at = [], 0
    while choice[at] >= 0:
        line.append(int(choice[at]))
        at = int(game.successors[at, choice[at]])
    return line
