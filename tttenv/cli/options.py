"""Types of command-line options, which determine how the help names their values."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction, arg

# Positional arguments and their names in the usage line.
Player: TypeAlias = Annotated[Positional[str], arg(metavar="PLAYER")]
PlayerOrNone: TypeAlias = Annotated[
    Positional[str | None], arg(metavar="[PLAYER]", help_behavior_hint="")
]
Players: TypeAlias = Annotated[
    Positional[tuple[str, ...]], arg(metavar="[PLAYER ...]", help_behavior_hint="")
]
Game: TypeAlias = Annotated[Positional[str | None], arg(metavar="[M,N,K]", help_behavior_hint="")]
File: TypeAlias = Annotated[Positional[Path], arg(metavar="FILE")]
Learners: TypeAlias = Annotated[
    Positional[tuple[str, ...]], arg(metavar="LEARNER [LEARNER ...]", help_behavior_hint="")
]
CheckpointFolder: TypeAlias = Annotated[Positional[str], arg(metavar="FOLDER")]
Repository: TypeAlias = Annotated[Positional[str], arg(metavar="OWNER/NAME")]
Subject: TypeAlias = Annotated[Positional[str], arg(metavar="SUBJECT")]

# Options. Those that may be left out show no "(default: None)".
Flag: TypeAlias = Annotated[bool, FlagCreatePairsOff, arg(help_behavior_hint="")]  # no --no- form
Repeated: TypeAlias = Annotated[tuple[str, ...], UseAppendAction, arg(help_behavior_hint="")]
UntilOrNone: TypeAlias = Annotated[
    Literal["unbeatable", "perfect", "never"] | None,
    arg(metavar="{unbeatable,perfect,never}", help_behavior_hint=""),
]
RulesText: TypeAlias = Annotated[str, arg(metavar="M,N,K")]
LargerOrNone: TypeAlias = Annotated[
    str | None, arg(name="rules", metavar="M,N,K", help_behavior_hint="")
]
RulesOrNone: TypeAlias = Annotated[str | None, arg(metavar="M,N,K", help_behavior_hint="")]
OpponentOrNone: TypeAlias = Annotated[str | None, arg(metavar="PLAYER", help_behavior_hint="")]
TextOrNone: TypeAlias = Annotated[str | None, arg(metavar="TEXT", help_behavior_hint="")]
AddressOrNone: TypeAlias = Annotated[str | None, arg(metavar="ADDRESS", help_behavior_hint="")]
NumberOrNone: TypeAlias = Annotated[int | None, arg(metavar="INT", help_behavior_hint="")]
SecondsOrNone: TypeAlias = Annotated[float | None, arg(metavar="SECONDS", help_behavior_hint="")]
FileOrNone: TypeAlias = Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")]
FolderOrNone: TypeAlias = Annotated[Path | None, arg(metavar="FOLDER", help_behavior_hint="")]
MethodOrNone: TypeAlias = Annotated[
    Literal["all", "reachable"] | None, arg(metavar="{all,reachable}", help_behavior_hint="")
]
