"""AlphaZero with Gumbel search, also trained on mistakes that a prover finds in its play.

A network plays both sides of many games, choosing each move by a tree search that it guides, and
learns the results of the searches and the outcomes of the games (Silver et al., Science 362, 2018;
search: Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022). From KataGo (Wu,
arXiv 1902.10565) come full searches for only a fraction of the moves, and the head that predicts
the reply; from MiniZero (Wu et al., arXiv 2310.11305) come simulations that increase during
training.

At intervals the player is examined as for a certificate: its moves and all replies, round by round.
A position in which it gives away a result goes into a separate buffer, with the moves that a prover
finds to keep the value, and is trained on from then on. So are its worst mistakes anywhere, on
boards small enough to enumerate; on others, reached positions in which it is least certain.
"""

import copy
from collections.abc import Callable, Mapping
from functools import lru_cache
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.base import LearnerTraits
from learners.buffers import Examples, ExamplesBuffer, ProvenPositions, concatenated
from learners.nets import (
    descend,
    load_weights,
    move_average,
    nets_of,
    on_one_thread,
    on_threads,
    weights_of,
)
from learners.parts import NetworkLearner, Rng
from learners.residual_net import (
    BATCH,
    ResidualNet,
    evaluator,
    for_search,
    likeliest_move,
    planes_of,
)
from learners.settings.alphazero import PRESETS, AlphaZeroConfig
from learners.symmetry_classes import symmetry_classes
from tttenv.certificates.mistakes import Mistakes, find_mistakes
from tttenv.env.vector import VectorTicTacToe
from tttenv.exact import enumerable, solve
from tttenv.game.outcomes_kernel import LOST, UNPROVEN
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.parallel.tasks import Context, answers
from tttenv.players.answered import Answered
from tttenv.players.search.gumbel import (
    GumbelPlayer,
    GumbelSearch,
    SearchResults,
    checked_simulations,
    side_by_side,
)
from tttenv.players.symmetric_player import Canonical, canonical_player
from tttenv.policy import TOLERANCE, Player, softmax
from tttenv.proofs.move_values import MoveValues
from tttenv.proofs.prover import known_value
from tttenv.utils.arrays import at_least

WORK = 200_000  # of a proof of one position: nodes times cells
REPLY_WEIGHT = 0.15  # of the reply's loss beside those of the policy and of the results
ASKED = 2_000  # positions with the same number of stones among which the least sure are sought
JUDGED = 20_000  # positions of a small board, per seat, among which the worst judged are sought
TOGETHER = 128  # maximum games searched in one batch of the network
REVIEW = 20  # steps after which the proven positions are looked at again
MARGIN = 0.5  # by which the logit of a good move should be the highest


class AlphaZero(NetworkLearner[AlphaZeroConfig]):
    """AlphaZero learner, for any rules."""

    Config = AlphaZeroConfig
    presets = PRESETS
    traits = LearnerTraits(
        any_board=True,
        tolerance=TOLERANCE,
        searches=True,
        starts_from=True,
        examines=True,
        divides=True,
    )

    def __init__(self, config: AlphaZeroConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.steps = 0
        self.net = self.networks(config, rules, self.rng)["net"]
        self.average = copy.deepcopy(self.net)  # plays; its weights are a moving average
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(), config.lr, weight_decay=config.weight_decay
        )
        self.replay = ExamplesBuffer(config.capacity, rules)
        self.mistakes = ProvenPositions(config.capacity, rules)
        on_cpu = next(self.net.parameters()).device.type == "cpu"
        most = max(-(-config.games // TOGETHER), torch.get_num_threads())
        count = min(config.games, most) if on_cpu else 1
        self.searches = [  # one for each thread or actor, with its share of the games
            _new_search(config, rules, self.average, -(-config.games // count))
            for _ in range(count)
        ]
        self.planes = planes_of(rules)
        self.env = VectorTicTacToe.of(rules, config.games, opponent=None, obs="board")
        self.env.np_random = self.rng
        self.env.reset()
        self.games = _Games.new(config, rules, self.rng)
        self.width = np.full(2, config.width)  # of examinations as X and as O
        self.failures = np.full(2, -1)  # that the last one found; -1 before the first
        self.next_examination = config.examine  # the step of it
        self.reached = ExamplesBuffer(config.reached, rules)
        self.wrong = np.zeros(0, np.int64)  # rows of `mistakes` that are not learned yet

    def start_from(self, weights: dict[str, Tensor]) -> None:
        """Initialize from the weights of a network of the same size, trained on any board."""
        for net in (self.net, self.average):
            load_weights({"net": net}, weights)

    def step(self) -> dict[str, float]:
        """Play one move in every game, take gradient steps, and examine the player periodically."""
        full, simulations, noise = self._wanted_searches()
        with self.timed("searching"):
            searched = self._search(simulations, noise)
        examples = self._play(full, searched)
        self.replay.add(examples)
        self.moves += self.config.games
        numbers = {
            "examples": float(len(examples.boards)),
            "counterexamples": float(len(self.mistakes)),
            "failures": float(np.maximum(self.failures, 0).sum()),
        }
        with self.timed("learning"):
            numbers |= self._learn()
        self.steps += 1
        with self.timed("examining"):
            self._examine_if_due()
        return numbers

    def _examine_if_due(self) -> None:
        """Look at the proven positions again, and examine the player, at their intervals."""
        if self.steps % REVIEW == 0:
            self._review()
        if self.config.counterexamples and self.steps >= self.next_examination:
            self._examine()
            narrow = 4 * self.config.width
            longer = min(max(1.0, int(self.width.max()) / narrow), 2.0)
            self.next_examination = self.steps + round(longer * self.config.examine)

    def doubts(self) -> bool | None:
        """Return whether the last examination found failures; None without examinations."""
        return bool(self.failures.max() != 0) if self.config.counterexamples else None

    @classmethod
    def networks(
        cls, config: AlphaZeroConfig, rules: Rules, rng: Rng | None = None
    ) -> dict[str, ResidualNet]:
        """Return the network, which plays and guides the search."""
        return {"net": ResidualNet(config.channels, config.blocks, rng)}

    @classmethod
    def player_of(cls, config: AlphaZeroConfig, rules: Rules, nets: Mapping[str, Any]) -> Player:
        """Return a player that picks the network's likeliest cell, on canonical boards."""
        return canonical_player(likeliest_move(rules, nets["net"]))

    @classmethod
    def search_player(
        cls,
        config: AlphaZeroConfig,
        rules: Rules,
        weights: dict[str, Tensor],
        simulations: int,
        threes: int,
    ) -> Player:
        """Return a player that runs a tree search on canonical boards, guided by the weights."""
        at_least(0, threes=threes)
        net: Any = nets_of(lambda: cls.networks(config, rules), weights)["net"]
        search = GumbelSearch(
            rules,
            for_search(evaluator(rules, net)),
            checked_simulations(rules, simulations),
            side_by_side(rules, simulations),
        )
        return Canonical(GumbelPlayer(rules, search, threes=threes))

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser, the buffers and the games."""
        return {
            "weights": {"net": self.average},
            "learning": {"net": self.net},
            "optimiser": self.optimiser,
            "replay": self.replay,
            "mistakes": self.mistakes,
            "boards": self.env,
            "games": self.games._asdict(),
            "width": self.width,
            "failures": self.failures,
            "next_examination": self.next_examination,
            "reached": self.reached,
            "steps": self.steps,
        }

    def state_dict(self) -> dict[str, Any]:
        """Return copies of all parts, and the indices of the mistakes not yet learned."""
        return super().state_dict() | {"wrong": self.wrong.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state returned by `state_dict()`; "weights" alone is enough to play."""
        super().load_state_dict(state)
        if "wrong" in state:
            self.wrong = state["wrong"]

    def _wanted_searches(self) -> tuple[Mask, NDArray[np.int64], NDArray[np.float32]]:
        """Return which searches for the next moves are full, their simulations and noise."""
        config, boards, rng = self.config, self.env.boards, self.rng
        grown = min(1.0, self.steps / config.progressive)
        most = config.quick_simulations + grown * (config.simulations - config.quick_simulations)
        full = rng.random(len(boards)) < config.full_share
        simulations = np.where(full, round(most), config.quick_simulations)
        noise = rng.gumbel(size=boards.shape).astype(np.float32)
        opening = self.games.random_left > 0
        return full, np.where(opening, 1, simulations), noise

    def _search(self, simulations: NDArray[np.int64], noise: NDArray[np.float32]) -> SearchResults:
        """Search the boards of all games, in parts for the threads or actors.

        The parts do not depend on the actors: the size of a batch affects the last digits.

        Args:
            simulations: how many in each search (games,).
            noise: Gumbel noise (games, cells).
        """
        boards = self.env.boards
        rows = np.array_split(np.arange(len(boards)), len(self.searches))
        parts = [(boards[own], simulations[own], noise[own]) for own in rows]
        found = dict[int, SearchResults]()

        def work(_: int, part: int) -> None:
            found[part] = self.searches[part].search(*parts[part])

        if self.actors is None:
            on_threads(work, list(range(len(parts))), len(parts))
            columns = zip(*(found[part] for part in range(len(parts))), strict=True)
        else:
            tasks = [(*self._about("search"), *part) for part in parts]
            columns = zip(*answers(answer, tasks, self.actors), strict=True)
        return SearchResults(*map(np.concatenate, columns))

    def _about(self, what: str) -> tuple[bytes, str]:
        """Return what actors need to search, or to give its likeliest moves, as it does now."""
        weights = {name: part.numpy() for name, part in weights_of({"net": self.average}).items()}
        return bytes(ForkingPickler.dumps((self.config, self.rules, weights))), what

    def _play(self, full: Mask, searched: SearchResults) -> Examples:
        """Play one move in every game, and return examples from the games that end."""
        config, games, rng, boards = self.config, self.games, self.rng, self.env.boards
        opening = games.random_left > 0
        found = self._proven(boards, searched)
        random = opening | (rng.random(len(boards)) < config.deviation)
        anywhere = np.where(boards == 0, rng.random(boards.shape), -1.0).argmax(axis=1)
        cells = np.where(random, anywhere, found.moves)
        learned = full & ~opening & (found.proofs != LOST)  # a lost position has no better moves
        policies = np.where(learned[:, None], found.policy, 0).astype(np.float32)
        values = found.values.clip(-1, 1)  # rounding may lead beyond
        games.add(boards, policies, cells, values, found.proofs, random, opening)
        _, rewards, over, *_ = self.env.step(cells)
        ended = np.flatnonzero(over)
        examples = games.finish(ended, np.asarray(rewards)[ended], self.rules)
        self._begin(ended)
        return examples

    def _proven(self, boards: Boards, found: SearchResults) -> SearchResults:
        """Correct the search results where a proof about the root is known."""
        known = self.mistakes.find(boards)
        policy, moves, proofs = found.policy.copy(), found.moves.copy(), found.proofs.copy()
        policy[known.rows] = known.keep_good_moves(policy[known.rows])
        bad = known.rows[policy[known.rows, moves[known.rows]] == 0]
        moves[bad] = policy[bad].argmax(axis=1)
        proofs[known.rows] = known.values
        return found._replace(policy=policy, moves=moves, proofs=proofs)

    def _learn(self) -> dict[str, float]:
        """Take the gradient steps of this step; return mean losses, or {} before a full batch."""
        if len(self.replay) < self.config.batch:
            return {}
        losses = [self._update() for _ in range(self.config.updates)]
        return {name: sum(loss[name] for loss in losses) / len(losses) for name in losses[0]}

    def _update(self) -> dict[str, float]:
        """Take one gradient step."""
        config = self.config
        for group in self.optimiser.param_groups:
            group["lr"] = config.lr * max(0.5 ** (self.steps / config.half_life), 0.05)
        parts = []
        if len(self.mistakes):
            count = round(config.share * config.batch)
            again = count // 2 if len(self.wrong) else 0
            parts = [
                self.mistakes.sample(count - again, self.rng),
                self.mistakes.sample(again, self.rng, self.wrong),
            ]
        left = config.batch - sum(len(part.boards) for part in parts)
        batch = concatenated([*parts, self.mistakes.correct(self.replay.sample(left, self.rng))])
        outputs = self.net(self.planes(batch.boards))
        legal = torch.as_tensor(batch.boards == 0)
        policies = torch.as_tensor(batch.policies) ** config.sharpness
        policies = policies / policies.sum(dim=1, keepdim=True).clamp(min=1e-9)
        moves = outputs.policy.masked_fill(~legal, -1e9).log_softmax(dim=1)
        policy = -(policies * moves).sum(dim=1).mean()
        results = torch.as_tensor(batch.results)
        value = -(results * outputs.results.log_softmax(dim=1)).sum(dim=1).mean()
        replies = torch.as_tensor(batch.replies.astype(np.int64))
        reply = torch.nn.functional.cross_entropy(
            outputs.reply, replies, ignore_index=-1, reduction="sum"
        ) / len(replies)
        loss = policy + value + REPLY_WEIGHT * reply
        descend(self.optimiser, loss)
        share = 1 - min(config.average, self.steps / (self.steps + 10))
        move_average(self.average, self.net, share)
        return {"policy_loss": policy.item(), "value_loss": value.item()}

    def _review(self) -> None:
        """Find the proven positions in which the player (nearly) prefers a bad move."""
        boards, policies = self.mistakes.boards, self.mistakes.kept.policies[: len(self.mistakes)]
        self.wrong = np.flatnonzero(self._lead_of_bad_moves(boards, policies > 0) > -MARGIN)

    def _lead_of_bad_moves(self, boards: Boards, good: Mask) -> NDArray[np.float32]:
        """Return by how much (batch,) the best logit of a bad move exceeds that of a good one."""
        logits, _ = evaluator(self.rules, self.average)(boards)
        bad = np.where(~good & (boards == 0), logits, -np.inf).max(axis=1)
        return np.asarray(bad - np.where(good, logits, -np.inf).max(axis=1))

    def _examine(self) -> None:
        """Search the player's own play for mistakes, and store them as examples."""
        config = self.config
        likeliest = likeliest_move(self.rules, self.average)
        if self.actors is not None:
            likeliest = Answered(likeliest, self.actors, answer, self._about("moves"), BATCH)
        policy = Canonical(likeliest)
        aim, values = int(known_value(self.rules) == 1), MoveValues(self.rules, WORK)
        for at, seat in enumerate("X" if aim == 1 else "XO"):  # O cannot be asked to win
            width = int(self.width[at])
            found = find_mistakes(
                self.rules, policy, seat, aim, width, config.failures, self.rng, values
            )
            self.failures[at] = found.failures
            self._remember(found)
            self.mistakes.add(self._corrected(found.boards, found.good, found.values))
            if not enumerable(self.rules):
                self.mistakes.add(self._doubtful(found.others, values))
            if len(found.boards) >= config.failures:
                self.width[at] = max(width // 2, config.width)
            elif len(found.boards) < config.failures // 2 and not found.everything:
                self.width[at] = min(width * 2, config.widest)
        if enumerable(self.rules):
            self.mistakes.add(self._worst_judged())

    def _remember(self, found: Mistakes) -> None:
        """Store a sample of the positions that the player reaches."""
        count = min(self.config.reached // 4, len(found.others))
        boards = self.rng.choice(found.others, count, replace=False)
        self.reached.add(ExamplesBuffer(count, self.rules).kept._replace(boards=boards))

    def _doubtful(self, boards: Boards, values: MoveValues) -> Examples:
        """Return examples from reached positions where the player is least certain and may err.

        The same number is taken for each number of stones: there are few positions with few stones,
        and a mistake in one of them affects many games.
        """
        boards = self._least_sure(boards)
        found = [values.bounds(board) for board in boards]
        at_least = np.reshape([bounds.at_least for bounds in found], boards.shape)
        at_most = np.reshape([bounds.at_most for bounds in found], boards.shape)
        best = at_least.max(axis=1)
        good = (at_least == best[:, None]) & (boards == 0)
        bad = (at_most < best[:, None]).any(axis=1)
        return self._corrected(boards[bad], good[bad], best[bad])

    def _worst_judged(self) -> Examples:
        """Return examples from the positions of a small board in which bad moves lead by most."""
        solution, chosen = solve(self.rules), []
        boards = solution.positions.boards
        for rows in symmetry_classes(self.rules).rows:
            if len(rows) > JUDGED:
                rows = self.rng.choice(rows, JUDGED, replace=False)
            rows = np.delete(rows, self.mistakes.find(boards[rows]).rows)
            lead = self._lead_of_bad_moves(boards[rows], solution.optimal[rows])
            order = np.argsort(-lead, kind="stable")[: self.config.doubtful]
            chosen.append(rows[order[lead[order] > -np.inf]])
        which = np.concatenate(chosen)
        return self._corrected(boards[which], solution.optimal[which], solution.values[which])

    def _least_sure(self, boards: Boards) -> Boards:
        """Return, per number of stones, the boards whose second-best move is most probable."""
        stones = np.count_nonzero(boards, axis=1)
        groups = np.unique(stones)
        chosen = [boards[:0]]
        for left, count in zip(range(len(groups), 0, -1), groups, strict=True):
            share = (self.config.doubtful - sum(map(len, chosen))) // left
            rows = np.flatnonzero(stones == count)
            if len(rows) > ASKED:
                rows = self.rng.choice(rows, ASKED, replace=False)
            rows = np.delete(rows, self.mistakes.find(boards[rows]).rows)
            logits, _ = evaluator(self.rules, self.average)(boards[rows])
            second = -np.sort(-softmax(logits, boards[rows] == 0), axis=1)[:, 1]
            chosen.append(boards[rows[np.argsort(-second, kind="stable")[:share]]])
        return np.concatenate(chosen)

    def _begin(self, ended: NDArray[np.int64]) -> None:
        """Restart ended games with random moves, or from positions that the player reaches."""
        config, rng = self.config, self.rng
        self.games.random_left[ended] = rng.integers(0, config.opening + 1, len(ended))
        elsewhere = ended[rng.random(len(ended)) < config.reached_share]
        if len(self.reached) and len(elsewhere):
            boards = self.env.boards.copy()
            boards[elsewhere] = self.reached.sample(len(elsewhere), rng).boards
            self.env.reset(options={"board": boards})
            self.games.random_left[elsewhere] = 0

    def _corrected(self, boards: Boards, good: Mask, values: NDArray[Any]) -> Examples:
        """Return training examples for positions whose good moves are known."""
        logits, _ = evaluator(self.rules, self.average)(boards)
        results = np.stack([values == 1, values == 0, values == -1], axis=1)
        return Examples(
            boards=boards,
            policies=softmax(logits, good).astype(np.float32),
            results=results.astype(np.float32),
            replies=np.full(len(boards), -1, np.int16),
        )


def _new_search(
    config: AlphaZeroConfig, rules: Rules, net: ResidualNet, trees: int
) -> GumbelSearch:
    most = max(config.simulations, config.quick_simulations)
    return GumbelSearch(rules, evaluator(rules, net), most, trees, config.considered)


@lru_cache(maxsize=1)
def _abilities(about: bytes) -> dict[str, Callable[..., Any]]:
    """Return what an actor can do with the weights of a step."""
    config, rules, weights = ForkingPickler.loads(about)
    nets = AlphaZero.networks(config, rules)
    load_weights(nets, {name: torch.as_tensor(part) for name, part in weights.items()})
    net = nets["net"]
    search = _new_search(config, rules, net, min(config.games, TOGETHER))
    return {"search": search.search, "moves": likeliest_move(rules, net)}


def answer(part: tuple[Any, ...], _: Context) -> list[Any]:
    """Search boards, or return the likeliest moves there, for `AlphaZero`, as nested lists."""
    about, what, *given = part
    found = on_one_thread(lambda: _abilities(about)[what](*given))
    return [row.tolist() for row in found]


class _Games(NamedTuple):
    """Records of the games in progress; arrays have shape (games, plies, ...)."""

    boards: Boards  # (games, plies, cells)
    policies: NDArray[np.float32]  # (games, plies, cells): found by full searches, else zero
    moves: NDArray[np.int16]
    values: NDArray[np.float32]  # found by the searches, for the side to move
    proofs: NDArray[np.int8]  # or UNPROVEN
    random: Mask  # whether the move was random
    skipped: Mask  # whether nothing is learned from the position
    length: NDArray[np.int64]  # (games,): moves so far
    random_left: NDArray[np.int64]  # (games,): random moves that the opening still has

    @classmethod
    def new(cls, config: AlphaZeroConfig, rules: Rules, rng: np.random.Generator) -> "_Games":
        """Return empty records for new games."""
        shape = config.games, rules.cells
        return cls(
            boards=np.zeros((*shape, rules.cells), np.int8),
            policies=np.zeros((*shape, rules.cells), np.float32),
            moves=np.zeros(shape, np.int16),
            values=np.zeros(shape, np.float32),
            proofs=np.zeros(shape, np.int8),
            random=np.zeros(shape, np.bool_),
            skipped=np.zeros(shape, np.bool_),
            length=np.zeros(config.games, np.int64),
            random_left=rng.integers(0, config.opening + 1, config.games),
        )

    def add(self, *moves: NDArray[Any]) -> None:
        """Record one move of every game: the first seven fields, each (games, ...)."""
        at, records = (np.arange(len(self.length)), self.length), list[Any](self[:7])
        for record, move in zip(records, moves, strict=True):
            record[at] = move
        self.length[:] += 1
        self.random_left[:] = np.maximum(self.random_left - 1, 0)

    def finish(self, ended: NDArray[np.int64], rewards: NDArray[Any], rules: Rules) -> Examples:
        """Return examples from the ended games, and clear their records.

        The result of a position is the outcome of its game or a result proved later in the game,
        whichever comes first. Before a random move it is the value found by the search.

        Args:
            ended: the indices of the games (ended,).
            rewards: the rewards (ended,) of the side that moved last: 1 or 0.
            rules: the game.
        """
        parts = []
        for game, reward in zip(ended.tolist(), rewards.tolist(), strict=True):
            length = int(self.length[game])
            results = np.zeros((length, 3), np.float32)
            result = _as_results(float(reward))  # for the side that moves
            for ply in reversed(range(length)):
                if self.random[game, ply]:
                    result = _as_results(float(self.values[game, ply]))
                if self.proofs[game, ply] != UNPROVEN:
                    result = _as_results(float(self.proofs[game, ply]))
                results[ply] = result
                result = result[::-1]
            replies = np.append(self.moves[game, 1:length], np.int16(-1))
            replies[:-1][self.random[game, 1:length]] = -1
            kept = ~self.skipped[game, :length]
            parts.append(
                Examples(
                    boards=self.boards[game, :length][kept],
                    policies=self.policies[game, :length][kept],
                    results=results[kept],
                    replies=replies[kept].astype(np.int16),
                )
            )
        self.length[ended] = 0
        return concatenated(parts or [ExamplesBuffer(0, rules).kept])


def _as_results(value: float) -> NDArray[np.float32]:
    """Return win, draw and loss probabilities with mean `value` and the largest draw share."""
    return np.array([max(value, 0), 1 - abs(value), max(-value, 0)], np.float32)
