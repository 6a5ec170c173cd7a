"""Learning curves of the trained players in checkpoints/, as SVG files."""

from scripts.lib.shipped_tables import HOME
from tttenv.certificates.curve import exact_curve, larger_curve
from tttenv.players.stored.checkpoint import read_card
from tttenv.report import charts


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Draw the curves of all players whose cards contain one, by file name and scheme."""
    made = {}
    for card in sorted(HOME.glob("*/card.json")):
        curve = exact_curve.from_card(read_card(card.parent))
        if curve is None:
            raise ValueError(f"{card.parent.name} has no curve")
        for scheme in ("light", "dark"):
            name = f"curve-{card.parent.name}.svg"
            made[name, scheme] = charts.curve_chart(curve, "seconds").file(scheme == "dark")
    for card in sorted((HOME / "larger").glob("*/card.json")):
        grown = larger_curve.from_card(read_card(card.parent))
        if grown is not None and len(grown.steps) > 1:
            for scheme in ("light", "dark"):
                name = f"curve-{card.parent.name}.svg"
                made[name, scheme] = charts.larger_chart(grown).file(scheme == "dark")
    return made
