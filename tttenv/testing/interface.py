"""The check of an environment's interface, by Gymnasium's own checker."""

import inspect
import re
import warnings
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env

from tttenv.testing.failing import said
from tttenv.testing.findings import Finding, ok, problem
from tttenv.testing.recorded_games import Record

WRAPPED = "different from the unwrapped version"  # whoever hands in a wrapper knows that
NOTES = (  # in warnings of Gymnasium's that do no harm
    "RecordConstructorArgs",
    "`Env.reset` can be passed a `seed`",
    "support for the `seed` function is dropped",
    "`return_info` is deprecated",
    "infinity. This is probably too",
)


def interface(record: Record) -> Finding:
    """Whether games can be played at all, and Gymnasium's own checker."""
    if record.failure is not None:
        raise record.failure
    change = "see gymnasium.utils.env_checker.check_env and Gymnasium's manual of environments"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:  # closing is checked on a second environment, and not every wrapper can be made anew
            check_env(_spelt_out(record.env.raw), skip_render_check=True, skip_close_check=True)
        except Exception as error:  # it raises what the environment does, too
            plain = isinstance(error, (AssertionError, gymnasium.error.Error)) and str(error)
            return problem(f"Gymnasium's check_env fails: {plain or said(error)}", change)
    told = [_plain(one.message) for one in heard]
    notes = [one for one in told if any(part in one for part in NOTES)]
    for one in told:
        if one not in notes and WRAPPED not in one:
            return problem(f"Gymnasium's check_env warns: {one}", change)
    return ok(f"passes; Gymnasium notes: {notes[0]}" if notes else "passes")


def _spelt_out(env: Any) -> Any:
    """With a reset whose signature names seed and options, if it takes anything by name."""
    wanted = inspect.signature(env.reset).parameters
    anything = any(one.kind is one.VAR_KEYWORD for one in wanted.values())
    if not anything or "seed" in wanted or not isinstance(env, gymnasium.Env):
        return env
    return _Spelt(env)


class _Spelt(gymnasium.Wrapper):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """A new game; what was not given is not passed on."""
        named: dict[str, Any] = {"seed": seed, "options": options}
        return self.env.reset(**{name: one for name, one in named.items() if one is not None})


def _plain(message: Any) -> str:
    """A warning without its colours, in one line."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(message)).split()).removeprefix("WARN: ")
