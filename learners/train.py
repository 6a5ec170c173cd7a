"""One training with all that belongs to it: TensorBoard, checkpoints, and going on after a stop."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from learners.base import Learner
from learners.checkpoint import STATE, load_state, save, save_state
from learners.loop import Clock, Plan, Report, run
from learners.registry import LEARNERS
from learners.tensorboard import TensorBoard
from tttenv.card import CARD
from tttenv.rules import Rules


def train(
    name: str,
    config: Any,
    rules: Rules,
    plan: Plan,
    out: Path,
    preset: str = "default",
    resume: bool = False,
    watch: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Train learner `name` and leave its checkpoint, curves and state in the folder `out`.

    Args:
        name: a row of `registry.LEARNERS`.
        config: of the learner.
        rules: the game.
        plan: how long, how often, where.
        out: the checkpoint's folder; refused if it holds one already, unless `resume` is set.
        preset: where the config came from, for the card.
        resume: go on exactly where the training in `out` stopped.
        watch: told of every measure.

    Returns:
        The last measure.

    Raises:
        ValueError: if `out` is taken or holds nothing to resume, or the learner refuses the rules.
    """
    if config.seed < 0:
        raise ValueError(f"a seed is a whole number from 0 on, not {config.seed}")
    if not resume and ((out / CARD).exists() or (out / STATE).exists()):
        raise ValueError(f"{out} holds a checkpoint already: choose another folder, or --resume")
    stored = json.loads(json.dumps(asdict(config)))
    about = {"learner": name, "preset": preset, "config": stored, "rules": str(rules)}
    with _torch_set_up(plan):
        learner: Learner = LEARNERS.load(name)(config, rules)
        clock = _resume(out, learner, plan, about) if resume else Clock()
        settings = {"learner": name, "preset": preset, "rules": str(rules), **stored}
        with TensorBoard(out, rules, settings, clock.step) as board:
            return _follow(learner, rules, plan, out, about, clock, board, watch)


def _follow(
    learner: Learner,
    rules: Rules,
    plan: Plan,
    out: Path,
    about: dict[str, Any],
    clock: Clock,
    board: TensorBoard,
    watch: Callable[[Report], None],
) -> Report:
    """Run to the end, writing curves at every measure and a checkpoint at every interval."""
    interval = plan.checkpoint_every
    saved = clock.step // interval if clock.step else -1  # so that the first measure is saved too
    for report in run(learner, rules, plan, clock):
        board.curves(report.step, report.numbers)
        if report.last or report.step // interval > saved:
            saved = report.step // interval
            board.scenes(report.step, report.policy)
            training = {"clock": asdict(clock), "about": about, "plan": asdict(plan)}
            training["learner"] = learner.state_dict()
            save_state(out / STATE, training)
            made = {"steps": clock.step, "seconds": clock.seconds, "threads": plan.threads}
            save(out, learner, rules, {**about, **made, "device": plan.device})
        watch(report)
    board.summary(report.step, report.certificate)
    return report


def _resume(out: Path, learner: Learner, plan: Plan, about: dict[str, Any]) -> Clock:
    """Put `learner` where the training in `out` stopped.

    Raises:
        ValueError: if there is nothing to go on from, it was another training, or it is finished.
    """
    state = load_state(out / STATE)
    if state["about"] != about:
        had, wanted = ({**known, **known["config"]} for known in (state["about"], about))
        differing = [key for key in wanted if key != "config" and had.get(key) != wanted[key]]
        changes = ", ".join(f"{key}={had.get(key)}, not {wanted[key]}" for key in differing)
        raise ValueError(f"the training in {out} had {changes}")
    clock = Clock(**state["clock"])
    if clock.step >= plan.steps or (plan.stop_when_unbeatable and clock.unbeatable_at):
        raise ValueError(f"the training in {out} is finished at step {clock.step}: give more steps")
    learner.load_state_dict(state["learner"])
    return clock


@contextlib.contextmanager
def _torch_set_up(plan: Plan) -> Iterator[None]:
    """The plan's device and number of threads, for as long as it takes.

    Raises:
        ValueError: for a device that torch does not have here.
    """
    try:
        torch.empty(1, device=plan.device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"no device {plan.device!r} here: {reason}") from None
    before = torch.get_num_threads()
    torch.set_num_threads(plan.threads)
    try:
        with torch.device(plan.device):
            yield
    finally:
        torch.set_num_threads(before)
