"""Language models from Hugging Face transformers: as players, and certified as they train."""

from collections import ChainMap
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file

from tttenv import text
from tttenv.adapters.chat_template import Renderer
from tttenv.certificates.certificate import ALL_POSITIONS, certify
from tttenv.certificates.metric_table import flat
from tttenv.exact import positions
from tttenv.game.rules import Rules
from tttenv.players.language.llm import LanguageModel
from tttenv.policy import evaluating
from tttenv.utils.arrays import integers_from
from tttenv.utils.untrusted import LONGEST_JSON, first_line, parse_json, read_bytes, shown

LIBRARY: Any = transformers  # which leaves much untyped
MOST_LAYERS = 1_000
SPARE = 2**26  # numbers that a model computes, such as masks; others are two a byte or fewer
WEIGHTS = "model*.safetensors"  # one file, or parts, which are read without their index
GENERATION = "generation_config.json"
TEXTS = {".jinja", ".json", ".model", ".txt"}  # files that the library reads as a whole
LARGEST_TEXT = 2**28  # bytes of one; a tokenizer of 262,144 tokens has some 34 million
NAMING = "fast_tokenizer_files"  # the setting of a tokenizer that names other files
LONGEST_REASON = 200  # characters of the library's error in a message


class Answers:
    """Greedy decoder: takes the most likely token at each step, the first of ties.

    Prompts are answered one at a time, without padding, so an answer depends on its prompt alone.
    If the tokenizer has a chat template, a prompt is the only message of a user; the template is
    rendered in a process of its own, with limits of time and memory.

    No code in the folder is run, and nothing is downloaded.

    Args:
        folder: with config.json, the tokenizer's files and the weights as safetensors, as written
            by `save_pretrained`.
        tokens: the maximum length of an answer.

    Raises:
        ValueError: for a folder that is not safe to open or holds no whole model.
    """

    def __init__(self, folder: Path, tokens: int) -> None:
        self.name = shown(folder)
        LIBRARY.utils.logging.disable_progress_bar()
        LIBRARY.utils.logging.set_verbosity_error()
        weights = _weights(folder, self.name)
        safely: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        usual = {"attn_implementation": None, "experts_implementation": None}  # others load code
        try:
            self.tokenizer: Any = LIBRARY.AutoTokenizer.from_pretrained(folder, **safely)
            if self.tokenizer.chat_template:
                self.tokenizer.apply_chat_template = Renderer(self.tokenizer)
            config = LIBRARY.AutoConfig.from_pretrained(folder, **safely)
            if getattr(config, "num_hidden_layers", 0) > MOST_LAYERS:
                raise ValueError(f"it has more than {MOST_LAYERS:,} layers")
            with torch.device("meta"):  # takes no memory
                empty = LIBRARY.AutoModelForCausalLM.from_config(config, **usual)
            size = sum(part.numel() for part in (*empty.parameters(), *empty.buffers()))
            if size > SPARE + 2 * sum(file.stat().st_size for file in weights):
                raise ValueError(
                    f"config.json describes {size:,} numbers, more than its files hold"
                )
            stored = dict(ChainMap(*map(load_file, weights)))
            settings = {"dtype": torch.float32, "output_loading_info": True, **usual}
            model, report = type(empty).from_pretrained(
                None, config=config, state_dict=stored, **settings
            )
            if (folder / GENERATION).is_file():
                model.generation_config = LIBRARY.GenerationConfig.from_pretrained(folder, **safely)
        except Exception as error:  # the library raises classes of its own and others'
            raise self._failed("cannot be loaded", error) from None
        if not self.tokenizer("0")["input_ids"]:  # made up by the library, without a vocabulary
            raise ValueError(f"the model in {self.name} has no tokenizer")
        if missing := report["missing_keys"]:
            raise ValueError(f"the model in {self.name} lacks {len(missing)} weights")
        self.model: Any = model.eval()
        self.tokens = tokens

    def __call__(self, prompt: str) -> str | None:
        """Return the answer to a prompt, or None if it has not ended within the limit.

        Raises:
            ValueError: if the model fails, as on a prompt that is too long for it.
        """
        try:
            return greedy_answers(self.model, self.tokenizer, [prompt], self.tokens)[0]
        except Exception as error:
            raise self._failed("failed", error) from None

    def _failed(self, what: str, error: Exception) -> ValueError:
        reason = shown(first_line(error), LONGEST_REASON)
        return ValueError(f"the model in {self.name} {what}: {reason}")


class CertificateCallback(LIBRARY.TrainerCallback):
    """Certify the model of a trainer of TRL or transformers as it learns, and log exact numbers.

    Add it by `trainer.add_callback(CertificateCallback(trainer))`. What it logs is that of `judge`,
    so nothing is sampled, and a worst case of 0 means that the model never loses a drawn game.

    Args:
        trainer: whose `log` is called.
        rules: the game, of at most 15 cells: m rows, n columns, k in a row.
        every: optimiser steps between two certificates.
        notation: that of the prompts.
        tokens: the maximum length of an answer.
    """

    def __init__(
        self,
        trainer: Any,
        rules: str = "3,3,3",
        every: int = 100,
        notation: str = "grid",
        tokens: int = 64,
    ) -> None:
        integers_from(1, every=every, tokens=tokens)
        self.trainer, self.rules, self.every = trainer, Rules.of(rules), every
        self.options: dict[str, Any] = {"notation": notation, "tokens": tokens}

    def on_step_end(self, args: Any, state: Any, control: Any, **about: Any) -> None:
        """Certify the model if it is time; called by the trainer."""
        if state.global_step % self.every == 0:
            model = about["model"], about["processing_class"]
            self.trainer.log(judge(*model, self.rules, **self.options))


def judge(
    model: Any, tokenizer: Any, rules: Rules, notation: str = "grid", tokens: int = 64
) -> dict[str, float]:
    """Ask a model for its greedy answer in every undecided position (4,520 on 3,3,3).

    Args:
        model: a causal language model of transformers.
        tokenizer: its tokenizer.
        rules: an enumerable game.
        notation: of the prompts.
        tokens: the maximum length of an answer.

    Returns:
        The numbers of its certificate, such as `exact/worst_case_X`, the result against a best
        response, `exact/optimal_moves`, the share of positions where it keeps the value of the
        game, and `exact/blunders`; and `exact/illegal`, the share of answers without a legal move,
        which lose.
    """
    game = positions(rules)
    boards = game.boards[game.decisions]
    prompts = [text.prompt(rules, board, notation) for board in boards]
    answers = dict(zip(prompts, greedy_answers(model, tokenizer, prompts, tokens), strict=True))
    player = LanguageModel(rules, answers.__getitem__, {"temperature": 0.0}, notation)
    numbers = flat(certify(rules, player, method=ALL_POSITIONS))
    return numbers | {"exact/illegal": len(player.illegal) / len(boards)}


def greedy_answers(
    model: Any, tokenizer: Any, prompts: Sequence[str], tokens: int = 64, batch: int = 256
) -> list[str | None]:
    """Return the greedy answers to prompts, None for one that has not ended after `tokens`.

    They are made in batches, so rounding may differ from that of one prompt at a time. An answer
    ends with any of the tokens that the tokenizer and the model's generation_config name.

    Args:
        model: a causal language model of transformers.
        tokenizer: its tokenizer; with a chat template each prompt is the message of a user.
        prompts: the texts.
        tokens: the maximum length of an answer.
        batch: the number of prompts at a time.

    Returns:
        The answers in the order of the prompts, without special tokens.
    """
    integers_from(1, tokens=tokens, batch=batch)
    found, ends = list[str | None](), _end_tokens(model, tokenizer)
    pad = min(ends, default=0)
    settings = LIBRARY.GenerationConfig(
        max_new_tokens=tokens,
        do_sample=False,
        num_return_sequences=1,
        return_dict_in_generate=False,
        eos_token_id=sorted(ends) or None,
        pad_token_id=pad,
    )
    with evaluating(model), torch.inference_mode():
        for at in range(0, len(prompts), batch):
            rows = _encoded(tokenizer, prompts[at : at + batch])
            size = max(map(len, rows))
            padded = [[pad] * (size - len(row)) + row for row in rows]
            seen = [[0] * (size - len(row)) + [1] * len(row) for row in rows]
            ids, mask = (torch.tensor(part, device=model.device) for part in (padded, seen))
            said = model.generate(ids, attention_mask=mask, generation_config=settings)
            for row in said[:, size:].tolist():
                ended = [number for number, token in enumerate(row, 1) if token in ends]
                answer = tokenizer.decode(row[: min(ended, default=0)], skip_special_tokens=True)
                found.append(str(answer) if ended else None)
    return found


def _end_tokens(model: Any, tokenizer: Any) -> set[int]:
    """Return the tokens that end an answer: each setting is None, one id or a list of ids."""
    found = set[Any]()
    for setting in (tokenizer.eos_token_id, model.generation_config.eos_token_id):
        found.update(setting if isinstance(setting, list | tuple) else [setting])
    return found - {None}


def _encoded(tokenizer: Any, prompts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of prompts, each the only message of a user if there is a chat template."""
    chat = tokenizer.chat_template
    if chat:
        prompts = [
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
            )
            for prompt in prompts
        ]
    found: list[list[int]] = tokenizer(list(prompts), add_special_tokens=not chat)["input_ids"]
    return found


def _weights(folder: Path, name: str) -> list[Path]:
    """Return the weight files in a folder, checking that it is safe to open."""
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    entries += folder.glob("*/*.jinja")
    weights = [entry for entry in entries if fnmatch(entry.name, WEIGHTS)]
    if not weights or not (folder / "config.json").is_file():
        raise ValueError(f"there is no transformers model with safetensors in {name}")
    if any(not (entry.is_file() or entry.is_dir()) for entry in entries):
        raise ValueError(f"{name} contains something other than files")
    texts = [entry for entry in entries if entry.suffix in TEXTS]
    if any(entry.stat().st_size > LARGEST_TEXT for entry in texts):
        raise ValueError(f"{name} contains a text of more than {LARGEST_TEXT:,} bytes")
    if (folder / "adapter_config.json").exists():
        raise ValueError(f"{name} holds an adapter of another model: merge and save it first")
    tokenizer = folder / "tokenizer_config.json"
    if tokenizer.exists():
        settings = parse_json(read_bytes(tokenizer, LONGEST_JSON), tokenizer, finite=False)
        if isinstance(settings, dict) and NAMING in settings:
            raise ValueError(f"{shown(tokenizer)} names other files")
    return weights
