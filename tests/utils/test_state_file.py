"""States of unfinished work: what is written is read again, and damage is noticed."""

import numpy as np
import pytest

from tttenv.utils.tensor_file import read_state, write_state

CONTENT = {
    "count": 3,
    "rows": [[1.5, None], ["é"]],
    "codes": [np.arange(6).reshape(3, 2)[::-1]],
    "small": np.arange(5, dtype=np.uint16),
    "empty": np.empty((0, 2), np.float64),
}


def test_a_state_is_read_as_it_was_written_and_any_damage_is_refused(tmp_path):
    file = tmp_path / "state"
    with pytest.raises(FileNotFoundError):
        read_state(file, "odd state, 1")
    write_state(file, "odd state, 1", CONTENT)
    found = read_state(file, "odd state, 1")
    assert found.keys() == CONTENT.keys()
    assert (found["count"], found["rows"]) == (3, [[1.5, None], ["é"]])
    for name in ("small", "empty"):
        assert np.array_equal(found[name], CONTENT[name])
        assert found[name].dtype == CONTENT[name].dtype
    assert np.array_equal(found["codes"][0], CONTENT["codes"][0])
    with pytest.raises(ValueError, match="is not an odd state"):
        read_state(file, "odd state, 2")
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        if (damaged := _read(file)) is not None:  # of the padding, or of the order of arrays
            assert damaged.keys() == CONTENT.keys()
            assert all(np.array_equal(damaged[name], found[name]) for name in ("codes", "small"))
        file.write_bytes(whole[:at])
        assert _read(file) is None


def _read(file):
    """Return a state, or None if it is refused."""
    try:
        return read_state(file, "odd state, 1")
    except ValueError:
        return None
