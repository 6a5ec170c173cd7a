"""Language models as players, queried over a loopback server."""

import base64
import copy
import json
import os
import pickle
import signal
import time
from threading import Thread

import numpy as np
import pytest
from language_server import boards_of, perfect, serving

import tttenv
from tttenv import Rules, player, text
from tttenv.cli import certify as command
from tttenv.cli.play.session import Session
from tttenv.exact import positions, solve
from tttenv.players.language.llm import LARGEST_ANSWER, LanguageModel, llm

RULES, TINY = Rules(), Rules(2, 3, 3)
GAME = positions(RULES)
PERFECT = perfect(RULES)
BOARDS = boards_of(RULES)
KEY = "sk-a-key-that-nobody-may-see"


def spec(url, **more):
    options = {"url": url, "model": "m", "retries": 0, **more}
    return "llm:" + ",".join(f"{name}={value}" for name, value in options.items())


def except_on(position, answer, rules=RULES):
    """Return the answers of the perfect player, except on one position, given as text."""
    wrong, right = text.prompt(rules, rules.parse(position)), perfect(rules)
    return lambda prompt: answer if prompt == wrong else right(prompt)


def in_process(answer, notation="grid"):
    """Return the player that queries a function instead of a server."""
    return LanguageModel(RULES, answer, {"model": "m", "temperature": 0.0}, notation)


def test_a_copy_queries_the_server_and_holds_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    boards = GAME.boards[GAME.decisions][:4]
    with serving(PERFECT) as (url, _):
        one = player(spec(url), RULES)
        before = one(boards[:3])
        kept = pickle.dumps(one)
        assert KEY.encode() not in kept
        for copied in (pickle.loads(kept), copy.deepcopy(one)):
            assert (copied(boards)[:3] == before).all()
            assert copied.prompts == 7


def test_a_perfect_model_is_certified_with_its_prompts(capsys):
    with serving(perfect(TINY)) as (url, requests):
        command.main([spec(url), "--rules", str(TINY), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["unbeatable"] is True
    assert found["never_loses"] == {"X": True, "O": True}
    assert found["prompts"] == len(requests)
    assert found["illegal"] == {"share": 0.0, "reasons": {}, "boards": []}
    about = found["model"]
    assert (about["model"], about["notation"], about["temperature"]) == ("m", "grid", 0.0)
    for sent in requests:
        assert sent["path"] == "/v1/chat/completions"
        assert (sent["model"], sent["temperature"]) == ("m", 0)
        assert [message["role"] for message in sent["messages"]] == ["user"]


@pytest.mark.parametrize("notation", text.NOTATIONS)
def test_the_same_model_has_the_same_certificate_in_every_notation(notation):
    model = in_process(perfect(RULES, notation), notation)
    certificate = tttenv.certify(RULES, model)
    assert certificate == tttenv.certify(RULES, in_process(PERFECT))
    assert certificate.unbeatable
    assert model.prompts >= sum(certificate.reached.values())


def test_a_single_illegal_answer_is_found_and_ends_the_lost_game(capsys):
    wrong = except_on("X________", "I take the corner: <move>0</move>")
    model = in_process(wrong)
    certificate = tttenv.certify(RULES, model)
    assert (certificate.unbeatable, certificate.worst_case["O"]) == (False, -1)
    assert certificate.losing_line == {"X": None, "O": [0]}
    illegal = model.particulars()["illegal"]
    assert (illegal["boards"], illegal["reasons"]) == (["X________"], {"taken": 1})
    assert illegal["share"] == 1 / sum(certificate.reached.values())
    with serving(except_on("X_____", "I take the corner: <move>0</move>", TINY)) as (url, _):
        command.main([spec(url), "--rules", str(TINY)])
    out = capsys.readouterr().out
    assert "can be beaten: as O by no legal answer after 1 stone" in out
    assert "a1, then no legal answer" in out
    assert "positions without a legal answer: 1 taken" in out


def test_a_temperature_above_zero_is_refused_before_any_prompt():
    with (
        serving(PERFECT) as (url, requests),
        pytest.raises(ValueError, match=r"limited by sampling .* set its temperature to 0"),
    ):
        tttenv.certify(RULES, spec(url, temperature=0.5))
    assert not requests


def test_answers_are_kept_for_later_runs_but_a_second_question_is_sent(tmp_path):
    boards = GAME.boards[GAME.decisions][:20]
    with serving(PERFECT) as (url, requests):
        options = {"cache": tmp_path / "kept"}
        first = player(spec(url, **options), RULES)(boards)
        assert len(requests) == 20
        model = player(spec(url, **options), RULES)
        np.testing.assert_array_equal(model(boards), first)
        assert (len(requests), model.prompts) == (20, 0)
        np.testing.assert_array_equal(model(boards), first)
        assert (len(requests), model.prompts) == (40, 20)
        player(spec(url, tokens=9, **options), RULES)(boards[:1])  # other settings
        assert len(requests) == 41
        for file in (tmp_path / "kept").iterdir():
            file.write_text('{"answer": 4}')
        np.testing.assert_array_equal(player(spec(url, **options), RULES)(boards), first)
        assert len(requests) == 61


def test_equal_boards_are_one_prompt_and_answers_come_back_in_order():
    boards = np.repeat(GAME.boards[GAME.decisions][:40:2], 3, axis=0)
    with serving(PERFECT, delay=0.01) as (url, requests):
        probs = player(spec(url, concurrency=16), RULES)(boards)
    assert len(requests) == 20
    chosen = solve(RULES).fastest[GAME.index(boards)].argmax(axis=1)
    np.testing.assert_array_equal(probs.argmax(axis=1), chosen)


def test_an_interrupt_does_not_wait_for_answers():
    concurrency = 4
    with serving(PERFECT, delay=20) as (url, requests):

        def interrupt():
            while len(requests) < concurrency:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        model = player(spec(url, concurrency=concurrency), RULES)
        Thread(target=interrupt, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            model(GAME.boards[GAME.decisions[:8]])
        assert time.monotonic() - began < 10
        assert len(requests) == concurrency


def test_the_key_is_sent_and_appears_nowhere_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(PERFECT, key=KEY) as (url, _):
        model = player(spec(url, cache=tmp_path), RULES)
        model(RULES.start(1))
        seen = json.dumps(model.particulars()) + model.summary() + repr(vars(model))
    for said in (KEY, KEY[::-1], " ".join(KEY), base64.b64encode(KEY.encode()).decode()):
        message = f"Incorrect API key provided: {said}"
        with serving(lambda _, message=message: message, status=401) as (url, _):
            with pytest.raises(ValueError, match=r"failed: status 401$") as error:
                player(spec(url), RULES)(RULES.start(1))
            seen += str(error.value)
    seen += "".join(file.read_text() for file in tmp_path.iterdir())
    assert KEY not in seen + capsys.readouterr().out


@pytest.mark.parametrize(
    "reply", ["", "null", '{"choices": {}}', '{"choices": [null]}', "[" * 100_000]
)
def test_a_reply_that_is_no_completion_is_an_error_in_one_line(reply):
    with (
        serving(lambda _: "", raw=reply) as (url, _),
        pytest.raises(ValueError, match=rf"^the server at {url} failed: ") as error,
    ):
        player(spec(url), RULES)(RULES.start(1))
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_is_no_answer(finish, tmp_path):
    with serving(PERFECT, finish=finish) as (url, requests):
        for sent in (1, 0):  # then from the cache
            model = player(spec(url, cache=tmp_path), RULES)
            assert not model(RULES.start(1)).any()
            assert (list(model.illegal.values()), model.prompts) == (["cut off"], sent)
        assert len(requests) == 1


def test_a_response_is_bounded_in_time_and_size():
    with serving(PERFECT, drip=0.1) as (url, _):
        began = time.monotonic()
        with pytest.raises(ValueError, match=r"failed: not done within 0.5 s$"):
            player(spec(url, timeout=0.5, retries=5), RULES)(RULES.start(1))
        assert time.monotonic() - began < 5
    for status in (200, 400):
        with (
            serving(lambda _: "", status=status, raw=" " * 2 * LARGEST_ANSWER) as (url, _),
            pytest.raises(ValueError, match="failed: it sends more than 4,000,000 bytes"),
        ):
            player(spec(url), RULES)(RULES.start(1))


def test_an_address_with_a_password_is_refused_without_repeating_it():
    for url in ("http://me:secret@h/v1", "http://h/v1?key=secret", "http://h/v1#secret"):
        with pytest.raises(ValueError, match="must not hold a user, a password") as error:
            player(spec(url), RULES)
        assert "secret" not in str(error.value)


def test_a_server_that_fails_is_named_in_one_line():
    with serving(lambda _: "out of memory\nlayer 3", status=500) as (url, _):
        with pytest.raises(ValueError, match=rf"server at {url} failed: .*out of memory") as error:
            player(spec(url), RULES)(RULES.start(1))
        assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=r"failed: Connection error"):
        player(spec(url), RULES)(RULES.start(1))  # it is gone


@pytest.mark.parametrize(
    "options",
    [":temperature=0", ":model=m,temperature=3", ":model=m,temperature=nan", ":model=m,retries=-1"]
    + [":model=m,concurrency=1000", ":model=m,timeout=inf", ":model=m,notation=fen"]
    + [":model=m,url=http://localhost:80o0/v1"],
)
def test_wrong_options_are_one_line(options):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        player(f"llm{options}", RULES)


@pytest.mark.parametrize("count", ["concurrency", "retries", "tokens"])
def test_a_count_that_is_no_integer_is_refused(count):
    with pytest.raises(ValueError, match=f"^{count} must be an integer, not 1.5$"):
        llm(RULES, model="m", **{count: 1.5})


def test_it_forfeits_in_a_session():
    with serving(lambda _: "?") as (url, _):
        session = Session(RULES, "m", player(spec(url), RULES), 0, 0)
        session.play(4)
        assert session.move() is None
        assert (session.outcome, session.winner) == ("X wins", 0)
        session.take_back()
        assert not session.over
