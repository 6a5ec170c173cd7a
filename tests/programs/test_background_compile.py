"""Background compilation of what a command needs, found by later commands."""

import os
import subprocess
import sys

from processes import ROOT

from learners.registry import LEARNERS
from tttenv.cli import certify, compile, prove
from tttenv.cli.compile import PARTS
from tttenv.cli.play.advice import PROVER

CODE = """
from tttenv.cli import compile
from tttenv.utils.compile_time import watch
PART = "what networks see"
for _ in range(2):
    with compile.compiling(PART) as compiled:
        print(bool(compiled.running))
        compiled.wait(PART)
print(watch.seconds > 0, watch.functions)
compile.compile_part(PART)
print(watch.functions)
"""


def test_commands_compile_parts_that_there_are():
    wanted = {prove.WRITER, prove.CHECKER, PROVER, certify.SEARCH}
    wanted.update(*(LEARNERS.rows[name].compiled for name in LEARNERS))
    assert wanted <= set(PARTS)


def test_a_part_is_compiled_by_another_process_and_once(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"TTTENV_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "False", "True", "0", "0"]


def test_a_process_that_fails_keeps_nobody_waiting(monkeypatch, tmp_path):
    monkeypatch.setattr(compile, "CODE", "raise SystemExit(1)")
    monkeypatch.setattr("tttenv.utils.compiled.CACHE_FOLDER", str(tmp_path))
    with compile.compiling("the prover", "environments") as compiled:
        compiled.wait("the prover", "environments")
