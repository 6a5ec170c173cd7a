"""Parts of one piece of work, answered by workers that hold what the parts have in common.

The caller divides its work into parts that do not depend on the number of workers, so the answers
do not either, bit for bit.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.parallel.tasks import Backend, Common, Context, Task, Work, run


@dataclass(frozen=True)
class Crew:
    """Workers that answer one list of parts after another.

    Args:
        backend: the workers, whose context is entered.
    """

    backend: Backend

    def answers(self, work: Work, parts: Sequence[Any], common: Common) -> list[Any]:
        """Return the answers to all parts, in their order.

        A part whose workers were all lost is answered in this process.

        Args:
            work: a module-level function of a part and a `Context`; returns a JSON value.
            parts: its arguments.
            common: what the parts have in common; see `Common`.

        Raises:
            ValueError: in one line, if a worker refuses a part.
        """
        tasks = [Task(f"part {n}", work, part, common=common) for n, part in enumerate(parts)]
        found: dict[int, Any] = {}
        for outcome in run(tasks, self.backend):
            number, answer = outcome.number, outcome.value
            if outcome.lost or outcome.traceback:  # an error that may be a bug is raised again here
                here = Context(lambda step, steps, state: None, common=common)
                answer = work(parts[number], here)
            elif outcome.error:
                raise ValueError(outcome.error)
            found[number] = answer
        return [found[number] for number in range(len(parts))]


def packed(*arrays: NDArray[Any]) -> str:
    """Return arrays as text, bit for bit."""
    file = io.BytesIO()
    np.savez(file, *arrays)
    return base64.b64encode(file.getvalue()).decode()


def unpacked(text: str) -> list[NDArray[Any]]:
    """Return the arrays of `packed`."""
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as found:
        return [found[f"arr_{number}"] for number in range(len(found))]
