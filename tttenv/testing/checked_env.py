"""Wrapper for an environment under test that turns every failure into a `SubjectError`."""

from typing import Any

import numpy as np

from tttenv.game.types import Mask
from tttenv.testing.failures import SubjectError, failing

RESET = "reset(self, *, seed=None, options=None) begins a game and returns observation and info"
STEP = (
    "step(self, action) plays a legal cell and returns observation, reward, terminated, truncated"
    " and info (in old Gym there were four of them)"
)


class CheckedEnv:
    """Wraps an environment and validates its return values."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game and return its observation and info.

        Raises:
            SubjectError: if `reset` raises, takes no seed or returns something else.
        """
        with failing("reset", RESET):
            told = self.raw.reset(seed=seed)
        if not (isinstance(told, tuple) and len(told) == 2 and isinstance(told[1], dict)):
            raise SubjectError(f"reset returns {_kind(told)}, not an observation and info", RESET)
        return told

    def step(self, cell: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a cell and return observation, reward, terminated, truncated and info.

        Raises:
            SubjectError: if `step` raises (the cause is then that exception) or returns something
                else.
        """
        with failing("stepped", STEP):
            told = self.raw.step(cell)
        if not (isinstance(told, tuple) and len(told) == 5 and isinstance(told[4], dict)):
            wanted = "observation, reward, terminated, truncated and info"
            raise SubjectError(f"step returns {_kind(told)}, not {wanted}", STEP)
        observed, reward, over, cut, info = told
        try:
            return observed, float(reward), bool(over), bool(cut), info
        except (TypeError, ValueError):
            shown = " ".join(f"reward {reward!r}, terminated {over!r}, truncated {cut!r}".split())
            raise SubjectError(
                f"step does not return a number and two booleans: {shown}", STEP
            ) from None

    def mask(self, observed: Any, info: dict[str, Any]) -> Mask | None:
        """Return the action mask from the info, the observation or `action_masks()`, or None."""
        told, bare = info.get("action_mask"), getattr(self.raw, "unwrapped", self.raw)
        if told is None and isinstance(observed, dict):
            told = observed.get("action_mask", observed.get("mask"))
        with failing("asked for its mask", "a mask is an array with a 0 or 1 for each cell"):
            if told is None and callable(getattr(bare, "action_masks", None)):
                told = bare.action_masks()
            return None if told is None else np.asarray(told).astype(bool).reshape(-1)

    def method_mask(self, info: dict[str, Any]) -> Mask | None:
        """Return the mask from `action_masks()` if the info contains a mask as well, else None."""
        return self.mask(None, {}) if "action_mask" in info else None

    def inside(self, observed: Any) -> bool:
        """Return whether an observation lies in the environment's space; True if it has none."""
        space = getattr(self.raw, "observation_space", None)
        return space is None or bool(space.contains(observed))


def _kind(told: Any) -> str:
    """Describe a return value in a few words."""
    return f"{len(told)} values" if isinstance(told, tuple) else f"one {type(told).__name__}"
