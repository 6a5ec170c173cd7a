"""Searches of the moves in AlphaZero's games, run by actors.

With one actor the whole batch is one part, and training is bit-identical to training without
actors. The same number of actors gives bit-identical results wherever they run; another number
changes the size of the batches, and with it the rounding of a network's outputs.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load, save

from learners.actors import Actors
from learners.residual_net import ResidualNet, Shape, evaluator
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.parallel import Context
from tttenv.players.search.gumbel import Floats, GumbelSearch, SearchResults

KINDS = {"policy": np.float64, "values": np.float64, "moves": np.int64, "proofs": np.int8}


class Searches(NamedTuple):
    """A batch of searches to run."""

    boards: Boards  # (batch, cells), seen by the side to move
    simulations: NDArray[np.int64]  # (batch,)
    noise: Floats  # (batch, cells): Gumbel noise


@dataclass(frozen=True)
class Part:
    """The searches that one actor runs in one step."""

    rules: str
    shape: Shape  # of the network
    simulations: int  # of a search, at most
    trees: int  # boards searched together
    considered: int  # moves with which the search of a root begins
    threads: int  # of torch
    wanted: Searches


def begin_searches(
    actors: Actors, wanted: Searches, net: ResidualNet, search: GumbelSearch
) -> None:
    """Start the searches of all parts with the network's current weights.

    Args:
        actors: that run them.
        wanted: the searches.
        net: the network.
        search: a local search whose game and settings the actors use.
    """
    weights = {name: tensor.cpu().contiguous() for name, tensor in net.state_dict().items()}
    actors.share(save(weights))
    parts = actors.split(len(wanted.boards))
    size = search.simulations, max(map(len, parts)), search.considered, actors.threads
    boards, simulations, noise = wanted
    works = [Searches(boards[rows], simulations[rows], noise[rows]) for rows in parts]
    actors.begin(search_part, [Part(str(search.rules), net.shape, *size, work) for work in works])


def end_searches(actors: Actors) -> SearchResults:
    """Wait for all searches, and return their results in the order of the boards."""
    parts = actors.end()
    return SearchResults(
        **{
            name: np.concatenate([np.array(part[name], kind) for part in parts])
            for name, kind in KINDS.items()
        }
    )


def search_part(part: Part, context: Context) -> dict[str, list[Any]]:
    """Run an actor's searches, and return the results in JSON form, without rounding."""
    assert context.shared is not None
    torch.set_num_threads(part.threads)
    net, search = _search(part.rules, part.shape, part.simulations, part.trees, part.considered)
    net.load_state_dict(load(context.shared.value))
    return {name: array.tolist() for name, array in search.search(*part.wanted)._asdict().items()}


@lru_cache(maxsize=1)  # memory is reused as long as the settings are the same
def _search(
    rules: str, shape: Shape, simulations: int, trees: int, considered: int
) -> tuple[ResidualNet, GumbelSearch]:
    """Return an actor's network, and the search that it guides."""
    game, net = Rules.of(rules), ResidualNet(shape, None)
    return net, GumbelSearch(game, evaluator(game, net), simulations, trees, considered)
