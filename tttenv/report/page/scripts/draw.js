// Small drawing and wording helpers.

const find = (id) => document.getElementById(id);

function element(name, content = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = content;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Say something else; what is said already is left alone, so that it is not read out again.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function svg(size, paths) {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "svg");
  made.setAttribute("viewBox", `0 0 ${size} ${size}`);
  made.setAttribute("aria-hidden", "true");
  for (const [name, d] of Object.entries(paths)) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", d);
    made.append(path);
  }
  return made;
}

// The outlines of a stone in a cell of 10 units whose corner is at (x, y).
const crossAt = (x, y) => `M${x + 2.6} ${y + 2.6}l4.8 4.8m0-4.8l-4.8 4.8`;
const ringAt = (x, y) => `M${x + 2.4} ${y + 5}a2.6 2.6 0 1 1 5.2 0a2.6 2.6 0 1 1-5.2 0`;
const squareAt = (x, y) => `M${x + 0.7} ${y + 0.7}h8.6v8.6h-8.6z`;
const corner = (cell) => [(cell % 3) * 10, Math.floor(cell / 3) * 10];

// The stones of a game by cell: "X", "O" or nothing.
function stones(line, count = CELLS) {
  const marks = Array(count).fill("");
  line.forEach((cell, turn) => (marks[cell] = "XO"[turn % 2]));
  return marks;
}

// A whole small board, with some cells marked.
function thumbnail(line, marked = []) {
  const shape = { mistake: marked, x: [], o: [] };
  line.forEach((cell, turn) => shape["xo"[turn % 2]].push(cell));
  const outline = { mistake: squareAt, x: crossAt, o: ringAt };
  const paths = { frame: "M10 1v28M20 1v28M1 10h28M1 20h28" };
  for (const [name, where] of Object.entries(shape)) {
    if (where.length) paths[name] = where.map((cell) => outline[name](...corner(cell))).join("");
  }
  return svg(30, paths);
}

// The same with the number of each stone.
function numberedBoard(line) {
  const board = thumbnail(line);
  line.forEach((cell, turn) => {
    const [x, y] = corner(cell);
    const number = document.createElementNS(board.namespaceURI, "text");
    number.setAttribute("x", x + 0.6);
    number.setAttribute("y", y + 2.6);
    number.textContent = turn + 1;
    board.append(number);
  });
  return board;
}

const mover = (line) => "XO"[line.length % 2];
const other = (seat) => (seat === "X" ? "O" : "X");
const place = (cell) => `${"abc"[cell % 3]}${Math.floor(cell / 3) + 1}`;
const worth = (number) => (number > 0 ? "win" : number < 0 ? "loss" : "draw");

// How many stones the winner still has to place, the move judged among them.
function winnersStones(rank) {
  const plies = CELLS + 1 - Math.abs(rank);
  return rank > 0 ? Math.ceil(plies / 2) : Math.floor(plies / 2);
}

const distance = (rank) => (rank === 0 ? "" : ` in ${winnersStones(rank)}`);
const verdict = (rank) => `${worth(rank)}${distance(rank)}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// How a finished game ended, in a word or two.
function ending(line) {
  return lost(walk(line)) ? `${other(mover(line))} wins` : "draw";
}

// Whether the reader wants nothing to move: then answers come at once, and nothing fades.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
