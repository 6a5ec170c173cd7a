// Players of larger boards, as chances of their moves, cell by cell. A position is a list of 1 (side
// to move), -1 and 0. `random`, `first` and `tactical` are those of tttenv.players.baselines.

const evenly = (position, cells) => {
  const chances = Array(position.length).fill(0);
  for (const cell of cells) chances[cell] = 1 / cells.length;
  return chances;
};

const emptyCells = (position) => [...position.keys()].filter((cell) => position[cell] === 0);

// The cells on which a side completes a line.
const completingCells = (board, side) => {
  const found = new Set();
  for (let line = 0; line < board.count; line++) {
    if (board.held[2 * line + side] !== board.k - 1 || board.held[2 * line + 1 - side]) continue;
    found.add(board.emptyCell(line, NO_CELL));
  }
  return [...found];
};

const tactical = (board) => {
  const [wins, blocks] = [completingCells(board, 0), completingCells(board, 1)];
  return wins.length ? wins : blocks;
};

// Win or block at once; win by threats alone; else of the moves that leave the other side no win by
// threats, if there are any, the first of those on the best open lines.
function threats(board, position) {
  const forced = tactical(board);
  if (forced.length) return forced.slice(0, 1);
  const win = threatWin(board, 0, MOST_THREATS);
  if (win !== null) return [win[0][0]];
  const { m, n } = board;
  const nearness = (cell) => -((Math.floor(cell / n) - (m - 1) / 2) ** 2) - ((cell % n) - (n - 1) / 2) ** 2;
  const useful = Float64Array.from(position, (_, cell) => nearness(cell) / 1000); // the middle first
  for (let line = 0; line < board.count; line++) {
    const [own, their] = [board.held[2 * line], board.held[2 * line + 1]];
    if (own && their) continue;
    for (const cell of board.lines[line]) if (!position[cell]) useful[cell] += 4 ** (own + their) * (own ? 1.5 : 1);
  }
  let moves = emptyCells(position).sort((a, b) => useful[b] - useful[a] || a - b);
  if (threatWin(board, 1, MOST_THREATS) !== null) {
    const holds = (cell) => {
      board.place(cell, 0);
      const lost = winsByThreats(board, 1, MOST_THREATS);
      board.remove(cell, 0);
      return !lost;
    };
    moves = [moves.slice(0, MOST_DEFENCES).find(holds) ?? moves[0]];
  }
  return moves.slice(0, 1);
}

const MOST_THREATS = 1000; // tried in each search for a win
const MOST_DEFENCES = 30; // moves tried

const PLAYERS = {
  random: (board, position) => emptyCells(position),
  first: (board, position) => emptyCells(position).slice(0, 1),
  tactical: (board, position) => {
    const found = tactical(board);
    return found.length ? found : emptyCells(position);
  },
  threats,
};
