"""What `make check` counts: lines of code, and functions that raise without saying so."""

from tests.budgets import code_lines, silent

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


def test_docstrings_are_no_lines_of_code_and_other_texts_are():
    assert code_lines(SOURCE) == len(SOURCE.splitlines()) - 3
    assert code_lines('"""Of\n\nthree."""\n# one\n\ntext = """of\ntwo"""\n') == 4
