"""OpenEnv environment for m,n,k-games: a server, and a client to play on it.

The server::

    uvicorn.run(make_app(rules="4,4,3", opponent="minimax"), port=8000)

The client::

    with MnkGameEnv(base_url="http://127.0.0.1:8000").sync() as env:
        result = env.reset(seed=0)
        while not result.done:
            result = env.step(MnkGameAction(answer=model(result.observation.prompt)))

An action is the text of an answer, read strictly by `tttenv.text`. The last step pays the result of
the game, and each observation has the exact verdict on the last move.
"""

from dataclasses import asdict
from typing import Any, Literal
from uuid import uuid4

import numpy as np

from tttenv import text
from tttenv.adapters import wanted
from tttenv.env.env import TicTacToe
from tttenv.game.rules import Rules

with wanted("openenv", "pydantic", extra="agents"):
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field

NAME = "mnk_game"
LONGEST = 1_000_000  # characters of an answer
SESSIONS = 64  # games at the same time on one server


class MnkGameAction(Action):
    """A language model's answer."""

    answer: str = Field(..., max_length=LONGEST, description="Text that names one empty cell")


class MnkGameObservation(Observation):
    """The prompt for the model, and the verdict on its last move."""

    prompt: str = Field("", description="The position, and how to answer")
    verdict: dict[str, Any] = Field(
        default_factory=dict, description="The exact verdict on the last answer"
    )


class MnkGame(Environment[MnkGameAction, MnkGameObservation, State]):
    """A game against one of our players, played by the model from one seat.

    Args:
        rules: m rows, n columns, k in a row.
        opponent: any player, by its spec.
        seat: the model's seat, or "random" for each game.
        notation: of the prompts: "grid", "coordinates" or "moves".
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        rules: str = "3,3,3",
        opponent: str = "random",
        seat: Literal["X", "O", "random"] = "random",
        notation: str = "grid",
    ) -> None:
        super().__init__()
        self.rules, self.notation = Rules.of(rules), notation
        m, n, k = self.rules.m, self.rules.n, self.rules.k
        self.env = TicTacToe(m, n, k, opponent=opponent, seat=seat, obs="board")
        self.counted, self.over = State(episode_id=None, step_count=0), True
        text.prompt(self.rules, self.rules.start(), notation)  # complains now

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_options: Any
    ) -> MnkGameObservation:
        """Start a game, in which the opponent may have moved first.

        Args:
            seed: of the opponent and of a random seat; None continues the previous numbers.
            episode_id: the name of the game; None makes one up.

        Returns:
            The first prompt, with the reward 0.
        """
        self.env.reset(seed=seed)
        self.counted = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self.over = False
        return self._shown(0.0, {})

    def step(
        self, action: MnkGameAction, timeout_s: float | None = None, **_options: Any
    ) -> MnkGameObservation:
        """Play the move in an answer, and the reply; without a legal move the game is lost.

        Args:
            action: the model's answer.
            timeout_s: ignored.

        Returns:
            The next prompt, the verdict on the move, and 1, 0 or -1 when the game has ended.

        Raises:
            ValueError: if the game is over, or none has been started.
        """
        if self.over:
            raise ValueError("the game is over: reset the environment first")
        found = text.verdict(self.rules, self.env.board, action.answer)
        self.counted.step_count += 1
        if found.cell is None:
            self.over = True
            return self._shown(-1.0, asdict(found))
        _, reward, self.over, _, _ = self.env.step(np.int64(found.cell))
        return self._shown(float(reward), asdict(found))

    @property
    def state(self) -> State:
        """State of the episode: its id and the number of steps."""
        return self.counted

    def _shown(self, reward: float, verdict: dict[str, Any]) -> MnkGameObservation:
        words = "The game is over."
        if not self.over:
            words = text.prompt(self.rules, self.env.board, self.notation)
        return MnkGameObservation(prompt=words, done=self.over, reward=reward, verdict=verdict)


class MnkGameEnv(EnvClient[MnkGameAction, MnkGameObservation, State]):
    """Client for an `MnkGame` server."""

    def _step_payload(self, action: MnkGameAction) -> dict[str, Any]:
        return {"answer": action.answer}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[MnkGameObservation]:
        seen, reward = payload.get("observation", {}), payload.get("reward")
        done = bool(payload.get("done", False))
        observation = MnkGameObservation(
            prompt=seen.get("prompt", ""), done=done, reward=reward, verdict=seen.get("verdict", {})
        )
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


def make_app(**settings: Any) -> Any:
    """Return the server application, with one game per client.

    Args:
        settings: arguments of `MnkGame`.

    Raises:
        ValueError: for settings that `MnkGame` refuses.
    """
    MnkGame(**settings)  # complains here, not at the first client

    def game() -> MnkGame:
        return MnkGame(**settings)

    return create_app(
        game, MnkGameAction, MnkGameObservation, env_name=NAME, max_concurrent_envs=SESSIONS
    )
