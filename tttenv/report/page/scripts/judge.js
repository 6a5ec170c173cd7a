// What is said of moves: which of them are blunders, what they cost, which one decided a game.

const VERBS = { win: ["wins", "win"], draw: ["draws", "draw"], loss: ["loses", "lose"] };
const MOST_NAMED = 8; // cells in a sentence

const isExact = ({ low, high }) => low === high;
const inStones = (count) => (count === null ? "" : ` in ${count}`);

// "win in 2", "win", "draw", or "?" where it is not known.
const verdictOf = (value) => (isExact(value) ? worth(value.low) + inStones(value.stones) : "?");

// Whether a move throws away value for certain.
function isBlunder(line, cell) {
  const move = known(line).get(cell);
  const value = valueOf(line);
  return move !== undefined && isExact(value) && move.high < value.low;
}

// Whether a move loses for certain where other moves are not known to: on larger boards no more may
// be known.
function isDubious(line, cell) {
  const move = known(line).get(cell);
  return move !== undefined && move.high === -1 && valueOf(line).high > -1 && !isBlunder(line, cell);
}

// "a1 loses in 2; g5 g9 are not known to lose."
function dubiousText(line, cell) {
  const found = known(line);
  const others = [...found].filter(([, move]) => move.high > -1).map(([other]) => cellName(other));
  const verb = others.length === 1 ? "is" : "are";
  return `${cellName(cell)} loses${inStones(found.get(cell).stones)}; ${fewOf(others)} ${verb} not known to lose.`;
}

function fewOf(names) {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return `${names.slice(0, MOST_NAMED).join(" ")}${more}`;
}

// The moves of a game that threw away value: {ply, cell, before}, `before` being the game up to there.
function blundersIn(line) {
  return line.flatMap((cell, ply) => {
    const before = line.slice(0, ply);
    return ply >= state.setup && isBlunder(before, cell) ? [{ ply, cell, before }] : [];
  });
}

// The moves that keep the value of a position, as far as they are known.
function keptBy(line) {
  const { low } = valueOf(line);
  return [...known(line)].filter(([, move]) => move.low >= low).map(([cell]) => cell);
}

// "b1 loses in 3; a1 c1 a3 c3 draw." The moves that keep the value, quickest wins first.
function blunderText(line, cell) {
  const found = known(line);
  const groups = new Map();
  for (const move of keptBy(line)) {
    const { stones: count } = found.get(move);
    groups.set(count, [...(groups.get(count) ?? []), cellName(move)]);
  }
  const soonest = [...groups].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity));
  const better = soonest.map(([count, names]) => {
    const verb = VERBS[worth(valueOf(line).low)][Number(names.length > 1)];
    return `${fewOf(names)} ${verb}${inStones(count)}`;
  });
  const move = found.get(cell);
  const own = isExact(move) ? VERBS[worth(move.low)][0] + inStones(move.stones) : "no longer wins";
  return `${cellName(cell)} ${own}; ${better.join(", ")}.`;
}

// The mark of a stone in the list of moves: a blunder, a move that loses as far as is known for no
// need, or the only move of several that holds.
function glyphOf(line, cell) {
  if (isBlunder(line, cell)) return "??";
  if (isDubious(line, cell)) return "?!";
  const value = valueOf(line);
  const found = known(line);
  if (!isExact(value) || value.low < 0 || found.size < 2) return "";
  const others = [...found].filter(([move]) => move !== cell);
  return others.every(([, move]) => move.high < value.low) ? "!" : "";
}

// What a position is worth, in a word or two that name the winner.
function standing(line) {
  const [own, rival] = [mover(line), other(mover(line))];
  if (isOver(line)) return isWon(line) ? `${rival} has won` : "draw";
  const { low, high, stones: count } = valueOf(line);
  if (low === high) return low === 0 ? "draw" : `${low > 0 ? own : rival} wins${inStones(count)}`;
  if (low === -1 && high === 1) return "not known";
  return `${low === 0 ? own : rival} at least draws`;
}

// What is proved of a position on a larger board, in a sentence or two.
function proofText(line) {
  if (isSolved() || isOver(line)) return "";
  const value = valueOf(line);
  if (!isExact(value)) {
    const bound = value.low === -1 && value.high === 1 ? "" : ` ${capital(standing(line))}.`;
    if (!isProving(line)) return `Not known: too many games lead on from here.${bound}`;
    const patient = asking !== keyOf(line) || performance.now() - begun < WAIT;
    return `${patient ? "Proving what this position is worth…" : "Not known yet: too many games lead on from here."}${bound}`;
  }
  const all = [...known(line).values()];
  const kept = all.filter((move) => move.low >= value.low).length;
  const open = all.some((move) => !isExact(move)) ? "at least " : "";
  const good = value.low === -1 ? "" : `; ${open}${kept} of ${all.length} moves keep${kept === 1 ? "s" : ""} it`;
  return `Proved: ${value.low === 0 ? "a draw" : standing(line)}${good}.`;
}
