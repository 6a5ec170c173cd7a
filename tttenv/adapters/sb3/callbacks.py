"""SB3 callbacks: certificates during training, keeping the best model, and self-play."""

import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv

from tttenv.adapters.sb3.models import policy, rules_of, zipped
from tttenv.adapters.sb3.observations import observations_of
from tttenv.certificates.certificate import IN_TRAINING, Certificate, certify, stated_certificate
from tttenv.certificates.metrics import flat, measure
from tttenv.exact import SEATS, enumerable
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.players.stored.checkpoint import digest
from tttenv.policy import Policy
from tttenv.utils.arrays import at_least, integers_from
from tttenv.utils.files import write
from tttenv.utils.schema import read

SHOWN = (  # on the console
    *("worst_case_", "win_vs_random_", "unbeatable", "blunders", "illegal_mass", "reached_"),
    *("never_loses_", "losing_line_", "losing_leaves_"),
)
MODEL, CERTIFICATE = "best.zip", "best.json"
UNDECIDED = -0.5  # stands in for the unknown worst case of a seat that is undecided or loses a game


class ExactEvalCallback(BaseCallback):
    """Certify the model, restricted to legal cells, during training.

    SB3's logger, and thus TensorBoard, receives the tags of `tttenv.certificates.metrics.METRICS`,
    such as `exact/worst_case_X`; for models that take no mask also `exact/illegal_mass`, the
    probability that they put on occupied cells, on up to 15 cells. The model is bit-identical to
    one trained without the callback. Beyond 15 cells the certificate covers the positions that the
    model can reach, at most 200,000 in each seat, and only what is known is logged.

    Args:
        every: environment steps between certificates; a last one is computed at the end.
        rules: the game; None: that of the model's environment.
        folder: where to save the best model as SB3's `best.zip`, with its certificate in
            `best.json`; a better model of an earlier run there is not overwritten.
        stop: end training at the first unbeatable certificate.
        deterministic: certify the most likely moves, as SB3 evaluates; False: each move with its
            probability, which is never quite unbeatable.
        verbose: 1 prints the worst case at each certificate.

    Attributes:
        certificate: the last one.
        best: the best one: by the worst case, first of the weaker seat, then by optimal moves or,
            beyond 15 cells, by the length of the games that it loses.
    """

    def __init__(
        self,
        every: int = 100_000,
        rules: Rules | None = None,
        folder: Path | str | None = None,
        stop: bool = True,
        deterministic: bool = True,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        at_least(1, every=every)
        self.every, self.rules, self.stop, self.deterministic = every, rules, stop, deterministic
        self.folder = None if folder is None else Path(folder)
        self.certificate: Certificate | None = None
        self.best: Certificate | None = None
        self._last_measured = (0, 0)  # steps and updates at the last certificate

    def _init_callback(self) -> None:
        self.rules = self.rules or rules_of(self.training_env)
        if self.folder is None:
            observations_of(self.model, self.rules)  # refuses a transform before training
            return
        zipped(self.model, self.rules)  # refuses what best.zip cannot hold
        self.best = self.best or stored_certificate(self.folder, self.rules)

    def _on_training_start(self) -> None:
        self._last_measured = self._position()

    def _on_step(self) -> bool:
        if self.num_timesteps // self.every > self._last_measured[0] // self.every:
            return not (self._measure().unbeatable and self.stop)
        return True

    def _on_training_end(self) -> None:
        if self._position() != self._last_measured:
            self._measure()

    def _position(self) -> tuple[int, int]:
        return self.model.num_timesteps, getattr(self.model, "_n_updates", 0)

    def _measure(self) -> Certificate:
        assert self.rules is not None
        play = policy(self.model, self.rules, self.deterministic)
        self._last_measured = self._position()
        numbers = measure(self.rules, play)
        found = certify(self.rules, play, IN_TRAINING)
        if not enumerable(self.rules):
            numbers |= flat(found)
        for tag, number in numbers.items():
            listed = tag.removeprefix("exact/").startswith(SHOWN) or tag == "exact/optimal_moves"
            self.logger.record(tag, number, exclude=None if listed else "stdout")
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose:
            print(f"{self.num_timesteps} steps: worst case {found.worst_case}")
        self.certificate = found
        if self.best is None or rank(found) > rank(self.best):
            self.best = found
            self._save_best(found)
        return found

    def _save_best(self, best: Certificate) -> None:
        if self.folder is None:
            return
        assert self.rules is not None
        file, data = self.folder / MODEL, zipped(self.model, self.rules)
        deterministic = str(self.deterministic).lower()
        about: dict[str, Any] = {
            "player": f"sb3:path={file},trust=true,deterministic={deterministic}",
            "algorithm": type(self.model).__name__,
            "steps": self.num_timesteps,
            "sha256": digest(data),
            "certificate": best.to_dict(),
        }
        write(file, data)
        write(self.folder / CERTIFICATE, json.dumps(about, indent=2) + "\n")


def rank(certificate: Certificate) -> tuple[float, float, float]:
    """Return a sort key, which is larger for a better model.

    Returns:
        The worst case of the weaker seat, relative to the value of the game; the sum of both; and
        the fraction of optimal moves. By reachable positions that fraction is unknown; the mean
        length of the lost games takes its place, as a fraction of all cells. An unknown worst case
        counts as 0 if the player never loses, otherwise as halfway between a loss and a draw.
    """
    worst = [
        (0.0 if certificate.never_loses[seat] else UNDECIDED) if known is None else known
        for seat, known in ((seat, certificate.worst_case[seat]) for seat in SEATS)
    ]
    value, third = certificate.value or 0, certificate.optimal_moves["all"]
    if third is None:
        cells = Rules.of(certificate.rules).cells
        lines = [certificate.losing_line[seat] for seat in SEATS]
        third = sum(1 if line is None else len(line) / cells for line in lines) / len(lines)
    return min(worst[0] - value, worst[1] + value), sum(worst), third


def stored_certificate(folder: Path, rules: Rules) -> Certificate | None:
    """Load the certificate of the best model in `folder`, or return None if there is none.

    Raises:
        ValueError: for a damaged certificate, or one of another game.
    """
    file = folder / CERTIFICATE
    if not file.exists():
        return None
    found = stated_certificate(read(file, dict[str, Any], "saved model"), rules)
    if found is None:
        raise ValueError(f"{file} holds no certificate of a saved model for {rules}")
    return found


class SelfPlayCallback(BaseCallback):
    """Replace the opponent in all games with named players and frozen snapshots, in turn.

    Works with `VecEnv`, and with SB3's own wrappers of `gym.make("TicTacToe-v0")`, also in
    subprocesses. The model remains a single agent that plays one side, so each reward and each
    observation are its own.

    Args:
        every: environment steps between snapshots; the first is of the initial model.
        keep: number of most recent snapshots used as opponents.
        swap: environment steps between changes of the opponent.
        players: other opponents: specs or policies.
        deterministic: snapshots play their most likely moves instead of sampling.
        verbose: as in SB3.

    Attributes:
        snapshots: the snapshots that are current opponents, the newest last.
    """

    def __init__(
        self,
        every: int = 20_000,
        keep: int = 2,
        swap: int = 2_048,
        players: Sequence[str | Policy] = ("random", "tactical"),
        deterministic: bool = False,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        at_least(1, every=every, swap=swap)
        integers_from(1, keep=keep)
        self.every, self.swap, self.players = every, swap, tuple(players)
        self.deterministic = deterministic
        self.snapshots: deque[Policy] = deque(maxlen=keep)
        self.named: list[str | Policy] = []
        self._taken = self._swapped = 0  # multiples of `every` and `swap` at the last ones

    @property
    def pool(self) -> list[str | Policy]:
        """All opponents, in order of play."""
        return [*self.named, *self.snapshots]

    def _init_callback(self) -> None:
        self.rules = rules = rules_of(self.training_env)
        made = [as_player(rules, one) for one in self.players]
        # Functions cannot be sent to other processes, which make their own players.
        apart = isinstance(self.training_env.unwrapped, SubprocVecEnv)
        self.named = [*(self.players if apart else made)]

    def _on_training_start(self) -> None:
        if not self.snapshots:
            self._take()
        self._swap()

    def _on_step(self) -> bool:
        if self.num_timesteps // self.every != self._taken:
            self._take()
        if self.num_timesteps // self.swap != self._swapped:
            self._swap()
        return True

    def _take(self) -> None:
        self._taken = self.num_timesteps // self.every
        self.snapshots.append(policy(self.model, self.rules, self.deterministic))

    def _swap(self) -> None:
        self._swapped = self.num_timesteps // self.swap
        opponent = self.pool[self._swapped % len(self.pool)]
        self.training_env.env_method("set_opponent", opponent)
