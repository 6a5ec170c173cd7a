"""Prompts for language models, parsing of their answers, and exact rewards.

`prompt` describes a position, `parse` reads the move from an answer, `verdict` compares the move
with perfect play, `reward` turns this into one number, and `tasks` lists positions to train on.
"""

from tttenv.players.language.answers import Parsed, parse
from tttenv.players.language.prompts import NOTATIONS, prompt
from tttenv.players.language.verdicts import SCHEMES, SPLITS, Task, Verdict, reward, tasks, verdict

__all__ = ["NOTATIONS", "SCHEMES", "SPLITS", "Parsed", "Task", "Verdict"]
__all__ += ["parse", "prompt", "reward", "tasks", "verdict"]
