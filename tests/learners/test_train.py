"""Training: its end, interruptions without effect, files after a kill, and curves."""

import hashlib
import json
import shutil
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import learners
from learners.cli import train as command
from learners.cli.trainings import Setting
from learners.qtable import QTableConfig
from learners.registry import LEARNERS, presets
from learners.selfplay import SelfPlay, SelfPlayConfig
from learners.testing import _same as same
from learners.training.checkpoint import load_training, load_weights
from learners.training.loop import Progress, Stopped, before_training, finished, run
from learners.training.run import Run, Schedule, usual_schedule
from learners.training.train import _load, train
from tttenv import Rules, certify
from tttenv.players import bundled
from tttenv.players.stored.checkpoint import CARD, POLICY, RUN, STATE, WEIGHTS, file_of, read_card
from tttenv.utils.registry import Spec

SMALL = SelfPlayConfig(seed=3, hidden=(16,))
SHORT = Schedule(steps=40, every=5, checkpoint_every=10)
PLAYER = (WEIGHTS, POLICY)


def trained(out, config=SMALL, plan=SHORT, name="selfplay", preset="default", **more):
    return train(Run(name, preset, config, Rules(), plan), out, **more)


def file(folder, role):
    """Return the file with this role that the folder's card names."""
    return folder / (role if role in (CARD, RUN) else file_of(read_card(folder), role))


def contents(folder, roles=PLAYER):
    return [hashlib.sha256(file(folder, role).read_bytes()).hexdigest() for role in roles]


def names(folder):
    """Return the contents of a checkpoint's folder, without curves."""
    return {path.name for path in folder.iterdir() if "tfevents" not in path.name}


def sound(folder):
    """Return whether a folder contains exactly its settings, a card and the files that it names."""
    return names(folder) == {RUN, CARD, *read_card(folder)["files"]}


def events(folder):
    found = EventAccumulator(str(folder), {"scalars": 0, "images": 0, "tensors": 0})
    return found.Reload()


def steps_of(folder, tag="certificate/worst_case_O"):
    return [event.step for event in events(folder).Scalars(tag)]


def training_state(folder):
    """Return the learner's whole state and the clock's step, without times."""
    _, state = load_training(folder)
    progress = state["progress"]
    return state["learner"], progress["step"], progress["moves"], Run.load(folder)


@pytest.fixture(scope="module")
def through(tmp_path_factory):
    """Return a training of 40 steps without interruption."""
    out = tmp_path_factory.mktemp("through")
    trained(out)
    return out


def test_curves_carry_the_mean_of_what_the_steps_told():
    learner, other = SelfPlay(SMALL, Rules()), SelfPlay(SMALL, Rules())
    numbers = [other.step() for _ in range(10)]
    first, second = run(learner, Rules(), replace(SHORT, steps=10), Progress())
    for report, part in ((first, numbers[:5]), (second, numbers[5:])):
        mean = sum(logged["loss_O"] for logged in part) / 5
        assert report.numbers["train/loss_O"] == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize("name", list(LEARNERS))
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_settings_that_are_no_finite_numbers_are_refused_before_training(tmp_path, name, number):
    usual = LEARNERS.load(name).presets["default"]
    settings = [key for key, value in asdict(usual).items() if isinstance(value, float)]
    for key in settings:
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            trained(tmp_path / "out", replace(usual, **{key: number}), name=name)
        assert not (tmp_path / "out").exists()


def test_an_interrupt_says_what_is_finished_before_the_end(capsys):
    for now, awaited in ((command.CERTIFYING, "this step's certificate"), ("", "this step")):
        bar = command._Bar("td0", SHORT, quiet=False)
        bar._show(5, now)
        bar.stop()
        assert f"once {awaited} is finished and saved; Ctrl-C again" in capsys.readouterr().err
        assert bar.text.startswith("step 5 of 40: ")


def test_a_training_against_a_program_that_has_changed_is_another_training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot = "while read w m n k b s; do [ $w = move ] || exit; b=${b%%_*}; echo ${#b}; done"
    Path("bot.sh").write_text(bot)
    opponent = Spec("external:command=(sh bot.sh)")
    config = replace(LEARNERS.load("dqn").presets["default"], opponent=opponent, games=2)
    plan = Schedule(steps=1, every=1, checkpoint_every=1)
    sweep = Setting("dqn", "default", "3,3,3", {"opponent": opponent})
    before = sweep.run(0, plan)
    trained(tmp_path / "out", config, plan, "dqn")
    trained(tmp_path / "out", config, replace(plan, steps=2), "dqn", resume=True)
    Path("bot.sh").write_text(f"{bot}\n# another")
    with pytest.raises(ValueError, match="the files of an opponent of the training"):
        trained(tmp_path / "out", config, replace(plan, steps=3), "dqn", resume=True)
    assert before != sweep.run(0, plan)


@pytest.mark.parametrize("name", ["dqn", "reinforce", "maskable_ppo"])
@pytest.mark.filterwarnings("error")
def test_a_training_that_diverges_ends_in_one_line(tmp_path, name):
    config = replace(LEARNERS.load(name).presets["default"], lr=1e30)
    with pytest.raises(ValueError, match=r"^training failed after step \d+: [^\n]+$"):
        train(
            Run(name, "default", config, Rules(), usual_schedule(name, steps=99, every=1)),
            tmp_path / "out",
        )


@pytest.mark.parametrize(
    "wrong",
    [{"steps": 0}, {"every": 0}, {"checkpoint_every": -1}, {"threads": 0}, {"threads": 100_000}],
)
def test_plans_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must be at [^\n]*$"):
        usual_schedule("selfplay", **wrong)


def test_a_training_starts_from_a_name_or_a_folder_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command._start(None) is None
    assert command._start("runs/mine") == Path("runs/mine")
    assert command._start("alphazero_664") == bundled.folder("alphazero_664")
    (tmp_path / "alphazero_664").mkdir()
    (tmp_path / "alphazero_664" / bundled.CARD).touch()
    assert command._start("alphazero_664") == Path("alphazero_664")
    with pytest.raises(ValueError, match=r"was trained by td0, not by alphazero$"):
        load_weights(bundled.folder("td0"), "alphazero")


def test_each_field_of_a_schedule_is_an_option_and_says_when_evaluations_are_due():
    assert {one.name for one in fields(Schedule)} <= {one.name for one in fields(command.Options)}
    plan = Schedule(7, 3, 1)
    assert [step for step in range(1, 8) if plan.due(step)] == [3, 6, 7]
    assert [plan.next_due(step) for step in range(7)] == [3, 3, 3, 6, 6, 6, 7]


@pytest.mark.parametrize("change", [lambda weights: weights[:-1], lambda weights: weights / 0])
def test_a_stored_state_of_another_shape_or_not_finite_is_refused(change):
    learner = SelfPlay(SMALL, Rules())
    state = learner.state_dict()
    name, weights = next(iter(state["weights"].items()))
    with pytest.raises(ValueError, match=rf"^{name} has another shape, or is not finite$"):
        _load(learner, {**state, "weights": {name: change(weights)}})


def test_a_kept_progress_that_does_not_fit_is_refused_at_once(through, monkeypatch):
    card, state = load_training(through)
    state["progress"]["kept"] = {"progress": {"step": "many"}, "learner": state["learner"]}
    monkeypatch.setattr("learners.training.train.load_training", lambda out: (card, state))
    with pytest.raises(ValueError, match=r"not fit selfplay: the progress kept: [^\n]*$"):
        trained(through, plan=replace(SHORT, steps=50), resume=True)


def test_a_training_leaves_the_number_of_threads_as_it_was(tmp_path):
    before = torch.get_num_threads()
    trained(tmp_path, plan=Schedule(1, 1, 1, threads=before + 1))
    assert torch.get_num_threads() == before


def test_rules_as_text_are_refused():
    with pytest.raises(ValueError, match=r"^rules must be Rules\(m, n, k\), not '3,3,3'$"):
        Run("selfplay", "default", SMALL, "3,3,3", SHORT)


def test_every_step_is_reported_and_changes_nothing(tmp_path, through):
    steps = []
    trained(tmp_path, stepped=steps.append)
    assert steps == list(range(41))
    assert contents(tmp_path) == contents(through)


def test_an_interrupt_saves_where_it_is_and_leaves_no_trace(tmp_path, through):
    def at(last):
        def stop(step):
            if step == last:
                raise Stopped

        return stop

    for step in (3, 12, 23):  # before the first evaluation, and between two
        with pytest.raises(Stopped):
            trained(tmp_path, resume=step > 3, stepped=at(step))
        assert read_card(tmp_path)["steps"] == step
    with pytest.raises(Stopped):
        trained(tmp_path, resume=True, watch=lambda evaluation: at(30)(evaluation.step))
    trained(tmp_path, resume=True)
    assert contents(tmp_path) == contents(through)
    assert same(training_state(tmp_path), training_state(through))
    curves = (events(folder).Scalars("train/loss_O") for folder in (tmp_path, through))
    resumed, whole = ([(one.step, one.value) for one in curve] for curve in curves)
    assert resumed == whole


def test_a_stop_and_a_resume_leave_no_trace_and_every_point_once(tmp_path, through):
    for steps in (10, 20):  # without a pause, so that two may begin in one second
        trained(tmp_path, plan=replace(SHORT, steps=steps), resume=steps > 10)
    trained(tmp_path, resume=True)
    assert contents(tmp_path) == contents(through)
    assert same(training_state(tmp_path), training_state(through))
    assert steps_of(through) == list(range(0, 41, 5))  # with the untrained player
    assert steps_of(tmp_path) == steps_of(through)
    images = [[e.step for e in events(f).Images("policy/opening")] for f in (tmp_path, through)]
    assert images[0] == images[1] == [5, 10, 20, 30, 40]  # the first measure and every ten steps


def test_what_a_folder_holds_is_never_overwritten_nor_mixed_up(tmp_path, through):
    before = contents(through, [*PLAYER, STATE, CARD, RUN])
    longer = Run("selfplay", "default", SMALL, Rules(), replace(SHORT, steps=50))
    for wrong, complaint in [
        ({"config": replace(SMALL, lr=0.5)}, "had lr=0.004, not 0.5"),
        ({"preset": "published"}, "had preset=default, not published"),
        ({"schedule": SHORT}, "finished at step 40"),
        ({"schedule": replace(SHORT, steps=20)}, "finished at step 40"),
        ({"rules": Rules(2, 3, 2)}, "had rules=3,3,3, not 2,3,2"),
        ({"log": ("nothing",)}, "unknown logger 'nothing'"),
    ]:
        with pytest.raises(ValueError, match=rf"^[^\n]*{complaint}[^\n]*$"):
            train(replace(longer, **wrong), through, resume=True)
    with pytest.raises(ValueError, match=r"^[^\n]*holds a checkpoint already[^\n]*$"):
        trained(through)
    shutil.copytree(through, tmp_path / "other")
    replace(longer, config=replace(SMALL, seed=4)).save(tmp_path / "other")
    with pytest.raises(ValueError, match=r"^the card in [^\n]* is not of the run in run.json"):
        train(Run.load(tmp_path / "other"), tmp_path / "other", resume=True)
    (tmp_path / "other" / CARD).unlink()
    with pytest.raises(ValueError, match=r"^[^\n]* holds no checkpoint yet: [^\n]*$"):
        train(Run.load(tmp_path / "other"), tmp_path / "other", resume=True)
    (tmp_path / "other" / RUN).unlink()  # as of another version
    with pytest.raises(ValueError, match=r"^no training run can be [^\n]*no run.json[^\n]*anew"):
        train(longer, tmp_path / "other", resume=True)
    with pytest.raises(ValueError, match=r"^no training run can be resumed from [^\n]*$"):
        trained(tmp_path / "nothing", resume=True)
    assert contents(through, [*PLAYER, STATE, CARD, RUN]) == before
    assert not (tmp_path / "nothing").exists()


DAMAGED_RUNS = {
    "another version of tttenv began it; train anew": {"version": 2},
    "whose settings differ in decay; train anew": {"config": asdict(SMALL) | {"decay": 1}},
    "whose settings differ in lr; train anew": {
        "config": {key: value for key, value in asdict(SMALL).items() if key != "lr"}
    },
    "cannot be resumed: unknown learner": {"learner": "nobody"},
    "cannot be resumed: unknown preset": {"preset": "other"},
    "cannot be resumed: unknown logger 'nothing'": {"log": ["nothing"]},
    "cannot be resumed: a seed must be": {"config": asdict(SMALL) | {"seed": -1}},
    "run.json": {"log": 3},
    "its schedule": {"schedule": {"steps": "many"}},
    "m,n,k": {"rules": "3x3"},
}


@pytest.mark.parametrize("complaint", DAMAGED_RUNS)
def test_a_run_that_does_not_fit_is_refused_in_a_line(tmp_path, through, complaint):
    stored = json.loads((through / RUN).read_text())
    (tmp_path / RUN).write_text(json.dumps(stored | DAMAGED_RUNS[complaint]))
    with pytest.raises(ValueError, match=rf"^[^\n]*{complaint}[^\n]*$"):
        Run.load(tmp_path)


def test_a_run_is_read_back_as_it_was_and_a_field_new_in_a_schedule_has_its_default(tmp_path):
    for name in LEARNERS:
        for preset, config in presets(name).items():
            whole = Run(name, preset, config, Rules(3, 4, 3), SHORT, Path("elsewhere"), ("csv",))
            whole.save(tmp_path)
            assert asdict(Run.load(tmp_path)) == asdict(whole)
    stored = json.loads((tmp_path / RUN).read_text())
    del stored["schedule"]["hold"]
    (tmp_path / RUN).write_text(json.dumps(stored))
    assert Run.load(tmp_path).schedule.hold == Schedule.hold


@pytest.mark.parametrize("device", ["nowhere", "cuda:99", "meta:x", ""])
def test_a_device_that_is_not_there_is_refused_in_one_line_and_nothing_made(tmp_path, device):
    with pytest.raises(ValueError, match=r"^device [^\n]*$"):
        trained(tmp_path / "out", plan=replace(SHORT, device=device))
    assert not (tmp_path / "out").exists()


def test_a_training_is_finished_by_its_steps_or_where_it_was_to_stop():
    ends, goes_on = (Schedule(10, 1, 1, until=until, hold=2) for until in ("perfect", "never"))
    perfect = Progress(step=5, in_a_row={"unbeatable": 3, "perfect": 2})
    assert finished(ends, perfect)
    assert not finished(ends, replace(perfect, kept={}))  # which is not yet restored
    assert not finished(replace(ends, hold=3), perfect)
    assert not finished(goes_on, perfect)
    assert finished(goes_on, Progress(step=10))


def test_one_call_trains_and_returns_the_player_with_its_history():
    player = learners.train("qtable", every=2)
    assert certify(Rules(), player) == player.history[-1].certificate
    assert player.history[-1].certificate.unbeatable
    assert [one.step for one in player.history] == list(range(2, 2 * len(player.history) + 1, 2))
    with pytest.raises(ValueError, match="did you mean td0"):
        learners.train("td1")


def test_the_player_kept_is_that_of_the_first_certificate_in_a_row():
    learner, other = SelfPlay(SelfPlayConfig(), Rules()), SelfPlay(SelfPlayConfig(), Rules())
    progress, plan = Progress(), Schedule(60, 1, 1, until="perfect", hold=3)
    *seen, last = run(learner, Rules(), plan, progress)
    counts = [one.in_a_row["perfect"] for one in seen]
    assert counts[-4:] == [0, 1, 2, 3]
    assert 1 in counts[:-3], "one that did not hold comes before"
    assert [one.step for one in seen] == list(range(1, len(seen) + 1))
    assert [one.last for one in (*seen, last)] == [False] * len(seen) + [True]
    assert last.step == progress.step == len(seen) - 2
    assert (last.in_a_row["perfect"], last.certificate) == (3, seen[-3].certificate)
    assert last.perfect_at[0] == 1 + counts.index(1)
    assert last.pace.moves == seen[-3].pace.moves == last.step * seen[0].pace.moves > 0
    assert sum(last.pace.shares.values()) == pytest.approx(1)
    assert last.pace.shares.keys() == {"looking_ahead", "certifying", "other"}
    for _ in range(last.step):
        other.step()
    assert same(learner.state_dict(), other.state_dict())


def test_certificates_in_a_row_are_counted_across_interruptions(tmp_path):
    plan = Schedule(60, 1, 4, until="perfect", hold=3)
    learned = partial(trained, config=QTableConfig(), name="qtable")
    whole = learned(tmp_path / "whole", plan=plan)

    def at(step, error):
        def stop(evaluation):
            if evaluation.step == step:
                raise error

        return stop

    # Killed, or interrupted where it is saved, before and among those that count and at their end.
    first, end = whole.step, whole.step + plan.hold - 1
    stops = [(2, Stopped), (first - 1, OSError), (first + 1, Stopped), (end, OSError)]
    for number, (step, error) in enumerate([*stops, (end, Stopped)]):
        with pytest.raises(error):
            learned(tmp_path / "parts", plan=plan, resume=number > 0, watch=at(step, error))
    last = learned(tmp_path / "parts", plan=plan, resume=True)
    assert (last.step, last.in_a_row) == (whole.step, whole.in_a_row)
    learned(tmp_path / "steps", plan=replace(plan, steps=first, until="never"))
    for other in ("whole", "steps"):
        assert contents(tmp_path / "parts") == contents(tmp_path / other)
        assert same(training_state(tmp_path / "parts"), training_state(tmp_path / other))
    assert steps_of(tmp_path / "parts") == list(range(end + 1))
    assert read_card(tmp_path / "parts")["in_a_row"]["perfect"] == 3
    with pytest.raises(ValueError, match=r"^[^\n]*is perfect, where it was to stop[^\n]*$"):
        learned(tmp_path / "parts", plan=plan, resume=True)
    assert learned(tmp_path / "parts", plan=replace(plan, hold=4), resume=True).step > first


def test_what_needs_all_positions_is_refused_where_there_are_too_many(tmp_path):
    plan = replace(SHORT, until="perfect")
    with pytest.raises(ValueError, match=r"^5,5,4 has too many positions [^\n]*$"):
        train(Run("selfplay", "default", SMALL, Rules(5, 5, 4), plan), tmp_path / "o")
    with pytest.raises(ValueError, match=r"^until must be [^\n]*$"):
        usual_schedule("selfplay", until="bored")
    assert not (tmp_path / "o").exists()
    assert before_training(None, Rules(5, 5, 4), Progress()) == {}
