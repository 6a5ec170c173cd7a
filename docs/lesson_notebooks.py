"""Jupyter notebooks of the lessons: written beside the site, and linked from each lesson.

The site has them in `notebooks/`. Colab opens notebooks from GitHub only, so the workflow that
publishes the site also pushes that folder to the branch `notebooks`, and GitHub Actions tells the
build the repository's name. Elsewhere the lessons have no link to Colab.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

FOLDER = "notebooks"  # on the site, and the branch
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
CHECKOUT = """\
# Run this notebook where tttenv and its extra "learn" are installed, for example by
#     pip install -c constraints.txt -e '.[learn]'
# in a checkout of the project."""


def repository(environment: Mapping[str, str]) -> str | None:
    """Return OWNER/NAME of the repository on GitHub that publishes the site, or None elsewhere."""
    name = environment.get("GITHUB_REPOSITORY", "")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    return name if server == "https://github.com" and REPOSITORY.fullmatch(name) else None


def install(text: str, environment: Mapping[str, str]) -> str:
    """Return the code of a notebook's first cell, which installs what the lesson `text` imports."""
    name = repository(environment)
    if name is None:
        return CHECKOUT
    commit = environment.get("GITHUB_SHA", "")
    package = f"tttenv[learn] @ git+https://github.com/{name}{'@' * bool(commit)}{commit}"
    others = [library for library in ("matplotlib", "pettingzoo") if library in text]
    return " ".join(["%pip install --quiet", f'"{package}"', *others])


def notebook(text: str, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """Convert the Markdown of a lesson to a notebook without outputs."""
    found = read_myst_markdown_notebook(text)
    first = nbformat.v4.new_code_cell(install(text, environment))
    title = 1 if found.cells[0].cell_type == "markdown" else 0
    found.cells.insert(title, first)
    for number, cell in enumerate(found.cells):
        cell["id"] = f"cell-{number}"
        cell["metadata"] = {
            key: value for key, value in cell["metadata"].items() if key in ("tags",)
        }
    found.nbformat, found.nbformat_minor = 4, 5
    nbformat.validate(found)
    return found


def links(page: str, environment: Mapping[str, str]) -> str:
    """Return the links to the notebook of a lesson, `lessons/NAME`, as HTML."""
    file = f"{page.rpartition('/')[2]}.ipynb"
    found = [f'<a href="../{FOLDER}/{file}" download>Download as a notebook</a>']
    if name := repository(environment):
        colab = f"https://colab.research.google.com/github/{name}/blob/{FOLDER}/{file}"
        found.append(f'<a href="{colab}">Open in Colab</a>')
    return f'<p class="notebook-links">{" ".join(found)}</p>'


def with_links(page: str, text: str, environment: Mapping[str, str]) -> str:
    """Return the Markdown of a lesson with links to its notebook below the title."""
    added = f"\\1\n\n```{{raw}} html\n{links(page, environment)}\n```\n"
    return re.sub(r"^(# .*)$", added, text, count=1, flags=re.M)


def is_lesson(page: str) -> bool:
    """Return whether a page, named without its suffix, is a lesson."""
    return re.fullmatch(r"lessons/\d\d-[\w-]+", page) is not None


def write(docs: Path, out: Path, environment: Mapping[str, str]) -> None:
    """Write the notebooks of all lessons in `docs` to the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted((docs / "lessons").glob("[0-9]*.md")):
        found = notebook(file.read_text(encoding="utf-8"), environment)
        (out / f"{file.stem}.ipynb").write_text(nbformat.writes(found), encoding="utf-8")
