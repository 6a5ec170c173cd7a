// How soon a side wins: whether with at most so many stones of its own, against every defence.
// Cells on lines that neither side can use in time are like a pass, and a stone of the defender
// never helps the attacker: so an attack that fails against a pass fails (null move).

const MOST_KNOWN = 500_000; // positions

class Shortest {
  constructor(solver) {
    this.board = solver.board;
    this.known = new Map(); // by position: the stones that do not suffice, and those that do
    this.nodes = 0;
  }

  // Whether `attacker` completes a line with at most `stones` stones from a position in which
  // `turn` is to move; null if that takes more than `limit` nodes.
  wins(position, attacker, turn, stones, limit) {
    this.board.clear();
    this.board.set(position);
    [this.attacker, this.nodes, this.limit] = [attacker, 0, limit];
    if (this.known.size > MOST_KNOWN) this.known.clear();
    const found = this.search(turn, stones);
    this.board.clear();
    return this.nodes > limit ? null : found;
  }

  search(turn, stones) {
    const { board, attacker } = this;
    if (++this.nodes > this.limit) return false;
    const attacks = turn === attacker;
    const mine = this.completing(attacker);
    if (attacks && mine.length) return true;
    const theirs = this.completing(1 - attacker);
    if (theirs.length > (attacks ? 1 : 0)) return false;
    if (!attacks && mine.length > 1) return true;
    if (stones === 1) return false; // with a stone to place one cell can be defended
    const key = (board.hashes[0] * 2 ** 19 + (board.hashes[1] >>> 13)) * 4 + 2 * attacker + turn;
    const entry = this.known.get(key) ?? { fails: 0, suffices: Infinity };
    if (stones <= entry.fails) return false;
    if (stones >= entry.suffices) return true;
    const [forced] = attacks ? theirs : mine;
    let found;
    if (attacks) {
      found = (forced === undefined ? this.useful(stones) : [forced]).some((cell) =>
        this.after(cell, turn, () => this.search(1 - turn, stones - 1)));
    } else if (forced !== undefined) {
      found = this.after(forced, turn, () => this.search(attacker, stones));
    } else {
      const passed = this.search(attacker, stones);
      const replies = passed ? this.useful(stones) : [];
      found = passed && replies.every((cell) =>
        this.after(cell, turn, () => this.search(attacker, stones)));
    }
    if (this.nodes > this.limit) return false;
    if (found) entry.suffices = stones;
    else entry.fails = stones;
    this.known.set(key, entry);
    return found;
  }

  after(cell, turn, act) {
    this.board.place(cell, turn);
    const found = act();
    this.board.remove(cell, turn);
    return found;
  }

  // The cells on which a side completes a line at once: no more than two of them.
  completing(side) {
    const { held, count, k } = this.board;
    const found = [];
    for (let line = 0; line < count && found.length < 2; line++) {
      if (held[2 * line + side] !== k - 1 || held[2 * line + 1 - side] !== 0) continue;
      const cell = this.board.emptyCell(line, NO_CELL);
      if (cell !== found[0]) found.push(cell);
    }
    return found;
  }

  // The empty cells on lines that a side could complete with so many stones, the best lines first.
  useful(stones) {
    const { held, count, k, lines } = this.board;
    const seen = new Float64Array(this.board.cells);
    for (let line = 0; line < count; line++) {
      const [first, second] = [held[2 * line], held[2 * line + 1]];
      if ((first > 0 && second > 0) || first + second < k - stones) continue;
      for (const cell of lines[line]) seen[cell] += 4 ** (first + second);
    }
    const found = [...seen.keys()].filter((cell) => seen[cell] > 0 && this.board.stones[cell] === 0);
    return found.sort((a, b) => seen[b] - seen[a]);
  }
}
