"""The command that the page shows is quoted for a shell."""

import shlex
import shutil

from page_data import report_of
from processes import ROOT


def test_the_command_to_certify_again_is_quoted_for_a_shell(opened, tmp_path):
    name = "x'; touch PWNED; '"
    shutil.copytree(ROOT / "checkpoints/td0", tmp_path / name)
    out = tmp_path / "report.html"
    report_of(out, f"{tmp_path / name}/")
    page = opened(out)
    page.click("#start-net")
    page.click("#play summary")
    words = ["tttenv", "certify", str(tmp_path / name), "--json"]
    assert shlex.split(page.inner_text("#command")) == words
