"""Promises of the documents, and the tests that hold them, as listed in `promises.toml`."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROMISES = tomllib.loads((ROOT / "tests/promises.toml").read_text(encoding="utf-8"))


def in_one_line(file):
    return " ".join(file.read_text(encoding="utf-8").split())


def test_every_promise_stands_in_its_document():
    texts = {document: in_one_line(ROOT / document) for document in PROMISES}
    assert not [
        (document, part)
        for document, rows in PROMISES.items()
        for part in rows
        if part not in texts[document]
    ]


def test_every_promise_names_tests_that_are_there():
    named = {test for rows in PROMISES.values() for tests in rows.values() for test in tests}
    files = {
        file: ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8")).body
        for file in {test.partition("::")[0] for test in named}
    }
    there = {
        f"{file}::{node.name}"
        for file, body in files.items()
        for node in body
        if isinstance(node, ast.FunctionDef)
    }
    assert all(tests for rows in PROMISES.values() for tests in rows.values())
    assert not named - there


def test_every_paragraph_of_what_is_promised_has_a_test():
    found = re.search(
        r"## What is promised (.*?) `make campaign`", in_one_line(ROOT / "SECURITY.md")
    )
    paragraphs = re.findall(r"\*\*[^*]+\*\*[^*]+", found[1])
    assert len(paragraphs) > 10
    assert not [
        text for text in paragraphs if not any(part in text for part in PROMISES["SECURITY.md"])
    ]
