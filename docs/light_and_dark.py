"""Pictures of the pages' Markdown, written as HTML so that they show on GitHub, for Sphinx."""

import re

PAIR = re.compile(
    r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">'
    r'<img src="([^"]+)" alt="([^"]+)"></picture>'
)
SINGLE = re.compile(r'^<img src="([^"]+)" alt="([^"]+)" width="([^"]+)">$', re.MULTILINE)


def as_directives(text: str) -> str:
    """Replace the pictures in a page by directives, which Sphinx copies and shows by its theme."""
    one = "```{{image}} {}\n:alt: {}\n:class: only-{}\n```"
    text = PAIR.sub(
        lambda found: "\n\n".join(
            one.format(file, found[3], theme)
            for file, theme in ((found[2], "light"), (found[1], "dark"))
        ),
        text,
    )
    return SINGLE.sub(r"```{image} \1\n:alt: \2\n:width: \3\n```", text)
