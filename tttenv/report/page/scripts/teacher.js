// TD(0) over afterstates (Sutton and Barto, Reinforcement Learning, 2018, section 1.5 and chapter
// 6): a table of what each position is worth to the side that has just moved, a win being 1, a loss
// -1. The table plays both sides. With each move that it chooses by its values, the value of the
// position before moves half of the way towards that of the position after. All images of a
// position share one value. Same seed, same games, same table, on every machine.

const EXPLORE = 30; // per cent of the moves that are random
const OPENING = 7; // a game begins with 0 to 6 random stones, so that all of the game is seen

// SplitMix (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014) of 32
// bits, with the finaliser of MurmurHash3: whole numbers from 0 to below a limit.
function randomNumbers(seed) {
  let now = seed | 0;
  return (limit) => {
    now = (now + 0x9e3779b9) | 0;
    let mixed = Math.imul(now ^ (now >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) * limit) / 2 ** 32);
  };
}

class TableLearner {
  constructor(seed) {
    this.seed = seed;
    this.games = 0;
    this.below = randomNumbers(seed);
    this.values = new Float64Array(Math.max(...classOf) + 1);
    ranks.forEach((_, position) => {
      if (lost(position)) this.values[classOf[position]] = 1;
    });
  }

  // The moves that lead to the most valuable positions.
  best(position) {
    let most = -Infinity;
    let found = [];
    for (let cell = 0; cell < CELLS; cell++) {
      const after = next(position, cell);
      if (after < 0) continue;
      const value = this.values[classOf[after]];
      if (value > most) [most, found] = [value, []];
      if (value === most) found.push(cell);
    }
    return found;
  }

  playGames(count) {
    for (let game = 0; game < count; game++) this.playGame();
    this.games += count;
  }

  playGame() {
    const opening = this.below(OPENING);
    for (let position = 0, stones = 0; !over(position); stones++) {
      const random = stones < opening || this.below(100) < EXPLORE;
      const among = random ? moves(position) : this.best(position);
      const after = next(position, among[this.below(among.length)]);
      const entry = classOf[position];
      if (!random) {
        const change = -this.values[classOf[after]] - this.values[entry];
        this.values[entry] += change / 2;
      }
      position = after;
    }
  }

  // Its play as probabilities, 9 a position: the best moves by its table, evenly mixed.
  table() {
    const found = new Float64Array(POSITIONS * CELLS);
    for (let position = 0; position < POSITIONS; position++) {
      const best = this.best(position);
      for (const cell of best) found[position * CELLS + cell] = 1 / best.length;
    }
    return found;
  }
}
