// A board of a larger game: the stones of both sides, how many of them each line has, and a hash.
// Sides are 0 and 1: for a network side 0 is to move, for a proof side 0 is X.

const NO_CELL = -1;
const TWO_CELLS = -2; // instead of a cell: there is more than one

class Board {
  // `game` holds its size, the cells of all lines and, for each symmetry of the board, where each cell goes.
  constructor(game) {
    [this.m, this.n] = [game.m, game.n];
    this.lines = game.lines;
    this.k = game.lines[0].length;
    this.count = game.lines.length;
    this.cells = game.maps[0].length;
    this.through = Array.from({ length: this.cells }, () => []);
    game.lines.forEach((line, number) => line.forEach((cell) => this.through[cell].push(number)));
    this.held = new Int8Array(2 * this.count); // stones of both sides on each line
    this.stones = new Int8Array(this.cells); // 0 empty, 1 of side 0, 2 of side 1
    this.images = game.maps.length;
    this.keys = keysOf(game.maps);
    this.hashes = new Int32Array(2 * this.images);
  }

  place(cell, side) {
    this.stones[cell] = side + 1;
    for (const line of this.through[cell]) this.held[2 * line + side]++;
    this.toggle(cell, side);
  }

  remove(cell, side) {
    this.stones[cell] = 0;
    for (const line of this.through[cell]) this.held[2 * line + side]--;
    this.toggle(cell, side);
  }

  // The hashes of all images of the position: the smallest names its symmetry class.
  toggle(cell, side) {
    const from = (2 * cell + side) * 2 * this.images;
    for (let n = 0; n < 2 * this.images; n++) this.hashes[n] ^= this.keys[from + n];
  }

  // Put a position of 1 (side 0), -1 (side 1) and 0 on the board, which was empty.
  set(position) {
    position.forEach((stone, cell) => stone && this.place(cell, stone === 1 ? 0 : 1));
  }

  clear() {
    for (let cell = 0; cell < this.cells; cell++) {
      if (this.stones[cell]) this.remove(cell, this.stones[cell] - 1);
    }
  }

  // The first empty cell of a line other than the cell `but`.
  emptyCell(line, but) {
    for (const cell of this.lines[line]) if (cell !== but && this.stones[cell] === 0) return cell;
    return NO_CELL;
  }
}

// Random numbers of 64 bits (Zobrist, 1970) for a stone of each side on each cell, in each image.
function keysOf(maps) {
  const cells = maps[0].length;
  const random = randomIntegers(1);
  const own = Array.from({ length: 4 * cells }, random);
  const keys = new Int32Array(4 * cells * maps.length);
  for (let cell = 0; cell < cells; cell++) {
    for (let side = 0; side < 2; side++) {
      maps.forEach((map, image) => {
        for (let half = 0; half < 2; half++) {
          const at = ((2 * cell + side) * maps.length + image) * 2 + half;
          keys[at] = own[(2 * map[cell] + side) * 2 + half];
        }
      });
    }
  }
  return keys;
}
