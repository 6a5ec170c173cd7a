"""Settings of the genetic algorithm: `learners.genetic`."""

from dataclasses import dataclass

from learners.settings import check_range


@dataclass(frozen=True)
class GeneticConfig:
    """Settings of the genetic algorithm."""

    seed: int = 0  # seeds all random numbers
    population: int = 500  # players per generation
    crossover: float = 0.5  # probability that a gene comes from the first parent, not the second
    replicate: float = 0.1  # fraction of children that are copies of one parent
    mutation: float = 0.002  # probability that a gene is replaced by a random move
    power: float = 300.0  # selection is proportional to the fitness to this power
    elite: int = 1  # number of best players that survive unchanged
    # None: fitness by worst cases from all positions; else by games lost, and a factor in a game's
    # weight for each move that deviates from the genes
    stray: float | None = None

    def __post_init__(self) -> None:
        check_range(self, 0, 1, "crossover", "replicate", "mutation", "stray")
        check_range(self, 0, self.population - 1, "elite")


PRESETS = {
    "default": GeneticConfig(),
    "published": GeneticConfig(crossover=0.15, mutation=0.001, power=1.0, elite=0, stray=0.0),
}
