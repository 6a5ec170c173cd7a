"""Searches of the moves in AlphaZero's games, run by actors.

With one actor the whole batch is one part, and training is bit-identical to training without
actors. The same number of actors gives bit-identical results wherever they run; another number
changes the size of the batches, and with it the rounding of a network's outputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load, save

from learners.actors import Actors
from learners.nets import computing_on, weights_of
from learners.residual_net import ResidualNet, Shape, evaluator
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.parallel import Context, Shared
from tttenv.players.search.gumbel import Floats, GumbelSearch, SearchResults

KINDS = {"policy": np.float64, "values": np.float64, "moves": np.int64, "proofs": np.int8}


class Searches(NamedTuple):
    """A batch of searches to run."""

    boards: Boards  # (batch, cells), seen by the side to move
    simulations: NDArray[np.int64]  # (batch,)
    noise: Floats  # (batch, cells): Gumbel noise


@dataclass(frozen=True)
class SearchSettings:
    """Settings of an actor's searches; memory is reused as long as they do not change."""

    rules: str
    shape: Shape  # of the network
    simulations: int  # of a search, at most
    trees: int  # boards searched together
    considered: int  # moves with which the search of a root begins
    threads: int  # of torch
    device: str  # of the network


@dataclass(frozen=True)
class Part:
    """The searches that one actor runs in one step."""

    settings: SearchSettings
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
    actors.share(save(_on_cpu(weights_of({"net": net}))))
    parts = actors.split(len(wanted.boards))
    settings = SearchSettings(
        rules=str(search.rules),
        shape=net.shape,
        simulations=search.simulations,
        trees=max(map(len, parts)),
        considered=search.considered,
        threads=actors.threads,
        device=actors.device,
    )
    actors.begin(search_part, [Part(settings, _rows(wanted, part)) for part in parts])


def end_searches(actors: Actors) -> SearchResults:
    """Wait for all searches, and return their results in the order of the boards.

    Raises:
        ValueError: if a search failed, or actors were lost repeatedly.
    """
    found = [_results(value) for value in actors.end()]
    return SearchResults(*map(np.concatenate, zip(*found, strict=True)))


def search_part(part: Part, context: Context) -> dict[str, list[Any]]:
    """Run an actor's searches, and return the results in JSON form, without rounding."""
    assert context.shared is not None
    torch.set_num_threads(part.settings.threads)
    with computing_on(part.settings.device):
        searcher = _searcher(part.settings)
        searcher.take(context.shared)
        found = searcher.search.search(*part.wanted)
    return {name: array.tolist() for name, array in found._asdict().items()}


class _Searcher:
    """An actor's network, and the trees of its searches."""

    def __init__(self, settings: SearchSettings) -> None:
        self.net = ResidualNet(settings.shape, None)
        self.version = 0
        self.search = GumbelSearch(
            Rules.of(settings.rules),
            evaluator(Rules.of(settings.rules), self.net),
            settings.simulations,
            settings.trees,
            settings.considered,
        )

    def take(self, shared: Shared) -> None:
        """Load shared weights into the network."""
        if shared.version != self.version:
            weights = load(shared.value)
            own = {name.removeprefix("net."): tensor for name, tensor in weights.items()}
            self.net.load_state_dict(own)
            self.version = shared.version


_searcher = lru_cache(maxsize=1)(_Searcher)  # reused as long as the settings are the same


def _on_cpu(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: tensor.cpu().contiguous() for name, tensor in weights.items()}


def _rows(wanted: Searches, rows: NDArray[np.int64]) -> Searches:
    return Searches(wanted.boards[rows], wanted.simulations[rows], wanted.noise[rows])


def _results(value: Mapping[str, Any]) -> SearchResults:
    """Return the results that `search_part` returned, as arrays."""
    return SearchResults(**{name: np.array(value[name], kind) for name, kind in KINDS.items()})
