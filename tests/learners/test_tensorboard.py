"""TensorBoard output: described tags, no empty group, settings, certificate, address."""

import re
from dataclasses import replace

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2

from learners.registry import LEARNERS
from learners.training.loggers import description
from learners.training.loop import Progress, before_training, run
from learners.training.run import Run, usual_schedule
from learners.training.tensorboard import COMPARED, grouped, layout
from learners.training.train import train
from tttenv import Rules
from tttenv.certificates.verdict import certificate_table


@pytest.fixture(scope="module")
def unbeatable(tmp_path_factory):
    """Return the folder of a training that became unbeatable, and its last evaluation."""
    out = tmp_path_factory.mktemp("td0") / "td0"
    return out, train(
        Run("td0", "default", LEARNERS.load("td0").Config(), Rules(), usual_schedule("td0")), out
    )


@pytest.fixture(scope="module")
def read(unbeatable):
    return EventAccumulator(str(unbeatable[0]), {"scalars": 0, "tensors": 0}).Reload()


def told(name, rules, **settings):
    """Return the tags of a short training."""
    learner = LEARNERS.load(name)(LEARNERS.load(name).Config(**settings), rules)
    progress = Progress()
    tags = set(before_training(learner, rules, progress))
    for evaluation in run(learner, rules, usual_schedule(name, steps=2, every=1), progress):
        tags |= set(evaluation.numbers)
    return tags


@pytest.mark.parametrize(
    ("name", "rules", "settings"),
    [
        ("td0", Rules(), {}),
        ("reinforce", Rules(4, 5, 4), {"hidden": (8,), "games": 8}),
        ("maskable_ppo", Rules(), {}),
    ],
)
def test_every_tag_is_described_and_no_chart_is_empty(name, rules, settings):
    tags = told(name, rules, **settings)
    assert not [tag for tag in tags if not description(tag)]
    assert not [tag for tag in tags if "\\" in description(tag)]
    cards = [grouped(tag) for tag in tags]
    assert len([card for card in cards if card.startswith(min(cards).partition("/")[0])]) == 4
    for charts in layout(rules).values():
        for title, (_, patterns) in charts.items():
            shown = [card for card in cards if any(re.match(one, card) for one in patterns)]
            assert shown, title
            several = title == "losses and other numbers of the learner"
            assert len(shown) == 1 or several  # a colour is a run
    assert description("exact/worst_case_O") != description("exact/worst_case_X")
    assert not description("exact/worst_case_Z")


def test_hparams_compare_how_soon_a_training_was_unbeatable(read, unbeatable):
    step, seconds = unbeatable[1].unbeatable_at
    assert [(e.step, e.value) for e in read.Scalars("unbeatable/steps")] == [(step, step)]
    assert [e.value for e in read.Scalars("unbeatable/seconds")] == [pytest.approx(seconds)]
    content = read.PluginTagToContent("hparams")["_hparams_/experiment"]
    found = plugin_data_pb2.HParamsPluginData.FromString(content).experiment.metric_infos
    assert [metric.name.tag for metric in found] == list(COMPARED)
    assert set(COMPARED) <= set(read.Tags()["scalars"])


def test_the_certificate_is_a_table_of_markdown(read, unbeatable):
    text = read.Tensors("certificate/text_summary")[-1].tensor_proto.string_val[0].decode()
    certificate = unbeatable[1].certificate
    assert text == certificate_table(certificate)
    assert "| a game that it loses | none exists | none exists |" in text
    undecided = replace(
        certificate, never_loses=dict.fromkeys("XO"), reached=dict.fromkeys("XO", 9)
    )
    assert "| none known | none known |" in certificate_table(undecided)
