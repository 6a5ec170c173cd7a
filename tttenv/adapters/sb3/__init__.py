"""Adapter to Stable-Baselines3 and sb3-contrib: fast batches, exact evaluation and players."""

from tttenv.adapters import wanted

with wanted("stable_baselines3", "sb3_contrib", "torch", extra="learn"):
    from tttenv.adapters.sb3.callbacks import ExactEvalCallback, SelfPlayCallback
    from tttenv.adapters.sb3.models import illegal_mass, load, masked, policy, save
    from tttenv.adapters.sb3.vec_env import VecEnv

__all__ = [
    "ExactEvalCallback",
    "SelfPlayCallback",
    "VecEnv",
    "illegal_mass",
    "load",
    "masked",
    "policy",
    "save",
]
