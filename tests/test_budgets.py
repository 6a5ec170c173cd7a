"""What `make check` counts: functions that raise an error of which their docstring says nothing."""

from tests.budgets import silent

SOURCE = '''
def said():
    """Raises ValueError, or `errors.OtherError`."""
    if 1:
        raise ValueError("")
    raise errors.OtherError("")

def half():
    """Raise ValueError."""
    raise ValueError("")
    raise KeyError("")

async def mute():
    raise ValueError(1)

def inside():
    def nested():
        raise ValueError("")

def passed(error):
    try:
        raise NotImplementedError("")
    except OSError:
        raise
    raise error
    raise made(error)

def _private():
    raise ValueError("")

class Some:
    def method(self):
        """Return nothing, and no ValueErrors."""
        raise ValueError("")

    def _own(self):
        raise ValueError("")

class _Hidden:
    def method(self):
        raise ValueError("")
'''


def test_public_functions_whose_docstring_names_not_all_that_they_raise_are_counted():
    assert silent(SOURCE) == [
        "8: half raises KeyError without saying so",
        "13: mute raises ValueError without saying so",
        "32: method raises ValueError without saying so",
    ]
