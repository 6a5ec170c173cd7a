"""The slow lines of the signature."""

import pytest
import signature


@pytest.mark.parametrize("line", signature.compared(slow=True))
def test_a_slow_line_of_the_signature_is_unchanged(line):
    golden, _ = signature.read()
    assert signature.changes(golden.get(line, {}), signature.measured(line)) == []
