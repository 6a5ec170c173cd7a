// A network's move, as by learners.residual_net: the planes of a board, the layers, the choice.
// Weights are float32, sums are float64: what the library computes where float32 leaves a doubt.

const THREATS = 100; // tried in a search for a win by threats that a plane shows
const PLANES = 14;
const TIES = 2 ** -14; // outputs this near the best, or this share of the largest, tie

// The planes of a position, 14 times its cells, as in tttenv.game.line_planes_kernel.
function planesOf(board, position) {
  const { cells, count, k } = board;
  const planes = new Float64Array(PLANES * cells);
  const add = (plane, cell, value) => (planes[plane * cells + cell] += value);
  board.set(position);
  position.forEach((stone, cell) => {
    add(0, cell, stone === 1 ? 1 : 0);
    add(1, cell, stone === -1 ? 1 : 0);
    add(2, cell, 1);
  });
  for (let line = 0; line < count; line++) {
    for (let side = 0; side < 2; side++) {
      const own = board.held[2 * line + side];
      if (board.held[2 * line + 1 - side] > 0) continue;
      for (const cell of board.lines[line]) {
        if (position[cell] !== 0) continue;
        add(7 + side, cell, 0.5 ** (k - 1 - own));
        if (own === k - 1) planes[(3 + side) * cells + cell] = 1;
        else if (own === k - 2) add(5 + side, cell, 0.5);
      }
    }
  }
  for (let at = 7 * cells; at < 9 * cells; at++) planes[at] = Math.min(planes[at], 4);
  for (let side = 0; side < 2; side++) {
    const win = threatWin(board, side, THREATS);
    if (win === null) continue;
    planes[(9 + side) * cells + win[0][0]] = 1;
    for (const cell of win.flat()) planes[(11 + side) * cells + cell] = 1;
  }
  if (winsByThreats(board, 1, THREATS)) {
    for (let cell = 0; cell < cells; cell++) {
      if (position[cell] !== 0 || planes[3 * cells + cell] === 1) continue;
      board.place(cell, 0);
      if (losesAtOnce(board)) planes[13 * cells + cell] = 1;
      board.remove(cell, 0);
    }
  }
  board.clear();
  return planes;
}

const losesAtOnce = (board) => winsByThreats(board, 1, THREATS);

// Weights are packed byte by byte: first the lowest byte of each, last the highest.
async function floatsOf(packed) {
  const bytes = new Uint8Array(await unpacked(packed).arrayBuffer());
  const count = bytes.length / 4;
  const joined = bytes.map((_, at) => bytes[(at & 3) * count + (at >> 2)]);
  return new Float32Array(joined.buffer);
}

class Network {
  // `floats` are all weights, in the order in which the layers are made here.
  constructor({ channels: wide, blocks, floats }, game) {
    let at = 0;
    const take = (count) => Float64Array.from(floats.subarray(at, (at += count)));
    const layer = (before, after, size) => [take(before * after * size), take(after)];
    this.game = game;
    this.board = new Board(game);
    this.first = layer(PLANES, wide, 9);
    this.blocks = Array.from({ length: blocks }, () => ({
      first: layer(wide, wide, 9),
      pooled: layer(2 * wide, wide, 1),
      second: layer(wide, wide, 9),
    }));
    this.last = layer(wide, wide, 1);
    this.lastPooled = layer(2 * wide, wide, 1);
    this.moves = layer(wide, 1, 1);
    this.around = neighbours(game.m, game.n);
  }

  // The logits of the moves in a position.
  logits(position) {
    const cells = position.length;
    let x = relu(this.convolve(planesOf(this.board, position), this.first));
    for (const { first, pooled, second } of this.blocks) {
      const y = relu(shifted(this.convolve(x, first), linear(pool(x, cells), pooled), cells));
      const z = this.convolve(y, second);
      x = relu(x.map((value, n) => value + z[n]));
    }
    const heads = onEachCell(x, this.last, cells);
    const bias = linear(pool(x, cells), this.lastPooled);
    return onEachCell(relu(shifted(heads, bias, cells)), this.moves, cells);
  }

  // A convolution of 3 by 3 with zeros around the board.
  convolve(x, [weights, bias]) {
    const cells = this.board.cells;
    const [after, before] = [bias.length, x.length / cells];
    const found = new Float64Array(after * cells);
    for (let to = 0; to < after; to++) {
      const sums = found.subarray(to * cells, (to + 1) * cells).fill(bias[to]);
      for (let from = 0; from < before; from++) {
        const base = from * cells;
        for (let tap = 0; tap < 9; tap++) {
          const weight = weights[(to * before + from) * 9 + tap];
          const [targets, sources] = this.around[tap];
          for (let n = 0; n < targets.length; n++) sums[targets[n]] += weight * x[base + sources[n]];
        }
      }
    }
    return found;
  }

  // The shares of the moves by its outputs, on a board of 1 (side to move), -1 and 0.
  policy(position) {
    const { image, map } = canonicalImage(position, this.game.maps);
    const values = this.logits(image);
    const best = Math.max(...values.filter((_, cell) => image[cell] === 0));
    const parts = image.map((stone, cell) => (stone === 0 ? Math.exp(values[cell] - best) : 0));
    const sum = parts.reduce((total, part) => total + part, 0);
    const found = Array(position.length);
    map.forEach((cell, n) => (found[cell] = parts[n] / sum));
    return found;
  }

  // The move on a board of 1 (side to move), -1 and 0: that of its canonical image, mapped back.
  move(position) {
    const { image, map } = canonicalImage(position, this.game.maps);
    const values = this.logits(image);
    const legal = [...image.keys()].filter((cell) => image[cell] === 0);
    const largest = Math.max(1, ...legal.map((cell) => Math.abs(values[cell])));
    const best = Math.max(...legal.map((cell) => values[cell]));
    return map[legal.find((cell) => values[cell] >= best - TIES * largest)];
  }
}

// For each tap of a convolution of 3 by 3: the cells, and their neighbours in that direction.
function neighbours(m, n) {
  const found = [];
  for (let down = -1; down <= 1; down++) {
    for (let right = -1; right <= 1; right++) {
      const pairs = [[], []];
      for (let row = 0; row < m; row++) {
        for (let column = 0; column < n; column++) {
          const [y, x] = [row + down, column + right];
          if (y < 0 || y >= m || x < 0 || x >= n) continue;
          pairs[0].push(row * n + column);
          pairs[1].push(y * n + x);
        }
      }
      found.push(pairs.map((cells) => Int32Array.from(cells)));
    }
  }
  return found;
}

const relu = (x) => x.map((value) => Math.max(value, 0));

// The means and then the maxima of all channels over the board.
function pool(x, cells) {
  const channels = x.length / cells;
  const found = new Float64Array(2 * channels);
  for (let channel = 0; channel < channels; channel++) {
    const part = x.subarray(channel * cells, (channel + 1) * cells);
    found[channel] = part.reduce((sum, value) => sum + value, 0) / cells;
    found[channels + channel] = Math.max(...part);
  }
  return found;
}

const linear = (x, [weights, bias]) =>
  bias.map((value, to) => x.reduce((sum, one, from) => sum + weights[to * x.length + from] * one, value));

// Each channel with a number of its own added.
const shifted = (x, by, cells) => x.map((value, n) => value + by[Math.floor(n / cells)]);

// A convolution of 1 by 1.
function onEachCell(x, [weights, bias], cells) {
  const [after, before] = [bias.length, x.length / cells];
  const found = new Float64Array(after * cells);
  for (let to = 0; to < after; to++) {
    for (let cell = 0; cell < cells; cell++) {
      let sum = bias[to];
      for (let from = 0; from < before; from++) sum += weights[to * before + from] * x[from * cells + cell];
      found[to * cells + cell] = sum;
    }
  }
  return found;
}

// The image of a board that reads first, and the map to it: cell n of the image is map[n].
function canonicalImage(position, maps) {
  let best = { image: position, map: maps[0] };
  for (const map of maps) {
    const image = map.map((cell) => position[cell]);
    const differs = image.findIndex((stone, n) => stone !== best.image[n]);
    if (differs >= 0 && image[differs] < best.image[differs]) best = { image, map };
  }
  return best;
}
