"""Networks in ONNX files as players."""

import copy
import pickle
import re
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from onnx import TensorProto, helper

from tttenv import Rules, certify, player
from tttenv.exact import positions
from tttenv.policy import OBSERVATIONS, from_observations

RULES = Rules()
BOARDS = positions(RULES).boards[positions(RULES).decisions]


class Masked(torch.nn.Module):
    """Network of two inputs."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, observation, action_mask):
        """Return logits."""
        return self.net(observation) + 100 * (action_mask - 1)


def net_of(inputs, seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(inputs, 32), torch.nn.Tanh(), torch.nn.Linear(32, 9)
    )


def saved(net, file, *shapes, names=("board",), batch=None):
    """Write a network by torch's exporter, for batches of one size or, with None, of any size."""
    given = tuple(torch.zeros(batch or 1, *shape) for shape in shapes)
    axes = None if batch else {name: {0: "batch"} for name in (*names, "logits")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter is an older one
        torch.onnx.export(
            net, given, str(file), dynamo=False, input_names=list(names),
            output_names=["logits"], dynamic_axes=axes,
        )  # fmt: skip
    return file


@pytest.mark.parametrize(
    ("obs", "shape", "kind", "batch"),
    [
        ("onehot", (27,), "logits", None),
        ("onehot", (3, 3, 3), "values", 2),
        ("board", (9,), "values", 1),
        ("board", (3, 3), "logits", 1000),
    ],
)
def test_it_plays_as_the_network_that_was_saved(obs, shape, kind, batch, tmp_path):
    net = net_of(int(np.prod(shape)))
    file = saved(net, tmp_path / "net.onnx", shape, batch=batch)
    loaded = player(f"onnx:path={file},obs={obs},kind={kind}", RULES)
    ours = from_observations(lambda seen: net(torch.as_tensor(seen, dtype=torch.float32)), RULES,
                             obs, kind)  # fmt: skip
    np.testing.assert_allclose(loaded(BOARDS[::7]), ours(BOARDS[::7]), atol=1e-5)


def test_the_documented_export_is_played(tmp_path, monkeypatch):
    pytest.importorskip("onnxscript")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs/how-to/evaluate-my-network.md").read_text()
    (block,) = re.findall(r"^torch\.onnx\.export\(.*?^\)", page, re.S | re.M)
    net = net_of(27)
    exec(block, {"torch": torch, "net": net})
    found = certify(RULES, "onnx:path=model.onnx,kind=values")
    assert found == certify(RULES, from_observations(net, RULES, kind="values"))
    assert player("onnx:path=model.onnx", RULES)(BOARDS[:3]).shape == (3, 9)


def test_a_copy_plays_as_the_network_that_was_loaded_whatever_the_file_holds_now(tmp_path):
    file = saved(net_of(27), tmp_path / "net.onnx", (27,))
    one = player(f"epsilon:player=(onnx:path={file},kind=values)", RULES)
    probs = one(BOARDS)
    env = gym.make("TicTacToe-v0", m=3, n=3, k=3, opponent=one)
    assert env.spec.kwargs["opponent"].name == one.name
    saved(net_of(27, seed=1), file, (27,))
    for copied in (copy.deepcopy(one), pickle.loads(pickle.dumps(env)).unwrapped.match.opponent):
        assert (copied(BOARDS) == probs).all()


def test_a_network_of_two_inputs_takes_the_mask(tmp_path):
    file = saved(Masked(net_of(27)), tmp_path / "net.onnx", (27,), (9,),
                 names=("observation", "action_mask"))  # fmt: skip
    loaded = player(f"onnx:path={file},obs=dict", RULES)
    seen = OBSERVATIONS["dict"](BOARDS)
    given = {name: torch.as_tensor(part).float() for name, part in seen.items()}
    logits = Masked(net_of(27))(**given).detach().numpy()
    np.testing.assert_allclose(loaded.unmasked(BOARDS).argmax(1), logits.argmax(1))


def graph(shape, size=9, kind=TensorProto.FLOAT, outside=None):
    """Return a model that multiplies by zeros, with external weights if `outside` names a file."""
    weights = helper.make_tensor("w", kind, [shape[-1], size], [0] * shape[-1] * size)
    if outside:
        weights.ClearField("float_data")
        weights.data_location = TensorProto.EXTERNAL
        weights.external_data.add(key="location", value=outside)
    node = helper.make_node("MatMul", ["board", "w"], ["logits"])
    given = helper.make_tensor_value_info("board", kind, shape)
    answer = helper.make_tensor_value_info("logits", kind, None)
    made = helper.make_graph([node], "g", [given], [answer], [weights])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def reordered(model):
    """Return a model as bytes in which the value of an entry precedes its key."""
    data = model.SerializeToString()
    key, value = b"\x0a\x08location", b"\x12\x06beside"
    assert key + value in data
    return data.replace(key + value, value + key)


def in_node(model):
    """Return a model whose weights are an attribute of a node."""
    node = helper.make_node("Constant", [], ["w"], value=model.graph.initializer.pop())
    model.graph.node.insert(0, node)
    return model


@pytest.mark.parametrize(
    ("options", "model", "message"),
    [
        ("", None, "onnx:path=MODEL.onnx"),
        ("path=missing.onnx", None, "no file missing.onnx"),
        ("path=net.onnx", b"not a model", "net.onnx cannot be loaded"),
        ("path=net.onnx", graph([None, 27], outside="/etc/passwd"), "refers to other files"),
        ("path=net.onnx", reordered(graph([None, 27], outside="beside")), "refers to other files"),
        ("path=net.onnx", in_node(graph([None, 27], outside="beside")), "refers to other files"),
        ("path=net.onnx", graph([10**9, 27]), "batches of 1,000,000,000 boards"),
        ("path=net.onnx", graph([None, 27], kind=TensorProto.UINT32), r"tensor\(uint32\)|loaded"),
        ("path=net.onnx,obs=dict", graph([None, 27]), "inputs observation and action_mask"),
        ("path=net.onnx,obs=planes", graph([None, 27]), "onehot, board, dict"),
        ("path=net.onnx", graph([None, 27], size=8), r"must return logits of shape \(2, 9\)"),
        ("path=net.onnx", graph([None, 26]), "net.onnx failed"),
        ("path=.", None, "cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_named_in_one_line(options, model, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside").write_bytes(bytes(27 * 9 * 4))
    if model is not None:
        data = model if isinstance(model, bytes) else model.SerializeToString()
        (tmp_path / "net.onnx").write_bytes(data)
    with pytest.raises(ValueError, match=message) as error:
        player(f"onnx:{options}", RULES)(BOARDS[:2])
    assert "\n" not in str(error.value)
