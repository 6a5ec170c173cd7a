"""The boards of the day in either browser: the dates that tests know, and how they are played."""

import json
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent / "page"
PLAY = (FOLDER / "daily.js").read_text(encoding="utf-8").partition("async ")[2]
DAYS = tomllib.loads((FOLDER / "daily.toml").read_text(encoding="utf-8"))


def script(date, choices):
    """Return the expression that plays a date's boards."""
    return f"(async {PLAY.strip().rstrip(';')})({json.dumps(date)}, {json.dumps(choices)})"


def written(played):
    """Return what a board of the day is, as in daily.toml."""
    about = dict(part.split("=") for part in played["link"][1:].split("&"))
    assert (about["seat"], about["show"]) == ("both", "values")
    return f"{about.get('rules', '3,3,3')} {about['moves']} {played['right']}"
