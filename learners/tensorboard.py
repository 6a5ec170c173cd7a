"""What TensorBoard shows of a training: curves, heat maps of the policy, certificate, settings."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from tttenv.policy import Policy
from tttenv.render import rgb
from tttenv.rules import Rules

# Boards whose heat maps tell something, by rules; others show the opening alone.
SCENES = {
    "3,3,3": {
        "opening": "_________",
        "reply_to_corner": "X________",
        "reply_to_centre": "____X____",
        "fork_trap": "X___O___X",
    }
}
TAGS = ("exact/worst_case_X", "exact/worst_case_O", "exact/optimal_moves")


class TensorBoard:
    """Writes one training's events into `folder`; use it as a context manager.

    Args:
        folder: TensorBoard shows its name as the run's.
        rules: the game.
        settings: the learner, preset and config, shown in the tab HPARAMS.
        at: the step to go on from; later events of an interrupted run are dropped.
    """

    def __init__(self, folder: Path, rules: Rules, settings: dict[str, Any], at: int = 0) -> None:
        self.rules, self.settings = rules, settings
        self.writer = SummaryWriter(str(folder), purge_step=at + 1 if at else None)

    def __enter__(self) -> "TensorBoard":
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.close()

    def curves(self, step: int, numbers: dict[str, float]) -> None:
        """One point for each tag."""
        for tag, number in numbers.items():
            self.writer.add_scalar(tag, number, step)

    def scenes(self, step: int, policy: Policy) -> None:
        """The policy's probabilities on a few named boards, as coloured cells."""
        scenes = SCENES.get(str(self.rules), {"opening": "_" * self.rules.cells})
        for name, text in scenes.items():
            board = self.rules.parse(text)
            picture = rgb(self.rules, board, policy(board[None])[0])
            self.writer.add_image(f"policy/{name}", picture, step, dataformats="HWC")

    def summary(self, step: int, numbers: dict[str, float], certificate: Any) -> None:
        """The certificate as text, and what TensorBoard compares runs by."""
        if certificate is not None:
            text = json.dumps(asdict(certificate), indent=2)
            self.writer.add_text("certificate", f"```\n{text}\n```", step)
        plain = {key: _plain(value) for key, value in self.settings.items()}
        compared = {tag: numbers[tag] for tag in TAGS if tag in numbers}
        untyped: Any = self.writer
        for part in _hparams(plain, compared):
            untyped._get_file_writer().add_summary(part, step)


_hparams: Any = hparams  # torch leaves it untyped


def _plain(value: Any) -> bool | float | str:
    """The value as one of the kinds that HPARAMS can show."""
    return value if isinstance(value, bool | int | float | str) else str(np.array(value).tolist())
