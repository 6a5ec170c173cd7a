"""When a learner was first unbeatable, first perfect, and for how many certificates in a row."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from tttenv.certificates.certificate import Certificate

# What a certificate may say: the player cannot be beaten, or gives nothing away in any position.
Mark = Literal["unbeatable", "perfect"]
MARKS: tuple[Mark, ...] = get_args(Mark)


@dataclass
class Milestones:
    """Milestones in the certificates of one learner so far, in the order of its training.

    In a loop of one's own::

        milestones = Milestones()
        for step in range(1000, 100_001, 1000):
            ...  # train to this step
            milestones.add(tttenv.certify(rules, agent), step)
            if milestones.in_a_row["unbeatable"] == 3:
                break
        print(milestones.unbeatable_at, milestones.perfect_at)
    """

    unbeatable_at: tuple[int, float] | None = None  # step and seconds of the first unbeatable one
    perfect_at: tuple[int, float] | None = None  # of the first one without a blunder anywhere
    # For each mark, how many certificates up to the last one had it, one after the other.
    in_a_row: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MARKS, 0))

    def add(self, certificate: Certificate | None, step: int, seconds: float = 0.0) -> list[Mark]:
        """Add the next certificate; return the marks that it has as the first one.

        Args:
            certificate: as `tttenv.certify` returns it; None has no mark.
            step: of the training.
            seconds: of the training, if they are of interest.
        """
        unbeatable = certificate is not None and bool(certificate.unbeatable)
        perfect = certificate is not None and unbeatable and certificate.blunders == 0
        found: dict[Mark, bool] = {"unbeatable": unbeatable, "perfect": perfect}
        self.in_a_row = {mark: found[mark] * (self.in_a_row.get(mark, 0) + 1) for mark in MARKS}
        new = [mark for mark in MARKS if found[mark] and getattr(self, f"{mark}_at") is None]
        for mark in new:
            setattr(self, f"{mark}_at", (step, seconds))
        return new
