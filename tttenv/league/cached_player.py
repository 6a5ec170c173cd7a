"""League players, with validated and, if possible, cached outputs."""

from collections import ChainMap
from typing import Any

import numpy as np

from tttenv.certificates.frontier import require_images_alike
from tttenv.exact.determinism import ask, known_pure, middles, require_answers_again, searches
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players.program_player import pack, unpack
from tttenv.policy import Blend, Policy, declares_equivariance
from tttenv.utils.untrusted import first_line, shown

KEPT = 200_000  # maximum cached outputs of a player: some 40 MB
ASKED_AGAIN = 16  # boards queried again, to check that a player is a function of the board
LONGEST = 300  # maximum characters of a player's error message


class PlayerError(ValueError):
    """Raised if a player raises an error or returns invalid probabilities."""


class Asker:
    """Wraps a player for validated queries on batches of boards.

    Args:
        rules: the game.
        policy: the player.
        name: its name in messages.

    Attributes:
        impure: what its moves depend on besides the board, such as "time"; None if nothing.
        equivariant: whether it declares itself equivariant.
        searches: whether it is slow, because it searches or runs a program.
    """

    def __init__(self, rules: Rules, policy: Policy, name: str) -> None:
        self.rules, self.policy, self.name = rules, policy, name
        self.impure: str | None = getattr(policy, "impure", None)
        self.equivariant = declares_equivariance(policy)
        self.searches = searches(policy)
        self._keeps = self.impure is None and answers_alone(policy)
        self._known: dict[bytes, bytes] = {}
        self._trusted = self.impure is not None or known_pure(policy)

    def __call__(self, boards: Boards) -> Probs:
        """Return validated probabilities (batch, cells) for undecided boards (batch, cells).

        At the first query, a player that should be a function of the board is queried again.

        Raises:
            PlayerError: for any failure of the player, with its name.
        """
        try:
            probs = self._kept(boards) if self._keeps else ask(boards, self.policy)
            if not self._trusted and len(boards):
                which = middles(len(boards), ASKED_AGAIN)
                require_answers_again(
                    self.rules, self.policy, boards[which], probs[which], "the player"
                )
                if self.equivariant:
                    require_images_alike(self.rules, self.policy, boards[which], "the player")
                self._trusted = True
        except Exception as error:  # foreign players may raise any exception
            raise PlayerError(shown(f"{self.name}: {first_line(error)}", LONGEST)) from error
        return probs

    def _kept(self, boards: Boards) -> Probs:
        """Return the outputs, using the cache for boards that were queried before."""
        keys = [board.tobytes() for board in np.ascontiguousarray(boards, np.int8)]
        new = list({key: row for row, key in enumerate(keys) if key not in self._known}.values())
        found: dict[bytes, bytes] = {}
        if new:
            answers = ask(boards[new], self.policy)
            found = {keys[row]: pack(probs) for row, probs in zip(new, answers, strict=True)}
        cells, known = boards.shape[1], ChainMap(found, self._known)
        probs = [unpack(known[key], cells) for key in keys]
        if len(self._known) + len(found) > KEPT:
            self._known = {}
        self._known |= found
        return np.array(probs, np.float64).reshape(boards.shape)

    def close(self) -> None:
        """Terminate the player's program, if it has one."""
        if hasattr(self.policy, "close"):
            self.policy.close()


def answers_alone(policy: Any) -> bool:
    """Return whether a player's output on a board is bit-identical in every batch.

    This holds for players that search board by board, which declare `board_by_board`. A network may
    round differently in another batch.
    """
    if isinstance(policy, Blend):
        return answers_alone(policy.first) and answers_alone(policy.second)
    return getattr(policy, "board_by_board", False) is True
