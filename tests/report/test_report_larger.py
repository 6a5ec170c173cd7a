"""Section on larger boards of the report: certificates of their players, and lost games."""

import json
import re
import sys

import pytest
from lost_games import require_lost_by_own_moves
from page_data import parsed, report_of, with_card

from learners.registry import LEARNERS
from learners.training.run import Run, usual_schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.certificates.certificate import REACHABLE
from tttenv.exact import solve
from tttenv.report import larger, load_players

BEATEN = [
    ("alphabeta:depth=1", Rules(4, 5, 4)),
    ("tactical", Rules(5, 5, 4)),
    ("first", Rules(6, 6, 5)),
]


def after_a_step(folder, rules):
    """Return the folder of a network after one step of training."""
    config = LEARNERS.load("reinforce").Config(seed=0, hidden=(8,), games=4)
    train(Run("reinforce", "default", config, rules, usual_schedule("reinforce", steps=1)), folder)
    return folder


@pytest.fixture(scope="module")
def beginner(tmp_path_factory):
    """Return a network for 5,5,4, certified by reachable positions."""
    return after_a_step(tmp_path_factory.mktemp("trained") / "beginner", Rules(5, 5, 4))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a table for 2,3,2, certified on all positions."""
    return after_a_step(tmp_path_factory.mktemp("trained") / "small", Rules(2, 3, 2))


def words(page):
    """Return the texts of a page's table rows, other texts and drawings, and the stones drawn."""
    rows, told, drawn = [], [], []
    for part in parsed(page):
        if (part.kind, part.tag) == ("start", "tr"):
            rows.append([])
        if (part.kind, part.tag) == ("start", "path") and part.attributes["class"][0] in "xo":
            drawn.append(part.attributes["class"][0].upper())
        if (part.kind, part.tag) == ("start", "svg"):
            told.append(part.attributes["aria-label"])
        if part.kind == "text" and part.tag in ("td", "th"):
            rows[-1].append(part.text)
        if part.kind == "text" and part.tag in ("p", "h3", "figcaption"):
            told.append(part.text)
    return rows, told, drawn


def shown(spec, rules):
    found = certify(rules, spec, 20_000, method=REACHABLE)
    return load_players.Shown(spec, spec, "", found)


def test_the_shipped_network_stands_with_its_certificate():
    usual = larger.from_specs(larger.usual(), one_per_size=True)
    every = {found.name: found for found in usual}
    sizes = ("444", "554", "555", "664", "995")
    others = {"patterns_15155", "reinforce_444"}
    assert set(every) == {f"alphazero_{size}" for size in sizes} | others
    for each in every.values():
        value, never = each.certificate.value, each.certificate.never_loses
        assert never == {"X": value is not None, "O": value == 0}
    found = every["reinforce_444"]
    named = larger.html([every["alphazero_554"]])  # which the page plays
    assert '<a href="#play=alphazero_554&amp;rules=5,5,4">alphazero_554</a>' in named
    longest = every["alphazero_555"]  # the page holds the other network for 5x5
    assert longest.network is None
    shown = larger.html([longest])
    assert "href" not in shown
    assert "never loses" in shown
    (named,) = larger.from_specs(["alphazero_555"])
    assert named.network is not None
    rows, told, drawn = words(larger.html([found]))
    assert rows[0] == list(larger.HEADS)
    name, board, value, as_x, _, as_o, _ = rows[1]
    assert (name, board, value) == ("reinforce_444", "4,4,4", "draw")
    assert as_x == as_o == "never loses"
    assert found.certificate == certify(found.rules, found.name)  # as the command says
    assert not told
    assert not drawn


@pytest.mark.parametrize(("spec", "rules"), BEATEN, ids=str)
def test_a_lost_game_is_told_and_drawn_as_it_was_played(spec, rules):
    found = shown(spec, rules)
    _, told, drawn = words(larger.html([found]))
    games = [text for text in told if text.endswith("wins")]
    policy = player(spec, rules)
    lost = [seat for seat in "XO" if found.certificate.never_loses[seat] is False]
    assert lost
    assert len(games) == len(lost)
    for seat, game in zip(lost, games, strict=True):
        stones = re.findall(r"([XO]) ([a-s])(\d+)", game)
        turns = ["XO"[turn % 2] for turn in range(len(stones))]
        assert [mark for mark, *_ in stones] == drawn[: len(stones)] == turns
        del drawn[: len(stones)]
        line = [(int(row) - 1) * rules.n + ord(column) - ord("a") for _, column, row in stones]
        require_lost_by_own_moves(rules, policy, seat, line)
        assert game.endswith(f"{'O' if seat == 'X' else 'X'} wins")
    assert not drawn


def test_the_cards_certificate_is_taken_where_it_fits(beginner, monkeypatch):
    card = json.loads((beginner / "card.json").read_text())
    monkeypatch.setattr(larger, "certify", None)
    (found,) = larger.from_specs([f"{beginner}/"])
    assert json.loads(json.dumps(found.certificate.to_dict())) == card["certificate"]
    assert found.name == "beginner"


UNFIT = {
    "another board": {"rules": "6,6,4"},
    "no method": {"method": "hearsay"},
    "a game that nobody lost": {"losing_line": {"X": [0, 1, 2], "O": None}},
}


@pytest.mark.parametrize("wrong", UNFIT)
def test_a_certificate_that_does_not_fit_is_computed_instead(beginner, tmp_path, wrong):
    certificate = json.loads((beginner / "card.json").read_text())["certificate"] | UNFIT[wrong]
    folder = with_card(beginner, tmp_path / "beginner", certificate=certificate)
    ((found,), (usual,)) = (larger.from_specs([f"{place}/"]) for place in (folder, beginner))
    assert found.certificate == usual.certificate


def test_without_pytorch_networks_are_embedded_and_tables_computed(small, monkeypatch):
    monkeypatch.setitem(sys.modules, "learners.training.checkpoint", None)  # what loads it
    network, table = larger.from_specs(["alphazero_444", f"{small}/"])
    assert network.network is not None
    rows, _, _ = words(larger.html([network, table]))
    assert solve(Rules(2, 3, 2)).value == table.certificate.value == 1
    assert rows[2][2] == "X wins"


def test_the_section_is_hidden_where_no_player_is_for_a_larger_board(tmp_path, small):
    for specs, hidden in ((["first"], True), (["first", f"{small}/"], False)):
        told = report_of(tmp_path / "report.html", *specs)
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        section = re.search(r'<section id="larger"[^>]*>', page)[0]
        link = re.search(r'<a href="#larger"[^>]*>', page)[0]
        assert ("hidden" in section, "hidden" in link) == (hidden, hidden)
        assert told["players"] == ["first", *([] if hidden else ["small"])]


def test_a_player_for_a_larger_board_alone_joins_the_usual_ones(tmp_path, small, monkeypatch):
    monkeypatch.setattr(load_players, "usual", lambda: ["selfplay"])
    told = report_of(tmp_path / "report.html", f"{small}/")
    assert told["players"] == ["selfplay", "small"]
