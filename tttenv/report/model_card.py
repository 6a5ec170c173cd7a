"""Files of a checkpoint for the Hugging Face Hub, with its certificate in the model card."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from string import Template
from typing import Any

from tttenv.certificates.certificate import Certificate, certify, stated_certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.exact import enumerable
from tttenv.game.rules import Rules
from tttenv.players.stored import checkpoint
from tttenv.report.game_tree import MOST_CELLS, draw_games

NAME = "README.md"  # where the Hub expects the model card
PICTURE = "games.svg"  # of all games, which the model card shows
ENVIRONMENT = "TicTacToe-v0"
_LICENSE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,39}")
_WORD = re.compile(r"\w{1,40}", re.ASCII)


def for_the_hub(folder: Path, repo: str, license: str | None = None) -> dict[str, bytes]:
    """Return the files to upload for a checkpoint, by name, with a certificate computed again.

    Args:
        folder: the checkpoint's.
        repo: where it will be, such as "someone/name".
        license: its identifier, such as mit; None states no license.

    Raises:
        ValueError: if the license is no identifier, or the checkpoint is invalid.
    """
    if license is not None and not _LICENSE.fullmatch(license):
        raise ValueError(f"a license must be an identifier such as mit, not {license!r}")
    rules = checkpoint.rules_of(folder)
    roles = [checkpoint.WEIGHTS] + [checkpoint.POLICY] * enumerable(rules)
    if checkpoint.file_of(checkpoint.read_card(folder), checkpoint.SNAPSHOTS):
        roles.append(checkpoint.SNAPSHOTS)
    card, data = checkpoint.read_data(folder, *roles)
    names = {role: str(checkpoint.file_of(card, role)) for role in data}
    sent = {**card, "files": {name: card["files"][name] for name in names.values()}}
    certificate = stated_certificate(card, rules)
    pictures = {}
    if enumerable(rules):
        player = checkpoint.load(folder, rules)
        certificate = certify(rules, player)
        sent["certificate"] = certificate.to_dict()
        if rules.cells <= MOST_CELLS:
            pictures[PICTURE] = draw_games(rules, player, name=repo.partition("/")[2]).encode()
    return {
        checkpoint.CARD: checkpoint.card_text(sent).encode(),
        **{names[role]: content for role, content in data.items()},
        **pictures,
        NAME: _model_card(sent, certificate, repo, license).encode(),
    }


def _model_card(
    card: Mapping[str, Any], certificate: Certificate | None, repo: str, license: str | None
) -> str:
    """Return the model card: metadata as YAML, then Markdown."""
    learner = [card["learner"]] if _WORD.fullmatch(card["learner"]) else []
    tags = ["reinforcement-learning", "deep-reinforcement-learning", ENVIRONMENT, "tic-tac-toe"]
    metadata = ["library_name: tttenv"]
    if license is not None:
        metadata.append(f"license: {json.dumps(license)}")  # quoted: not a number
    metadata += ["tags:", *(f"- {json.dumps(tag)}" for tag in [*tags, *learner])]
    rules = Rules.of(card["rules"])
    board = f"{rules.m} rows, {rules.n} columns, {rules.k} in a row"
    table = "The card states no certificate."
    if certificate is not None:
        again = "" if enumerable(rules) else " It was computed when the player was trained."
        table = (
            "No number here is sampled: the certificate covers every game that can arise against"
            f" this player.{again} Compute it again with `tttenv certify hub:{repo}`.\n\n"
            f"{certificate_table(certificate)}"
        )
    if rules.cells <= MOST_CELLS:
        table += f"\n\n![All its games: green won, grey drawn, red lost]({PICTURE})"
    template = Template(Path(__file__).with_name("model_card.md").read_text(encoding="utf-8"))
    about = asdict(rules) | {"rules": rules, "board": board, "table": table, "repo": repo}
    about |= {"metadata": "\n".join(metadata), "name": repo.partition("/")[2]}
    return template.substitute(about, environment=ENVIRONMENT)
