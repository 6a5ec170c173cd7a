"""S0: a linear evaluation with seven features, trained by least mean squares."""

from scripts.reproduction.rows import PRINTED, Row, Run, Strength, ours

MEAN = (0.9170, 0.0385, 0.0444)
PRINTS = (0.919, 0.038, 0.046)


def numbers(run: Run) -> list[Row]:
    """Train two published forms for 10,000 games."""
    usual, _ = run.train("lms", 100)
    x_first, _ = run.train("lms", 100, "published_x_first")
    found, found_x, repaired = Strength(usual.policy()), Strength(x_first.policy()), ours("lms")
    games = "10,000 games"
    return [
        Row("S0.random", "random against random: won, draw, lost", Strength("random").mean,
            (0.410, 0.138, 0.452), (0.436508, 0.126984, 0.436508), 1e-6, unit="%",
            budget="all positions / 1,000 games",
            note="mean of both seats; within the noise of the claim: z = -1.69, 1.05, 0.99"),
        Row("S0.mean", "against random, both seats: won, draw, lost", found.mean, PRINTS, MEAN,
            PRINTED, unit="%", repaired=repaired.mean, budget=games,
            note="the printed counts add up to 1,003; true only with alternating starters; within "
            "their noise: z = 0.23, -0.09, 0.24"),
        Row("S0.worst", "worst case first / second", found.worst, (), (0, -1), unit="value",
            repaired=repaired.worst, budget=games, player="LMS, seven features"),
        Row("S0.weights", "weights, alternating starters", usual.weights.tolist(), (),
            (-0.464049, 0.122196, -0.378908, 1.588691, -0.356476, -0.306870, 1.0), 1e-6,
            unit="weight", budget=games, note="w6 stays 1, as no board updated from is final"),
        Row("S0.x_mean", "x always starts: against random, both seats", found_x.mean, PRINTS,
            (0.547, 0, 0.453), 5e-4, unit="%", repaired=repaired.mean, budget=games,
            note="as the article prints the loop: the claim fails, z = 23.68, 0.04, -25.91"),
        Row("S0.x_worst", "that form, worst case first / second", found_x.worst, (), (-1, -1),
            unit="value", repaired=repaired.worst, budget=games),
    ]  # fmt: skip
