"""S0: a linear evaluation with seven features, trained by least mean squares."""

from scripts.reproduction.rows import Row, Run, measured, row


def numbers(run: Run) -> list[Row]:
    """Train two published forms for 10,000 games."""
    usual, _ = run.train("lms", 100)
    x_first, _ = run.train("lms", 100, "published_x_first")
    return [
        *measured("random", "S0.random"),
        *measured(usual.policy(), "S0.mean", "S0.worst"),
        row("S0.weights", usual.weights.tolist()),
        *measured(x_first.policy(), "S0.x_mean", "S0.x_worst"),
    ]
