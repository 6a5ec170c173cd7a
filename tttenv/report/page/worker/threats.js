// Wins by threats alone: each move of the attacker leaves the defender one reply (Allis, 1994).
// The order of the search is that of tttenv.game.threat_sequences_kernel, as networks see its result.

// The moves of a win by threats for a side to move that cannot complete a line at once, as pairs of
// a move and its reply, the last move making two threats; null if none was found.
// `wanted` is the one cell on which the other side would complete a line, or NO_CELL; `limit` is
// how many threats are tried.
function winningThreats(board, us, wanted, limit) {
  const [them, k] = [1 - us, board.k];
  const stack = [{ end: 0, wanted, move: NO_CELL, reply: NO_CELL }];
  let tried = 0;
  let found = null;
  while (true) {
    const here = stack.at(-1);
    let deeper = false;
    let end = here.end; // twice the number of a line, plus one for its second empty cell
    while (end < 2 * board.count) {
      const line = end >> 1;
      if (board.held[2 * line + us] !== k - 2 || board.held[2 * line + them] !== 0) {
        end = 2 * line + 2;
        continue;
      }
      let move = board.emptyCell(line, NO_CELL);
      let reply = board.emptyCell(line, move);
      if (end & 1) [move, reply] = [reply, move];
      end++;
      if (here.wanted >= 0 && move !== here.wanted) continue;
      if (makesSecondThreat(board, us, line, move, reply)) {
        [here.move, here.reply] = [move, reply];
        found = stack.map((step) => [step.move, step.reply]);
        break;
      }
      if (++tried > limit) break;
      board.place(move, us);
      board.place(reply, them);
      const answer = threatThrough(board, reply, them);
      if (answer === TWO_CELLS) {
        board.remove(reply, them);
        board.remove(move, us);
        continue;
      }
      [here.end, here.move, here.reply] = [end, move, reply];
      stack.push({ end: 0, wanted: answer, move: NO_CELL, reply: NO_CELL });
      deeper = true;
      break;
    }
    if (deeper) continue;
    const done = found !== null || tried > limit;
    while (stack.length > 1) {
      stack.pop();
      const { move, reply } = stack.at(-1);
      board.remove(reply, them);
      board.remove(move, us);
      if (!done) break;
    }
    if (done || stack.at(-1) === here) return found;
  }
}

// Whether a stone on `move`, which threatens on `reply` by `line`, makes another threat too.
function makesSecondThreat(board, us, line, move, reply) {
  return board.through[move].some(
    (other) =>
      other !== line &&
      board.held[2 * other + us] === board.k - 2 &&
      board.held[2 * other + 1 - us] === 0 &&
      board.emptyCell(other, move) !== reply,
  );
}

// The cell on which a side completes a line through its stone on `cell`.
function threatThrough(board, cell, side) {
  let found = NO_CELL;
  for (const line of board.through[cell]) {
    if (board.held[2 * line + side] !== board.k - 1 || board.held[2 * line + 1 - side] !== 0) continue;
    const winning = board.emptyCell(line, NO_CELL);
    if (found >= 0 && winning !== found) return TWO_CELLS;
    found = winning;
  }
  return found;
}

// What the lines say at once of a side that is to move: whether it completes one, the cell that it
// has to take, whether a win by threats may begin.
function outlook(board, us) {
  const told = { completes: false, wanted: NO_CELL, begun: false };
  for (let line = 0; line < board.count; line++) {
    const own = board.held[2 * line + us];
    const other = board.held[2 * line + 1 - us];
    if (own > 0 && other > 0) continue;
    if (own === board.k - 1) told.completes = true;
    if (own === board.k - 2 && other === 0) told.begun = true;
    if (other === board.k - 1) {
      const cell = board.emptyCell(line, NO_CELL);
      if (told.wanted !== NO_CELL && told.wanted !== cell) told.wanted = TWO_CELLS;
      else told.wanted = cell;
    }
  }
  return told;
}

// The cells of a win by threats that is found for a side to move, or null.
function threatWin(board, us, limit) {
  const told = outlook(board, us);
  if (told.completes || !told.begun || told.wanted === TWO_CELLS) return null;
  return winningThreats(board, us, told.wanted, limit);
}

const winsByThreats = (board, us, limit) =>
  outlook(board, us).completes || threatWin(board, us, limit) !== null;
