"""Reports of untrusted input: names, numbers and results of any kind."""

import ast
import dataclasses
import json
import os
import re
import shutil
from html import escape
from pathlib import Path

import pytest
from page_data import parsed, tables

from tttenv import Rules, certify
from tttenv.certificates.certificate import REACHABLE
from tttenv.certificates.curve import Curve
from tttenv.players import FOREIGN
from tttenv.policy import Uniform
from tttenv.report import larger, markup
from tttenv.report.build import html
from tttenv.report.load_players import Network, Shown, from_benchmark, from_specs, named

ROOT = Path(__file__).parents[2]
HOSTILE = [
    '"><h1>INJECTED</h1><a href=https://evil.invalid/>click</a><td x="',
    "'><script>alert(1)</script><img src=x onerror=alert(1)>",
    "</script><!--<script>]]>\u2028\u2029",
    "</style></table></section>$data ${script} &lt;b&gt; &#34; onload=alert(1) ",
    "' --x; touch PWNED; '",
    "\x1b]0;title\x07\x1b[2J\u202e\udcff\0",
]


def skeleton(page):
    """Return a page's tags with attribute names, without its words, and the texts of its scripts.

    All of its links stay within it.
    """
    parts = parsed(page)
    links = [part for part in parts if (part.kind, part.tag) == ("start", "a")]
    assert all(link.attributes["href"].startswith("#") for link in links)
    tags = [(part.kind, part.tag, *part.attributes) for part in parts if part.kind != "text"]
    return tags, [part.text for part in parts if (part.kind, part.tag) == ("text", "script")]


@pytest.fixture(scope="module")
def players():
    """Return one player with a curve, one with a damaged one, and one without any."""
    curve = Curve([1, 2], [1.0, 2.0], {"X": [-1.0, 0.0], "O": [-1.0, 0.0]}, [0.5, 1.0])
    trained, first, random = from_specs([f"{ROOT}/checkpoints/td0/", "first", "random"])
    return [
        dataclasses.replace(trained, curve=curve),
        dataclasses.replace(first, complaint="cut"),
        random,
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_player_makes_or_changes_an_element(players, text):
    fields = dict.fromkeys(("name", "spec", "about", "complaint"), text)
    # As a folder's or a results file's name gets into the page.
    fields["name"] = named(text, text, Uniform(Rules())).name
    usual = [dataclasses.replace(player, **dict.fromkeys(fields, "text")) for player in players]
    harmless = skeleton(html(usual))
    changed = [dataclasses.replace(player, **fields) for player in players]
    tags, scripts = skeleton(html(changed))
    assert tags == harmless[0]
    data = scripts.pop(1)
    harmless[1].pop(1)
    assert scripts == harmless[1]
    told = tables(data)["players"]
    for field in ("name", "spec", "about"):
        assert [player[field] for player in told] == [fields[field]] * len(players)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_player_for_a_larger_board_makes_or_changes_an_element(players, text):
    rules = Rules(5, 5, 4)
    found = certify(rules, "tactical", 1000, method=REACHABLE)
    others = [Shown(name, name, "", found) for name in ("text", text)]
    harmless, page = (skeleton(html(players, [other])) for other in others)
    assert page == harmless
    assert escape(text) in html(players, others[1:])
    linked = dataclasses.replace(others[1], network=Network({}, markup.joined([])))
    assert f">{escape(text)}</a>" in larger.html([linked])


def test_html_is_made_in_one_place():
    """No other module holds a text that opens or closes an element."""
    tag = re.compile(r"<[a-zA-Z][\w-]*[\s/>]|</")
    folders = ("scripts", "learners/cli", "tttenv/cli")
    for file in sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        if file.name == "markup.py":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not tag.search(node.value), f"{file.name}: {node.value!r}"
        assert "Markup(" not in file.read_text(encoding="utf-8"), file.name


def test_markup_is_escaped_once_and_numbers_are_finite():
    inner = markup.element("b", "<&>", class_="x", data_x='"')
    assert inner == '<b class="x" data-x="&quot;">&lt;&amp;&gt;</b>'
    assert markup.element("i", inner, 3, 0.5) == f"<i>{inner}30.5</i>"
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a number"):
            markup.element("td", data_value=number)


# Results


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Return a function that writes an untrusted results file in the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(**row):
        row = {"player": "first", "folder": None, "seconds": 1} | row
        Path("results.json").write_text(json.dumps({"players": [row]}))
        return Path("results.json")

    return write


SPECS = [
    *(f"{name}:command=(touch PWNED)" for name in FOREIGN),
    *(f"epsilon:player=({name}:command=(touch PWNED)),epsilon=0.5" for name in FOREIGN),
    "sb3:path=x.zip,trust=true",
    "./first",
    "",
    "a/b",
]


@pytest.mark.parametrize("spec", SPECS)
def test_results_name_safe_rows_of_the_table_only(results, spec):
    with pytest.raises(ValueError, match="a file must not name the"):
        from_benchmark(results(player=spec))
    assert not Path("PWNED").exists()


def test_results_name_folders_near_them_only(results, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "td0"
    shutil.copytree(ROOT / "checkpoints/td0", elsewhere)
    shutil.copytree(ROOT / "checkpoints/td0", "runs/td0")
    Path("link").symlink_to(elsewhere)
    Path("loop").symlink_to("loop")
    outside = [str(elsewhere), os.path.relpath(elsewhere), "link", "loop", "/", "a\0b", "a" * 5000]
    for folder in outside:
        with pytest.raises(ValueError, match=r"names .*(not within|not exist)") as refusal:
            from_benchmark(results(folder=folder))
        assert len(str(refusal.value)) < 1000
    for folder in ("runs/td0", str(Path("runs/td0").resolve())):
        assert from_benchmark(results(folder=folder))[0].steps
    assert from_benchmark(results(folder=str(elsewhere)), elsewhere.parent)[0].steps
