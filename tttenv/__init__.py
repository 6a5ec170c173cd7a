"""m,n,k-games as Gymnasium environments, with exact certificates of strength for any player.

Importing this package registers `TicTacToe-v0` and `tttenv/TicTacToe-v0`; it never loads torch.
`gymnasium.make("tttenv:TicTacToe-v0")` imports it first, also in a new process.
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from tttenv.certificates.certificate import certify as certify
    from tttenv.certificates.refutation import refute as refute
    from tttenv.drawing.render import draw as draw
    from tttenv.exact import solve as solve
    from tttenv.game.outcomes_kernel import Outcome as Outcome
    from tttenv.game.rules import Rules as Rules
    from tttenv.players import player as player
    from tttenv.players.as_player import score as score
    from tttenv.players.as_player import worst_case as worst_case
    from tttenv.policy import Policy as Policy
    from tttenv.proofs.checker import check_proof as check_proof
    from tttenv.proofs.prover import prove as prove
    from tttenv.report.game_tree import draw_games as draw_games

__version__ = "0.1.0"

# Imported at first use, so that `--help` does not load the compiler.
_HOMES = {
    "Outcome": "tttenv.game.outcomes_kernel",
    "Policy": "tttenv.policy",
    "Rules": "tttenv.game.rules",
    "certify": "tttenv.certificates.certificate",
    "check_proof": "tttenv.proofs.checker",
    "draw": "tttenv.drawing.render",
    "draw_games": "tttenv.report.game_tree",
    "player": "tttenv.players",
    "prove": "tttenv.proofs.prover",
    "refute": "tttenv.certificates.refutation",
    "score": "tttenv.players.as_player",
    "solve": "tttenv.exact",
    "worst_case": "tttenv.players.as_player",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")  # tttenv.env, tttenv.testing, ...
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


for _id in ("TicTacToe-v0", "tttenv/TicTacToe-v0"):
    gymnasium.register(
        id=_id,
        entry_point="tttenv.env:TicTacToe",
        vector_entry_point="tttenv.env.vector:make",
        reward_threshold=0.9598,  # the best response to a random opponent: 0.95983 over both seats
        order_enforce=False,  # it checks this itself, and can be rendered before a reset
    )
