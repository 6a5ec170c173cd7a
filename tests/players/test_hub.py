"""Players on the Hugging Face Hub: pushed, pulled and played, on a server of this machine."""

import base64
import contextlib
import hashlib
import json
import os
import shutil
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from huggingface_hub import ModelCard, constants

from tttenv import Rules, certify, player
from tttenv.certificates.verdict import certificate_table
from tttenv.cli import certify as certify_command
from tttenv.cli import console, pull, push
from tttenv.players import bundled, is_path
from tttenv.players.stored import hub
from tttenv.players.stored.checkpoint import digest

TOKEN = "hf_PlantedTokenThatMustNotBeSeen"
REPO = "someone/a-player"
NOISE = b"\0" * 1000
FLOODS = {  # what a server begins with, sends again and again, and the seconds between
    "endless listing": (b"HTTP/1.1 200 OK\r\n\r\n", b"[" * 10**6, 0.0),
    "more than stated": (b"HTTP/1.1 200 OK\r\n\r\n", b"0" * 10**6, 0.0),
    "slow": (b"HTTP/1.1 200 OK\r\n\r\n", b"0", 0.05),
    "slow header": (b"HTTP/1.1 200 OK\r\nX-Name: ", b"0", 0.05),
}
MOST_SENT = 2**25  # bytes that a flood may send: what systems buffer, and not much more


class Server(ThreadingHTTPServer):
    """A Hub in memory: `files` by repository and name, `requests`, `fault` of downloads.

    `sent` counts the bytes of a flood, `keys` lists the tokens of requests for REPO; files are
    `elsewhere`.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.requests, self.fault = {}, 0, None
        self.sent, self.keys, self.elsewhere = 0, [], None
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Handler of one connection."""

    def log_message(self, *_):
        """Print nothing."""

    def answer(self, content, status=200, **headers):
        """Send an answer, as JSON unless it is bytes."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(raw), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def flood(self):
        """Send what the fault says until the client leaves."""
        first, part, pause = FLOODS[self.server.fault]
        with contextlib.suppress(OSError):
            self.wfile.write(first)
            while self.server.sent < 2 * MOST_SENT:
                self.wfile.write(part)
                self.server.sent += len(part)
                time.sleep(pause)
        self.close_connection = True

    def handle_any(self):
        """Answer a request of any method as the Hub does."""
        self.server.requests += 1
        if REPO in self.path:  # another program may try any port
            self.server.keys.append(self.headers["Authorization"])
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match (self.command, *urlsplit(self.path).path.strip("/").split("/")):
            case ("POST", "api", "repos", "create"):
                request = json.loads(sent)
                repo = f"{request['organization']}/{request['name']}"
                status = 409 if repo in self.server.files else 200
                self.server.files.setdefault(repo, {})
                self.answer({"url": f"{self.server.url}/{repo}"}, status)
            case ("POST", "api", "validate-yaml"):
                self.answer({"warnings": [], "errors": []})
            case ("POST", "api", "models", _, _, "preupload", "main"):
                regular = {"uploadMode": "regular", "shouldIgnore": False}
                request = json.loads(sent)["files"]
                self.answer({"files": [{"path": file["path"], **regular} for file in request]})
            case ("POST", "api", "models", owner, name, "commit", "main"):
                files = self.server.files[f"{owner}/{name}"]
                for change in map(json.loads, sent.splitlines()):
                    value = change["value"]
                    if change["key"] == "file":
                        files[value["path"]] = base64.b64decode(value["content"])
                    elif change["key"] == "deletedFile":
                        del files[value["path"]]
                url = f"{self.server.url}/{owner}/{name}/commit/{commit_of(files)}"
                self.answer({"commitOid": commit_of(files), "commitUrl": url})
            case ("GET", "api", "models", owner, name, "tree", *_):
                files = self.server.files[f"{owner}/{name}"].items()
                entry = {"type": "file", "oid": "0" * 40}
                self.answer([{**entry, "path": path, "size": len(data)} for path, data in files])
            case ("GET", "api", "models", owner, name, "revision", _):
                repo = f"{owner}/{name}"
                if self.server.fault == "refused" or repo not in self.server.files:
                    said = str(self.headers["Authorization"])  # an error might repeat it
                    return self.answer({"error": said}, 401, X_Error_Message=said)
                files = self.server.files[repo]
                sizes = {path: len(data) for path, data in files.items()}
                if self.server.fault == "large":
                    sizes = dict.fromkeys(sizes, 2**40)
                if self.server.fault == "sizes as text":
                    sizes = dict.fromkeys(sizes, "5")
                if self.server.fault == "endless listing":
                    return self.flood()
                listed = [{"rfilename": path, "size": size} for path, size in sizes.items()]
                self.answer({"id": repo, "sha": commit_of(files), "siblings": listed})
            case (_, owner, name, "resolve", commit, file):
                data = self.server.files[f"{owner}/{name}"][unquote(file)]
                if self.server.fault == "broken" and file.startswith("weights"):
                    return self.answer(b"x", 403)
                if self.server.fault == "redirects":
                    return self.answer(b"", 302, Location=self.path)
                if self.server.fault in FLOODS and file.startswith("weights"):
                    return self.flood()
                if self.server.elsewhere:
                    return self.answer(b"", 302, Location=self.server.elsewhere + self.path)
                self.answer(data, ETag='"../../outside"', X_Repo_Commit=commit)
            case _:
                self.answer({"error": "not found"}, 404)

    do_GET = do_POST = do_HEAD = handle_any  # noqa: N815


def commit_of(files):
    """Return a name for the state of a repository."""
    return hashlib.sha1(b"".join([*map(str.encode, files), *files.values()])).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Yield an empty Hub whose address, cache and token are set for the library."""
    with Server() as made:
        threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
        files = f"{made.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "ENDPOINT", made.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
        monkeypatch.setattr(constants, "HF_ASSETS_CACHE", str(tmp_path / "assets"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # it speaks another protocol
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield made
        made.shutdown()


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and returns its status, output and errors."""

    def run(command, *args):
        capsys.readouterr()
        try:
            console.run(lambda given: command.main(given), command.__name__, list(map(str, args)))
            status = 0
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_pushed_player_comes_back_replaces_the_older_one_and_needs_no_hub(server, run):
    boards = Rules().parse("X___O____")[None]
    for name in ("qtable", "td0"):
        files = contents(bundled.folder(name))
        for command, args in ((push, [name, REPO]), (pull, [REPO])):
            status, out, err = run(command, *args)
            assert status == 0, err
            assert f"commit {commit_of(server.files[REPO])[:12]};" in out
        assert set(server.files[REPO]) == {*files, "README.md", "games.svg"}
        pulled = contents(hub.usual_folder(REPO))
        assert pulled.keys() == files.keys()
        cards = [json.loads(found["card.json"]) for found in (pulled, files)]
        assert len({json.dumps(card | {"certificate": None}) for card in cards}) == 1
        del files["card.json"]
        assert files.items() <= pulled.items()
        before = server.requests
        assert np.array_equal(player(f"hub:{REPO}")(boards), player(name)(boards))
        assert server.requests == before


def test_a_missing_player_is_downloaded_once_for_each_revision_and_server(
    server, run, capsys, monkeypatch
):
    server.files[REPO] = contents(bundled.folder("td0"))
    assert is_path(f"hub:{REPO}")
    assert not server.requests
    spec = f"epsilon:player=(hub:{REPO},canonical=true),epsilon=0.5"
    assert player(spec, Rules())(Rules().start(1)).shape == (1, 9)
    assert capsys.readouterr().err.count("downloading it") == 1
    before = server.requests
    status, out, err = run(certify_command, f"hub:{REPO},revision=main", "--json")
    assert status == 0, err
    assert json.loads(out)["worst_case"] == {"X": 0.0, "O": 0.0}
    assert server.requests == before
    player(f"hub:{REPO},revision=v1")
    assert (hub.usual_folder(REPO, "v1") / "card.json").is_file()
    pairs = [("o/n", revision) for revision in ("main", "a/b", "a--b", "a.b")] + [("o/n--a", "b")]
    folders = {hub.usual_folder(*pair) for pair in pairs}
    monkeypatch.setattr(constants, "ENDPOINT", "https://me:secret@example.org")
    folders |= {hub.usual_folder(*pair) for pair in pairs}
    assert len(folders) == 2 * len(pairs)
    assert not any("secret" in str(folder) for folder in folders)


def test_the_model_card_has_the_exact_numbers_and_needs_no_client(server, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # as if it were not installed
    status, text, err = run(push, "td0", REPO, "--dry-run")
    assert status == 0, err
    assert not server.requests
    assert "tic-tac-toe" in ModelCard(text).data.tags
    assert certificate_table(certify(Rules(), player("td0"))) in text


def test_a_push_sends_no_training_state_and_the_computed_certificate(server, run, tmp_path):
    folder = shutil.copytree(bundled.folder("td0"), tmp_path / "copy")
    card = json.loads((folder / "card.json").read_text())
    state = f"state-{digest(NOISE)[:16]}.safetensors"
    (folder / state).write_bytes(NOISE)
    card["files"][state] = digest(NOISE)
    card["certificate"]["worst_case"]["X"] = 1.0
    (folder / "card.json").write_text(json.dumps(card))
    (folder / "secret.txt").write_text("mine")
    assert run(push, folder, REPO)[0] == 0
    sent = server.files[REPO]
    assert not any("state" in name or "secret" in name for name in sent)
    assert state not in json.loads(sent["card.json"])["files"]
    assert json.loads(sent["card.json"])["certificate"]["worst_case"]["X"] == 0.0


@pytest.mark.parametrize(
    "fault",
    ["refused", "large", "broken", "damaged", "no card", "not JSON", "sizes as text", "redirects"]
    + [*FLOODS],
)
def test_a_failed_pull_is_one_line_without_the_token_and_leaves_the_earlier_player(
    server, run, fault, monkeypatch
):
    server.files[REPO] = contents(bundled.folder("td0"))
    assert run(pull, REPO)[0] == 0
    folder = hub.usual_folder(REPO)
    before = contents(folder)
    server.files[REPO] = files = contents(bundled.folder("qtable"))
    server.fault = fault
    if "slow" in fault:
        monkeypatch.setattr(hub, "PATIENCE", 0.5)
        monkeypatch.setattr(hub, "SLOWEST", 2**30)
    name = next(name for name in files if name.startswith("weights"))
    if fault == "damaged":  # the untrusted reader compares digests
        files[name] = files[name][:-1] + b"\x55"
    if fault == "no card":
        del files["card.json"]
    if fault == "not JSON":
        files["card.json"] = b"<html>"
    status, out, err = run(pull, REPO)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert TOKEN not in err
    assert contents(folder) == before
    assert list(folder.parent.iterdir()) == [folder]
    assert server.sent < MOST_SENT


def test_a_redirect_to_another_server_gets_no_token(server, run):
    server.files[REPO] = contents(bundled.folder("td0"))
    with Server() as other:
        threading.Thread(target=other.serve_forever, args=(0.02,), daemon=True).start()
        other.files, server.elsewhere = server.files, other.url
        assert run(pull, REPO)[0] == 0
        other.shutdown()
    assert set(server.keys) == {f"Bearer {TOKEN}"}
    assert set(other.keys) == {None}


def test_what_a_killed_pull_left_is_removed_by_a_later_one(server, run):
    server.files[REPO] = contents(bundled.folder("td0"))
    folder = hub.usual_folder(REPO)
    left, current = (folder.parent / f"{hub.LEFT}{name}" for name in ("killed", "running"))
    for held in (left, current):
        held.mkdir(parents=True)
        (held / "card.json").write_bytes(NOISE)
    os.utime(left, (0, 0))
    assert run(pull, REPO)[0] == 0
    assert set(folder.parent.iterdir()) == {folder, current}


def test_other_folders_are_left_alone(server, run, tmp_path):
    server.files[REPO] = contents(bundled.folder("td0"))
    (tmp_path / "notes.txt").write_text("mine")
    assert run(pull, REPO, "--out", tmp_path)[0] == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert run(pull, REPO, "--out", tmp_path / "out")[0] == 0
    assert run(pull, REPO, "--out", tmp_path / "out")[0] == 2


def test_a_server_that_cannot_be_reached_is_one_line(server, run, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://me:secret@127.0.0.1:9")
    for command, args in ((pull, [REPO]), (push, ["td0", REPO])):
        status, _, err = run(command, *args)
        assert (status, err.count("\n")) == (2, 1)
        assert "127.0.0.1:9 cannot be reached" in err
        assert "secret" not in err


@pytest.mark.parametrize("spec", ["hub", "hub:", "hub:a/b/c", "hub:a/b,revision=../c"])
def test_odd_names_are_refused_before_anything_is_asked(server, spec):
    with pytest.raises(ValueError, match=r"hub:OWNER/NAME|not a branch"):
        player(spec)
    assert not server.requests


def test_without_the_extra_the_command_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    status, _, err = run(pull, REPO)
    assert status == 2
    assert "pip install 'tttenv[hub]'" in err
