"""`tttenv report` as a command."""

import pytest

from tttenv.cli import report


def test_it_ends_with_the_address_and_opens_it_on_demand(monkeypatch, tmp_path, capsys):
    shown, file = [], tmp_path / "a b.html"
    monkeypatch.setattr(report, "make", lambda *_: {})
    monkeypatch.setattr(report.webbrowser, "open", shown.append)
    report.main(["--out", str(file)])
    assert capsys.readouterr().out == f"report    {file.as_uri()}\n"
    assert shown == []
    report.main(["--out", str(file), "--open"])
    assert shown == [file.as_uri()]


def test_named_results_that_are_missing_are_refused(tmp_path):
    file = tmp_path / "none.json"
    with pytest.raises(ValueError, match=r"there is no file .*none\.json"):
        report.main(["first", "--results", str(file), "--out", str(tmp_path / "r.html")])
    assert not (tmp_path / "r.html").exists()
