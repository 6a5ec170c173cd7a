"""Tables of checkpoints/README.md, generated from the files beside it."""

import json
from pathlib import Path
from typing import Any

from learners.cli import benchmark, benchmark_tables
from scripts.reproduction import tables

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "checkpoints"
README = "checkpoints/README.md"


def written() -> str:
    """Return the README with its tables of trained players and measurements updated."""
    text = (ROOT / README).read_text(encoding="utf-8")
    for name, block in blocks(benchmark.named_players()).items():
        text = benchmark_tables.replaced(text, name, block)
    return text


def blocks(named: list[dict[str, Any]]) -> dict[str, str]:
    """Return the tables, by the name of their markers."""
    results = benchmark_tables.shipped_results(HOME, named)
    published = json.loads((HOME / "published.json").read_text(encoding="utf-8"))
    return {
        "players": benchmark_tables.players(HOME),
        "table": f"```text\n{benchmark_tables.text(results)}\n```",
        "published": tables.markdown(published["rows"]),
    }
