// What the lines decide of a move: a win on two cells at once, or a win by threats alone, fours and
// what they force. Nothing here is a guess: what is not found stays open.

// The cells on which a stone of a side makes two or more cells on which it then completes a line.
function doubleThreats(board, side) {
  const second = new Map(); // the cell that completes a line, by the cell played before
  const found = new Set();
  for (let line = 0; line < board.count; line++) {
    if (board.held[2 * line + side] !== board.k - 2 || board.held[2 * line + 1 - side]) continue;
    const one = board.emptyCell(line, NO_CELL);
    const two = board.emptyCell(line, one);
    for (const [cell, reply] of [[one, two], [two, one]]) {
      if ((second.get(cell) ?? reply) !== reply) found.add(cell);
      second.set(cell, reply);
    }
  }
  return found;
}

// What is decided of the position on the board after a move of side `own` that did not end the
// game: {value, stones}, 1 if `own` wins, -1 if it loses, 0 if that stays open; `stones` is how many
// the winner still has to place, the move among them, null if that is more than two and not counted.
function afterMove(board, own, limit) {
  const other = 1 - own;
  if (completingCells(board, other).length) return { value: -1, stones: 1 };
  const [reply, ...more] = completingCells(board, own);
  if (more.length) return { value: 1, stones: 2 };
  const doubles = doubleThreats(board, other);
  if (reply === undefined) {
    if (doubles.size) return { value: -1, stones: 2 };
    return { value: threatWin(board, other, limit) === null ? 0 : -1, stones: null };
  }
  if (doubles.has(reply)) return { value: -1, stones: 2 };
  if (threatWin(board, other, limit) !== null) return { value: -1, stones: null };
  board.place(reply, other);
  const wins = threatWin(board, own, limit) !== null;
  board.remove(reply, other);
  return { value: wins ? 1 : 0, stones: null };
}
