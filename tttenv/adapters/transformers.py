"""Language models from Hugging Face transformers folders, run in this process."""

from pathlib import Path
from typing import Any

import torch
import transformers

from tttenv.utils.untrusted import LONGEST_JSON, first_line, parse_json, read_bytes, shown

LIBRARY: Any = transformers  # which leaves much untyped
MOST_LAYERS = 1_000
SPARE = 2**26  # numbers that a model computes, such as masks; others are two a byte or fewer
NAMING = {  # patterns of files, and their settings that name other files
    "config.json": "transformers_weights",
    "tokenizer_config.json": "fast_tokenizer_files",
    "*.index.json": "weight_map",
}
LONGEST_REASON = 200  # characters of the library's error in a message


class Answers:
    """Greedy decoder: takes the most likely token at each step, the first of ties.

    Prompts are answered one at a time, without padding, so an answer depends on its prompt alone.
    If the tokenizer has a chat template, a prompt is the only message of a user.

    The folder has config.json, the tokenizer's files and the weights as safetensors, as written by
    `save_pretrained`. No code in it is run, and nothing is downloaded. An answer has at most so
    many `tokens`.
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
            model, told = LIBRARY.AutoModelForCausalLM.from_pretrained(
                folder,
                config=config,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                **safely,
                **usual,
            )
        except Exception as error:  # the library raises classes of its own and others'
            raise self._failed("cannot be loaded", error) from None
        if not self.tokenizer("0")["input_ids"]:  # made up by the library, without a vocabulary
            raise ValueError(f"the model in {self.name} has no tokenizer")
        if told["missing_keys"]:
            raise ValueError(f"the model in {self.name} lacks {len(told['missing_keys'])} weights")
        self.model: Any = model.eval()
        ends = _numbers(self.tokenizer.eos_token_id)
        ends |= _numbers(self.model.generation_config.eos_token_id)
        self.ends = ends
        self.greedy = LIBRARY.GenerationConfig(
            max_new_tokens=tokens,
            do_sample=False,
            eos_token_id=sorted(ends) or None,
            pad_token_id=min(ends, default=0),
        )

    def __call__(self, prompt: str) -> str | None:
        """Return the answer to a prompt, or None if it has not ended after so many tokens."""
        try:
            with torch.inference_mode():
                return self._decode(self._encode(prompt))
        except Exception as error:
            raise self._failed("failed", error) from None

    def _encode(self, prompt: str) -> torch.Tensor:
        if self.tokenizer.chat_template:
            message = [{"role": "user", "content": prompt}]
            prompt = self.tokenizer.apply_chat_template(
                message, tokenize=False, add_generation_prompt=True
            )
            found = self.tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
        else:
            found = self.tokenizer(prompt, return_tensors="pt")
        ids: torch.Tensor = found["input_ids"]
        return ids

    def _decode(self, ids: torch.Tensor) -> str | None:
        found = self.model.generate(
            ids, attention_mask=torch.ones_like(ids), generation_config=self.greedy
        )
        answer = found[0, ids.shape[1] :]
        if int(answer[-1]) not in self.ends:
            return None
        return str(self.tokenizer.decode(answer, skip_special_tokens=True))

    def _failed(self, what: str, error: Exception) -> ValueError:
        reason = shown(first_line(error), LONGEST_REASON)
        return ValueError(f"the model in {self.name} {what}: {reason}")


def _weights(folder: Path, name: str) -> list[Path]:
    """Return the weight files in a folder, checking that it is safe to open."""
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    weights = [entry for entry in entries if entry.suffix == ".safetensors"]
    if not weights or not (folder / "config.json").is_file():
        raise ValueError(f"there is no transformers model with safetensors in {name}")
    if any(not (entry.is_file() or entry.is_dir()) for entry in entries):
        raise ValueError(f"{name} contains something other than files")
    if (folder / "adapter_config.json").exists():
        raise ValueError(f"{name} holds an adapter of another model: merge and save it first")
    usable = {entry.name for entry in entries if entry.suffix in (".safetensors", ".json")}
    for pattern, setting in NAMING.items():
        for file in folder.glob(pattern):
            settings = parse_json(read_bytes(file, LONGEST_JSON), file, finite=False)
            if not _files(settings, setting) <= usable:
                raise ValueError(f"{shown(file)} names files that are not in this folder")
    return weights


def _files(settings: Any, name: str) -> set[str]:
    """Return the files that a setting names: a text, or the values of a list or an object."""
    found = settings.get(name) if isinstance(settings, dict) else None
    if isinstance(found, dict):
        found = list(found.values())
    return {str(part) for part in (found if isinstance(found, list) else [found]) if part}


def _numbers(tokens: Any) -> set[int]:
    """Return the set of end-token ids from a setting: None, one id or a list of ids."""
    if tokens is None:
        return set()
    return set(tokens) if isinstance(tokens, list | tuple) else {int(tokens)}
