"""Certificates in cards from elsewhere: shown as they are, or not at all."""

from copy import deepcopy

import pytest

from tttenv import Rules, certify
from tttenv.certificates.certificate import METHODS, stated_certificate
from tttenv.certificates.metrics import flat
from tttenv.certificates.verdict import certificate_table

RULES = Rules(2, 3, 3)
MISSING = object()
WRONG = [MISSING, None, True, 2, -1.5, 10**400, "x", [], [1], {}, {"X": 1}, {"X": "a", "O": "b"}]


def paths(value, path=()):
    """Yield the paths of all values in JSON but the whole."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from paths(inner, (*path, key))


@pytest.mark.parametrize("method", METHODS)
def test_whatever_a_card_states_can_be_shown_or_is_no_certificate(method):
    certificate = certify(RULES, "first", method=method)
    stated = certificate.to_dict()
    assert stated_certificate({"certificate": stated}, RULES) == certificate
    shown = 0
    for *path, key in paths(stated):
        for wrong in WRONG:
            changed = deepcopy(stated)
            place = changed
            for step in path:
                place = place[step]
            if wrong is MISSING:
                del place[key]
            else:
                place[key] = wrong
            found = stated_certificate({"certificate": changed}, RULES)
            if found is not None:
                assert certificate_table(found)
                assert all(isinstance(number, float) for number in flat(found).values())
                shown += 1
    assert shown
