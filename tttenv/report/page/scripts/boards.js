// The games that the board plays: 3,3,3, whose positions are all known, and larger ones.

const SIZES = ["4,4,4", "5,5,4", "6,6,4", "7,7,5", "9,9,5", "12,12,5", "15,15,5"];
const [SMALLEST, LARGEST] = [3, 15]; // rows and columns

// Players of all larger boards, which move by rules alone: see worker/players.js.
const RULED = [
  { name: "threats", about: "wins and blocks by threats, else plays on the best open lines" },
  { name: "tactical", about: "win, else block, else random" },
  { name: "random", about: "all legal moves equally likely" },
  { name: "first", about: "the first empty cell, row by row" },
];

const games = [{ name: "3,3,3", m: 3, n: 3, k: 3, cells: 9, players: data.players, start: data.start }];

// The game of rules like "5,5,4"; undefined if there is none on this page.
function gameNamed(name) {
  const known = games.find((game) => game.name === name);
  const [m, n, k] = /^\d\d?(,\d\d?){2}$/.test(name) ? name.split(",").map(Number) : [];
  const fits = [m, n].every((size) => size >= SMALLEST && size <= LARGEST);
  if (known || !fits || k < 3 || k > Math.max(m, n)) return known;
  const own = data.networks.filter((network) => network.rules === name);
  const [fitting, small] = own.length ? [own, []] : lent({ m, n, k });
  const [best, ...others] = RULED.map((player) => ({ ...player }));
  games.push({ name: `${m},${n},${k}`, m, n, k, cells: m * n, players: [...fitting, best, ...small, ...others], start: 0 });
  return games.at(-1);
}

const sizes = (rules) => {
  const [m, n, k] = rules.split(",").map(Number);
  return { m, n, k, cells: m * n };
};

// The networks of other boards, the nearest in size first: those that were trained on a board at least as
// large, and those that were not, which may open far from the middle.
function lent({ m, n, k }) {
  const trained = data.networks.map(({ name, about, rules }) => ({ name, about, network: name, on: sizes(rules) }));
  const alike = trained.filter(({ on }) => on.k === k).sort((a, b) => a.on.cells - b.on.cells);
  for (const one of alike) {
    one.about += ` on ${boardTitle(one.on)}`;
    one.label = `${one.name}, trained on ${one.on.m}×${one.on.n}`;
  }
  const covers = ({ on }) => on.m >= m && on.n >= n;
  return [alike.filter(covers), alike.filter((one) => !covers(one)).reverse()];
}

const coordinate = (cell, { n }) => `${"abcdefghijklmno"[cell % n]}${Math.floor(cell / n) + 1}`;
const boardTitle = ({ m, n, k }) => `${m}×${n}, ${k} in a row`;

for (const network of data.networks) network.network = network.name;
for (const name of new Set([...SIZES, ...data.networks.map((network) => network.rules)])) gameNamed(name);
games.sort((a, b) => a.cells - b.cells || a.k - b.k);

// The cells of a game's lines that its last stone completes.
function wonBy(line, { m, n, k }) {
  const marks = stones(line, m * n);
  const last = line.at(-1);
  const found = new Set();
  for (const [down, right] of line.length ? DIRECTIONS : []) {
    const row = [last];
    for (const way of [-1, 1]) {
      let [y, x] = [Math.floor(last / n) + way * down, (last % n) + way * right];
      while (y >= 0 && y < m && x >= 0 && x < n && marks[y * n + x] === marks[last]) {
        row.push(y * n + x);
        [y, x] = [y + way * down, x + way * right];
      }
    }
    if (row.length >= k) row.forEach((cell) => found.add(cell));
  }
  return [...found];
}

const endsIn = (line, game) => line.length === game.cells || wonBy(line, game).length > 0;

// Whether the cells are a game from the empty board.
const isGame = (line, game) =>
  new Set(line).size === line.length &&
  line.every((cell, ply) => cell >= 0 && cell < game.cells && !endsIn(line.slice(0, ply), game));
