// The worker: answers what the page asks about larger boards, so that the page never waits.
// Positions are lists of 1 (X), -1 (O) and 0.

const ROUNDS = [1000, 8000, 40000]; // nodes for each question about a move, tried again and again
const MOST = 160000; // nodes for all questions about a position

const networks = [];
const solvers = [];
let latest = 0; // the newest question about values: older ones are dropped

onmessage = ({ data: asked }) => {
  if (asked.kind === "games") {
    for (const game of asked.games) {
      networks.push(new Network(game));
      solvers.push(new Solver(game));
    }
  } else if (asked.kind === "move") {
    const position = asked.position.map((stone) => stone * turnIn(asked.position));
    postMessage({ ...asked, cell: networks[asked.game].move(position) });
  } else {
    latest = asked.id;
    tellValues(asked);
  }
};

// 1 if X is to move, else -1.
const turnIn = (position) => (position.reduce((sum, stone) => sum + stone, 0) === 0 ? 1 : -1);

// Tell bounds on the value of every move for the side to move, as they become known.
// `most` is what that side can reach at the most, if that is known otherwise.
async function tellValues({ id, game, position, most }) {
  const solver = solvers[game];
  const values = new MoveValues(solver, position, most);
  let left = MOST;
  for (const limit of ROUNDS) {
    for (const move of values.undecided()) {
      if (left <= 0) break;
      left -= values.improve(move, Math.min(limit, left));
      await new Promise((resume) => setTimeout(resume)); // so that newer questions are heard
      if (id !== latest) return;
      postMessage({ kind: "values", id, bounds: values.bounds(), done: false });
    }
  }
  postMessage({ kind: "values", id, bounds: values.bounds(), done: true });
}

// Bounds on the value of each move of a position; images of one position are asked about once.
class MoveValues {
  constructor(solver, position, most) {
    this.solver = solver;
    this.turn = turnIn(position);
    this.moves = new Map();
    for (const cell of position.keys()) {
      if (position[cell] !== 0) continue;
      const after = position.with(cell, this.turn);
      const { image } = canonicalImage(after, solver.maps);
      const known = [...this.moves.values()].find((move) => same(move.after, image));
      this.moves.set(cell, known ?? this.begin(image, most));
    }
  }

  begin(after, most) {
    const won = this.solver.board.lines.some((line) => line.every((cell) => after[cell] === this.turn));
    if (won) return { after, low: 1, high: 1 };
    if (!after.includes(0)) return { after, low: 0, high: 0 };
    return { after, low: -1, high: most };
  }

  undecided() {
    return [...new Set(this.moves.values())].filter((move) => move.low < move.high);
  }

  // Ask whether the mover loses, then whether it wins; the number of nodes that this took.
  improve(move, limit) {
    const { solver, turn } = this;
    const [own, other] = turn === 1 ? [0, 1] : [1, 0];
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

  bounds() {
    return [...this.moves].map(([cell, { low, high }]) => [cell, low, high]);
  }
}

const same = (first, second) => first.every((stone, n) => stone === second[n]);
