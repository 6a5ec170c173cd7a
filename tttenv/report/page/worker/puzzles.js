// Positions of larger boards with a single good move, proved here, and how the other moves lose.
// Limits count nodes, not time, and each search starts anew: every machine finds the same.

const PUZZLE_LIMIT = 100; // nodes for each question about a move
const REFUTATION_LIMIT = 20_000; // nodes for each stone of a refutation

// The first position drawn from a seed with so many stones in which one move alone keeps a win or a
// draw and neither side can complete a line: {line, answer, values}, a value for each cell.
function puzzleOf(rules, stones, seed) {
  const game = new Game({ ...rules });
  const cells = [...Array(game.board.cells).keys()];
  const random = randomIntegers(seed);
  while (true) {
    const line = shuffled(cells, random()).slice(0, stones);
    const values = isQuiet(game.board, line) ? provedValues(game, line) : null;
    const best = values && Math.max(...values.values());
    const kept = values && [...values.keys()].filter((cell) => values.get(cell) === best);
    if (best >= 0 && kept?.length === 1) return { line, answer: kept[0], values };
  }
}

// Whether nobody has completed a line or can with the next stone.
function isQuiet(board, line) {
  board.clear();
  line.forEach((cell, turn) => board.place(cell, turn % 2));
  const most = board.k - 2;
  const quiet = board.lines.every((_, number) => {
    const [own, other] = board.held.subarray(2 * number, 2 * number + 2);
    return (own && other) || (own <= most && other <= most);
  });
  board.clear();
  return quiet;
}

// The value of each move for the side to move, by cell; null once two of them win or a search reaches
// its limit.
function provedValues(game, line) {
  const values = new MoveValues(game, positionAfter(line, game), 1);
  values.sweep();
  for (const move of values.undecided()) {
    if (values.moves().filter(([, low]) => low === 1).length > 1) return null;
    values.improve(move, PUZZLE_LIMIT);
    if (move.low < move.high) return null;
  }
  return new Map(values.moves().map(([cell, low]) => [cell, low]));
}

// A game that goes on best from a position: to its end if one side wins, else for one stone.
function refutationOf(rules, line) {
  const game = new Game({ ...rules });
  const found = [...line];
  const ended = () => game.lines.some((cells) => cells.every((cell) => found.indexOf(cell) % 2 === (found.length - 1) % 2));
  let decided = true;
  while (decided && found.length < game.board.cells && !ended()) {
    const values = new MoveValues(game, positionAfter(found, game), 1);
    let left = REFUTATION_LIMIT;
    values.sweep();
    for (const step of values.steps()) if (left > 0) left -= step(left);
    const { low, high } = values.whole();
    decided = low === high && low !== 0;
    // The soonest win, else what holds, else the latest loss.
    const rank = ([, least, most, count]) => least * (2000 - (count ?? 500)) + most;
    found.push(values.moves().reduce((best, move) => (rank(move) > rank(best) ? move : best))[0]);
  }
  return found;
}
