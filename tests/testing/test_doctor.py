"""Doctor: it names each classic mistake and no other, and finds none in healthy subjects."""

import json
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import wrong_subjects
from lost_games import require_lost_by_own_moves

import tttenv
import tttenv.testing
from tttenv import Rules
from tttenv.cli import doctor as doctor_command
from tttenv.cli.doctor import load
from tttenv.cli.play.session import cell_of
from tttenv.players import PLAYERS
from tttenv.policy import player_for
from tttenv.testing import LawBrokenError, check_env, check_policy
from tttenv.testing.env_checks import ENVIRONMENT, CheckedEnv, record
from tttenv.testing.findings import TEXTS, Finding, SubjectError, examine
from tttenv.testing.policy_checks import PLAYER, CheckedPlayer

ROOT, RULES = Path(__file__).parents[2], Rules()
LOST = {"lost games": PLAYER["lost games"]}


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])


def test_an_exit_by_a_signal_is_no_finding():
    with pytest.raises(SystemExit):
        tttenv.testing.diagnose(lambda boards: sys.exit(143))


def test_a_player_limited_by_time_is_refused_at_once():
    with pytest.raises(ValueError, match=r"limited by time .* iterations or nodes"):
        doctor_command.main(["alphabeta:time=9", "--rules", "5,5,4"])


@pytest.mark.parametrize(
    ("name", "option"), [("selfplay", "--obs=onehot"), ("TicTacToe-v0", "--kind=probs")]
)
def test_obs_and_kind_are_refused_where_they_mean_nothing(name, option):
    with pytest.raises(ValueError, match=f"need a function or network, .* not {name}"):
        doctor_command.main([name, option])


@pytest.mark.parametrize(("failing", "examined"), [("first", 1), ("second", 3)])
def test_the_other_checks_are_left_out_only_if_the_first_one_fails(failing, examined):
    def check(subject, name):
        if name == failing:
            raise SubjectError("fails", "")
        return Finding("ok", "")

    checks = {name: partial(check, name=name) for name in ("first", "second", "third")}
    assert len(list(examine(None, checks))) == examined


def findings(name, obs=None, kind="logits", games=60):
    subject = load(name, None, obs, kind)
    if isinstance(subject, CheckedEnv):
        return list(examine(record(subject, games, 0), ENVIRONMENT))
    return list(examine(subject, PLAYER))


def problems(*arguments):
    return {one.check: one.text for one in findings(*arguments) if one.status == "problem"}


MISTAKES = {  # the subject: the checks that find it, and what the last of them says
    "as_x_only": ("learned", r"one-sided: 9\d% as X and 0% as O"),
    "to_lose": ("learned", "plays to lose"),
    "on_stones": ("legal", "plays without a mask"),
    "bare_softmax": ("legal", r"plays without a mask: \d\d\.\d% of its probability"),
    "ppo": ("legal", r"plays without a mask: \d\d\.\d% of its probability"),
    "dice": ("repeatable", "returns another output"),
    "Forgetful": ("repeatable", "or on earlier queries"),
    "writing": ("answers", "changes the boards on which it is queried"),
    "of_the_batch": ("repeatable", "depending on the rest of the batch"),
    "logits": ("answers", r"returns no probabilities on the board _________: \[3\.0"),
    "learned_as_x": ("learned", "as O it moves better when mine and theirs are swapped"),
    "seen_wrongly": ("learned", "as X and O it moves better when"),
    "dead_net": ("looks", "the same numbers whatever the board"),
    "paid_the_opponents": ("rewards", "as [XO] a (win|loss) pays [+-]?1: "),
    "paid_wrongly_as_o": ("rewards", "as O a (win pays -1|loss pays 1): "),
    "seen_by_x": ("view", "as O it shows mine and theirs swapped on"),
    "zero_masks": ("masks", "the mask is all zeros on"),
    "inverted_masks": ("masks", "the mask is inverted on"),
    "late_masks": ("masks", r"the mask is wrong about the cells \["),
    "resets_itself": ("endings", r"not the finished board in \d+ of 60 games"),
    # Gymnasium's checker plays a few random moves, which may or may not end a game.
    "never_over": ("(interface )?endings", "goes on after the end: "),
    "cut_short": ("endings", "is truncated: "),
    "only_x": ("seats", "the agent is X in all games"),
    "unseeded": ("interface", "check_env fails: .* are not equivalent"),
    "free_illegal": ("illegal", "an illegal move pays 0 and changes nothing"),
    "turns_the_view": ("illegal", "costs 0.5 and swaps mine and theirs on "),
    "turns_the_view_of_both_later": ("illegal", "costs 0.5 and shows its change in the next step"),
    "overwrites": ("illegal", "costs 0.5 and overwrites a stone on "),
    "outside_its_space": ("interface", "check_env"),
    "trips_in_step": ("interface", "^fails when stepped with KeyError: 'cell', in wrong_subjects"),
    "old_gym": ("interface", "fails when reset with TypeError: .*'seed'$"),
    "unmade": ("answers", r"^fails when given boards .* with KeyError: b'.*line \d+$"),
    "ends_the_program": ("answers", "^fails when given boards .* with SystemExit: 3, in"),
    "squeezed": ("repeatable", r"answers \(9,\) numbers about \(1, 9\) cells"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_found_by_its_checks_and_by_no_others(name):
    check, told = MISTAKES[name]
    found = [one for one in findings(f"wrong_subjects:{name}") if one.status == "problem"]
    assert re.fullmatch(check, " ".join(one.check for one in found)), found
    assert re.search(told, found[-1].text), found[-1].text
    assert found[0].change
    subject = load(f"wrong_subjects:{name}", None, None, "logits")
    laws = [one.check for one in found if one.law]
    if laws and getattr(subject, "network", None) is None:  # a network's policy has a mask
        of_env = isinstance(subject, CheckedEnv)
        check = partial(check_env, games=60) if of_env else partial(check_policy, rules=RULES)
        with pytest.raises(LawBrokenError, match=f"^{laws[0]}: [^\n]+$") as error:
            check(subject.raw if of_env else subject.policy)
        assert name != "unmade" or isinstance(error.value.__cause__, KeyError)


def test_each_text_of_the_table_belongs_to_a_check():
    code = "".join(file.read_text() for file in (ROOT / "tttenv/testing").glob("*.py"))
    for check, about in TEXTS.items():
        for name in [check] if "change" in about else [f"{check}.{part}" for part in about]:
            assert f'"{name}"' in code or f'name = "{name.partition(".")[2]}"' in code, name


def test_rewards_on_the_way_and_one_seat_break_no_law():
    env = wrong_subjects.Changed(
        tttenv.env.TicTacToe(seat="X"),
        lambda self, seen, reward, over, *rest: (seen, reward if over else 0.01, over, *rest),
    )
    check_env(env, games=60)
    found = examine(record(CheckedEnv(env, RULES), 60, 0), {"rewards": ENVIRONMENT["rewards"]})
    assert [(one.status, "rewards before it" in one.text) for one in found] == [("ok", True)]
    check_env(tttenv.env.TicTacToe(opponent=None), games=30)


def test_warnings_that_do_no_harm_are_notes():
    told = {one.check: one for one in findings("wrong_subjects:endless")}["interface"]
    assert told.status == "ok"
    assert re.fullmatch(r"passes; Gymnasium notes: A Box obs.*infinity\.[^\x1b]*", told.text)


@pytest.mark.parametrize("rules", [RULES, Rules(5, 5, 4), Rules(9, 9, 5)], ids=str)
def test_a_game_that_is_lost_is_named_on_boards_of_any_size(rules):
    subject = load("first", str(rules), None, "logits")
    (found,) = examine(subject, LOST)
    games = re.findall(r"as [XO] it can lose by ([a-s\d ]+)", found.text)
    assert len(games) == 2
    for seat, cells in zip("XO", games, strict=True):
        line = [cell_of(rules, name) for name in cells.split()]
        require_lost_by_own_moves(rules, subject.policy, seat, line)
    assert found.status == "weak"


def test_lost_games_are_not_named_where_there_are_none_or_they_may_not_come_again():
    (found,) = examine(load("minimax", None, None, "logits"), LOST)
    assert found.text == "as X it cannot be beaten; as O it cannot be beaten"
    (found,) = examine(load("minimax", "4,3,3", None, "logits"), LOST)  # X wins this game
    assert found.status == "ok"
    assert re.fullmatch(
        "as X it cannot be beaten; as O it can lose by .*, but so can every player", found.text
    )
    (found,) = examine(load("alphazero_664", None, None, "logits"), LOST)  # X wins it, too
    assert found.status == "ok"
    none = "as X no lost game was found within 500 positions"
    assert re.fullmatch(f"{none}; as O it can lose by .*, but so can every player", found.text)
    large = Rules(5, 5, 4)
    dice = np.random.default_rng(0)

    def restless(boards):
        return np.eye(large.cells)[(dice.random(boards.shape) * (boards == 0)).argmax(axis=1)]

    for player in (restless, load("mcts:time=0.01", "5,5,4", None, "logits").policy):
        (found,) = examine(CheckedPlayer(large, player_for(large, player)), LOST)
        assert found.status == "skipped", found


QUICK = {"mcts": "mcts:iterations=50", "epsilon": "epsilon:player=tactical,epsilon=0.1"}
HEALTHY = [
    *(QUICK.get(name, name) for name in PLAYERS),
    *("TicTacToe-v0", "tttenv/TicTacToe-v0", "tttenv:TicTacToe-v0"),
    *("wrong_subjects:one_board", "wrong_subjects:both_sides", "wrong_subjects:dict_of_both"),
    *("wrong_subjects:plain_wrapper", "wrong_subjects:penalized_only", "wrong_subjects:endless"),
    *("wrong_subjects:maskable_ppo", "wrong_subjects:untrained", "wrong_subjects:table"),
    *("wrong_subjects:healthy_function", "wrong_subjects:ready"),
]


@pytest.mark.parametrize("name", HEALTHY)
def test_the_healthy_are_left_in_peace(name):
    found = [one.status for one in findings(name)]
    assert "problem" not in found
    assert "TicTacToe" not in name or found == ["ok"] * len(ENVIRONMENT)


def test_functions_over_observations_are_examined_with_what_they_observe_and_answer():
    assert problems("wrong_subjects:over_planes", "onehot", "probs") == {}
    assert set(problems("wrong_subjects:over_planes")) == {"answers"}


NO_MISTAKE = "no mistake in the setup found; it"
BEATABLE = f"{NO_MISTAKE} can be beaten"
SAMPLED = f"{BEATABLE} only because it samples its moves"


@pytest.mark.parametrize(
    ("name", "verdict", "told"), [("minimax", SAMPLED, "--kind values"), ("tactical", BEATABLE, "")]
)
def test_a_softmax_is_judged_by_its_most_probable_moves_too(name, verdict, told):
    plays = tttenv.player(name)

    def logits(boards):
        return 10 * plays(boards)

    found = tttenv.testing.diagnose(logits, obs="board", kind="logits")
    assert found.verdict == verdict
    assert "cannot be beaten" in found.findings[-1].change or not told
    assert told in found.findings[-1].change
    values = tttenv.testing.diagnose(logits, obs="board", kind="values")
    assert (values.verdict == "healthy") == (verdict == SAMPLED)


def test_a_diagnosis_is_what_the_command_prints(doctor):
    found = tttenv.testing.diagnose(wrong_subjects.to_lose)
    assert found.problems == 1
    printed = json.loads(doctor("wrong_subjects:to_lose", "--json").stdout)
    assert printed == found.to_dict() | {"subject": "wrong_subjects:to_lose"}
    with pytest.raises(ValueError, match="at least 1"):
        tttenv.testing.diagnose(wrong_subjects.plain, games=0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["logits", "values"])
def test_networks_that_have_learned_nothing_show_no_mistake(seed, kind, monkeypatch):
    monkeypatch.setattr(
        wrong_subjects, "blank", lambda: wrong_subjects.untrained(seed), raising=False
    )
    found = {one.check: one for one in findings("wrong_subjects:blank", None, kind)}
    assert {one.status for one in found.values()} == {"ok", "weak"}
    assert [name for name, one in found.items() if one.status == "weak"] == [
        "learned",
        "lost games",
    ]
    assert not [one.text for one in found.values() if re.search(r"-\d", one.text)]


@pytest.mark.parametrize(
    ("name", "told", "verdict"),
    [
        (
            "wrong_subjects:untrained",
            "finds no more optimal moves than random play: ",
            f"{NO_MISTAKE} finds no more optimal moves than random play",
        ),
        ("epsilon:player=tactical,epsilon=0.5", r"6\d\.\d% as X and 6\d\.\d% as O of", BEATABLE),
        ("epsilon:player=minimax,epsilon=1e-5", ">99.9% as X and >99.9% as O of", SAMPLED),
        ("minimax", "plays optimal moves only", "healthy"),
    ],
)
def test_the_verdict_says_how_much_was_learned(name, told, verdict, capsys):
    doctor_command.main([name])
    printed = capsys.readouterr().out
    assert re.search(f"learned +{told}", " ".join(printed.split())), printed
    assert re.fullmatch(f"{name}: {verdict}", printed.splitlines()[-1])


@pytest.fixture
def doctor(run_here):
    """Return a function that runs the script in this process."""
    return partial(run_here, "doctor.py")


def test_the_script_says_what_to_change_and_ends_with_1(doctor):
    told = doctor("wrong_subjects:only_x", "--games", "30", "--json")
    found = json.loads(told.stdout)
    assert (told.returncode, told.stderr, found["problems"]) == (1, "", 1)
    assert [one["check"] for one in found["checks"]] == [*ENVIRONMENT]
    assert {one["status"] for one in found["checks"]} == {"ok", "problem"}
    told = doctor("wrong_subjects:only_x", "--games", "30")
    assert told.returncode == 1
    line = r"^problem +seats +the agent is X in all games: .*\n +change +deal both seats"
    assert re.search(line, told.stdout, re.MULTILINE), told.stdout
    assert told.stdout.endswith("wrong_subjects:only_x: 1 problem\n")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no_such_module:env"], "no_such_module"),
        (["wrong_subjects:one_board", "--rules", "4,4,4"], "not the 16 cells of 4,4,4"),
        (["CartPole-v1"], "not the 9 cells of 3,3,3"),
        (["TicTacToe-v0", "--games", "0"], "at least 1"),
        (["wrong_subjects:untrained", "--kind", "best"], "kind must be one of"),
        (["wrong_subjects:raises_a_type_error"], "wrong_subjects:raises_a_type_error: TypeError: "),
        (["wrong_subjects:Changed"], "is a class that needs arguments; name a function"),
        (["wrong_subjects:RULES"], "a player must be"),
        (["no_such_file.pt"], "no_such_file.pt is a PyTorch file"),
        ([], "required"),
    ],
)
def test_what_cannot_be_examined_is_said_in_one_line_with_status_2(doctor, arguments, named):
    told = doctor(*arguments)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(r"doctor\.py: [^\n]+\n", told.stderr), told.stderr
    assert named in told.stderr


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def make_env(:", "SyntaxError: invalid syntax (broken.py, line 1)"),
        ("\nmake_env = nothing", "NameError: name 'nothing' is not defined, in broken.py line 2"),
        ("import sys\nsys.exit(3)", "SystemExit: 3, in broken.py line 2"),
    ],
)
def test_modules_that_cannot_be_imported_are_named_with_why(code, told, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ValueError, match=re.escape(f"broken:make_env: {told}") + "$"):
        load("broken:make_env", None, None, "logits")


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_saved_model_is_looked_at_as_it_plays(deterministic, tmp_path):
    wrong_subjects.maskable_ppo().save(tmp_path / "model.zip")
    word = str(deterministic).lower()
    spec = f"sb3:path={tmp_path}/model.zip,trust=true,deterministic={word}"
    probs = load(spec, None, None, "logits").policy(Rules().start(1))
    assert (probs.max() == 1) == deterministic
    assert probs == pytest.approx(tttenv.player(spec)(Rules().start(1)))


def test_a_player_that_forgot_is_told_when_it_was_unbeatable(tmp_path, doctor):
    from learners.registry import LEARNERS
    from learners.training.run import Run, usual_schedule
    from learners.training.train import train

    config = LEARNERS.load("td0").Config(games=4)
    train(
        Run("td0", "default", config, Rules(), usual_schedule("td0", steps=2, every=1)),
        tmp_path / "td0",
    )
    told = doctor(str(tmp_path / "td0")).stdout
    assert "unbeatable at step" not in told
    card = json.loads((tmp_path / "td0" / "card.json").read_text())
    for seat in "XO":
        card["curve"][f"worst_case_{seat}"][1] = 0.0
    (tmp_path / "td0" / "card.json").write_text(json.dumps(card))
    told = " ".join(doctor(str(tmp_path / "td0")).stdout.split())
    assert "it was unbeatable at step 1 and is not now" in told
    assert "with train --until and --hold" in told
