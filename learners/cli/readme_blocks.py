"""Blocks of text between markers: the generated parts of a README."""

from pathlib import Path


def around(file: Path, name: str) -> tuple[str, str]:
    """Return what is before and after the block of this name, markers included.

    Raises:
        ValueError: if the file has no such marks.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = file.read_text(encoding="utf-8").partition(begin)
    _, ends, after = rest.partition(end)
    if not (found and ends):
        raise ValueError(f"{file} has no marks {begin.strip()} and {end}")
    return before + begin, end + after


def put(file: Path, name: str, text: str) -> None:
    """Replace the text between the markers of this name.

    Raises:
        ValueError: if the file has none.
    """
    from tttenv.utils.files import write

    before, after = around(file, name)
    write(file, f"{before}{text}\n{after}")
