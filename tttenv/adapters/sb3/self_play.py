"""Self-play in Stable-Baselines3 against frozen snapshots and named players in turn."""

from collections import deque
from collections.abc import Sequence

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv

from tttenv.adapters.sb3.models import policy, rules_of
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Policy


class SelfPlayCallback(BaseCallback):
    """Replace the opponent in all games with named players and snapshots, in turn.

    Works with `VecEnv`, and with SB3's own wrappers of `gym.make("TicTacToe-v0")`, also in
    subprocesses. The model remains a single agent that plays one side, so each reward and each
    observation are its own.

    Args:
        every: environment steps between snapshots; the first is of the initial model.
        keep: number of most recent snapshots used as opponents.
        swap: environment steps between changes of the opponent.
        players: other opponents: specs or policies.
        rules: the game; None: that of the model's environment.
        deterministic: snapshots play their most likely moves instead of sampling.
        verbose: 1 prints a line when a snapshot is taken.

    Attributes:
        snapshots: the snapshots that are current opponents, the newest last.
    """

    def __init__(
        self,
        every: int = 20_000,
        keep: int = 2,
        swap: int = 2_048,
        players: Sequence[str | Policy] = ("random", "tactical"),
        rules: Rules | None = None,
        deterministic: bool = False,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        for name, number in (("every", every), ("keep", keep), ("swap", swap)):
            if number < 1:
                raise ValueError(f"{name} must be at least 1, not {number}")
        self.every, self.swap, self.players, self.rules = every, swap, tuple(players), rules
        self.deterministic = deterministic
        self.snapshots: deque[Policy] = deque(maxlen=keep)
        self.named: list[str | Policy] = []
        self._taken = self._swapped = 0  # multiples of `every` and `swap` at the last ones

    @property
    def pool(self) -> list[str | Policy]:
        """All opponents, in order of play."""
        return [*self.named, *self.snapshots]

    def _init_callback(self) -> None:
        rules = self.rules = self.rules or rules_of(self.training_env)
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
        assert self.rules is not None
        self._taken = self.num_timesteps // self.every
        self.snapshots.append(policy(self.model, self.rules, self.deterministic))
        if self.verbose:
            print(f"{self.num_timesteps} steps: snapshot taken, {len(self.pool)} opponents")

    def _swap(self) -> None:
        self._swapped = self.num_timesteps // self.swap
        opponent = self.pool[self._swapped % len(self.pool)]
        self.training_env.env_method("set_opponent", opponent)
