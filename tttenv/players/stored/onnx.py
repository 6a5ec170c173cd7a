"""Player that runs a network from an ONNX file, exported from any framework."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.policy import Observed, from_observations
from tttenv.utils.untrusted import read_bytes, shown

LARGEST = 2**29  # bytes of a file
MOST_ROWS = 2**16  # in a batch of fixed size
LONGEST_REASON = 200  # maximum characters of the runtime's error in a message
NUMBERS: dict[str, Any] = {"float": np.float32, "double": np.float64, "float16": np.float16}
NUMBERS |= {"int8": np.int8, "int32": np.int32, "int64": np.int64}
TYPES = {f"tensor({name})": np.dtype(kind) for name, kind in NUMBERS.items()}  # of inputs


def onnx(
    rules: Rules,
    path: str = "",
    obs: Literal["onehot", "board", "dict"] = "onehot",
    kind: Literal["logits", "values", "probs"] = "logits",
) -> Observed:
    """Return a player that runs an ONNX network with ONNX Runtime on one core.

    Args:
        rules: the game it was trained for.
        path: the file, which must contain all weights.
        obs: its input, as in the environment: "onehot" (batch, 3 * cells) or (batch, 3, m, n),
            "board" (batch, cells) or (batch, m, n), or "dict" with inputs named "observation" and
            "action_mask". If the file fixes the size of batches, so many boards are run at a time.
        kind: its first output (batch, cells): "logits" and "probs" are sampled from, "values" are
            played greedily; see `tttenv.policy.from_observations`.

    Raises:
        ValueError: for a file that is missing, too large, or no network for this game and `obs`;
            when queried, if the network fails.
    """
    if not path:
        raise ValueError("onnx needs the file of a network: onnx:path=MODEL.onnx")
    try:
        data = read_bytes(Path(path), LARGEST)
    except FileNotFoundError:
        raise ValueError(f"there is no file {shown(path)}") from None
    return from_observations(_Network(shown(path), data, obs), rules, obs, kind)


class _Network:
    """A network from the bytes of an ONNX file, as a function of observations."""

    def __init__(self, name: str, data: bytes, obs: str) -> None:
        import onnx
        import onnxruntime

        self.made_from, self.name = (name, data, obs), name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the same on all machines
        options.log_severity_level = 4
        options.add_session_config_entry("session.load_model_format", "ONNX")  # as it is checked
        providers = ["CPUExecutionProvider"]
        try:
            outside = _refers_elsewhere(onnx.load_model_from_string(data))
            if not outside:
                self.session: Any = onnxruntime.InferenceSession(data, options, providers=providers)
        except Exception as error:  # of the protobuf library, or the runtime, which has its own
            raise self._failed("cannot be loaded", error) from None
        if outside:
            raise ValueError(
                f"{self.name} refers to other files: save it with all weights inside, in PyTorch by"
                " external_data=False"
            )
        self.inputs = {given.name: given for given in self.session.get_inputs()}
        wanted = {"observation", "action_mask"} if obs == "dict" else None
        if (wanted is None and len(self.inputs) != 1) or (wanted and set(self.inputs) != wanted):
            named = shown(", ".join(self.inputs), LONGEST_REASON)
            inputs = "inputs observation and action_mask" if wanted else "one input"
            raise ValueError(f'{self.name}: {inputs} are needed for obs="{obs}", not {named}')
        for given in self.inputs.values():
            if given.type not in TYPES:
                raise ValueError(f"{self.name} takes inputs of type {shown(given.type, 60)}")
        self.output = self.session.get_outputs()[0].name
        fixed = [given.shape[0] for given in self.inputs.values() if given.shape]
        self.batch = next((size for size in fixed if isinstance(size, int)), None)
        if self.batch and self.batch > MOST_ROWS:
            raise ValueError(f"{self.name} takes batches of {self.batch:,} boards, not of any size")

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling: the copy has the bytes that were read, not the file."""
        return _Network, self.made_from

    def __call__(self, seen: Any) -> NDArray[Any]:
        """Return the output for observations (batch, ...), a row for each."""
        parts = seen if isinstance(seen, dict) else dict.fromkeys(self.inputs, seen)
        fed = {name: self._shaped(name, part) for name, part in parts.items()}
        count = len(next(iter(fed.values())))
        size = self.batch or max(count, 1)
        try:
            found = [self._run(fed, start, size) for start in range(0, max(count, 1), size)]
        except Exception as error:
            raise self._failed("failed", error) from None
        return np.concatenate(found)[:count].reshape(count, -1)

    def _run(self, fed: dict[str, NDArray[Any]], start: int, size: int) -> NDArray[Any]:
        """Return the output for `size` rows of the inputs, filled up by repeating the last row."""
        last = len(next(iter(fed.values()))) - 1
        at = np.minimum(np.arange(start, start + size), last)
        rows = {name: part[at] for name, part in fed.items()}
        return np.asarray(self.session.run([self.output], rows)[0])

    def _shaped(self, name: str, part: NDArray[Any]) -> NDArray[Any]:
        """Return an observation converted to an input's type and, if the sizes match, its shape."""
        given = self.inputs[name]
        inner = given.shape[1:]
        if all(isinstance(size, int) for size in inner) and np.prod(inner) == part[0].size:
            part = part.reshape(len(part), *inner)
        return np.ascontiguousarray(part, TYPES[given.type])

    def _failed(self, what: str, error: Exception) -> ValueError:
        reason = " ".join(str(error).split())  # the runtime's first line may end before its reason
        return ValueError(f"{self.name} {what}: {shown(reason, LONGEST_REASON)}")


def _refers_elsewhere(message: Any) -> bool:
    """Return whether any tensor in a message of an ONNX file has its numbers in another file."""
    if message.DESCRIPTOR.name == "TensorProto":
        return bool(message.external_data) or message.data_location == message.EXTERNAL
    parts = [
        part
        for field, value in message.ListFields()
        if field.message_type
        for part in ([value] if hasattr(value, "DESCRIPTOR") else value)  # or repeated
    ]
    return any(map(_refers_elsewhere, parts))
