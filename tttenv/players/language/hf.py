"""Player that runs a language model from a Hugging Face transformers folder in this process.

Examples::

    hf:path=runs/lm
    hf:path=models/some-0.5b,notation=coordinates,tokens=256

This is the player `llm` without a server: the same prompts and the same strict parsing of answers.
It decodes greedily, one prompt at a time, so that its answer is a function of the board.
"""

import importlib
from pathlib import Path
from typing import Any

from tttenv.game.rules import Rules
from tttenv.players.digests import folder_digest
from tttenv.players.language.llm import LanguageModel, Notation
from tttenv.players.search.search_result import at_least


def hf(
    rules: Rules,
    path: str = "",
    notation: Notation = "grid",
    tokens: int = 64,
    cache: str = "",
) -> LanguageModel:
    """Return a player that queries the language model in a folder.

    Args:
        rules: the game.
        path: a folder written by transformers' `save_pretrained`, with the model as safetensors
            and its tokenizer. None of its code is run, and nothing is downloaded.
        notation: how positions are described: grid, coordinates or moves.
        tokens: the maximum length of an answer; one that has not ended by then is no answer.
        cache: a folder that stores answers, reused for the first query of each board in later
            runs.
    """
    if not path:
        raise ValueError("hf needs the folder of a language model: hf:path=FOLDER")
    at_least(1, tokens=tokens)
    adapter: Any = importlib.import_module("tttenv.adapters.transformers")
    answers = adapter.Answers(Path(path), tokens)
    digest = folder_digest(Path(path))
    settings = {"model": Path(path).name, "files_sha256": digest, "max_tokens": tokens}
    folder = Path(cache) if cache else None
    return LanguageModel(rules, answers, {**settings, "temperature": 0.0}, notation, 1, folder)
