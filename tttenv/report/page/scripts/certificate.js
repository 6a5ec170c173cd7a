// The exact certificate of a player in the page, by the same laws as `tttenv.certify`.
// A player is a table of probabilities, 9 a position; X moves at an even number of stones.

const POSITIONS = ranks.length;
const turnOf = new Uint8Array(POSITIONS); // 0: X is to move, 1: O; moves lead to larger numbers
for (let position = 1; position < POSITIONS; position++) {
  turnOf[position] = 1 - turnOf[before[position]];
}

const TINY = 1e-6; // a move that loses value is a blunder if its probability is above this

// Whether a table has a move in a position; a player without one forfeits the game there.
const answersIn = (table, position) =>
  moves(position).some((cell) => table[position * CELLS + cell] > 0);

// What a player gets against the opponent that hurts it most: a win counts 1, a loss -1.
function worstCase(table, seat) {
  const values = new Float64Array(POSITIONS);
  for (let position = POSITIONS - 1; position >= 0; position--) {
    const own = turnOf[position] === seat;
    let open = false;
    let value = !own ? 1 : answersIn(table, position) ? 0 : -1;
    for (let cell = 0; cell < CELLS; cell++) {
      const after = next(position, cell);
      if (after < 0) continue;
      open = true;
      if (own) value += table[position * CELLS + cell] * values[after];
      else value = Math.min(value, values[after]);
    }
    values[position] = open ? value : Math.sign(ranks[position]) * (own ? 1 : -1);
  }
  return values[0] + 0; // which is 0 for -0
}

// How games end for a player in a seat against a table: chances of a win, a draw, a loss.
function scoreOf(table, other, seat) {
  const odds = new Float64Array(3 * POSITIONS);
  for (let position = POSITIONS - 1; position >= 0; position--) {
    const own = turnOf[position] === seat;
    const chance = own ? table : other;
    const here = odds.subarray(3 * position, 3 * position + 3);
    if (over(position)) here[ranks[position] === 0 ? 1 : own ? 2 : 0] = 1;
    else if (!answersIn(chance, position)) here[own ? 2 : 0] = 1;
    for (const cell of moves(position)) {
      const share = chance[position * CELLS + cell];
      for (let end = 0; end < 3; end++) here[end] += share * odds[3 * next(position, cell) + end];
    }
  }
  return [...odds.subarray(0, 3)];
}

// The table that is uniform over the moves that `allowed` says.
function uniformOver(allowed) {
  const table = new Float64Array(POSITIONS * CELLS);
  for (let position = 0; position < POSITIONS; position++) {
    const chosen = moves(position).filter((cell) => allowed(position, cell));
    for (const cell of chosen) table[position * CELLS + cell] = 1 / chosen.length;
  }
  return table;
}

const blundersOf = (table) =>
  [...ranks.keys()].filter((position) =>
    moves(position).some(
      (cell) => table[position * CELLS + cell] > TINY && losesValue(position, cell),
    ),
  );

// Which positions a player's own moves in a seat and any replies lead to.
function reachedBy(table, seat) {
  const found = new Uint8Array(POSITIONS);
  found[0] = 1;
  for (let position = 0; position < POSITIONS; position++) {
    if (!found[position]) continue;
    for (const cell of moves(position)) {
      if (turnOf[position] !== seat || table[position * CELLS + cell] > 0) {
        found[next(position, cell)] = 1;
      }
    }
  }
  return found;
}

// The mean probability on moves that keep the value: everywhere, where a move loses value, reached.
function optimalMoves(table) {
  const reached = [reachedBy(table, 0), reachedBy(table, 1)];
  const sums = { all: 0, critical: 0, reached: 0 };
  const counts = { ...sums };
  for (let position = 0; position < POSITIONS; position++) {
    if (over(position)) continue;
    const kept = moves(position).filter((cell) => !losesValue(position, cell));
    const share = kept.reduce((sum, cell) => sum + table[position * CELLS + cell], 0);
    const groups = ["all"];
    if (kept.length < moves(position).length) groups.push("critical");
    if (reached[turnOf[position]][position]) groups.push("reached");
    for (const group of groups) {
      sums[group] += share;
      counts[group] += 1;
    }
  }
  return Object.fromEntries(
    Object.keys(sums).map((group) => [group, counts[group] ? sums[group] / counts[group] : 1]),
  );
}

// The shortest game that a player loses in a seat by moves likelier than `least`, or null: of these
// the likeliest, then the one whose cells come first.
function losingLine(table, seat, least) {
  const lengths = new Float64Array(POSITIONS).fill(Infinity);
  const likely = new Float64Array(POSITIONS);
  const choice = new Int8Array(POSITIONS).fill(-1);
  for (let position = POSITIONS - 1; position >= 0; position--) {
    const own = turnOf[position] === seat;
    const ended = lost(position) || (!over(position) && !answersIn(table, position));
    if (own && ended) [lengths[position], likely[position]] = [0, 1];
    const chance = (cell) => (own ? table[position * CELLS + cell] : 1);
    const length = (cell) => lengths[next(position, cell)] + 1;
    const tried = moves(position).filter((cell) => !own || chance(cell) > least);
    const shortest = Math.min(...tried.map(length));
    if (shortest === Infinity) continue;
    const best = tried.filter((cell) => length(cell) === shortest);
    const odds = best.map((cell) => likely[next(position, cell)] * chance(cell));
    const first = odds.findIndex((one) => one >= Math.max(...odds) * (1 - 1e-9));
    [lengths[position], likely[position], choice[position]] = [shortest, odds[first], best[first]];
  }
  if (lengths[0] === Infinity) return null;
  const line = [];
  for (let at = 0; choice[at] >= 0; at = next(at, choice[at])) line.push(choice[at]);
  return line;
}

const bySeat = (told) => ({ X: told(0), O: told(1) });

// The certificate, with the fields of `tttenv.certificates.certificate.Certificate`.
function certificateOf(table) {
  const worst = bySeat((seat) => worstCase(table, seat));
  const lines = bySeat((seat) => losingLine(table, seat, TINY) ?? losingLine(table, seat, 0));
  const versus = (other) => bySeat((seat) => scoreOf(table, other, seat));
  const whether = (told) => bySeat((seat) => told(lines["XO"[seat]]));
  return {
    rules: "3,3,3",
    value: 0,
    vs_random: versus(uniformOver(() => true)),
    vs_perfect: versus(uniformOver((position, cell) => !losesValue(position, cell))),
    worst_case: worst,
    unbeatable: worst.X >= -1e-9 && worst.O >= -1e-9,
    optimal_moves: optimalMoves(table),
    blunders: blundersOf(table).length,
    losing_line: lines,
    method: "all positions",
    reached: null,
    never_loses: whether((line) => line === null),
    shortest: whether((line) => (line === null ? null : true)),
    symmetry: null,
    queried_twice: 0,
  };
}
