"""Players on the Hugging Face Hub: pushed, pulled and played, with faults of the server."""

import json
import pickle
import re
import shutil
import sys
import threading
import time
from inspect import signature

import gymnasium as gym
import numpy as np
import pytest
from fake_hub import TOKEN, commit_of, serving
from huggingface_hub import ModelCard, constants, utils

from tttenv import Rules, certify, player
from tttenv.cli import certify as certify_command
from tttenv.cli import console, pull, push
from tttenv.players import bundled, checked_spec, is_path
from tttenv.players.stored import hub
from tttenv.players.stored.checkpoint import digest, load
from tttenv.utils import hub_client

pytestmark = pytest.mark.filterwarnings(
    "ignore:Use .content:DeprecationWarning"
)  # huggingface_hub's
REPO = "someone/a-player"
NOISE = b"\0" * 1000


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Yield an empty Hub whose address, cache and token are set for the library."""
    with serving() as made:
        monkeypatch.setattr(constants, "ENDPOINT", made.url)
        monkeypatch.setattr(constants, "HF_ASSETS_CACHE", str(tmp_path / "assets"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # it speaks another protocol
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setattr(time, "sleep", lambda seconds: None)  # between the library's tries
        yield made
    for thread in threading.enumerate():
        if thread.name.startswith("request to "):  # abandoned by a test
            thread.join(20)
            assert not thread.is_alive()
    utils.close_session()


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and returns its status, output and errors."""

    def run(command, *args):
        capsys.readouterr()
        try:
            console.run(lambda given: command.main(given), command.PROG, list(map(str, args)))
            status = 0
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def offered(server, name="td0", **changed):
    """Put the files of a bundled player on the Hub, with some contents changed."""
    folder = bundled.folder(name)
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    server.files[REPO] = files | changed
    return files


def weights_of(files):
    return next(name for name in files if name.startswith("weights"))


def naming(files, named):
    """Return the bytes of a card that names other data files."""
    return json.dumps(json.loads(files["card.json"]) | {"files": named}).encode()


def test_what_is_pushed_comes_back_as_the_same_player_and_replaces_the_older_one(server, run):
    boards = Rules().parse("X___O____")[None]
    for name, large in (("qtable", False), ("td0", True)):
        folder = bundled.folder(name)
        files = {file.name: file.read_bytes() for file in folder.iterdir()}
        server.large = [file for file in files if large and file.endswith(".safetensors")]
        for command, args in ((push, [folder, REPO, "--json"]), (pull, [REPO, "--json"])):
            status, out, err = run(command, *args)
            assert status == 0, err
            assert json.loads(out)["commit"] == commit_of(server.files[REPO])
        assert set(server.files[REPO]) == {*files, "README.md"}
        pulled = {file.name: file.read_bytes() for file in hub.usual_folder(REPO).iterdir()}
        assert pulled.keys() == {*files, hub.PULLED}
        card = files.pop("card.json")  # which is written anew
        assert json.loads(pulled["card.json"]) == json.loads(card)
        assert files.items() <= pulled.items()
        asked = len(server.requests)  # what was pulled needs no Hub
        assert np.array_equal(player(f"hub:{REPO}")(boards), player(name)(boards))
        assert len(server.requests) == asked


def test_a_player_that_is_not_here_is_downloaded_once_into_a_folder_of_its_own(server, run, capsys):
    offered(server)
    assert is_path(f"hub:{REPO}")
    assert not server.requests
    capsys.readouterr()
    spec = f"epsilon:player=(hub:{REPO},canonical=true),epsilon=0.5"
    assert player(spec, Rules())(Rules().start(1)).shape == (1, 9)
    line = f"{REPO} is not on this machine yet: downloading it from {hub_client.host(server.url)}\n"
    assert capsys.readouterr().err == line
    asked = len(server.requests)
    env = gym.make("TicTacToe-v0", opponent=f"hub:{REPO},revision=main")
    env.reset(seed=0)
    status, out, err = run(certify_command, f"hub:{REPO}", "--json")
    assert status == 0, err
    assert json.loads(out)["worst_case"] == {"X": 0.0, "O": 0.0}
    assert len(server.requests) == asked
    player(f"hub:repo={REPO},revision=v1")
    assert hub.came_from(hub.usual_folder(REPO, "v1")).revision == "v1"
    pairs = [("o/n", revision) for revision in ("main", "a/b", "a--b", "a.b")] + [("o/n--a", "b")]
    assert len({hub.usual_folder(*pair) for pair in pairs}) == len(pairs)


def test_the_model_card_has_the_exact_numbers_where_the_hub_reads_them(server, run):
    status, text, err = run(push, "td0", REPO, "--dry-run")
    assert status == 0, err
    assert not server.requests
    found = {
        result.metric_type: result.metric_value for result in ModelCard(text).data.eval_results
    }
    certificate = certify(Rules(), player("td0"))
    for seat in "XO":
        assert found[f"worst_case_{seat}"] == certificate.worst_case[seat]
        assert found[f"win_vs_random_{seat}"] == certificate.vs_random[seat][0]
    assert found["unbeatable"] == 1.0


@pytest.fixture
def copy(tmp_path):
    """Return a copy of a player's folder, and its card."""
    folder = shutil.copytree(bundled.folder("td0"), tmp_path / "copy")
    return folder, json.loads((folder / "card.json").read_text())


def test_a_model_card_shows_the_settings_of_a_card_as_code(server, run, copy):
    folder, card = copy
    wild = "<img src=x>[a](http://h)`|"
    card["config"][wild] = wild
    card["versions"][wild] = wild
    (folder / "card.json").write_text(json.dumps(card))
    text = run(push, folder, REPO, "--dry-run")[1]
    assert text.count("<img") == 4
    outside = re.sub(r"`[^`\n]*`", "", text.replace("\\|", ""))
    assert "<img" not in outside
    assert "](http" not in outside


def test_a_card_that_states_another_strength_is_not_pushed(server, run, copy):
    folder, card = copy
    card["certificate"]["worst_case"]["X"] = 1.0
    (folder / "card.json").write_text(json.dumps(card))
    status, _, err = run(push, folder, REPO)
    assert (status, err.count("\n")) == (2, 1)
    assert "a strength that its player" in err
    assert not server.requests


def test_the_state_of_a_training_stays_here(server, run, copy):
    folder, card = copy
    hashed = digest(NOISE)
    (folder / f"state-{hashed[:16]}.safetensors").write_bytes(NOISE)
    card["files"][f"state-{hashed[:16]}.safetensors"] = hashed
    (folder / "card.json").write_text(json.dumps(card))
    (folder / "secret.txt").write_text("mine")
    assert run(push, folder, REPO)[0] == 0
    assert not any("state" in name or "secret" in name for name in server.files[REPO])
    assert "state-" not in server.files[REPO]["card.json"].decode()


def answer(content, status=200, **headers):
    return lambda handler: handler.answer(content, status, **headers)


def drip(handler):
    """Send one byte at a time, without end."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(10_000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        handler.server.patient.wait(0.02)
    handler.close_connection = True


def flood(handler):
    """Send more bytes than any listing without announcing their number."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for _ in range(64):
        handler.wfile.write(b"100000\r\n" + b" " * 0x100000 + b"\r\n")


def echoed(handler):
    """Send the token in every place that an error might repeat."""
    said = str(handler.headers["Authorization"])
    told = {"X-Error-Message": said, "X-Request-Id": said, "X-HF-Warning": said}
    handler.answer({"error": said}, 400, **told)


FAULTS = {
    "refused": (answer({"error": "x"}, 401), "401, not found, or private: log in"),
    "not the Hub": (answer([1, 2]), "does not respond like the Hub|JSON"),
    "elsewhere": (answer(b"", 307, Location="file:///etc/passwd"), "redirects to file://"),
    "slow": (drip, "too slow|was abandoned"),
    "endless": (flood, "sends more than|failed"),
    "echo": (echoed, "400"),
}


def only_line(told, err):
    """Check that a command printed one line on standard error, besides its first one."""
    lines = [line for line in err.splitlines() if not line.startswith(("downloading", "upload"))]
    assert len(lines) == 1, err
    assert re.search(told, lines[0]), err
    assert TOKEN not in err


@pytest.fixture
def impatient(server, monkeypatch):
    """Yield a server, and set the client's time limits to tenths of a second."""
    server.patient = threading.Event()
    monkeypatch.setattr(hub_client, "PATIENCE", 0.7)
    monkeypatch.setattr(hub_client, "STALLED", 0.5)
    yield server
    server.patient.set()


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_of_the_server_ends_a_pull_or_a_push_in_one_line_and_leaves_nothing(
    impatient, run, tmp_path, kind
):
    act, told = FAULTS[kind]
    offered(impatient)
    for command, args, place in ((pull, [REPO], "/api/models/"), (push, ["td0", REPO], "create")):
        impatient.hostile = {place: act}
        status, out, err = run(command, *args)
        assert (status, out) == (2, "")
        only_line(told, err)
    assert not [path for path in (tmp_path / "assets").rglob("*") if path.is_file()]


def test_the_token_goes_to_the_hub_and_to_nobody_else(server, run, tmp_path, caplog):
    with serving() as other:
        files = offered(server)
        other.objects = {digest(data): data for data in files.values()}
        server.elsewhere = other.url
        status, out, err = run(pull, REPO)
        assert status == 0, err
        assert {seen["token"] for seen in server.requests} == {f"Bearer {TOKEN}"}
        assert len(other.requests) == len(files) - 1
        assert {seen["token"] for seen in other.requests} == {None}

        def verified_elsewhere(handler):
            actions = {
                name: {"href": f"{url}/{name}"}
                for name, url in (("upload", server.url), ("verify", other.url))
            }
            found = [{**one, "actions": actions} for one in json.loads(handler.sent)["objects"]]
            handler.answer({"objects": found, "transfer": "basic"})

        asked = len(other.requests)
        server.files.clear()
        server.large = set(files)
        server.hostile = {"objects/batch": verified_elsewhere, "PUT /upload": answer(b"")}
        status, more, error = run(push, "td0", REPO)
        assert status == 2
        only_line("asks for the token on 127.0.0.1", error)
        assert len(other.requests) == asked
    for text in (out, err, more, error, caplog.text):
        assert TOKEN not in text
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes()


def test_a_token_that_cannot_be_sent_is_not_shown(server, run, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", f"{TOKEN}ü")
    status, _, err = run(pull, REPO)
    assert status == 2
    only_line("holds characters that cannot be sent", err)


class Opened:
    """Object that would write a file when it is unpickled."""

    def __reduce__(self):
        return (open, ("PWNED", "w"))


def test_uploads_run_one_at_a_time_and_leave_the_session_as_it_was(server, monkeypatch):
    session = utils.get_session()
    before, inside = (session.event_hooks, session.send), []
    entered, go = threading.Event(), threading.Event()

    def commit(*_):
        inside.append(len(inside))
        entered.set()
        assert go.wait(20)
        inside.remove(0)
        return "a commit"

    monkeypatch.setattr(hub_client, "_commit", commit)
    monkeypatch.setattr(hub_client, "PATIENCE", 0.1)
    for _ in range(2):
        with pytest.raises(hub_client.HubError, match="too slow"):
            hub_client.upload(REPO, {}, False, re.compile("x"))
    assert entered.wait(20)
    assert inside == [0]
    go.set()
    for thread in threading.enumerate():
        if thread.name.startswith("request to "):
            thread.join(20)
    assert (session.event_hooks, session.send) == before


def test_what_is_no_checkpoint_is_refused_in_one_line(server, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = offered(server)
    name, evil = weights_of(files), pickle.dumps(Opened())

    def claims(data):
        """Return a repository whose card has the right digest of a file of other content."""
        named = f"weights-{digest(data)[:16]}.safetensors"
        card = naming(files, {named: digest(data)})
        return {"card.json": card, named: data}

    outside = naming(files, {"../../evil-0.safetensors": "0" * 64})
    refusals = {
        "no checkpoint.*pytorch_model.bin may run code": {"pytorch_model.bin": evil},
        "is a pickle, which may run code": claims(evil),
        "its SHA-256 is not the card's": files | {name: files[name][:-1] + b"\x55"},
        "which its card names": {"card.json": files["card.json"]},
        "names the file .*evil": files | {"card.json": outside, "../../evil-0.safetensors": b""},
        "is not JSON": {"card.json": b"<html>"},
    }
    for told, content in refusals.items():
        server.files[REPO] = content
        status, out, err = run(pull, REPO, "--out", tmp_path / "out")
        assert (status, out) == (2, "")
        only_line(told, err)
        assert sorted(path.name for path in tmp_path.iterdir()) in ([], ["assets"])


def test_sizes_are_bounded_before_and_while_downloading(server, run, tmp_path):
    files = offered(server)
    name = weights_of(files)

    def listing(size):
        def act(handler):
            listed = [
                {"rfilename": file, "size": size if file == name else len(data)}
                for file, data in files.items()
            ]
            server.commits["abcdef0"] = REPO
            handler.answer({"sha": "abcdef0", "siblings": listed})

        return act

    for size, told in (
        (2**40, "is too large: 1,099,511,627,776 bytes"),
        (10, "sends .* bytes; the limit is 10"),
        (len(files[name]) + 1, "is cut off"),
    ):
        server.hostile = {"/api/models/": listing(size)}
        server.requests.clear()
        status, _, err = run(pull, REPO, "--out", tmp_path / "out")
        assert status == 2
        only_line(told, err)
        assert not (tmp_path / "out").exists()
        if size == 2**40:
            assert not any(name in seen["path"] for seen in server.requests)


def test_a_failed_pull_leaves_the_earlier_player_whole(server, run):
    files = offered(server)
    assert run(pull, REPO)[0] == 0
    folder = hub.usual_folder(REPO)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    files = offered(server, "qtable")
    server.hostile = {weights_of(files): answer(b"x", 500)}
    assert run(pull, REPO)[0] == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_other_folders_and_links_are_left_alone(server, run, tmp_path):
    offered(server)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    status, _, err = run(pull, REPO, "--out", mine)
    assert (status, "does not hold a player from" in err) == (2, True)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    folder = tmp_path / "out"
    assert run(pull, REPO, "--out", folder)[0] == 0
    target = tmp_path / "target"
    target.write_text("mine")
    card = folder / "card.json"
    card.unlink()
    card.symlink_to(target)  # a link that somebody put there is replaced, not followed
    assert run(pull, REPO, "--out", folder)[0] == 0
    assert target.read_text() == "mine"
    assert not card.is_symlink()


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("http://127.0.0.1:9", "127.0.0.1:9 cannot be reached"),
        ("http://me:secret@127.0.0.1:99999", "not an http or https address: 127.0.0.1:99999"),
        ("nonsense", "HF_ENDPOINT is not an http or https address: nonsense"),
    ],
)
def test_an_address_where_no_hub_is_is_one_line_without_its_password(run, monkeypatch, at, told):
    monkeypatch.setattr(constants, "ENDPOINT", at)
    for command, args in ((pull, [REPO]), (certify_command, [f"hub:{REPO}"])):
        status, _, err = run(command, *args)
        assert status == 2
        assert told in err.splitlines()[-1]
        assert "secret" not in err


def test_another_server_has_other_players_and_its_password_is_kept_nowhere(
    server, run, monkeypatch
):
    offered(server, "td0")
    first = hub.present(REPO)
    with serving() as other:
        offered(other, "qtable")
        at = other.url.replace("http://", "http://me:secret@")
        monkeypatch.setattr(constants, "ENDPOINT", at)
        second = hub.present(REPO)
        status, out, err = run(push, "td0", REPO, "--json")
    assert status == 0, err
    assert [hub.came_from(folder).endpoint for folder in (first, second)] == [server.url, other.url]
    assert json.loads((second / "card.json").read_text())["learner"] == "qtable"
    assert "secret" not in out + err + str(second)


def test_a_player_on_the_hub_documents_all_options_of_a_checkpoint():
    own, checkpoint = (list(signature(f).parameters.values()) for f in (hub.hub, load))
    assert own[3:] == checkpoint[2:]  # after the rules and the repository, and the folder


@pytest.mark.parametrize(
    "spec", ["hub:", "hub:a/b/c", "hub:../x", "hub:a/b,revision=../c", "hub:a b/c"]
)
def test_odd_names_are_refused_before_anything_is_asked(server, spec):
    with pytest.raises(ValueError, match=r"hub:OWNER/NAME|not a branch"):
        player(spec)
    assert not server.requests


def test_a_file_may_not_name_a_player_on_the_hub(server):
    for spec in (f"hub:{REPO}", f"hub:repo={REPO}", f"epsilon:player=(hub:{REPO}),epsilon=0.1"):
        with pytest.raises(ValueError, match="a file must not name the player 'hub'"):
            checked_spec(spec)
    assert not server.requests


def test_without_the_extra_the_command_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    status, _, err = run(pull, REPO)
    assert status == 2
    assert "pip install 'tttenv[hub]'" in err
