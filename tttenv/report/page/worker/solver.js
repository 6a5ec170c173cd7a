// What a position is worth, proved by df-pn (Nagai, "Df-pn algorithm for searching AND/OR trees",
// 2002): whether a side, the attacker, can complete a line against every defence. Each question is
// about one side; together the answers for both bound the value.

const PROVED = 1;
const REFUTED = -1;
const OPEN = 0;
const NEVER = 2 ** 28; // a proof number that stands for "impossible"
const TABLE = 2 ** 19; // entries of the table of positions seen
const TRIES = 4; // entries in which a position may stand

class Solver {
  constructor(game) {
    this.board = new Board(game);
    this.maps = game.maps;
    this.keys = new Int32Array(2 * TABLE);
    this.numbers = new Int32Array(2 * TABLE); // proof and disproof number; 0 and 0 where empty
    this.nodes = 0;
  }

  // Whether a side, `attacker`, completes a line from a position in which `turn` is to move, which
  // is of 1 (X, side 0), -1 (O, side 1) and 0. With more than `limit` nodes it stays OPEN.
  prove(position, attacker, turn, limit) {
    this.board.clear();
    this.board.set(position);
    this.attacker = attacker;
    this.nodes = 0;
    this.limit = limit;
    const [proof, disproof] = this.look(turn);
    const decided = proof === 0 || disproof === 0;
    const found = decided ? [proof, disproof] : this.search(turn, NEVER, NEVER);
    this.board.clear();
    return found[0] === 0 ? PROVED : found[1] === 0 ? REFUTED : OPEN;
  }

  // The proof and disproof numbers of the position on the board, first from lines, then stored.
  look(turn) {
    const at = this.judge(turn);
    if (at === PROVED) return [0, NEVER];
    if (at === REFUTED) return [NEVER, 0];
    const [entry, known] = this.entryOf();
    return known ? [this.numbers[2 * entry], this.numbers[2 * entry + 1]] : [1, 1];
  }

  // What the lines alone decide. The defender to move refutes if the sum of 2^-(empty cells) over
  // the attacker's open lines is below 1, the attacker to move being below a half (Erdos and
  // Selfridge, "On a combinatorial game", 1973).
  judge(turn) {
    const { board, attacker } = this;
    const { k, count } = board;
    const defender = 1 - attacker;
    let weight = 0;
    let [threat, danger] = [NO_CELL, NO_CELL]; // where the attacker, the defender completes a line
    let begun = false;
    for (let line = 0; line < count; line++) {
      const own = board.held[2 * line + attacker];
      const other = board.held[2 * line + defender];
      if (other === 0) {
        weight += 2 ** (own - k);
        if (own === k - 2) begun = true;
        if (own === k - 1) {
          const cell = board.emptyCell(line, NO_CELL);
          threat = threat === NO_CELL || threat === cell ? cell : TWO_CELLS;
        }
      } else if (own === 0 && other === k - 1) {
        const cell = board.emptyCell(line, NO_CELL);
        danger = danger === NO_CELL || danger === cell ? cell : TWO_CELLS;
      }
    }
    this.forced = NO_CELL;
    if (turn === attacker) {
      if (threat !== NO_CELL) return PROVED;
      if (danger === TWO_CELLS || weight < 0.5) return REFUTED;
      this.forced = danger;
      if (begun && winningThreats(board, attacker, danger, THREATS) !== null) return PROVED;
    } else {
      if (danger !== NO_CELL || weight < 1) return REFUTED;
      if (threat === TWO_CELLS) return PROVED;
      this.forced = threat;
    }
    return OPEN;
  }

  // Search below an open position until its numbers reach their limits; the numbers then.
  search(turn, proofLimit, disproofLimit) {
    if (++this.nodes > this.limit) return [1, 1];
    this.judge(turn);
    const { board } = this;
    const moves = this.forced >= 0 ? [this.forced] : this.useful();
    const attacks = turn === this.attacker;
    while (true) {
      let least = NEVER; // of proof numbers if the attacker moves, else of disproof numbers
      let second = NEVER;
      let sum = 0; // of the others
      let best = null;
      for (const cell of moves) {
        board.place(cell, turn);
        const [proof, disproof] = this.look(1 - turn);
        board.remove(cell, turn);
        const [mine, theirs] = attacks ? [proof, disproof] : [disproof, proof];
        sum = Math.min(sum + theirs, NEVER);
        if (mine < least) [second, least, best] = [least, mine, { cell, theirs }];
        else if (mine < second) second = mine;
        if (mine === 0) break;
      }
      if (least === 0) sum = NEVER;
      if (sum === 0) least = NEVER;
      const [mineLimit, theirLimit] = attacks ? [proofLimit, disproofLimit] : [disproofLimit, proofLimit];
      const found = attacks ? [least, sum] : [sum, least];
      if (least >= mineLimit || sum >= theirLimit || least === 0 || this.nodes > this.limit) {
        this.store(found);
        return found;
      }
      const deep = Math.min(mineLimit, second + 1 + (second >> 2)); // wider than 1 + second, which
      const wide = theirLimit - sum + best.theirs; // would come back here more often
      board.place(best.cell, turn);
      this.search(1 - turn, attacks ? deep : wide, attacks ? wide : deep);
      board.remove(best.cell, turn);
    }
  }

  // The empty cells on lines that are open to a side: all other moves are like a pass.
  useful() {
    const { board } = this;
    const seen = new Float64Array(board.cells);
    for (let line = 0; line < board.count; line++) {
      const own = board.held[2 * line];
      const other = board.held[2 * line + 1];
      if (own > 0 && other > 0) continue;
      for (const cell of board.lines[line]) seen[cell] += 2 ** (own + other);
    }
    const found = [...seen.keys()].filter((cell) => seen[cell] > 0 && board.stones[cell] === 0);
    return found.sort((a, b) => seen[b] - seen[a]);
  }

  // Where the position's symmetry class stands in the table, or is to stand. Its stones say whose
  // turn it is.
  entryOf() {
    const { hashes } = this.board;
    let [high, low] = [hashes[0], hashes[1]];
    for (let n = 2; n < hashes.length; n += 2) {
      if (hashes[n] < high || (hashes[n] === high && hashes[n + 1] < low)) {
        [high, low] = [hashes[n], hashes[n + 1]];
      }
    }
    if (this.attacker === 1) high ^= 0x1b873593;
    if (high === 0 && low === 0) low = 1;
    const first = (low >>> 0) % TABLE;
    let empty = -1;
    for (let n = 0; n < TRIES; n++) {
      const entry = (first + n) % TABLE;
      if (this.keys[2 * entry] === high && this.keys[2 * entry + 1] === low) return [entry, true];
      const unused = this.keys[2 * entry] === 0 && this.keys[2 * entry + 1] === 0;
      if (unused && empty < 0) empty = entry;
    }
    this.key = [high, low];
    return [empty >= 0 ? empty : first + ((high >>> 0) % TRIES), false];
  }

  store([proof, disproof]) {
    const [at, known] = this.entryOf();
    const entry = at % TABLE;
    if (!known) [this.keys[2 * entry], this.keys[2 * entry + 1]] = this.key;
    this.numbers[2 * entry] = proof;
    this.numbers[2 * entry + 1] = disproof;
  }
}
