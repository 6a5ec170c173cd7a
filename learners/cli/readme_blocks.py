"""Blocks of text between markers: the generated parts of a README."""

from pathlib import Path


def around(text: str, name: str, where: str = "the text") -> tuple[str, str]:
    """Return the text before and after the block of this name, with the markers.

    Args:
        text: the whole text.
        name: the block's name.
        where: the text's origin, for the error.

    Raises:
        ValueError: if the text has no such marks.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"{where} has no marks {begin.strip()} and {end}")
    return before + begin, end + after


def check(file: Path, name: str) -> None:
    """Raise ValueError if the file has no markers of this name."""
    around(file.read_text(encoding="utf-8"), name, str(file))


def replaced(text: str, name: str, block: str, where: str = "the text") -> str:
    """Return the text with the block between the markers of this name replaced."""
    before, after = around(text, name, where)
    return f"{before}{block}\n{after}"


def put(file: Path, name: str, block: str) -> None:
    """Replace the text between the markers of this name in a file.

    Raises:
        ValueError: if the file has none.
    """
    from tttenv.utils.files import write

    write(file, replaced(file.read_text(encoding="utf-8"), name, block, str(file)))
