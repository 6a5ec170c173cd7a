// What is said of moves: which of them are blunders, what they cost, which one decided a game.

const VERBS = { win: ["wins", "win"], draw: ["draws", "draw"], loss: ["loses", "lose"] };

// The moves of a game that gave away value: {ply, cell, position}, the position being that before.
function blundersIn(line) {
  const found = [];
  let position = 0;
  line.forEach((cell, ply) => {
    if (ply >= state.setup && losesValue(position, cell)) found.push({ ply, cell, position });
    position = next(position, cell);
  });
  return found;
}

const keptBy = (position) => moves(position).filter((cell) => !losesValue(position, cell));

// "b1 loses in 3; a1 c1 a3 c3 draw." The moves that keep the value, quickest wins first.
function blunderText(position, cell) {
  const rank = moveRank(position, cell);
  const kept = keptBy(position);
  const ranksKept = [...new Set(kept.map((move) => moveRank(position, move)))].sort((a, b) => b - a);
  const better = ranksKept.map((one) => {
    const named = kept.filter((move) => moveRank(position, move) === one);
    return `${named.map(place).join(" ")} ${VERBS[worth(one)][Number(named.length > 1)]}${distance(one)}`;
  });
  return `${place(cell)} ${VERBS[worth(rank)][0]}${distance(rank)}; ${better.join(", ")}.`;
}

// The mark of a stone in the list of moves: a blunder, or the only move of several that holds.
function glyphOf(position, cell) {
  if (losesValue(position, cell)) return "??";
  const rank = ranks[position];
  const only = rank >= 0 && moves(position).length > 1 && keptBy(position).length === 1;
  return only ? "!" : "";
}

// What a position is worth, in a word or two that name the winner.
function standing(line) {
  const position = walk(line);
  if (over(position)) return lost(position) ? `${other(mover(line))} has won` : "draw";
  const rank = ranks[position];
  if (rank === 0) return "draw";
  return `${rank > 0 ? mover(line) : other(mover(line))} wins${distance(rank)}`;
}
