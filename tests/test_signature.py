"""What the package computes is what it computed before: the quick lines of the signature."""

import pytest
import signature

pytestmark = pytest.mark.xdist_group("signature")  # whose lines share solved games


@pytest.mark.parametrize("line", signature.compared(slow=False))
def test_a_line_of_the_signature_is_unchanged(line):
    golden, _ = signature.read()
    assert signature.changes(golden.get(line, {}), signature.measured(line)) == []
