"""League players, with validated and, if possible, cached outputs."""

from collections import ChainMap

import numpy as np

from tttenv.exact.determinism import middles, require_answers_again
from tttenv.game.types import Boards, Probs
from tttenv.players.programs.program_player import pack, unpack
from tttenv.policy import Player, Wrapped, ask
from tttenv.reach import require_images_alike
from tttenv.utils.untrusted import first_line, shown

KEPT = 200_000  # maximum cached outputs of a player: some 40 MB
ASKED_AGAIN = 16  # boards queried again, to check that a player is a function of the board
LONGEST = 300  # maximum characters of a player's error message


class PlayerError(ValueError):
    """Raised if a player raises an error or returns invalid probabilities."""


class CachedPlayer(Wrapped):
    """A player with validated outputs, cached if it searches and its outputs do not vary."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        varies = self.traits.depends_on is not None
        self._keeps = self.traits.searches and self.traits.alone and not varies
        self._known: dict[bytes, bytes] = {}
        self._trusted = varies or self.traits.pure

    def __call__(self, boards: Boards) -> Probs:
        """Return validated probabilities (batch, cells) for undecided boards (batch, cells).

        At the first query, a player that should be a function of the board is queried again.

        Raises:
            PlayerError: for any failure of the player, with its name.
        """
        try:
            probs = self._kept(boards) if self._keeps else ask(boards, self.player)
            if not self._trusted and len(boards):
                which = middles(len(boards), ASKED_AGAIN)
                require_answers_again(self.player, boards[which], probs[which], "the player")
                if self.traits.equivariant:
                    require_images_alike(self.player, boards[which], "the player")
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
            answers = ask(boards[new], self.player)
            found = {keys[row]: pack(probs) for row, probs in zip(new, answers, strict=True)}
        cells, known = boards.shape[1], ChainMap(found, self._known)
        probs = [unpack(known[key], cells) for key in keys]
        if len(self._known) + len(found) > KEPT:
            self._known = {}
        self._known |= found
        return np.array(probs, np.float64).reshape(boards.shape)
