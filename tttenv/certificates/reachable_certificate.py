"""Certificates based on reachable positions, for boards too large to enumerate.

The results of both seats are combined by five facts. A player's worst case is at most the game's
value for its seat. A player that never loses has a worst case of at least 0; one that always wins
has 1; one that loses a game by moves that it always makes has -1. And the second player cannot
force a win in any m,n,k-game, so the value for X is 1 or 0.

A certificate that is resumed from a file is as trustworthy as the file.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tttenv.certificates import reachability, refutation
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.certificates.reachability import SearchState, SeatResults, Watch
from tttenv.exact.enumeration import arrangements
from tttenv.exact.evaluation import SEATS, TOLERANCE, keeps_value
from tttenv.game.rules import Rules
from tttenv.policy import Player, ask
from tttenv.proofs.prover import known_value

BY_SEAT = ("vs_random", "losing_line", "never_loses", "shortest")  # fields of a certificate
ATTACKED = 20_000  # positions per seat of the best-first attack, before the full search

ValueOf: TypeAlias = Callable[[Rules], int | None]  # the game's value for X, None if unknown
KIND = "unfinished certificate of reachable positions, 4"
EVERY = 60.0  # seconds between saves
SHARE = 0.02  # maximum share of the time spent on saving; large files are saved less often
SHORT = 10.0  # seconds of search that are not worth a file
About: TypeAlias = Callable[[], Mapping[str, Any]]  # JSON-serializable values


class SearchCheckpoint:
    """A file that an unfinished certificate is saved to, about once a minute; deleted at its end.

    `about` returns whatever the certificate depends on besides the game and the limit of positions,
    such as a digest of the player's weights; keys complete "it was saved with another ...".
    """

    def __init__(self, file: Path, rules: Rules, positions: int, about: About) -> None:
        self.file, self._about = file, about
        self._fixed = {"game": str(rules), "limit of positions": positions}
        self.finished: dict[str, SeatResults] = {}  # by seat, in order
        self.state: SearchState | None = None  # of the next seat; None before its first query
        self._due = time.monotonic() + EVERY

    @cached_property
    def about(self) -> dict[str, Any]:
        """Everything that the certificate depends on, JSON-serializable."""
        return {**self._fixed, **self._about()}

    @property
    def seat(self) -> str:
        """The seat in progress, or the last one."""
        return SEATS[: len(self.finished) + 1][-1]

    @property
    def queried(self) -> int:
        """Positions queried in both seats."""
        found = [results.positions for results in self.finished.values()]
        return sum(found) + (self.state.asked if self.state else 0)

    def keep(self, state: SearchState) -> None:
        """Keep the state of the search, and save it if the last save is a minute ago."""
        self.state = state
        if time.monotonic() >= self._due:
            self._try_to_write()

    def finish(self, results: SeatResults) -> None:
        """Record the results of the seat in progress; after the last one, delete the file."""
        self.finished[self.seat], self.state = results, None
        if len(self.finished) == len(SEATS):
            self.file.unlink(missing_ok=True)
        elif self.file.exists():
            self._try_to_write()

    def save(self) -> bool:
        """Save an interrupted search unless it took only seconds; return whether it is saved."""
        long = self.state is not None and self.state.seconds >= SHORT
        if len(self.finished) == len(SEATS) or not (long or self.file.exists()):
            return False
        self._write()
        return True

    def _try_to_write(self) -> None:
        """Write the file; if that fails, warn and continue the search."""
        try:
            self._write()
        except OSError as error:
            warnings.warn(f"the unfinished certificate is not saved: {error}", stacklevel=2)
            self._due = time.monotonic() + EVERY

    def _write(self) -> None:
        from tttenv.utils.tensor_file import write_state  # which a short search does not need

        start = time.monotonic()
        content = {
            "about": self.about,
            "finished": {seat: asdict(results) for seat, results in self.finished.items()},
            "state": self.state and vars(self.state),
        }
        write_state(self.file, KIND, content)
        now = time.monotonic()
        self._due = now + max(EVERY, (now - start) / SHARE)

    def load(self) -> None:
        """Read the file, to continue from it, unless it was saved with another `about`.

        Raises:
            ValueError: if it was, or is no such file.
        """
        from tttenv.utils.tensor_file import read_state

        content = read_state(self.file, KIND)
        for name, now in self.about.items():
            if content["about"].get(name) != now:
                raise ValueError(
                    f"{self.file} was saved with another {name}: continue with the same one, or"
                    " delete the file"
                )
        found = content["finished"].items()
        self.finished = {seat: SeatResults(**results) for seat, results in found}
        self.state = content["state"] and SearchState(**content["state"])


def measure(
    policy: Player,
    name: str,
    positions: int,
    value_of: ValueOf | None,
    watch: Watch | None,
    checkpoint: SearchCheckpoint | None,
) -> dict[str, Any]:
    """Compute the fields of a certificate based on reachable positions; see `certify`.

    Args:
        policy: the player.
        name: what messages call it.
        positions: the limit per seat.
        value_of: returns the game's value for X, None if unknown; by default `known_value`.
        watch: called with the progress before each query; None for no reports.
        checkpoint: saves the search, and holds the state from which it continues, if any.

    Returns:
        The fields by name, without the method.

    Raises:
        ValueError: if the player's output is invalid, not the same again, or not equivariant
            although that is declared.
    """
    rules = policy.rules
    value = (value_of or known_value)(rules)
    found: dict[str, SeatResults] = {} if checkpoint is None else dict(checkpoint.finished)
    for seat in SEATS:
        if seat not in found:
            worth = None if value is None else value if seat == "X" else -value
            player = SeatedPlayer(rules, policy, seat, name)
            found[seat] = _seat(player, worth, positions, watch, checkpoint)
            if checkpoint is not None:
                checkpoint.finish(found[seat])
        proved = proved_value(found["X"], found.get("O"))
        value = proved if value is None else value
    x, o = found["X"], found["O"]
    return {
        "rules": str(rules),
        "value": value,
        "vs_perfect": dict.fromkeys(SEATS),
        "worst_case": worst_cases(x, o, value),
        "unbeatable": unbeatable(x, o, value),
        "optimal_moves": dict.fromkeys(("all", "critical", "reached")),
        "blunders": None,
        "reached": {seat: found[seat].positions for seat in SEATS},
        **{name: {seat: getattr(found[seat], name) for seat in SEATS} for name in BY_SEAT},
        "symmetry": x.symmetry or o.symmetry,
        "queried_twice": x.queried_twice + o.queried_twice,
        "proof": x.proof,
        "pairing": {seat: found[seat].pairing for seat in SEATS} if policy.traits.pairs else None,
    }


def _seat(
    player: SeatedPlayer,
    worth: int | None,
    positions: int,
    watch: Watch | None,
    checkpoint: SearchCheckpoint | None,
) -> SeatResults:
    """Compute the results for a seat whose game value is `worth`; on large boards attack first."""
    too_many, attacked = arrangements(player.rules) > positions, 0
    if too_many and (proof := player.policy.proof(player.first_boards())):
        return SeatResults(0, never_loses=True, always_wins=True, one_move=True, proof=proof)
    start = None if checkpoint is None else checkpoint.state
    if too_many and start is None:  # else the attack has found nothing
        # If the other side can force a win, any lost game will do.
        attack = refutation.search(player, min(ATTACKED, positions), watch, shorten=worth != -1)
        attacked = attack.positions
        if attack.losing_line is not None:
            return replace(attack, loss_chance=_chance(player, attack.losing_line))
    if too_many and worth == -1:  # the other side can force a win, though no game was found
        return SeatResults(attacked, never_loses=False, always_wins=False)
    options = reachability.SearchOptions(
        positions,
        followed=reachability.FOLLOWED if too_many else positions,
        may_always_win=worth is None or worth == 1,
    )
    keep = None if checkpoint is None else checkpoint.keep
    found = reachability.Search(player, options, watch, start, keep).run()
    line = found.losing_line
    return found if line is None else replace(found, loss_chance=_chance(player, line))


def _chance(player: SeatedPlayer, line: list[int]) -> float:
    """Return the probability with which the player plays its moves of a game."""
    boards, own = player.own_moves(line)
    probs = ask(boards, player.policy)[: len(own)]
    certain = np.count_nonzero(probs, axis=1) == 1  # up to rounding
    return float(np.where(certain, 1.0, probs[range(len(own)), own]).prod())


def proved_value(x: SeatResults, o: SeatResults | None) -> int | None:
    """Return the game's value for X if the results prove it; `o` is None if not yet searched."""
    if x.always_wins:
        return 1
    return 0 if o is not None and o.never_loses else None


def worst_cases(x: SeatResults, o: SeatResults, value: int | None) -> dict[str, float | None]:
    """Return the worst case by seat, if known, from the game's value for X."""
    return {"X": _worst_case(x, value), "O": _worst_case(o, None if value is None else -value)}


def _worst_case(result: SeatResults, worth: int | None) -> float | None:
    if result.always_wins:
        return 1.0
    if result.loss_chance == 1 or worth == -1:
        return -1.0
    if result.never_loses and (worth == 0 or (result.one_move and result.always_wins is False)):
        return 0.0
    return None


def unbeatable(x: SeatResults, o: SeatResults, value: int | None) -> bool | None:
    """Return whether the worst case is the game's value in both seats; None if unknown."""
    possible = set()
    for each in (0, 1) if value is None else (value,):
        worst = worst_cases(x, o, each)
        if each == 1 and x.loss_chance > TOLERANCE:  # the lost game bounds the worst case
            worst["X"] = 1 - 2 * x.loss_chance
        possible.add(keeps_value(each, worst))
    return possible.pop() if len(possible) == 1 else None
