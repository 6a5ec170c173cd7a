// What is known of a position: the value of each move, and what a player would do. On 3,3,3 both are
// tables; on larger boards workers compute them, and the board is drawn again when they come.

const workers = {}; // one for values, one for chances, made of the text in the page when first needed
const analysed = new Map(); // by position: {moves, whole, done}
const answers = new Map(); // by player and position: the chances of its moves, null while unknown
let asked = 0; // questions about values
let asking = ""; // the position of the last of them
let begun = 0; // when it was asked
let awaited = ""; // the answer that the game waits for

const NOTHING = new Map();
const OPEN_VALUE = { low: -1, high: 1, stones: null };

const isSolved = () => state.game === games[0];
const keyOf = (line) => `${state.game.name} ${stones(line, state.game.cells).map((mark) => mark || "_").join("")}`;

// A rank of 3,3,3 as bounds on a value and the stones that the winner still has to place.
function bounded(rank) {
  const sign = Math.sign(rank);
  return { low: sign, high: sign, stones: sign ? winnersStones(rank) : null };
}

// The moves of a position by cell, as bounds for the side to move; those of which nothing is known
// may be missing.
function known(line) {
  if (!isSolved()) return isOver(line) ? NOTHING : (analysed.get(keyOf(line))?.moves ?? NOTHING);
  const position = walk(line);
  return new Map(moves(position).map((cell) => [cell, bounded(moveRank(position, cell))]));
}

// The same of the position itself.
function valueOf(line) {
  if (isWon(line)) return { low: -1, high: -1, stones: 0 };
  if (isOver(line)) return { low: 0, high: 0, stones: null };
  return isSolved() ? bounded(ranks[walk(line)]) : (analysed.get(keyOf(line))?.whole ?? OPEN_VALUE);
}

const WAIT = 3000; // milliseconds after which a proof goes on quietly
const isProving = (line) => !isSolved() && !isOver(line) && !analysed.get(keyOf(line))?.done;

// The chances of a player's moves, cell by cell; null while they are not known.
function shares(player, line) {
  if (isSolved()) return Array.from(chances(player, walk(line)), (part) => part / 255);
  return answers.get(answerKey(player, line)) ?? null;
}

const answerKey = (player, line) => `${players()[player].name} ${keyOf(line)}`;

function send(kind, question, network) {
  if (!workers[kind]) {
    const text = new Blob([data.worker], { type: "text/javascript" });
    workers[kind] = new Worker(URL.createObjectURL(text));
    workers[kind].onmessage = ({ data: told }) => HEARD[told.kind](told);
    workers[kind].networks = new Set();
  }
  const worker = workers[kind];
  if (network && !worker.networks.has(network)) {
    worker.networks.add(network);
    const about = data.networks.find((one) => one.name === network);
    const packed = find(about.element).textContent;
    const { channels, blocks } = about;
    worker.postMessage({ kind: "network", name: network, network: { channels, blocks, packed } });
  }
  const { m, n, k } = state.game;
  worker.postMessage({ kind, rules: { m, n, k }, ...question });
}

// Ask for a player's chances, once, or for the outputs of its network.
function wantShares(player, line, outputs = false) {
  const key = outputs ? `outputs ${keyOf(line)}` : answerKey(player, line);
  if (isSolved() || isOver(line) || answers.has(key)) return;
  answers.set(key, null);
  const { name, network } = players()[player];
  send("chances", { key, line, player: outputs ? network : name, outputs }, network);
}

// Where a network would move, the likeliest cell 1, unlikely ones raised to be seen; null while it is not
// known. It is the opponent's, or the first of the game's players that has one.
function outlook(line) {
  const found = answers.get(`outputs ${keyOf(line)}`);
  return found?.map((share) => (share / Math.max(...found)) ** 0.25) ?? null;
}

function wantOutlook(line) {
  const number = opponent().network ? state.player : players().findIndex((player) => player.network);
  if (number >= 0) wantShares(number, line, true);
}

// Ask for the values of the position shown, then of those before it, one after the other; what can be
// told at once of the last three comes first.
function analyse() {
  if (isSolved()) return;
  const shown = shownLine();
  const before = [...shown.keys()].slice(state.setup).map((ply) => shown.slice(0, ply));
  const lines = [shown, ...before.reverse()];
  const unseen = lines.slice(0, 3).find((one) => !isOver(one) && !analysed.has(keyOf(one)));
  const line = unseen ?? lines.find(isProving);
  const key = line ? keyOf(line) : "";
  if (key === asking || !line) return;
  asking = key;
  begun = performance.now();
  asked += 1;
  const rival = playerAt(other(mover(line)));
  const { network, certificate } = players()[rival] ?? {};
  const seat = other(mover(line));
  const least = certificate?.worst_case[seat] ?? (certificate?.never_loses[seat] ? 0 : -1);
  const quick = line === unseen;
  const certified = network && least > -1 && !quick ? { network, least } : null;
  send("values", { id: asked, key, line, certified, quick }, certified?.network);
}

const HEARD = {
  values({ key, moves: told, whole, done, last }) {
    const bounds = told.map(([cell, low, high, stones]) => [cell, { low, high, stones }]);
    analysed.set(key, { moves: new Map(bounds), whole, done });
    if (last && asking === key) asking = "";
    draw();
  },
  chances({ key, chances: told }) {
    answers.set(key, told);
    if (key !== awaited) return draw();
    awaited = "";
    answer();
    show();
  },
};
