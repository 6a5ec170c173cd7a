"""The command that the page shows is quoted for a shell."""

import shlex
import shutil

from processes import ROOT

from tttenv.cli import report


def test_the_command_to_certify_again_is_quoted_for_a_shell(opened, tmp_path):
    name = "x'; touch PWNED; '"
    shutil.copytree(ROOT / "checkpoints/td0", tmp_path / name)
    out = tmp_path / "report.html"
    report.make(out, report.Contents(tmp_path / "none", tmp_path / "none", [f"{tmp_path / name}/"]))
    page = opened(out)
    page.click("#start-net")
    page.click("#play summary")
    words = ["tttenv", "certify", str(tmp_path / name), "--json"]
    assert shlex.split(page.inner_text("#command")) == words
