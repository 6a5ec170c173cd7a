"""Language models from transformers folders as players in this process."""

import copy
import json
import os
import pickle
import shutil
import sys

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import tttenv
from tttenv import Rules, player, text
from tttenv.adapters.transformers import CertificateCallback, greedy_answers
from tttenv.certificates.metric_table import flat
from tttenv.cli import certify as command
from tttenv.exact import positions
from tttenv.players.digests import digests

RULES = Rules()
END = "<end>"


def byte_tokenizer():
    """Return a tokenizer with one token per byte, and one for the end."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_only = models.BPE(vocab={byte: at for at, byte in enumerate(alphabet)}, merges=[])
    made = Tokenizer(bytes_only)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END)


def save(home, answers):
    """Write a model that says `answers[token]` after a token; prompts end with a full stop."""
    tokens = byte_tokenizer()
    config = transformers.GPT2Config(
        vocab_size=len(tokens),
        n_positions=640,
        n_embd=len(tokens),
        n_layer=1,
        n_head=1,
        bos_token_id=tokens.eos_token_id,
        eos_token_id=tokens.eos_token_id,
        tie_word_embeddings=False,
    )
    model = transformers.GPT2LMHeadModel(config)
    ids = tokens.convert_tokens_to_ids
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        model.transformer.wte.weight.copy_(torch.eye(len(tokens)))
        model.transformer.ln_f.weight.fill_(1.0)
        for before, said in answers.items():
            model.lm_head.weight[ids(said), ids(before)] = 1.0
    model.save_pretrained(home)
    tokens.save_pretrained(home)
    return home


def changed(file, **settings):
    """Change settings in a JSON file."""
    known = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(known | settings))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a model that answers 4 on every board."""
    return save(tmp_path_factory.mktemp("hf") / "four", {".": "4", "4": END})


def test_a_model_in_a_folder_is_certified_with_its_illegal_boards(folder, capsys):
    command.main([f"hf:path={folder}", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["never_loses"] == {"X": False, "O": False}
    assert found["losing_line"] == {"X": [4, 0], "O": [4]}
    assert set(found["illegal"]["reasons"]) == {"taken"}
    about = found["model"]
    assert (about["model"], about["notation"], about["temperature"]) == ("four", "grid", 0.0)
    assert len(about["files_sha256"]) == 64


def test_a_trainer_logs_the_exact_numbers_of_its_model_every_so_many_steps(folder, tmp_path):
    rules, tokens = Rules(1, 5, 2), byte_tokenizer()
    tokens.pad_token = END
    trainer = transformers.Trainer(
        model=transformers.AutoModelForCausalLM.from_pretrained(folder),
        args=transformers.TrainingArguments(
            output_dir=tmp_path, max_steps=3, learning_rate=0.0, use_cpu=True, report_to="none"
        ),
        train_dataset=[{"input_ids": [1, 2], "labels": [1, 2]}] * 40,
        processing_class=tokens,
    )
    trainer.add_callback(CertificateCallback(trainer, "1,5,2", every=2, tokens=2))
    trainer.train()
    player = tttenv.player(f"hf:path={folder},tokens=2", rules)
    numbers = flat(tttenv.certify(rules, player, method="all positions"))
    numbers["exact/illegal"] = len(player.illegal) / len(positions(rules).decisions)
    logged = [row for row in trainer.state.log_history if "exact/illegal" in row]
    assert [row["step"] for row in logged] == [2]
    assert {tag: logged[0][tag] for tag in numbers} == numbers
    assert 0 < numbers["exact/illegal"] < 1


def test_it_answers_in_every_notation_and_takes_the_users_turn_of_a_chat(folder, tmp_path):
    model = player(f"hf:path={folder},notation=coordinates", RULES)
    assert model.ask(text.prompt(RULES, RULES.start(), "coordinates")) == "4"
    chatty = shutil.copytree(folder, tmp_path / "chatty")
    template = "{% for m in messages %}{{ m.role }}é: {{ m.content }}{{ eos_token }}{% endfor %}"
    template += "{% if add_generation_prompt %}4{% endif %}"
    (chatty / "chat_template.jinja").write_text(template, encoding="utf-8")
    model = player(f"hf:path={chatty}", RULES)
    assert model.ask("Where?") == ""  # after a 4 it ends
    chat = [{"role": "user", "content": "Where?\n"}]
    plain = transformers.AutoTokenizer.from_pretrained(chatty).apply_chat_template(
        chat, tokenize=False, add_generation_prompt=True
    )
    template = model.ask.tokenizer.apply_chat_template
    for copied in (
        copy.copy(template),
        copy.deepcopy(template),
        pickle.loads(pickle.dumps(template)),
    ):
        assert copied.program is None
        assert copied(chat) == plain


def test_a_chat_template_is_rendered_in_bounded_time_and_memory(folder, tmp_path, monkeypatch):
    home = shutil.copytree(folder, tmp_path / "hostile")
    monkeypatch.setattr("tttenv.adapters.chat_template.RENDERING", 1.0)
    for template, reason in (
        ("{{ 'x' * 10**9 }}", "MemoryError" if sys.platform == "linux" else "1,000,000,000"),
        ("{{ 'x' * 10**5 }}", "more than 65,536"),
        ("{% if 10**(10**9) %}{% endif %}", "did not answer within 1 s"),
        ("{{ raise_exception('a\nb') }}", "TemplateError: a"),
    ):
        (home / "chat_template.jinja").write_text(template)
        with pytest.raises(
            ValueError, match=rf"^the model in [^\n]*its chat [^\n]*{reason}[^\n]*$"
        ):
            player(f"hf:path={home}", RULES).ask("Where.")


def test_an_answer_that_does_not_end_in_time_is_no_answer(folder, tmp_path):
    endless = save(tmp_path / "endless", {".": "4", "4": "4"})
    model = player(f"hf:path={endless},tokens=7", RULES)
    assert model.ask("Where.") is None
    assert not model(RULES.start(1)).any()
    assert list(model.illegal.values()) == ["cut off"]
    assert player(f"hf:path={folder},tokens=1", RULES).ask("Where.") is None  # 12 without its 2
    assert player(f"hf:path={folder},tokens=2", RULES).ask("Where.") == "4"


@pytest.mark.parametrize(
    ("said", "ends", "answer"),
    [(END, None, "4"), (END, ["!"], "4"), ("!", ["!", "?"], "4!"), ("!", [], None)],
)
def test_a_trainers_model_ends_its_answers_where_the_saved_one_does(tmp_path, said, ends, answer):
    home, tokens = save(tmp_path / "one", {".": "4", "4": said, said: said}), byte_tokenizer()
    model = transformers.AutoModelForCausalLM.from_pretrained(home)
    named = None if ends is None else tokens.convert_tokens_to_ids(ends)
    model.generation_config.eos_token_id = named
    model.save_pretrained(home)
    prompts = ["Where.", "And a longer one."]
    model.train()
    assert greedy_answers(model, tokens, prompts, 6) == [answer] * 2
    assert model.training
    saved = player(f"hf:path={home},tokens=6", RULES)
    assert [saved.ask(one) for one in prompts] == [answer] * 2


def test_every_file_that_can_play_is_in_the_digests(folder, tmp_path):
    spec = f"epsilon:player=(hf:path={folder})"
    known = [digests(spec)]
    for name in ("config.json", "tokenizer.json", "model.safetensors", "chat_template.jinja"):
        copy = shutil.copytree(folder, tmp_path / name)
        with (copy / name).open("ab") as file:
            file.write(b" ")
        known.append(digests(spec.replace(str(folder), str(copy))))
    shutil.copytree(folder, tmp_path / "templates" / "additional_chat_templates")
    known.append(digests(f"hf:path={tmp_path / 'templates'}"))
    assert [len(one) for one in known] == [1] * 6
    assert len({one[0] for one in known}) == 6
    assert digests(f"hf:path={shutil.copytree(folder, tmp_path / 'same')}") == known[0]
    assert digests(f"hf:path={folder},cache={tmp_path}") == known[0]
    assert len(digests(f"external:command=(python3 {folder}/config.json)")) == 2  # and Python


def test_weights_are_those_in_the_folder_whatever_its_settings_name(folder, tmp_path):
    home = shutil.copytree(folder, tmp_path / "parts")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    (home / "model.safetensors").unlink()
    model.save_pretrained(home, max_shard_size="300KB")
    other = save(tmp_path / "five", {".": "5", "5": END})
    changed(home / "model.safetensors.index.json", weight_map={"a": f"{other}/model.safetensors"})
    changed(home / "config.json", transformers_weights="../five/model.safetensors")
    assert len([*home.glob("*.safetensors")]) > 1
    assert player(f"hf:path={home}", RULES).ask("Where.") == "4"


def test_an_implementation_of_attention_that_would_be_downloaded_is_not_used(folder, tmp_path):
    for number, name in enumerate(("_attn_implementation", "attn_implementation")):
        home = shutil.copytree(folder, tmp_path / str(number))
        changed(home / "config.json", **{name: "someone/kernel"})
        assert player(f"hf:path={home}", RULES).ask("Where.") == "4"


def wrong_folders(folder, tmp_path):
    """Yield folders without a loadable model, and a word of the error message."""
    yield tmp_path / "missing", "no transformers model"
    pickled = shutil.copytree(folder, tmp_path / "pickled")
    torch.save({}, pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    yield pickled, "safetensors"
    code = shutil.copytree(folder, tmp_path / "code")
    own = {"AutoConfig": "mine.Config", "AutoModelForCausalLM": "mine.Model"}
    changed(code / "config.json", model_type="mine", auto_map=own)
    (code / "mine.py").write_text("raise SystemExit('code was run')\n")
    yield code, "cannot be loaded"
    tokens = shutil.copytree(folder, tmp_path / "tokens")
    elsewhere = ["../four/tokenizer.4.0.json"]
    changed(tokens / "tokenizer_config.json", fast_tokenizer_files=elsewhere)
    yield tokens, "names other files"
    large = shutil.copytree(folder, tmp_path / "large")
    changed(large / "config.json", vocab_size=3_000_000)
    yield large, "more than its files hold"
    piped = shutil.copytree(folder, tmp_path / "piped")
    (piped / "tokenizer.json").unlink()
    os.mkfifo(piped / "tokenizer.json")
    yield piped, "something other"
    for number, name in enumerate(("generation_config.json", "more/templates.jinja")):
        endless = shutil.copytree(folder, tmp_path / f"endless-{number}")
        (endless / name).parent.mkdir(exist_ok=True)
        with (endless / name).open("wb") as text:
            text.truncate(10**11)
        yield endless, "a text of more than"
    nameless = shutil.copytree(folder, tmp_path / "nameless") / "additional_chat_templates"
    nameless.mkdir()
    (nameless / "tool_use.jinja").write_text("4")
    yield nameless.parent, "cannot be loaded: This model has multiple chat templates"
    adapter = shutil.copytree(folder, tmp_path / "adapter")
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": "/"}')
    yield adapter, "merge"
    speechless = shutil.copytree(folder, tmp_path / "speechless")
    for file in speechless.glob("tokenizer*"):
        file.unlink()
    yield speechless, "no tokenizer"
    yield folder / "config.json", "no transformers model"
    damaged = shutil.copytree(folder, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"x" * 100)
    yield damaged, "cannot be loaded"


def test_folders_without_a_model_are_refused_in_one_line(folder, tmp_path):
    for home, word in wrong_folders(folder, tmp_path):
        with pytest.raises(ValueError, match=rf"^[^\n]*{word}[^\n]*$"):
            player(f"hf:path={home}", RULES)
    with pytest.raises(ValueError, match="hf:path=FOLDER"):
        player("hf", RULES)


def test_a_board_whose_prompt_is_too_long_is_said_in_one_line(folder):
    with pytest.raises(ValueError, match=r"^the model in [^\n]* failed: [^\n]*$"):
        player(f"hf:path={folder}", RULES).ask("x" * 700)
