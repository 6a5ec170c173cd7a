"""Language models from transformers folders as players in this process."""

import json
import os
import shutil

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import tttenv
from tttenv import Rules, player, text
from tttenv.cli import certify as command

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
    assert len(about["weights_sha256"]) == 64


def test_it_answers_in_every_notation_and_takes_the_users_turn_of_a_chat(folder, tmp_path):
    model = player(f"hf:path={folder},notation=coordinates", RULES)
    assert model.ask(text.prompt(RULES, RULES.start(), "coordinates")) == "4"
    chatty = shutil.copytree(folder, tmp_path / "chatty")
    template = "{% for m in messages %}{{ m.role }}: {{ m.content }}4{% endfor %}"
    (chatty / "chat_template.jinja").write_text(template)
    assert player(f"hf:path={chatty}", RULES).ask("Where?") == ""  # after a 4 it ends


def test_answers_have_a_maximum_length(tmp_path):
    endless = save(tmp_path / "endless", {".": "4", "4": "4"})
    assert player(f"hf:path={endless},tokens=7", RULES).ask("Where.") == "4" * 7


def wrong_folders(folder, tmp_path):
    """Yield folders without a loadable model, and a word of the error message."""
    yield tmp_path / "missing", "no transformers model"
    pickled = shutil.copytree(folder, tmp_path / "pickled")
    torch.save({}, pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    yield pickled, "safetensors"
    code = shutil.copytree(folder, tmp_path / "code")
    about = json.loads((code / "config.json").read_text())
    own = {"AutoConfig": "mine.Config", "AutoModelForCausalLM": "mine.Model"}
    about |= {"model_type": "mine", "auto_map": own}
    (code / "config.json").write_text(json.dumps(about))
    (code / "mine.py").write_text("raise SystemExit('code was run')\n")
    yield code, "cannot be loaded"
    deeper = shutil.copytree(folder, tmp_path / "deeper")
    about = json.loads((folder / "config.json").read_text()) | {"n_layer": 2}
    (deeper / "config.json").write_text(json.dumps(about))
    yield deeper, "lacks"
    piped = shutil.copytree(folder, tmp_path / "piped")
    (piped / "tokenizer.json").unlink()
    os.mkfifo(piped / "tokenizer.json")
    yield piped, "something other"
    adapter = shutil.copytree(folder, tmp_path / "adapter")
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": "/"}')
    yield adapter, "merge"
    speechless = shutil.copytree(folder, tmp_path / "speechless")
    for file in speechless.glob("tokenizer*"):
        file.unlink()
    yield speechless, "no tokenizer"
    yield folder / "config.json", "no transformers model"
    endless = shutil.copytree(folder, tmp_path / "endless")
    about = json.loads((folder / "config.json").read_text()) | {"n_layer": 10**9}
    (endless / "config.json").write_text(json.dumps(about))
    yield endless, "layers"
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
    assert tttenv.certify(RULES, player(f"hf:path={folder}", RULES)).never_loses["X"] is False
