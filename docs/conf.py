"""How Sphinx builds the documentation: `make docs`."""

import ast
import contextlib
import importlib.util
import inspect
import io
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest import mock

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(DOCS)]
os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the kernels that run the code cells
os.environ["MATPLOTLIBRC"] = str(DOCS / "matplotlibrc")  # of their pictures

import lesson_notebooks  # noqa: E402  # beside this file
import light_and_dark  # noqa: E402
from jupyter_client import KernelManager  # noqa: E402

import tttenv  # noqa: E402  # of this checkout

KernelManager.transport_encryption.default_value = "auto"  # of what kernels and Sphinx exchange

project = "tttenv"
author = "the tttenv contributors"
project_copyright = author
release = version = tttenv.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build", "reference/generated"]
html_theme = "furo"
html_title = "tttenv"
html_favicon = html_logo = "../tttenv/report/page/icon.svg"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {"navigation_with_keys": True}
if _repository := lesson_notebooks.repository(os.environ):  # where the site is published
    html_context = {"repository": f"https://github.com/{_repository}"}
    html_theme_options |= {  # "Edit this page"
        "source_repository": html_context["repository"],
        "source_branch": os.environ.get("GITHUB_REF_NAME", "main"),
        "source_directory": "docs/",
    }
templates_path = ["_templates"]
_SIDEBAR = ("brand", "search", "scroll-start", "play", "navigation", "project", "scroll-end")
html_sidebars = {"**": [f"sidebar/{part}.html" for part in _SIDEBAR]}
pygments_style, pygments_dark_style = "a11y-light", "monokai"  # contrasts of 4.5 at least

# Pages of Markdown; those that begin with a kernel's name are run when they are built.
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / ".jupyter_cache")
nb_execution_timeout = 600  # seconds a page; they take less than 60 on an idle laptop
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_show_tb = True
nb_merge_streams = True
copybutton_exclude = ".linenos, .gp, .go"

# Reference pages of Python, from the docstrings; single backticks in them are code.
default_role = "literal"
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_numpy_docstring = False
napoleon_use_rtype = False


def not_installed() -> list[str]:
    """Return the libraries that the package imports and that are not installed here."""
    names: set[str] = set()
    for file in (ROOT / "tttenv").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
    libraries = {name.partition(".")[0] for name in names}
    return sorted(name for name in libraries if importlib.util.find_spec(name) is None)


autodoc_mock_imports = not_installed()
ARRAY = r"ndarray\[(?:tuple\[.*?\]|Any), dtype\[(\w+)\]\]"
ARRAY_LIKE = r"_Buffer \| _SupportsArray\[.*?_NestedSequence\[complex \| bytes \| str\]"
SPELLED = {  # how signatures spell what Python prints at length
    r"~?\b(?:\w+\.)+(?=[A-Za-z_])": "",  # modules
    ARRAY: r"NDArray[\1]",
    ARRAY_LIKE: "ArrayLike",
    r"<\w+ object>": "known_value",
    r"<factory>": "...",
}


def short_signature(_app: Any, *event: Any) -> tuple[str | None, str | None]:
    """Spell the types in signatures as the code does."""
    *_, signature, returned = event
    for long, short in SPELLED.items():
        signature = signature and re.sub(long, short, signature)
        returned = returned and re.sub(long, short, returned)
    return signature, returned


def docstring_as_rst(_app: Any, *event: Any) -> None:
    """Adapt Markdown in a docstring: headings end it, and tables become those of reStructuredText.

    What follows the first heading is a page of its own, see `reference/environment.md`.
    """
    lines: list[str] = event[-1]
    heading = next((at for at, line in enumerate(lines) if line.startswith("## ")), None)
    if heading is not None:
        lines[heading:] = ["See :doc:`/reference/environment`.", ""]
    at = 0
    while at < len(lines):
        rows = 0
        while at + rows < len(lines) and lines[at + rows].lstrip().startswith("|"):
            rows += 1
        if rows:
            lines[at : at + rows] = table = list_table(lines[at : at + rows])
            at += len(table)
        at += 1


def list_table(rows: list[str]) -> list[str]:
    """A Markdown table as a list-table of reStructuredText."""
    indent = rows[0][: len(rows[0]) - len(rows[0].lstrip())]
    table = [f"{indent}.. list-table::", f"{indent}   :header-rows: 1", ""]
    for row in [rows[0], *rows[2:]]:
        for column, cell in enumerate(row.strip().strip("|").split("|")):
            table.append(f"{indent}   {'  ' if column else '* '}- {cell.strip()}")
    return ["", *table, ""]


def help_page(command: str) -> str:
    """What `tttenv COMMAND --help` prints."""
    from tttenv.cli import main

    name, _, rest = command.partition(" ")
    page = io.StringIO()
    with (
        mock.patch.dict(os.environ, COLUMNS="82"),
        mock.patch("sys.__stdout__", None),  # no colours, whatever terminal this runs in
        contextlib.redirect_stdout(page),
        contextlib.suppress(SystemExit),
    ):
        if name:
            main.COMMANDS.load(name)([*rest.split(), "--help"], f"{main.PROG} {name}")
        else:
            main._without_a_command(["--help"])
    lines = page.getvalue().replace(f"{ROOT}/", "").rstrip().split("\n")
    return "\n".join(line.rstrip() for line in lines)


def command_pages() -> str:
    """A section for every command, with its help text."""
    from tttenv.cli.main import COMMANDS

    parts = [f"```text\n{help_page('')}\n```"]
    for name in COMMANDS.rows:
        parts.append(f"## tttenv {name}\n\n```text\n{help_page(name)}\n```")
    return "\n\n".join(parts)


def learner_pages() -> dict[str, str]:
    """The help text of `tttenv train` for every learner."""
    from learners.registry import LEARNERS

    return {
        f"train_{name}.md": f"```text\n{help_page(f'train {name}')}\n```" for name in LEARNERS.rows
    }


def seeds_of_learners() -> str:
    """A table of what the measured seeds of every learner took."""
    from learners.cli.benchmark import measured
    from tttenv.certificates import phrases

    rows = [
        "| learner | seeds unbeatable | steps, median | seconds of one core, median and slowest |"
        " seeds without a blunder | steps | seconds | moves a second |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in measured(ROOT / "checkpoints"):
        cells = [
            f"[`{one['learner']}`](#{one['learner'].replace('_', '-')})",
            f"{one['unbeatable']} of {one['seeds']}",
            f"{one['median_steps']:.0f}",
            f"{one['median_seconds']:.1f}, {one['slowest_seconds']:.1f}",
            f"{one['perfect']} of {one['seeds']}" if "perfect" in one else "not measured",
            f"{one['median_perfect_steps']:.0f}" if one.get("perfect") else "",
            f"{one['median_perfect_seconds']:.1f}" if one.get("perfect") else "",
            phrases.large(one["moves_per_second"]),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def player_options() -> str:
    """A table of the options of every player that can be named, from its function's signature."""
    from tttenv.players import FOREIGN, PLAYERS

    rows = ["| player | options |", "|--------|---------|"]
    for name in (*PLAYERS.rows, *FOREIGN.rows):
        table = PLAYERS if name in PLAYERS.rows else FOREIGN
        _, *options = inspect.signature(table.load(name)).parameters.values()
        named = [one for one in options if one.name != "rules"]  # `hub` has those of a checkpoint
        shown = [f"`{one.name}{shown_default(one.default)}`" for one in named]
        rows.append(f"| `{name}` | {', '.join(shown) or 'none'} |")
    return "\n".join(rows)


def shown_default(value: Any) -> str:
    """An option's default as it is written in a player's name; nothing if there is none."""
    if value in (None, "", inspect.Parameter.empty):
        return ""
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"={shown.lower() if isinstance(value, bool) else shown}"


def write_generated(_app: Any) -> None:
    """Write the pages that are made from the code, where they have changed."""
    folder = DOCS / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    pages = {"commands.md": command_pages(), "players.md": player_options(), **learner_pages()}
    pages["seeds.md"] = seeds_of_learners()
    for name, text in pages.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def link_notebook(_app: Any, page: str, content: list[str]) -> None:
    """Link each lesson to its notebook."""
    if lesson_notebooks.is_lesson(page):
        content[0] = lesson_notebooks.with_links(page, content[0], os.environ)


def show_pictures(_app: Any, _page: str, content: list[str]) -> None:
    """Let Sphinx copy the pictures of a page, and show them by its theme."""
    content[0] = light_and_dark.as_directives(content[0])


def write_notebooks(app: Any, error: Exception | None) -> None:
    """Write the notebooks of the lessons beside the pages."""
    if error is None and app.builder.format == "html":
        lesson_notebooks.write(DOCS, Path(app.outdir) / lesson_notebooks.FOLDER, os.environ)


def setup(app: Any) -> None:
    """Connect the functions above to Sphinx."""
    app.connect("builder-inited", write_generated)
    app.connect("source-read", link_notebook)
    app.connect("source-read", show_pictures)
    app.connect("build-finished", write_notebooks)
    app.connect("autodoc-process-docstring", docstring_as_rst, priority=100)
    app.connect("autodoc-process-signature", short_signature)
