"""Players, which map boards to move probabilities, and common ways to build them.

A user may pass any function of boards, a `Policy`, to a public function; `player_for` makes it a
`Player` there. Every policy is pure (same board, same probabilities, whatever the batch), legal and
memoryless.

`greedy`, `first_best`, `softmax` and `masked_normalise` turn numbers (batch, cells) into
probabilities; they ignore those of cells that are not `legal`, and each row needs a legal cell.
"""

from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.game.random_kernel import pick
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask, Numbers, Probs
from tttenv.networks import BATCH as BATCH
from tttenv.networks import OBSERVATIONS as OBSERVATIONS
from tttenv.networks import evaluating as evaluating
from tttenv.networks import is_network as is_network
from tttenv.networks import outputs_of, require_finite
from tttenv.utils.arrays import Lock, answered_numbers, brief, one_at_a_time, one_of
from tttenv.utils.untrusted import shown


def uniform_over(allowed: Mask) -> Probs:
    """Return probabilities (batch, cells), uniform over the allowed cells of each row."""
    with np.errstate(invalid="ignore"):  # a row without one is NaN, which `validated` refuses
        probs: Probs = allowed / allowed.sum(axis=-1, keepdims=True)
    return probs


def greedy(values: ArrayLike, legal: Mask, tolerance: float = 0.0) -> Probs:
    """Return probabilities, uniform over legal cells with values within `tolerance` of the best.

    Args:
        values: numbers (batch, cells); those of other cells are ignored.
        legal: mask (batch, cells), with a legal cell in each row.
        tolerance: within which values tie, in their unit.

    Returns:
        Probabilities (batch, cells).
    """
    seen = np.where(legal, np.asarray(values, np.float64), -np.inf)
    return uniform_over(legal & (seen >= seen.max(axis=-1, keepdims=True) - tolerance))


TOLERANCE = 2.0**-14  # outputs of a network this near the best, or this share of the largest, tie


def first_best(values: ArrayLike, legal: Mask, tolerance: float = TOLERANCE) -> Probs:
    """Choose the first legal cell of each board whose value is within `tolerance` of the best.

    This is how the outputs of a network become a move: another CPU, or another size of the batch,
    rounds the same sums differently, so outputs that are equal but for rounding count as ties. The
    tolerance is for values up to 1; above, it is this share of a board's largest absolute value.

    Args:
        values: numbers (batch, cells); those of other cells are ignored.
        legal: mask (batch, cells), with a legal cell in each row.
        tolerance: within which values tie.

    Returns:
        Probabilities (batch, cells), a single 1 in each row; as with `greedy`, NaN in a row with
        NaN for a legal cell or without a legal cell, which `validated` refuses.
    """
    seen = np.where(legal, np.asarray(values, np.float64), -np.inf)
    largest = np.abs(np.where(np.isfinite(seen), seen, 0.0)).max(axis=-1, keepdims=True)
    near = tolerance * np.maximum(largest, 1.0)
    ties = legal & (seen >= seen.max(axis=-1, keepdims=True) - near)
    first = np.arange(ties.shape[-1]) == ties.argmax(axis=-1)[..., None]
    return uniform_over(ties & first)


def softmax(logits: ArrayLike, legal: Mask) -> Probs:
    """Return the softmax (batch, cells) of logits over the legal cells, one of them finite."""
    seen = np.where(legal, np.asarray(logits, np.float64), -np.inf)
    weights = np.exp(seen - seen.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def masked_normalise(probs: ArrayLike, legal: Mask) -> Probs:
    """Mask `probs` (batch, cells) to the legal cells, and normalise; a row of zeros is uniform."""
    kept = np.where(legal, np.asarray(probs, np.float64), 0.0)
    sums = kept.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), uniform_over(legal))


def hidden_by_mask(boards: Boards, unmasked: Probs, masked: Probs) -> tuple[float, float]:
    """Return how much of a player's probability its mask hides.

    Args:
        boards: boards (batch, cells).
        unmasked: its probabilities (batch, cells) on all cells.
        masked: those that it plays by.

    Returns:
        The mean probability on taken cells, and the share of boards with all of it there. On these
        it plays all legal cells alike; boards with one legal cell do not count.
    """
    taken = np.where(boards == 0, 0.0, unmasked).sum(axis=1)
    choices = (boards == 0).sum(axis=1)
    alike = (choices > 1) & (masked.max(axis=1) * choices < 1 + CERTAIN)
    return float(taken.mean()), float((alike & (taken > 1 - CERTAIN)).mean())


ROUNDING = 1e-14
CERTAIN = 1e-12  # probabilities this near 1 are certain


# What a user may pass: from undecided boards (batch, cells) to move probabilities (batch, cells),
# zero on taken cells, with rows that sum to one.
Policy: TypeAlias = Callable[[Boards], Probs]


class Candidate(NamedTuple):
    """A search's findings about one move, for the side to move."""

    cell: int
    value: float | None = None  # 1 a win, 0 a draw, -1 a loss; None if it was not valued
    at_most: bool = False  # whether the value is only an upper bound
    stones: int | None = None  # of a win or loss that the search has seen: the winner's stones left
    depth: int | None = None  # plies searched
    visits: int | None = None  # simulations or play-outs that began with the move
    prior: float | None = None  # probability before the search
    line: tuple[int, ...] = ()  # the expected continuation, which begins with the move


class Explanation(NamedTuple):
    """The result of a search, with an entry for each candidate move."""

    candidates: list[Candidate]  # the best first; moves that the search left out are missing
    nodes: int | None = None  # positions searched for the move, or play-outs made
    note: str = ""  # why there was no search, or what it was limited to
    estimates: str = "open lines"  # what the values of positions at a depth limit are based on


@dataclass(frozen=True)
class Traits:
    """Properties of a player besides its moves.

    An *equivariant* player, on the image of a board under a symmetry, plays the images of its moves
    with the same probabilities, ties included; see `tttenv.players.symmetric_player`.
    """

    pure: bool = False  # a function of the board by construction: never queried again to check it
    depends_on: str | None = None  # "time" or "sampling", besides the board: it is not certified
    searches: bool = False  # each board takes a search or a program's reply
    alone: bool = False  # the same bits for a board, whatever else is in the batch
    one_by_one: bool = False  # queried on one board at a time, to show progress
    equivariant: bool = False
    forfeits: bool = False  # may return a row of zeros: it then loses that game at once
    costly: bool = False  # queried on as few boards as possible
    pairs: bool = False  # answers by pairs where it can, see `Player.holds`
    seat: str | None = None  # the only seat that it plays; in the other one it forfeits


UNKNOWN = Traits()
PURE = Traits(pure=True)  # such as a learner's network


class Player:
    """A player of one game.

    Args:
        rules: the game.
        traits: what is known of it besides its moves.
        name: its name in messages and tables; that of its class if empty.
        parts: players that it follows, which are closed with it.
    """

    def __init__(
        self,
        rules: Rules,
        traits: Traits = UNKNOWN,
        name: str = "",
        parts: tuple["Player", ...] = (),
    ) -> None:
        self.rules, self.traits, self.name = rules, traits, name or type(self).__qualname__
        self.parts = parts
        self.lock = Lock()  # of methods that are decorated with `one_at_a_time`

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for undecided boards (batch, cells)."""
        raise NotImplementedError

    def explain(self, board: Boards) -> Explanation | None:
        """Return an explanation of the move on an undecided board (cells,), or None."""
        return None

    def unmasked(self, boards: Boards) -> Probs | None:
        """Return probabilities (batch, cells) on all cells; None for a player without a mask."""
        return None

    def holds(self, boards: Boards) -> Mask:
        """Return a mask (boards,) of boards from which it, to move, provably cannot lose."""
        return np.zeros(len(boards), np.bool_)

    def proof(self, boards: Boards) -> str | None:
        """Return the SHA-256 of a file that proves that it wins from all these boards, or None.

        No wrapper keeps it, since other moves may not win.
        """
        return None

    def limit_time(self, seconds: float | None) -> bool:
        """Limit the seconds for each next move, or restore its own limit; return if it can be."""
        return any([part.limit_time(seconds) for part in self.parts])  # noqa: C419  # of all parts

    def particulars(self) -> dict[str, Any]:
        """Return further entries of its certificate by name, as JSON-serializable values."""
        return dict(ChainMap(*[part.particulars() for part in self.parts]))

    def summary(self) -> str:
        """Return a sentence about the queries so far, or an empty string."""
        return "; ".join(filter(None, [part.summary() for part in self.parts]))

    def close(self) -> None:
        """Release what the player holds, such as a program; it may be queried again."""
        for part in self.parts:
            part.close()


class Wrapped(Player):
    """A player that changes another one, and some of its traits; the rest is the other player's.

    Args:
        player: the other player.
        **changes: fields of its `Traits` that are different here.
    """

    def __init__(self, player: Player, **changes: Any) -> None:
        super().__init__(player.rules, replace(player.traits, **changes), player.name, (player,))
        self.player = player

    def __call__(self, boards: Boards) -> Probs:
        """Return the other player's move probabilities (batch, cells)."""
        return self.player(boards)

    def explain(self, board: Boards) -> Explanation | None:
        """Return the other player's explanation of a move."""
        return self.player.explain(board)

    def unmasked(self, boards: Boards) -> Probs | None:
        """Return the other player's probabilities on all cells, or None."""
        return self.player.unmasked(boards)

    def holds(self, boards: Boards) -> Mask:
        """Return the boards from which the other player cannot lose."""
        return self.player.holds(boards)


class FunctionPlayer(Player):
    """A player that calls a function.

    Args:
        rules: the game.
        play: from boards to probabilities, both (batch, cells).
        traits: what is known of it besides its moves.
        name: its name in messages and tables; that of the function if empty.
        parts: players that the function follows.
    """

    def __init__(
        self,
        rules: Rules,
        play: Policy,
        traits: Traits = UNKNOWN,
        name: str = "",
        parts: tuple[Player, ...] = (),
    ) -> None:
        super().__init__(rules, traits, name or display_name(play), parts)
        self.play = play

    def __call__(self, boards: Boards) -> Probs:
        """Return the function's output for boards (batch, cells)."""
        return self.play(boards)


def uniform(boards: Boards) -> Probs:
    """Return uniform probabilities over the legal moves."""
    return uniform_over(boards == 0)


class Uniform(FunctionPlayer):
    """The player that plays every legal move with the same probability."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, uniform, Traits(pure=True, alone=True, equivariant=True), "Uniform")


def player_for(rules: Rules, policy: Policy) -> Player:
    """Return a policy as a `Player` of these rules.

    A function may declare traits by attributes with their names, except `pure`, `alone` and
    `pairs`, and its game by the attribute `rules`. Methods, partial functions and decorated
    functions have the game and, as their moves may differ, those traits of the player or function
    behind them that do not follow from its moves.

    Args:
        rules: the game.
        policy: a function of undecided boards (batch, cells), or a player.

    Returns:
        The same object if it is a `Player`.

    Raises:
        ValueError: if it cannot be called, or plays another game.
    """
    if not callable(policy):
        raise ValueError(
            f"a policy must be a function of boards, not {shown(repr(policy), LONGEST_NAME)}: for a"
            " player's name, pass tttenv.player(name, rules)"
        )
    known = [policy] if isinstance(policy, Player) else _behind(policy)
    for part in known:
        game = getattr(part, "rules", None)
        if isinstance(game, Rules) and game != rules:
            raise ValueError(
                f"the player {display_name(part)} plays {game}, not {rules}: make it for that"
                " game, as in tttenv.player(name, rules)"
            )
    if isinstance(policy, Player):
        return policy
    if policy is uniform:
        return Uniform(rules)
    for part in known[:]:
        given = (*part.args, *part.keywords.values()) if isinstance(part, partial) else ()
        known += [one for one in given if isinstance(one, Player) and one.rules == rules]
    traits = Traits(
        depends_on=_stated(known, "depends_on"),
        seat=_stated(known, "seat"),
        equivariant=_trait(policy, "equivariant") is True,
        **{name: any(_trait(part, name) is True for part in known) for name in OF_EITHER},
    )
    players = tuple(part for part in known if isinstance(part, Player))
    return FunctionPlayer(rules, policy, traits, parts=players)


def _behind(policy: Policy) -> list[Any]:
    """Return a policy, and what it calls if it is a method, a partial or a decorated function."""
    found: list[Any] = [policy]
    for part in found:  # which grows
        if len(found) > MOST_BEHIND:  # an object that has every attribute
            break
        inner = [getattr(part, name, None) for name in ("__self__", "__wrapped__")]
        inner += [part.func] if isinstance(part, partial) else []
        found += [one for one in inner if one is not None and not any(one is i for i in found)]
    return found


def _trait(part: Any, name: str) -> Any:
    """Return a trait of a player, or the attribute by which a function declares it, or None."""
    return getattr(part.traits if isinstance(part, Player) else part, name, None)


def _stated(known: list[Any], name: str) -> str | None:
    """Return a trait that is a word, of the first of several players or functions that has it."""
    return next((word for part in known if isinstance(word := _trait(part, name), str)), None)


MOST_BEHIND = 100  # functions behind a policy that are looked at
LONGEST_NAME = 80  # characters of a player's name in a message


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


def display_name(something: Any) -> str:
    """Return a player's name for messages: its spec, or the name of its function or class."""
    if isinstance(something, Player):
        something = something.name
    if not isinstance(something, str):
        name = getattr(something, "__qualname__", None)
        something = name if isinstance(name, str) else type(something).__qualname__
    return shown(something.replace("<locals>.", ""), LONGEST_NAME)


class Blend(Player):
    """A mixture of two players, which forfeits where a part that it may follow forfeits.

    Args:
        first: a player.
        second: a player of the same game.
        weight: the probability of `second`, from 0 to 1; any other raises ValueError.
    """

    def __init__(self, first: Player, second: Player, weight: float) -> None:
        player_for(first.rules, second)
        if not 0 <= weight <= 1:
            raise ValueError(f"a probability must be between 0 and 1, not {weight}")
        one, other = first.traits, second.traits
        traits = Traits(
            depends_on=one.depends_on or other.depends_on,
            seat=one.seat or other.seat,  # in the other seat it may forfeit
            **{name: getattr(one, name) and getattr(other, name) for name in OF_BOTH},
            **{name: getattr(one, name) or getattr(other, name) for name in OF_EITHER},
        )
        super().__init__(first.rules, traits, parts=(first, second))
        self.first, self.second, self.weight = first, second, weight

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        return self._mixed(self.first(boards), self.second(boards))

    def unmasked(self, boards: Boards) -> Probs | None:
        """Return the mixture on all cells; a part without a mask plays as usual."""
        found = [part.unmasked(boards) for part in self.parts]
        if all(probs is None for probs in found):
            return None
        both = zip(self.parts, found, strict=True)
        return self._mixed(*[part(boards) if probs is None else probs for part, probs in both])

    def _mixed(self, first: Probs, second: Probs) -> Probs:
        first, second = np.asarray(first), np.asarray(second)
        mixed: Probs = (1 - self.weight) * first + self.weight * second
        if self.traits.forfeits:
            for part, share in ((first, 1 - self.weight), (second, self.weight)):
                if share > 0:
                    mixed[~part.any(axis=1)] = 0.0
        return mixed


OF_BOTH = ("pure", "alone", "equivariant")  # traits of a mixture if both players have them
OF_EITHER = ("searches", "one_by_one", "forfeits", "costly")


def blend(rules: Rules, first: Policy, second: Policy, weight: float) -> Blend:
    """Return the `Blend` of two policies: `second` with probability `weight`, else `first`."""
    return Blend(player_for(rules, first), player_for(rules, second), weight)


def sample(probs: Probs, uniforms: NDArray[np.float64]) -> Cells:
    """Return the first cells (batch,) whose cumulative `probs` exceed `uniforms` (batch,) < 1."""
    return pick(np.ascontiguousarray(probs), np.ascontiguousarray(uniforms))


FORFEIT = -1  # in place of a cell


def sample_or_forfeit(probs: Probs, uniforms: NDArray[np.float64]) -> Cells:
    """Sample cells, or FORFEIT where all probabilities are zero."""
    return np.where(probs.any(axis=1), sample(probs, uniforms), FORFEIT)


def validated(boards: Boards, probs: Any, forfeits: bool = False) -> Probs:
    """Validate a policy's output (batch, cells), and normalise each row.

    Args:
        boards: the boards (batch, cells) that it was queried with.
        probs: an array, a tensor or lists of real numbers.
        forfeits: whether rows of zeros are allowed.

    Returns:
        Probabilities (batch, cells); rows that sum to one up to rounding keep every bit.

    Raises:
        ValueError: for a wrong shape, a negative or missing number, probability on a taken cell, or
            a row whose sum is off one by more than 1e-4.
    """
    answer = answered_numbers(probs)
    if answer.shape != boards.shape:
        raise ValueError(
            f"a policy must return probabilities of shape {boards.shape}, not {answer.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):  # such sums are refused below
        sums = answer.sum(axis=-1)
    forfeited = ~answer.any(axis=-1) if forfeits else np.zeros(len(answer), np.bool_)
    for law, wrong in (
        ("probabilities must sum to one", ~((np.abs(sums - 1) <= 1e-4) | forfeited)),
        ("probabilities must not be negative", (answer < 0).any(axis=-1)),
        ("a taken cell must have probability zero", ((answer != 0) & (boards != 0)).any(axis=-1)),
    ):
        if np.count_nonzero(wrong):  # faster than `any`
            board, row = (brief(part[wrong.argmax()]) for part in (boards, answer))
            raise ValueError(f"{law}: not so on the board {board}, where it is {row}")
    # Rows that sum to one up to rounding keep every bit.
    off = (np.abs(sums - 1) > ROUNDING) & ~forfeited
    return answer / np.where(off, sums, 1.0)[..., None]


def ask(boards: Boards, player: Player) -> Probs:
    """Return a player's output (batch, cells) on a copy of the boards; see `validated`."""
    copies, traits = boards.copy(), player.traits
    if traits.one_by_one and len(boards):
        answers = np.concatenate([player(one[None]) for one in copies])
    else:
        answers = player(copies)
    return validated(boards, answers, traits.forfeits)


KINDS: dict[str, Callable[[Numbers, Mask], Probs]] = {  # from outputs to probabilities, by `kind`
    "logits": softmax,
    "values": first_best,
    "probs": masked_normalise,
}


class Observed(Player):
    """A player that calls a function of observations; `unmasked` plays without the mask."""

    def __init__(self, fn: Callable[[Any], Any], rules: Rules, obs: str, kind: str) -> None:
        super().__init__(rules, name=display_name(fn))
        self.fn, self.obs, self.kind = fn, obs, kind

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        return self._probs(boards, boards == 0)

    def unmasked(self, boards: Boards) -> Probs:
        """Return probabilities (batch, cells) over all cells, taken ones included."""
        return self._probs(boards, np.ones(boards.shape, np.bool_))

    def _probs(self, boards: Boards, allowed: Mask) -> Probs:
        numbers = [self.numbers(boards[at : at + BATCH]) for at in range(0, len(boards), BATCH)]
        outputs = np.concatenate(numbers) if numbers else np.zeros(boards.shape)
        require_finite(boards, outputs, allowed, self.kind)
        return KINDS[self.kind](outputs, allowed)

    @one_at_a_time  # a query puts the network into evaluation mode and back
    def numbers(self, boards: Boards) -> NDArray[np.float64]:
        """Return the function's raw outputs (batch, cells): logits, values or probabilities."""
        return outputs_of(self.fn, self.name, boards, self.rules, self.obs, self.kind)


def from_observations(
    fn: Callable[[Any], Any], rules: Rules, obs: str = "onehot", kind: str = "logits"
) -> Observed:
    """Return a policy that wraps a function or network of the environment's observations.

    A torch module is called without gradients, in evaluation mode. Taken cells are ignored.

    Args:
        fn: from observations (batch, ...) to numbers (batch, cells), one row for each board.
        rules: the game.
        obs: its observations, as in the environment: "onehot" float32 (batch, 3 * cells): mine,
            theirs, empty; "board" int8 (batch, cells); "dict" of "observation" and "action_mask".
        kind: its outputs. "logits": the player plays their `softmax` over the legal cells;
            "values": the `first_best` legal cell; "probs": their `masked_normalise`.

    Returns:
        A player that raises ValueError when it is queried, if `fn` takes no such observations, or
        returns numbers of another shape, or none that are finite.

    Raises:
        ValueError: for an unknown `obs` or `kind`, and if `fn` cannot be called.
    """
    one_of("obs", obs, tuple(OBSERVATIONS))
    one_of("kind", kind, tuple(KINDS))
    if not callable(fn):
        raise ValueError(f"fn must be a function or a network, not {fn!r}")
    return Observed(fn, rules, obs, kind)
