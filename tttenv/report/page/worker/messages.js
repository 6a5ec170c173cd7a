// The worker: answers what the page asks about larger boards, so that the page never waits.
// Positions are lists of 1 (X), -1 (O) and 0.

const NEAR = 3; // stones: first all wins as near as that are looked for
const NEAR_LIMIT = 200; // nodes for each of them
const ROUNDS = [30, 1000, 8000, 40000]; // nodes for each question about a move, tried again and again
const WORK = 112_000_000; // nodes for all questions about a position, times cells, times lines
const FAR = 12; // stones: wins as far as that are counted
const BREATH = 120; // milliseconds between two reports
const PAUSE = 12; // milliseconds of work before newer questions are heard

const PUZZLE_LIMIT = 100; // nodes for each question about a move of a puzzle: not time, so that all machines find the same
const REFUTATION_LIMIT = 20_000; // nodes for each stone of a refutation

const games = new Map(); // by their rules
const weights = new Map(); // of networks, by name
let latest = 0; // the newest question about values: older ones are dropped

class Game {
  constructor(rules) {
    Object.assign(this, rules, { lines: linesOf(rules), maps: mapsOf(rules) });
    this.board = new Board(this);
    this.networks = new Map();
  }

  // Made when first needed: they take room.
  get solver() {
    return (this.ownSolver ??= new Solver(this));
  }

  get shortest() {
    return (this.ownShortest ??= new Shortest(this.solver));
  }

  async network(name) {
    if (!this.networks.has(name)) {
      const { packed, ...shape } = weights.get(name);
      this.networks.set(name, new Network({ ...shape, floats: await floatsOf(packed) }, this));
    }
    return this.networks.get(name);
  }

  // The chances of a player's moves in a position, which may be a network by its name; or its outputs.
  async chances(player, position, outputs = false) {
    const seen = position.map((stone) => stone * turnIn(position));
    if (outputs) return (await this.network(player)).policy(seen);
    if (weights.has(player)) return evenly(seen, [(await this.network(player)).move(seen)]);
    this.board.clear();
    this.board.set(seen);
    const cells = PLAYERS[player](this.board, seen);
    this.board.clear();
    return evenly(seen, cells);
  }
}

function gameOf({ m, n, k }) {
  const key = `${m},${n},${k}`;
  if (!games.has(key)) games.set(key, new Game({ m, n, k }));
  return games.get(key);
}

onmessage = async ({ data: asked }) => {
  if (asked.kind === "network") weights.set(asked.name, asked.network);
  else if (asked.kind === "chances") {
    const chances = await gameOf(asked.rules).chances(asked.player, positionAfter(asked.line, asked.rules), asked.outputs);
    postMessage({ kind: "chances", key: asked.key, chances });
  } else if (asked.kind === "puzzle") {
    postMessage({ kind: "puzzle", key: asked.key, puzzle: puzzleOf(asked.rules, asked.stones, asked.seed) });
  } else if (asked.kind === "refutation") {
    postMessage({ kind: "refutation", key: asked.key, line: refutationOf(asked.rules, asked.line) });
  } else {
    latest = asked.id;
    await tellValues(asked);
  }
};

// 1 if X is to move, else -1.
const turnIn = (position) => (position.reduce((sum, stone) => sum + stone, 0) === 0 ? 1 : -1);

function positionAfter(line, { m, n }) {
  const position = Array(m * n).fill(0);
  line.forEach((cell, turn) => (position[cell] = turn % 2 ? -1 : 1));
  return position;
}

// What the side to move can reach at the most, by the certificate of the other side's network: known
// if that has played all its stones by itself. `certified` names it, and what it gets at the least.
async function mostBy(certified, line, game) {
  if (!certified) return 1;
  for (let ply = (line.length + 1) % 2; ply < line.length; ply += 2) {
    const chances = await game.chances(certified.network, positionAfter(line.slice(0, ply), game));
    if (chances[line[ply]] !== 1) return 1;
  }
  return -Math.sign(certified.least);
}

// Tell bounds on the value of every move for the side to move: what the lines decide, and unless that
// is all that was asked, what is proved beyond, as it becomes known.
async function tellValues({ id, key, rules, line, certified, quick }) {
  const game = gameOf(rules);
  const most = await mostBy(certified, line, game);
  const values = new MoveValues(game, positionAfter(line, rules), most);
  let left = WORK / (game.board.cells * game.board.count);
  let told = 0;
  let heard = performance.now();
  const tell = (done, last = done) => {
    told = performance.now();
    postMessage({ kind: "values", key, moves: values.moves(), whole: values.whole(), done, last });
  };
  values.sweep();
  tell(false, quick);
  if (quick) return;
  for (const step of values.steps()) {
    if (left <= 0) break;
    left -= step(left);
    if (performance.now() - heard > PAUSE) {
      await new Promise((resume) => setTimeout(resume));
      heard = performance.now();
      if (id !== latest) return;
    }
    if (performance.now() - told > BREATH) tell(false);
  }
  tell(true);
}

// Bounds on the value of each move of a position, and the stones that the winner still has to place,
// the move among them; images of one position are asked about once.
class MoveValues {
  constructor(game, position, most) {
    this.game = game;
    this.turn = turnIn(position);
    [this.own, this.other] = this.turn === 1 ? [0, 1] : [1, 0];
    this.byCell = new Map();
    const classes = new Map();
    for (const cell of emptyCells(position)) {
      const after = position.with(cell, this.turn);
      const { image } = canonicalImage(after, game.maps);
      const key = image.join();
      if (!classes.has(key)) classes.set(key, this.begin(image, most));
      this.byCell.set(cell, classes.get(key));
    }
    this.classes = [...classes.values()];
  }

  begin(after, most) {
    const won = this.game.lines.some((line) => line.every((cell) => after[cell] === this.turn));
    if (won) return { after, low: 1, high: 1, stones: 1, tried: 1 };
    if (!after.includes(0)) return { after, low: 0, high: 0, stones: null, tried: Infinity };
    return { after, low: -1, high: most, stones: null, tried: 0 }; // not within so many stones
  }

  // What is to be done, each a function of the nodes left that says how many it took.
  *steps() {
    for (let stones = 1; stones <= NEAR; stones++) {
      for (const move of this.classes) yield (left) => this.count(move, stones, Math.min(NEAR_LIMIT, left));
    }
    for (const limit of ROUNDS) {
      for (const move of this.undecided()) yield (left) => this.improve(move, Math.min(limit, left));
    }
    for (let stones = 1; stones <= FAR; stones++) {
      const open = this.classes.filter((move) => move.stones === null && move.low === move.high && move.low);
      for (const move of open) yield (left) => this.count(move, stones, left / 4);
    }
  }

  undecided() {
    return this.classes.filter((move) => move.low < move.high);
  }

  // Take over what the lines decide: all that is won with one stone or two, and wins by threats.
  sweep() {
    const { board } = this.game;
    for (const move of this.undecided()) {
      board.clear();
      board.set(move.after);
      const { value, stones } = afterMove(board, this.own, THREATS);
      board.clear();
      if (value > 0) move.low = 1;
      if (value < 0) move.high = -1;
      Object.assign(move, { stones, tried: 2 });
    }
  }

  // Ask whether the winner needs just so many stones, if all fewer were tried; the nodes taken.
  count(move, stones, limit) {
    if (move.stones !== null || move.tried !== stones - 1) return 0;
    const { game, own, other } = this;
    let nodes = 0;
    const within = (side, number) => {
      const found = number > 0 && game.shortest.wins(move.after, side, other, number, limit);
      nodes += number > 0 ? game.shortest.nodes + 1 : 0;
      return found;
    };
    const wins = move.high === 1 ? within(own, stones - 1) : false;
    const loses = wins === false && move.low === -1 ? within(other, stones) : false;
    if (wins) Object.assign(move, { low: 1, high: 1, stones });
    else if (loses) Object.assign(move, { low: -1, high: -1, stones });
    else if (wins === false && loses === false) move.tried = stones;
    return nodes;
  }

  // Ask whether the mover loses, then whether it wins; the number of nodes that this took.
  improve(move, limit) {
    const { own, other } = this;
    const { solver } = this.game;
    let nodes = 0;
    if (move.low === -1) {
      const loses = solver.prove(move.after, other, other, limit);
      nodes += solver.nodes + 1;
      if (loses === PROVED) move.high = -1;
      if (loses === REFUTED) move.low = 0;
    }
    if (move.high === 1 && move.low < 1) {
      const wins = solver.prove(move.after, own, other, limit);
      nodes += solver.nodes + 1;
      if (wins === PROVED) move.low = 1;
      if (wins === REFUTED) move.high = 0;
    }
    return nodes;
  }

  moves() {
    return [...this.byCell].map(([cell, { low, high, stones }]) => [cell, low, high, stones]);
  }

  // The same of the position itself.
  whole() {
    const low = Math.max(...this.classes.map((move) => move.low));
    const high = Math.max(...this.classes.map((move) => move.high));
    const best = this.classes.filter((move) => move.high === high);
    const counts = best.map((move) => move.stones ?? Infinity);
    let stones = null; // the soonest win, or the latest loss
    if (low === 1) {
      const least = Math.min(...counts);
      const sure = best.every((move) => move.stones !== null || move.tried >= least - 1);
      if (sure && least < Infinity) stones = least;
    } else if (high === -1 && Math.max(...counts) < Infinity) stones = Math.max(...counts);
    return { low, high, stones };
  }
}

// The only moves of the day. Each search starts anew, so that it finds what it finds elsewhere.

// The first position drawn from a seed with so many stones in which one move alone keeps a win or a
// draw and neither side can complete a line: {line, answer, values}, a value for each cell.
function puzzleOf(rules, stones, seed) {
  const game = new Game({ ...rules });
  const cells = [...Array(game.board.cells).keys()];
  const random = randomIntegers(seed);
  while (true) {
    const line = shuffled(cells, random()).slice(0, stones);
    const values = isQuiet(game.board, line) ? provedValues(game, line) : null;
    const best = values && Math.max(...values.values());
    const kept = values && [...values.keys()].filter((cell) => values.get(cell) === best);
    if (best >= 0 && kept?.length === 1) return { line, answer: kept[0], values };
  }
}

// Whether nobody has completed a line or can with the next stone.
function isQuiet(board, line) {
  board.clear();
  line.forEach((cell, turn) => board.place(cell, turn % 2));
  const most = board.k - 2;
  const quiet = board.lines.every((_, number) => {
    const [own, other] = board.held.subarray(2 * number, 2 * number + 2);
    return (own && other) || (own <= most && other <= most);
  });
  board.clear();
  return quiet;
}

// The value of each move for the side to move, by cell; null once two of them win or a search reaches
// its limit.
function provedValues(game, line) {
  const values = new MoveValues(game, positionAfter(line, game), 1);
  values.sweep();
  for (const move of values.undecided()) {
    if (values.moves().filter(([, low]) => low === 1).length > 1) return null;
    values.improve(move, PUZZLE_LIMIT);
    if (move.low < move.high) return null;
  }
  return new Map(values.moves().map(([cell, low]) => [cell, low]));
}

// A game that goes on best from a position: to its end if one side wins, else for one stone.
function refutationOf(rules, line) {
  const game = new Game({ ...rules });
  const found = [...line];
  const ended = () => game.lines.some((cells) => cells.every((cell) => found.indexOf(cell) % 2 === (found.length - 1) % 2));
  let decided = true;
  while (decided && found.length < game.board.cells && !ended()) {
    const values = new MoveValues(game, positionAfter(found, game), 1);
    let left = REFUTATION_LIMIT;
    values.sweep();
    for (const step of values.steps()) if (left > 0) left -= step(left);
    const { low, high } = values.whole();
    decided = low === high && low !== 0;
    // The soonest win, else what holds, else the latest loss.
    const rank = ([, least, most, count]) => least * (2000 - (count ?? 500)) + most;
    found.push(values.moves().reduce((best, move) => (rank(move) > rank(best) ? move : best))[0]);
  }
  return found;
}
