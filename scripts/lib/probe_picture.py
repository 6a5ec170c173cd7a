"""Chart of linear probes that read the board from inside the transformer during training.

For each layer and cell, a linear map is fitted from the residual stream before a move to whether
the cell is mine, theirs or empty. The fraction of cells that it classifies correctly in other games
is drawn over the steps of training (Li et al., "Emergent world representations", ICLR 2023; that it
is linear in mine and theirs: Nanda et al., arXiv 2309.00941).
"""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from learners.move_transformer import Moves, MoveTransformer, boards_before, tokens_of
from learners.transformer import Transformer, TransformerConfig
from tttenv.game.rules import Rules
from tttenv.report import charts

STEPS = (0, 10, 20, 30, 40, 60, 80, 100, 130, 160, 200, 250, 300, 400, 500, 600, 700)
GAMES = 3000  # random games; a third of them is kept from the fit
HEIGHT, PART = 214, (40, 166)
LINES = {0: "o", 1: "x", 2: "good"}  # the style of the line for each number of blocks
LEAST = 0.7  # share of the cells at the bottom


def read_boards(rules: Rules, net: MoveTransformer, games: Moves) -> list[float]:
    """Return the accuracy of linear probes, over all cells, at the input and after each block.

    Args:
        rules: the game.
        net: the network.
        games: moves (games, plies); probes are fitted to the first two thirds.
    """
    boards, waiting = boards_before(rules, games)
    with torch.no_grad():
        streams = [stream.numpy() for stream in net.streams(tokens_of(games))]
    fitted = 2 * len(games) // 3
    parts = waiting[:fitted], waiting[fitted:]
    known, asked = boards[:fitted][parts[0]], boards[fitted:][parts[1]]
    found = []
    for stream in streams:
        wanted = np.stack([known == kind for kind in (-1, 0, 1)], axis=-1)
        inputs = _with_constant(stream[:fitted][parts[0]])
        maps = np.linalg.lstsq(inputs, wanted.reshape(len(known), -1).astype(np.float64))[0]
        read = _with_constant(stream[fitted:][parts[1]]) @ maps
        best = read.reshape(*asked.shape, 3).argmax(axis=-1) - 1
        found.append(float((best == asked).mean()))
    return found


def _with_constant(stream: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.column_stack([stream, np.ones(len(stream))]).astype(np.float64)


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Train with a seed, and return a chart as SVG, by file name and scheme."""
    rules = Rules()
    learner = Transformer(TransformerConfig(seed=seed), rules)
    rng = np.random.default_rng(seed)
    games = rng.permuted(np.tile(np.arange(rules.cells), (GAMES, 1)), axis=1)
    shares = []
    for step in STEPS:
        while learner.steps < step:
            learner.step()
        shares.append(read_boards(rules, learner.average, games))
    drawn = replace(_chart(shares), height=HEIGHT)
    return {("probe.svg", scheme): drawn.file(scheme == "dark") for scheme in ("light", "dark")}


def _chart(shares: list[list[float]]) -> charts.Chart:
    """Draw the accuracies (steps, layers) as a chart."""
    xs = charts.places(STEPS)
    parts = [charts.label("cells of the board that a linear probe reads right", charts.LEFT, 14)]
    names = ("of the input", "after block 1", "after block 2")
    for layer, (words, look) in enumerate(zip(names, LINES.values(), strict=True)):
        parts.append(charts.label(words, charts.LEFT + 90 * layer, 28, look))
    parts += charts.scale(PART, [(share, f"{share:.0%}") for share in (LEAST, 0.8, 0.9, 1.0)])
    for layer, look in LINES.items():
        ys = [charts.height(share[layer], LEAST, 1.0, PART) for share in shares]
        parts += charts.line(xs, ys, look)
    return charts.chart(STEPS, PART[1], "steps", parts)
