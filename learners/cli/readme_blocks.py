"""Generated blocks of a README, delimited by markers."""

from pathlib import Path


def around(text: str, name: str, where: str = "the text") -> tuple[str, str]:
    """Return the text before and after a named block, with the block's markers.

    Raises:
        ValueError: if the text has no such markers.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"{where} has no markers {begin.strip()} and {end}")
    return before + begin, end + after


def check(file: Path, name: str) -> None:
    """Raise ValueError if a file lacks the markers of a named block."""
    around(file.read_text(encoding="utf-8"), name, str(file))


def replaced(text: str, name: str, block: str, where: str = "the text") -> str:
    """Return the text with a named block replaced."""
    before, after = around(text, name, where)
    return f"{before}{block}\n{after}"


def put(file: Path, name: str, block: str) -> None:
    """Replace a named block in a file.

    Raises:
        ValueError: if the file has no such block.
    """
    from tttenv.utils.files import write

    write(file, replaced(file.read_text(encoding="utf-8"), name, block, str(file)))
