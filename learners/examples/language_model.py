"""Small language model that learns the game from text: imitation, then GRPO with exact rewards.

    python -m learners.examples.language_model --seed 1
    tttenv certify hf:path=runs/language-model/grpo

A byte-level GPT-2 with about 160,000 weights, initialised at random, sees only the prompts of
`tttenv.text`. First it imitates best moves, then TRL's `GRPOTrainer` trains it on the exact rewards
of its own answers (Shao et al., "DeepSeekMath", arXiv 2402.03300). After each stage it is evaluated
twice: by its certificate, and as is common, by games against a perfect opponent. That opponent
always plays the first of its best moves, so there are two different games, one per seat.

It takes about ten minutes on two cores, and needs the extra `language`.
"""

import importlib
import json
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
import trl
import tyro
from datasets import Dataset
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import tttenv
from tttenv import Rules, text
from tttenv.certificates import phrases
from tttenv.exact import positions, solve
from tttenv.players.language.llm import LanguageModel

END, MOVE = "<end>", "<move>"
LONGEST = 16  # bytes of an answer
LIBRARY: Any = transformers  # which leaves much untyped, as do these
TRAINER: Any = trl
REWARDS: Any = importlib.import_module("tttenv.adapters.trl")


@dataclass(frozen=True)
class Args:
    """Train a language model from random weights, and certify it exactly."""

    rules: str = "3,3,3"  # m rows, n columns, k in a row; at most 15 cells
    seed: int = 0  # seeds the weights, the tasks and all random numbers
    width: int = 64  # width of the residual stream
    layers: int = 2  # blocks of attention and an MLP
    heads: int = 8  # attention heads per block
    spread: float = 0.2  # standard deviation of the initial weights
    steps: int = 2000  # steps of imitation
    batch: int = 32  # positions per step of imitation
    lr: float = 2e-3  # learning rate of imitation, falling to zero
    grpo_steps: int = 100  # steps of TRL's trainer
    grpo_lr: float = 5e-5  # learning rate of TRL's trainer
    samples: int = 8  # answers per prompt that GRPO compares
    prompts: int = 16  # different prompts per step of GRPO
    folder: str = "runs/language-model"  # folder for the model after each stage


def byte_tokenizer() -> Any:
    """Return a tokenizer with one token per byte, an end token and a padding token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made: Any = Tokenizer(
        models.BPE(vocab={byte: at for at, byte in enumerate(alphabet)}, merges=[])
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return LIBRARY.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token="<pad>", padding_side="left"
    )


def untrained(args: Args, tokenizer: Any) -> Any:
    """Return a GPT-2 with random weights."""
    torch.manual_seed(args.seed)
    ends = {"eos_token_id": tokenizer.eos_token_id, "bos_token_id": tokenizer.eos_token_id}
    config = LIBRARY.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=640,
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


def imitate(args: Args, model: Any, tokenizer: Any, rules: Rules) -> None:
    """Train a model on the best moves of tasks, each with equal probability.

    Every prompt begins with the rules of the game, which are the same for all positions, so they
    are processed once per step.
    """

    def encode(texts: list[str]) -> NDArray[np.int64]:
        return np.array(tokenizer(texts)["input_ids"], np.int64)

    answers = encode([f"{MOVE}{cell}</move>{END}" for cell in range(rules.cells)])
    digit = len(MOVE)  # where the answers differ
    epochs = (text.tasks(rules, "all", epoch) for epoch in count(args.seed * 1000))
    tasks = chain.from_iterable(epochs)  # an image of each class of positions, again and again
    weights = list(model.parameters())
    optimiser = torch.optim.AdamW(weights, args.lr, (0.9, 0.98))
    for step in range(args.steps):
        rate = args.lr * min(1.0, (step + 1) / 50) * (1 - step / args.steps)
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = list(islice(tasks, args.batch))
        prompts = encode([task.prompt() for task in batch])
        same = int((prompts != prompts[0]).any(axis=0).argmax())
        best = answers[[task.best[0] for task in batch]]
        shown = torch.as_tensor(np.concatenate([prompts[:, same:], best], axis=1))
        cache = model(torch.as_tensor(prompts[:1, :same]), use_cache=True).past_key_values
        cache.batch_repeat_interleave(len(batch))
        first = prompts.shape[1] - same  # of the answer
        logits = model(shown[:, :-1], cache=cache).logits[:, first - 1 :]
        wanted = torch.nn.functional.one_hot(shown[:, first:], logits.shape[-1]).float()
        wanted[:, digit] = 0
        for row, task in enumerate(batch):
            digits = torch.as_tensor(answers[list(task.best), digit])
            wanted[row, digit, digits] = 1 / len(task.best)
        loss: Any = -(wanted * logits.log_softmax(-1)).sum(-1).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        if (step + 1) % 200 == 0:
            print(f"imitation, step {step + 1} of {args.steps}: loss {loss.item():.3f}", flush=True)


def improve(args: Args, model: Any, tokenizer: Any, rules: Rules) -> None:
    """Train a model by GRPO on all tasks, rewarding it by exact regret."""
    tasks = [task for at in range(20) for task in text.tasks(rules, "all", args.seed * 1000 + at)]
    config = TRAINER.GRPOConfig(
        output_dir=str(Path(args.folder) / "trl"),
        seed=args.seed,
        max_steps=args.grpo_steps,
        per_device_train_batch_size=args.samples * args.prompts,
        num_generations=args.samples,
        max_completion_length=LONGEST,
        learning_rate=args.grpo_lr,
        beta=0.0,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
    )
    trainer = TRAINER.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[REWARDS.reward_function("regret")],
        train_dataset=Dataset.from_list(REWARDS.rows(tasks, chat=False)),
        args=config,
    )
    trainer.train()


def answers(model: Any, tokenizer: Any, prompts: list[str]) -> dict[str, str]:
    """Return the greedy answers to prompts of the same length, "" for one that does not end."""
    found = dict[str, str]()
    model.eval()
    for at in range(0, len(prompts), 256):
        some = prompts[at : at + 256]
        ids = torch.tensor(tokenizer(some)["input_ids"])
        with torch.inference_mode():
            said = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=LONGEST,
                pad_token_id=tokenizer.pad_token_id,
            )
        said = said[:, ids.shape[1] :]
        texts = tokenizer.batch_decode(said, skip_special_tokens=True)
        ended = (said == tokenizer.eos_token_id).any(dim=1).tolist()
        found |= {p: text * end for p, text, end in zip(some, texts, ended, strict=True)}
    model.train()
    return found


def judge(model: Any, tokenizer: Any, rules: Rules) -> dict[str, Any]:
    """Certify a model exactly, and also play it against a perfect opponent."""
    game, solution = positions(rules), solve(rules)
    boards = game.boards[game.decisions]
    said = answers(model, tokenizer, [text.prompt(rules, board) for board in boards])
    player = LanguageModel(rules, said.__getitem__, {"model": "this", "temperature": 0.0})
    probs = player(boards)
    moves, legal = probs.argmax(axis=1), probs.any(axis=1)
    never_loses = tttenv.certify(rules, player).never_loses
    perfect = tttenv.player("minimax:ties=first", rules)
    lost = [tttenv.score(rules, player, perfect).loss, tttenv.score(rules, perfect, player).win]
    return {
        "illegal_share": float(1 - legal.mean()),
        "optimal_moves": float((legal & solution.optimal[game.decisions, moves]).mean()),
        "worst_case": {seat: 0 if never_loses[seat] else -1 for seat in "XO"},
        "not_lost": 1 - sum(lost) / 2,
    }


def main(args: Args) -> None:
    """Train, evaluate after each stage, and write the models and numbers."""
    LIBRARY.utils.logging.set_verbosity_error()
    warnings.filterwarnings("ignore", category=FutureWarning)  # of the libraries, to each other
    rules, home = Rules.of(args.rules), Path(args.folder)
    tokenizer = byte_tokenizer()
    model = untrained(args, tokenizer)
    weights = sum(weight.numel() for weight in model.parameters())
    print(f"a GPT-2 of {weights:,} weights on {rules}, in {home}", flush=True)
    results, begun = dict[str, Any](), time.monotonic()

    def stage(name: str) -> None:
        found = judge(model, tokenizer, rules) | {"seconds": time.monotonic() - begun}
        results[name] = found
        model.save_pretrained(home / name)
        tokenizer.save_pretrained(home / name)
        told = {"args": asdict(args), "weights": weights, "results": results}
        (home / "results.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
        worst = found["worst_case"]
        print(
            f"{name}: {phrases.share(found['illegal_share'])} % illegal,"
            f" {phrases.share(found['optimal_moves'])} % optimal,"
            f" worst case {worst['X']} as X, {worst['O']} as O;"
            f" {phrases.share(found['not_lost'])} % of games not lost;"
            f" {found['seconds']:.0f} s",
            flush=True,
        )

    stage("untrained")
    imitate(args, model, tokenizer, rules)
    stage("imitation")
    improve(args, model, tokenizer, rules)
    stage("grpo")


if __name__ == "__main__":
    main(tyro.cli(Args, args=sys.argv[1:], description=__doc__))
