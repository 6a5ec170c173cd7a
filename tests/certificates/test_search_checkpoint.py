"""Certificates that are interrupted and resumed from a file, against those of one run."""

from pathlib import Path

import numpy as np
import pytest

from tttenv import Rules, certify, player
from tttenv.certificates import reachability, reachable_certificate
from tttenv.certificates.reachability import FOLLOWING
from tttenv.certificates.reachable_certificate import SearchCheckpoint
from tttenv.cli import certify as command
from tttenv.players import digests
from tttenv.reach import walk
from tttenv.utils import files
from tttenv.utils.untrusted import file_name

SPEC = "alphabeta:depth=1,ties=first"
ARGUMENTS = [SPEC, "--rules", "3,4,4", "--method", "reachable", "--positions", "3000", "--json"]
FILE = Path(f"results/certificates/{file_name(f'{SPEC}-3-4-4')}.search.safetensors")


class Killed(BaseException):
    """The end of the process, which nothing catches."""


def resigning(rules):
    """Return a player that resigns on some boards, and plays like another on the rest."""

    def policy(boards):
        probs = player("tactical", rules)(boards)
        probs[(boards @ np.arange(rules.cells)) % 7 == 5] = 0
        return probs

    policy.forfeits = True
    return policy


@pytest.fixture(autouse=True)
def _many_small_queries(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reachable_certificate, "SHORT", 0)
    monkeypatch.setattr(walk, "BATCH", 50)
    for name, value in {"FOLLOWED": 100, "MERGED": 200}.items():
        monkeypatch.setattr(reachability, name, value)
    monkeypatch.setattr(reachable_certificate, "ATTACKED", 1)


def certified(rules, policy, positions, stop=None, load=False):
    """Return a certificate and the progress at its queries; at one of them it is killed."""
    checkpoint, queries = SearchCheckpoint(Path("c"), rules, positions, dict), []
    if load:
        checkpoint.load()

    def watch(progress):
        if len(queries) == stop:
            checkpoint.save()
            raise Killed(checkpoint.state.seconds)
        queries.append(progress)

    about = {"method": "reachable positions", "watch": watch, "checkpoint": checkpoint}
    return certify(rules, policy, positions, **about).to_dict(), queries


@pytest.mark.parametrize(
    ("rules", "of", "positions"),
    [
        (Rules(), "random", 10_000),  # every reply is followed, mirror images are merged
        (Rules(3, 4, 3), "tactical", 2_000),  # loses where it no longer follows every reply
        (Rules(), "mcts:iterations=20", 10_000),  # boards are queried again
        (Rules(), resigning, 10_000),
        (Rules(3, 4, 4), "tactical", 3_000),  # runs out of positions
        (Rules(3, 4, 4), SPEC, 3_000),  # never loses
        (Rules(3, 14, 14), "first", 3_000),  # codes of two words
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_a_certificate_killed_anywhere_and_resumed_is_that_of_one_run(rules, of, positions):
    policy = player(of, rules) if isinstance(of, str) else of(rules)
    whole, queries = certified(rules, policy, positions)
    assert not Path("c").exists()
    stops = [at for at, progress in enumerate(queries) if progress.phase == FOLLOWING]
    for stop in stops[:: max(1, len(stops) // 4)]:
        with pytest.raises(Killed) as killed:
            certified(rules, policy, positions, stop)
        found, rest = certified(rules, policy, positions, load=True)
        assert found == whole
        told = [(at.seat, at.number, at.positions, at.waiting) for at in rest]
        assert told == [(at.seat, at.number, at.positions, at.waiting) for at in queries[stop:]]
        assert rest[0].seconds >= killed.value.args[0]
        assert not Path("c").exists()


def interrupted(monkeypatch, query, *more):
    """Run the command until Ctrl-C before a query, and return the message."""
    left = iter(range(query))

    def progress(found):
        if found.phase == FOLLOWING and next(left, None) is None:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patched:
        patched.setattr(command, "progress", progress)
        with pytest.raises(KeyboardInterrupt) as stopped:
            command.main([*ARGUMENTS, *more])
    return str(stopped.value)


def test_the_command_is_interrupted_says_how_to_go_on_and_does(monkeypatch, capsys):
    command.main(ARGUMENTS)
    whole = capsys.readouterr().out
    told = interrupted(monkeypatch, 3)
    assert told.endswith(f"positions queried) is saved in {FILE}: continue with --resume")
    with pytest.raises(ValueError, match="continue with --resume, or delete the file"):
        command.main(ARGUMENTS)
    command.main([*ARGUMENTS, "--resume"])
    shown = capsys.readouterr()
    assert shown.out == whole
    assert shown.err == f"resumed {told[told.index('(') + 1 : told.index(')')]}\n"
    with pytest.raises(ValueError, match="there is no unfinished certificate in"):
        command.main([*ARGUMENTS, "--resume"])
    for other in (["--sampled"], ["--method", "all"]):
        with pytest.raises(ValueError, match="--resume"):
            command.main(["first", "--resume", *other])


def test_a_search_of_seconds_writes_nothing(monkeypatch):
    monkeypatch.setattr(reachable_certificate, "SHORT", 10)
    assert interrupted(monkeypatch, 3) == ""
    assert not Path("results").exists()


def test_a_longer_one_is_saved_again_and_again_and_goes_on_if_the_disk_is_full(monkeypatch):
    saves = []

    def full(file, data):
        saves.append(file)
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(reachable_certificate, "EVERY", 0)
    monkeypatch.setattr(files, "write", full)
    with pytest.warns(UserWarning, match="is not saved"):
        _, queries = certified(Rules(3, 4, 4), player("first", Rules(3, 4, 4)), 3_000)
    assert len(saves) == sum(at.phase == FOLLOWING for at in queries)


def test_a_file_of_another_player_or_limit_is_refused_and_stays(monkeypatch):
    interrupted(monkeypatch, 3)
    before = FILE.read_bytes()
    with pytest.raises(ValueError, match="another limit of positions"):
        command.main([*ARGUMENTS, "--positions", "3001", "--resume"])
    monkeypatch.setattr(digests, "digests", lambda spec: ["other weights"])
    with pytest.raises(ValueError, match="with another version of the player's files: "):
        command.main([*ARGUMENTS, "--resume"])
    assert FILE.read_bytes() == before
