// The game of 3,3,3 as tables that Python computed: where moves lead and what positions are worth.
// Nothing here knows the rules; a position is a number, a game the list of its cells.

function unpack(text, Kind) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return new Kind(bytes.buffer);
}

const CELLS = 9;
const successors = unpack(data.successors, Int16Array); // 9 a position, -1 where no move is
const ranks = unpack(data.ranks, Int8Array); // a win in d plies is 10 - d, a loss d - 10, a draw 0
const classOf = unpack(data.classes, Int16Array); // the symmetry class of each position

const next = (position, cell) => successors[position * CELLS + cell];
const legal = (position, cell) => next(position, cell) >= 0;
const cells = [...Array(CELLS).keys()];
const moves = (position) => cells.filter((cell) => legal(position, cell));
const over = (position) => moves(position).length === 0;
const lost = (position) => over(position) && ranks[position] < 0; // by the side to move

// The position a game leads to, or -1 if a move in it is impossible.
function walk(line) {
  return line.reduce((position, cell) => (position < 0 ? -1 : next(position, cell)), 0);
}

// The rank of a move for the side that makes it, seen before it is made.
function moveRank(position, cell) {
  const rank = ranks[next(position, cell)];
  return -rank + Math.sign(rank);
}

const losesValue = (position, cell) =>
  Math.sign(moveRank(position, cell)) < Math.sign(ranks[position]);

// How the game goes on if both play best: wins soonest, losses latest.
function bestLine(position) {
  const line = [];
  while (!over(position)) {
    const best = Math.max(...moves(position).map((cell) => moveRank(position, cell)));
    line.push(moves(position).find((cell) => moveRank(position, cell) === best));
    position = next(position, line.at(-1));
  }
  return line;
}

// A game that leads to each position, as the position before and the cell played there.
const before = new Int16Array(ranks.length).fill(-1);
const cellBefore = new Int8Array(ranks.length);
for (let position = 0; position < ranks.length; position++) {
  for (let cell = 0; cell < CELLS; cell++) {
    const reached = next(position, cell);
    if (reached < 0 || before[reached] >= 0) continue;
    before[reached] = position;
    cellBefore[reached] = cell;
  }
}

function lineTo(position) {
  const line = [];
  for (let at = position; at > 0; at = before[at]) line.unshift(cellBefore[at]);
  return line;
}

// A player's probabilities, 9 a position, in steps of 1/255; at least a step where it may move.
function spread(player) {
  const bytes = unpack(player.moves, Uint8Array);
  const table = new Uint8Array(successors.length);
  let read = 0;
  for (let at = 0; at < successors.length; at++) if (successors[at] >= 0) table[at] = bytes[read++];
  return table;
}

const spreads = new Map();
function tableOf(player) {
  if (!spreads.has(player)) spreads.set(player, spread(data.players[player]));
  return spreads.get(player);
}

const chances = (player, position) =>
  tableOf(player).subarray(position * CELLS, (position + 1) * CELLS);

// What a player played at an earlier step, as chances of 0 and 255, 9 a position: of each undecided
// position the number of its move, in as few bits as tell the legal moves apart.
function movesAt(player, at) {
  const bytes = unpack(player.earlier[at], Uint8Array);
  const table = new Uint8Array(successors.length);
  let read = 0;
  for (let position = 0; position < ranks.length; position++) {
    const open = moves(position);
    if (!open.length) continue;
    let number = 0;
    for (let bit = 0; 1 << bit < open.length; bit++, read++) {
      number |= ((bytes[read >> 3] >> (read & 7)) & 1) << bit;
    }
    table[position * CELLS + open[number]] = 255;
  }
  return table;
}

// The cells where a player may throw away value.
function mistakes(player, position) {
  const chance = chances(player, position);
  return moves(position).filter((cell) => chance[cell] > 0 && losesValue(position, cell));
}
