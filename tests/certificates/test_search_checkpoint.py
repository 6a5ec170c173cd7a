"""Certificates that are interrupted and resumed from a file, against those of one run."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tttenv import Rules, certify, player
from tttenv.certificates import reachability, reachable_certificate, search_checkpoint, search_file
from tttenv.certificates.reachability import FOLLOWING
from tttenv.certificates.search_checkpoint import SearchCheckpoint
from tttenv.cli import certify as command
from tttenv.players import digests
from tttenv.utils.tensor_file import header
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
    monkeypatch.setattr(search_checkpoint, "SHORT", 0)
    for name, value in {"BATCH": 50, "FOLLOWED": 100, "MERGED": 200}.items():
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
            raise Killed(checkpoint.state.place.seconds)
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
    for other in (["--sampled"], ["--against", "first"], ["--method", "all"]):
        with pytest.raises(ValueError, match="--resume"):
            command.main(["first", "--resume", *other])


def test_a_search_of_seconds_writes_nothing(monkeypatch):
    monkeypatch.setattr(search_checkpoint, "SHORT", 10)
    assert interrupted(monkeypatch, 3) == ""
    assert not Path("results").exists()


def test_a_longer_one_is_saved_again_and_again(monkeypatch):
    saves = []
    monkeypatch.setattr(search_checkpoint, "EVERY", 0)
    monkeypatch.setattr(search_checkpoint, "SHARE", 1e9)
    monkeypatch.setattr(search_file.files, "write", lambda file, data: saves.append(file))
    policy = player("first", Rules(3, 4, 4))
    _, queries = certified(Rules(3, 4, 4), policy, 3_000)
    assert len(saves) == sum(at.phase == FOLLOWING for at in queries)
    monkeypatch.setattr(search_checkpoint, "EVERY", 60)
    before = len(saves)
    certified(Rules(3, 4, 4), policy, 3_000)
    assert len(saves) == before


def test_a_full_disk_is_told_and_does_not_end_the_search(monkeypatch):
    def full(file, data):
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(search_checkpoint, "EVERY", 0)
    monkeypatch.setattr(search_file.files, "write", full)
    with pytest.warns(UserWarning, match="the unfinished certificate is not saved: "):
        certified(Rules(3, 4, 4), player("first", Rules(3, 4, 4)), 300)


def test_a_file_of_another_player_or_limit_is_refused_and_stays(monkeypatch):
    interrupted(monkeypatch, 3)
    before = FILE.read_bytes()
    with pytest.raises(ValueError, match="was saved with another limit of positions: continue"):
        command.main([*ARGUMENTS, "--positions", "3001", "--resume"])
    with monkeypatch.context() as patched:
        patched.setattr(digests, "digests", lambda spec: ["other weights"])
        with pytest.raises(ValueError, match="with another version of the player's files: "):
            command.main([*ARGUMENTS, "--resume"])
    other = FILE.with_name("first-3-4-4.search.safetensors")
    FILE.rename(other)
    with pytest.raises(ValueError, match="was saved with another player: "):
        command.main(["first", *ARGUMENTS[1:], "--resume"])
    assert other.read_bytes() == before


def test_a_link_is_kept_and_the_file_that_it_leads_to_is_written(monkeypatch):
    interrupted(monkeypatch, 3)
    elsewhere = Path("elsewhere").absolute()
    FILE.rename(elsewhere)
    FILE.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    interrupted(monkeypatch, 3, "--resume")
    assert FILE.is_symlink()
    assert elsewhere.read_bytes() != before
    command.main([*ARGUMENTS, "--resume"])
    assert not elsewhere.exists()


TENSORS = [
    ("round.2", lambda codes: codes + 3**12),  # beyond the board
    ("round.2", lambda codes: -codes),
    ("round.2", lambda codes: codes + 1),  # boards with other stones
    ("round.2", lambda codes: codes[::-1].copy()),
    ("round.1", lambda codes: None),
    ("next", lambda codes: codes.astype(np.int32)),
    ("next", lambda codes: np.repeat(codes, 2, axis=1)),
    ("more", lambda codes: np.zeros(3)),
    ("sampled.kept.0", lambda boards: np.full_like(boards, -128)),
    ("sampled.keys", lambda keys: None),
    ("sampled.kept.1", lambda probs: None),
    ("sampled.kept.1", lambda probs: probs * np.nan),
]
STATES = [
    ("rounds", 10**9),
    ("rounds", 0),
    ("place.queried", 10**6),
    ("place.sampled_from", 10**12),
    ("place.merge_above", 10**12),
    ("place.seconds", "1"),
    ("place.seconds", -1.5),
    ("place.merge_above", -1),
    ("place.ended", [[0, 0, 0]]),
    ("place.ended", [[0, 0, 0], [0]]),
    ("findings.asked", 0),
    ("findings.images_checked", 10**6),
    ("findings.lost_at", [17]),
    ("findings.lost_at", [10**30]),
    ("findings.lost_round", -1),
    ("findings.more", 1),
    ("finished", lambda state: {"O": state["finished"]["X"]}),
    ("finished.X.losing_line", [0, 12]),
]


def test_a_damaged_file_is_refused(monkeypatch):
    interrupted(monkeypatch, 14)
    whole = FILE.read_bytes()
    metadata, tensors = header(whole, FILE).metadata, load_file(FILE)
    state = json.loads(metadata["state"])

    def refused(tensors, state):
        save_file(tensors, FILE, metadata | {"state": json.dumps(state)})
        with pytest.raises(ValueError, match=r"is a damaged unfinished certificate: \S"):
            command.main([*ARGUMENTS, "--resume"])

    for name, damage in TENSORS:
        changed = tensors | {name: damage(tensors.get(name))}
        refused({name: part for name, part in changed.items() if part is not None}, state)
    for path, value in STATES:
        changed = json.loads(metadata["state"])
        *parents, name = path.split(".")
        reduce(getitem, parents, changed)[name] = value(state) if callable(value) else value
        refused(tensors, changed)
    before = sum(len(tensors[f"round.{number}"]) for number in range(state["rounds"] - 1))
    place, findings = state["place"] | {"queried": 999}, state["findings"] | {"asked": before + 999}
    refused(tensors, state | {"place": place, "findings": findings})  # beyond the round
    for data in (whole[:-1], b"", b"{}" * 20):
        FILE.write_bytes(data)
        with pytest.raises(ValueError, match=r"search\.safetensors is "):
            command.main([*ARGUMENTS, "--resume"])
    FILE.write_bytes(whole)
    command.main([*ARGUMENTS, "--resume"])
