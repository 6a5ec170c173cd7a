"""Small language model that learns the game from text, to a certificate without a blunder.

    python -m learners.examples.language_model --seed 1
    tttenv certify hf:path=runs/language-model

A GPT-2 with about 140,000 weights, initialised at random, sees only the prompts of `tttenv.text`
and learns to answer with a best move. At regular intervals it is certified by its answers in all
positions, and the training ends with the first certificate without a blunder.

It takes some ten minutes of one core, and needs the extra `language`.
"""

import importlib
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
import tyro
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from tttenv import Rules, text
from tttenv.certificates import phrases
from tttenv.exact import positions, solve

END, MOVE = "<end>", "<move>"
LONGEST = 16  # tokens of an answer
LIBRARY: Any = transformers  # which leaves much untyped
ADAPTER: Any = importlib.import_module("tttenv.adapters.transformers")


@dataclass(frozen=True)
class Args:
    """Train a language model from random weights, and certify it exactly."""

    rules: str = "3,3,3"  # m rows, n columns, k in a row; at most 10 cells, of one digit each
    seed: int = 0  # seeds the weights and the order of the positions
    width: int = 64  # width of the residual stream
    layers: int = 2  # blocks of attention and an MLP
    heads: int = 8  # attention heads per block
    spread: float = 0.2  # standard deviation of the initial weights
    steps: int = 3000  # steps at most
    batch: int = 128  # positions per step
    lr: float = 2e-3  # learning rate, falling to zero
    every: int = 250  # steps between certificates
    folder: str = "runs/language-model"  # folder for the model and its certificates


def word_tokenizer(prompts: list[str]) -> Any:
    """Return a tokenizer with a token per byte and per word of prompts, an end and a padding token.

    Words are found by byte-pair encoding (Sennrich et al., arXiv 1508.07909).
    """
    made: Any = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    made.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pairs = trainers.BpeTrainer(vocab_size=1000, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(prompts, pairs)
    return LIBRARY.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token="<pad>", padding_side="left"
    )


def untrained(args: Args, tokenizer: Any, longest: int) -> Any:
    """Return a GPT-2 with random weights, for texts of at most `longest` tokens."""
    torch.manual_seed(args.seed)
    ends = {"eos_token_id": tokenizer.eos_token_id, "bos_token_id": tokenizer.eos_token_id}
    config = LIBRARY.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=longest,
        n_embd=args.width,
        n_layer=args.layers,
        n_head=args.heads,
        initializer_range=args.spread,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        pad_token_id=tokenizer.pad_token_id,
        **ends,
    )
    return LIBRARY.GPT2LMHeadModel(config)


def imitate(
    args: Args,
    model: Any,
    prompts: NDArray[np.int64],
    answers: NDArray[np.int64],
    best: NDArray[np.bool_],
) -> Iterator[int]:
    """Train a model on the best moves, each with equal probability, yielding the steps done.

    Given are the tokens of every position's prompt (positions, tokens) and of the answer for each
    cell (cells, tokens), and the best moves (positions, cells). Every prompt begins with the rules
    of the game, which are processed once per step.
    """
    rng = np.random.default_rng(args.seed)
    epochs = -(-args.steps * args.batch // len(prompts))
    order = np.concatenate([rng.permutation(len(prompts)) for _ in range(epochs)])
    same = int((prompts != prompts[0]).any(axis=0).argmax())
    first = prompts.shape[1] - same  # of the answer
    named = int((answers != answers[0]).any(axis=0).argmax())  # where the answers differ
    shares = torch.as_tensor(best / best.sum(axis=1, keepdims=True), dtype=torch.float32)
    weights = list(model.parameters())
    optimiser = torch.optim.AdamW(weights, args.lr, (0.9, 0.98))
    for step in range(args.steps):
        rate = args.lr * min(1.0, (step + 1) / 50) * (1 - step / args.steps)
        for group in optimiser.param_groups:
            group["lr"] = rate
        rows = order[step * args.batch :][: args.batch]
        answer = answers[best[rows].argmax(axis=1)]
        shown = torch.as_tensor(np.concatenate([prompts[rows, same:], answer], axis=1))
        cache = model(torch.as_tensor(prompts[:1, :same]), use_cache=True).past_key_values
        cache.batch_repeat_interleave(len(rows))
        output = model(shown[:, :-1], cache=cache, logits_to_keep=answers.shape[1])
        log_probs = output.logits.log_softmax(-1)
        tokens = log_probs.gather(-1, shown[:, first:, None])[..., 0]
        move = (log_probs[:, named, answers[:, named]] * shares[rows]).sum(axis=1)
        loss: Any = -(tokens.sum(axis=1) - tokens[:, named] + move).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        yield step + 1


def main(args: Args) -> None:
    """Train until a certificate ends it, and write the model and its certificates."""
    LIBRARY.utils.logging.set_verbosity_error()
    LIBRARY.utils.logging.disable_progress_bar()
    warnings.filterwarnings("ignore", category=FutureWarning)  # of the libraries, to each other
    rules, home, began = Rules.of(args.rules), Path(args.folder), time.process_time()
    if rules.cells > 10:
        sys.exit(f"{rules} has cells of two digits: choose a game of at most 10 cells")
    game = positions(rules)
    texts = [text.prompt(rules, board) for board in game.boards[game.decisions]]
    tokenizer = word_tokenizer(texts)
    prompts = np.array(tokenizer(texts)["input_ids"], np.int64)
    replies = [f"{MOVE}{cell}</move>{END}" for cell in range(rules.cells)]
    answers = np.array(tokenizer(replies)["input_ids"], np.int64)
    model = untrained(args, tokenizer, prompts.shape[1] + LONGEST)
    print(f"a GPT-2 of {model.num_parameters():,} weights on {rules}, in {home}", flush=True)
    optimal = solve(rules).optimal[game.decisions]
    curve = list[dict[str, Any]]()
    for step in imitate(args, model, prompts, answers, optimal):
        if step % args.every and step != args.steps:
            continue
        found = ADAPTER.judge(model, tokenizer, rules, tokens=LONGEST)
        seconds = time.process_time() - began
        curve.append({"step": step, "seconds": seconds, **found})
        model.save_pretrained(home)
        tokenizer.save_pretrained(home)
        results = {"args": asdict(args), "weights": model.num_parameters(), "curve": curve}
        (home / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        standing, blunders = phrases.standing(found), int(found["exact/blunders"])
        print(f"step {step}, {seconds:.0f} s: {standing}  blunders {blunders}", flush=True)
        if not blunders:
            print(f"perfect: tttenv certify hf:path={home}")
            break


if __name__ == "__main__":
    main(tyro.cli(Args, args=sys.argv[1:], description=__doc__))
