"""Actors: workers that run the searches of a learner's games, locally or on a Ray cluster.

The learner keeps the games, the random numbers and everything that it learns. In each step it sends
a part of its boards to each actor, and receives the results of the searches. An actor holds only
the latest weights, so if it is lost, another actor searches its part with the same result. At most
one part per actor is in progress.

With one actor the whole batch is one part, and training is bit-identical to training without
actors. The same number of actors gives bit-identical results wherever they run; another number
changes the size of the batches, and with it the rounding of a network's outputs.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load, save

from learners.configs import Shape
from learners.device import computing_on
from learners.nets import weights_of
from learners.residual_net import ResidualNet, evaluator
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.parallel import Backend, Context, Shared, Task
from tttenv.players.gumbel_search import Floats, GumbelSearch, SearchResults

LOOK_EVERY = 0.1  # seconds between two looks while no part ends
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


class Actors:
    """The actors of one learner.

    Args:
        backend: the backend that runs the actors; its context has been entered.
        number: the number of actors.
        overlap: whether the learner learns from earlier steps' examples while the actors search.
        threads: the number of torch threads per actor.
        device: the device of the actors' networks.
    """

    def __init__(
        self,
        backend: Backend,
        number: int,
        overlap: bool = False,
        threads: int = 1,
        device: str = "cpu",
    ) -> None:
        self.backend, self.number, self.overlap = backend, number, overlap
        self.threads, self.device = threads, device
        self.version, self.parts = 0, 0
        self._waiting: list[tuple[int, Task]] = []
        self._under_way = 0

    def begin(
        self, wanted: Searches, rules: Rules, shape: Shape, net: ResidualNet, search: GumbelSearch
    ) -> None:
        """Start the searches of all parts with the network's current weights.

        Args:
            wanted: the searches.
            rules: the game.
            shape: the network's shape.
            net: the network.
            search: a local search whose settings the actors use.
        """
        count = len(wanted.boards)
        self.parts = min(self.number, count)
        self.version += 1
        shared = Shared(self.version, save(_on_cpu(weights_of({"net": net}))))
        settings = SearchSettings(
            rules=str(rules),
            shape=shape,
            simulations=search.simulations,
            trees=-(-count // self.parts),
            considered=search.considered,
            threads=self.threads,
            device=self.device,
        )
        for number, rows in enumerate(np.array_split(np.arange(count), self.parts)):
            mine = Searches(wanted.boards[rows], wanted.simulations[rows], wanted.noise[rows])
            part = Part(settings, mine)
            task = Task(f"actor {number}", search_part, part, shared=shared)
            self._waiting.append((number, task))
        self._submit()

    def end(self) -> SearchResults:
        """Wait for all searches, and return their results in the order of the boards.

        Raises:
            ValueError: if a search failed, or actors were lost repeatedly.
        """
        found: dict[int, SearchResults] = {}
        while len(found) < self.parts:
            for number, done in self.backend.wait(LOOK_EVERY):
                if done.value is None:
                    raise ValueError(f"actor {number}: {done.error}")
                found[number] = _results(done.value)
                self._under_way -= 1
                self._submit()
        return SearchResults(
            *map(np.concatenate, zip(*(found[n] for n in range(self.parts)), strict=True))
        )

    def _submit(self) -> None:
        """Submit waiting parts as long as the backend has room."""
        while self._waiting and self._under_way < max(1, self.backend.room()):
            self.backend.submit(*self._waiting.pop(0))
            self._under_way += 1


def search_part(part: Part, context: Context) -> dict[str, list[Any]]:
    """Run an actor's searches, and return the results in JSON form, without rounding."""
    assert context.shared is not None
    searcher = _searcher(part.settings)
    with computing_on(part.settings.device):
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


@lru_cache(maxsize=1)
def _searcher(settings: SearchSettings) -> _Searcher:
    """Return this process's searcher; cached while the settings stay the same."""
    torch.set_num_threads(settings.threads)
    with computing_on(settings.device):
        return _Searcher(settings)


def _on_cpu(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: tensor.cpu().contiguous() for name, tensor in weights.items()}


def _results(value: str) -> SearchResults:
    """Decode the output of `search_part`."""
    rows = json.loads(value)
    return SearchResults(**{name: np.array(rows[name], kind) for name, kind in KINDS.items()})
