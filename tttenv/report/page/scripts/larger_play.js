// A game against a network on a larger board. Its moves and the proofs come from a worker.

let games = []; // until the section is made
const field = {
  game: 0, // its number among games
  seat: "X", // the human's
  line: [], // the game so far, cell by cell
  slips: new Map(), // of the human: what was said, by the number of stones before
  bounds: new Map(), // of the moves in this position: by cell, at least and at most
  proving: false,
  asked: 0, // the number of the last question to the worker
};
let fieldButtons = [];
let fieldWorker = null;

const played = () => games[field.game];
const fieldTurn = () => mover(field.line) === field.seat;
const netSeat = () => other(field.seat);
const cellName = (cell) => `${"abcdefghijklmnopqrstuvwxyz"[cell % played().n]}${Math.floor(cell / played().n) + 1}`;

// The stones by cell: 1 for X, -1 for O.
function fieldPosition(line) {
  const position = Array(played().m * played().n).fill(0);
  line.forEach((cell, turn) => (position[cell] = turn % 2 ? -1 : 1));
  return position;
}

// The lines that a side has completed: only the side that has just moved can have any.
function fieldWon(line) {
  const position = fieldPosition(line);
  const stone = line.length % 2 ? 1 : -1;
  return played().lines.filter((cells) => cells.every((cell) => position[cell] === stone));
}

const fieldOver = () =>
  fieldWon(field.line).length > 0 || field.line.length === played().m * played().n;

// The worker is made of the text that stands in the page, when it is needed first.
function askWorker(question) {
  if (!fieldWorker) {
    const text = new Blob([find("worker").textContent], { type: "text/javascript" });
    fieldWorker = new Worker(URL.createObjectURL(text));
    fieldWorker.onmessage = ({ data: told }) => hearWorker(told);
    fieldWorker.postMessage({ kind: "games", games });
  }
  field.asked += 1;
  fieldWorker.postMessage({ ...question, id: field.asked, game: field.game });
}

function hearWorker(told) {
  if (told.id !== field.asked) return; // of a position that is gone
  if (told.kind === "move") {
    placeOnField(told.cell);
  } else {
    field.bounds = new Map(told.bounds.map(([cell, low, high]) => [cell, { low, high }]));
    field.proving = !told.done;
    drawField();
  }
}

// What the human can reach at the most by the network's certificate, on the network's own path.
function mostByCertificate() {
  const { worst, never_loses: never } = played();
  const least = worst[netSeat()] ?? (never[netSeat()] ? 0 : -1);
  return -Math.sign(least);
}

function goOnInField() {
  field.bounds = new Map();
  field.proving = false;
  field.asked += 1; // whatever is still to come is of another position
  if (!fieldOver()) {
    const position = fieldPosition(field.line);
    if (fieldTurn()) {
      field.proving = true;
      askWorker({ kind: "values", position, most: mostByCertificate() });
    } else {
      const asked = field.asked;
      const ask = () => asked === field.asked && askWorker({ kind: "move", position });
      setTimeout(ask, calm.matches || !field.line.length ? 0 : 300);
    }
  }
  drawField();
}

function placeOnField(cell) {
  field.line.push(cell);
  goOnInField();
}

function clickField(cell) {
  if (fieldOver() || !fieldTurn() || field.line.includes(cell)) return;
  const slip = slipOf(cell);
  if (slip) field.slips.set(field.line.length, slip);
  placeOnField(cell);
}

// What the position is worth, if that is proved: null if not.
function fieldValue() {
  const bounds = [...field.bounds.values()];
  if (!bounds.length) return null;
  const low = Math.max(...bounds.map((one) => one.low));
  const high = Math.max(...bounds.map((one) => one.high));
  return low === high ? low : null;
}

// The sentence about a move that gives something away for certain, else nothing.
function slipOf(cell) {
  const value = fieldValue();
  const move = field.bounds.get(cell);
  if (value === null || !move || move.high >= value) return "";
  const kept = [...field.bounds].filter(([, one]) => one.low === value).map(([other]) => cellName(other));
  const named = kept.slice(0, 6).join(" ") + (kept.length > 6 ? ` and ${kept.length - 6} more` : "");
  const verb = { 1: "win", 0: "draw" }[value] + (kept.length === 1 ? "s" : "");
  const lost = move.low === move.high ? { 0: "draws", "-1": "loses" }[move.high] : "no longer wins";
  return `${cellName(cell)} ${lost}; ${named} ${verb}.`;
}

// A game begins anew; its address leads to its network and seat.
function newField() {
  const { name } = played();
  stopWaiting(); // a game that goes on by itself would put its own address there again
  draw();
  history.replaceState(null, "", `#field=${encodeURIComponent(name)}&seat=${field.seat}`);
  Object.assign(field, { line: [], slips: new Map() });
  goOnInField();
}

// Back to the last position in which the human was to move.
function takeBackField() {
  let length = field.line.length - 1;
  while (length >= 0 && "XO"[length % 2] !== field.seat) length--;
  if (length < 0) return;
  field.line.length = length;
  for (const at of field.slips.keys()) if (at >= length) field.slips.delete(at);
  goOnInField();
}

// Make the buttons of a board, one of them in the tab order.
function makeField() {
  const { m, n } = played();
  fieldButtons = [];
  find("field-board").replaceChildren();
  find("field-board").style.setProperty("--columns", String(n));
  for (let row = 0; row < m; row++) {
    const band = element("div", "", { role: "row" });
    for (let column = 0; column < n; column++) {
      const holder = element("div", "", { role: "gridcell" });
      const button = element("button", "", { type: "button", tabindex: "-1" });
      fieldButtons.push(button);
      holder.append(button);
      band.append(holder);
    }
    find("field-board").append(band);
  }
  fieldButtons[0].tabIndex = 0;
}

function focusField(cell) {
  fieldButtons.forEach((button, at) => (button.tabIndex = at === cell ? 0 : -1));
  fieldButtons[cell].focus({ preventScroll: true });
}

function drawField() {
  const { line, bounds } = field;
  const { name } = played();
  const won = fieldWon(line).flat();
  const shown = find("field-show").checked && fieldTurn() && !fieldOver();
  const playable = fieldTurn() && !fieldOver();
  fieldButtons.forEach((button, cell) => {
    const turn = line.indexOf(cell);
    const mark = turn < 0 ? "" : "XO"[turn % 2];
    const slip = field.slips.has(turn);
    const bound = bounds.get(cell);
    const hint = shown && turn < 0 ? (bound && bound.low === bound.high ? worth(bound.low) : "?") : "";
    const shape = { X: { x: crossAt(0, 0) }, O: { o: ringAt(0, 0) } }[mark];
    button.replaceChildren(...(shape ? [svg(10, shape)] : [element("span", hint)]));
    if (turn < 0) button.append(element("span", cellName(cell), { class: "at" }));
    if (slip) button.append(element("span", "??", { class: "glyph" }));
    const classes = [hint && hint !== "?" ? hint : "", slip ? "slip" : ""];
    classes.push(cell === line.at(-1) ? "last" : "", won.includes(cell) ? `won ${mark.toLowerCase()}` : "");
    button.className = classes.filter(Boolean).join(" ");
    button.setAttribute("aria-disabled", String(!playable || turn >= 0));
    const worthText = hint === "?" ? ", not known" : hint && `, ${hint}`;
    button.setAttribute("aria-label", `${cellName(cell)}, ${mark || "empty"}${worthText}${slip ? ", a blunder" : ""}`);
  });
  setText(find("field-status"), fieldStatus(name));
  setText(find("field-certificate"), certifiedText());
  setText(find("field-proof"), proofText());
  drawSlip([...field.slips].at(-1));
  find("field-back").setAttribute("aria-disabled", String(line.length < (field.seat === "X" ? 1 : 2)));
}

// The latest blunder; a note that stands there already is not read out again.
function drawSlip(slip) {
  const told = JSON.stringify(slip ?? null);
  const notes = find("field-notes");
  if (notes.dataset.told === told) return;
  notes.dataset.told = told;
  notes.replaceChildren();
  if (!slip) return;
  const note = element("div", "", { class: "note" });
  note.append(element("strong", `Blunder at move ${slip[0] + 1}`), element("p", slip[1]));
  notes.append(note);
}

function fieldStatus(name) {
  const { line } = field;
  const turn = line.length ? `${mover(line.slice(1))} took ${cellName(line.at(-1))}. ` : "";
  if (fieldWon(line).length) return `${turn}${fieldTurn() ? `${name} wins.` : "You win."}`;
  if (fieldOver()) return `${turn}The game is a draw.`;
  return turn + (fieldTurn() ? `Your turn, you play ${field.seat}.` : `${name} is to move.`);
}

function certifiedText() {
  const { worst, never_loses: never, reached } = played();
  const seat = netSeat();
  if (never[seat] === false) return `As ${seat} it is not certified: it can be beaten.`;
  const says = worst[seat] === 1 ? "always wins" : never[seat] ? "never loses" : null;
  if (!says) return `As ${seat} it is not certified: its certificate did not come to an end.`;
  const count = reached ? `, in all ${counted(reached[seat])} positions that it can come to` : "";
  return `Certified: ${says} as ${seat}${count}.`;
}

function proofText() {
  if (fieldOver() || !fieldTurn() || field.asked === 0) return "";
  const value = fieldValue();
  const bounds = [...field.bounds.values()];
  if (value !== null) {
    const kept = bounds.filter((one) => one.low === value).length;
    const open = bounds.some((one) => one.low < one.high) ? "At least " : "";
    const keep = kept === 1 ? "keeps" : "keep";
    const good = value === -1 ? "" : ` ${open}${kept} of ${bounds.length} moves ${keep} it.`;
    return `Proved: a ${worth(value)} for you if both play best.${good}`;
  }
  if (field.proving) return "Proving what this position is worth…";
  const most = Math.max(-1, ...bounds.map((one) => one.high));
  return most === 0 ? "Proved: you cannot win. Whether you can draw is not known." : "Not known: too many games lead on from here.";
}

// Addresses "#field=NAME&seat=SEAT" begin a game.
function openField(text) {
  if (!text.startsWith("#field=")) return;
  makeNow(find("field"));
  const parts = new URLSearchParams(text.slice(1).replaceAll("+", "%2B"));
  const game = games.findIndex((one) => one.name === parts.get("field"));
  if (game < 0) return;
  field.game = game;
  field.seat = parts.get("seat") === "O" ? "O" : "X";
  find("field-game").value = String(game);
  find("field-seat").value = field.seat;
  makeField();
  newField();
  find("field").scrollIntoView();
}

function setUpField() {
  games = JSON.parse(find("networks").textContent);
  if (!games.length) return;
  games.forEach(({ name, m, n, k }, number) => {
    const label = `${m}×${n}, ${k} in a row: ${name}`;
    find("field-game").append(element("option", label, { value: String(number) }));
  });
  makeField();
  drawField();
}

find("field-game").addEventListener("change", () => {
  field.game = Number(find("field-game").value);
  makeField();
  newField();
});
find("field-seat").addEventListener("change", () => {
  field.seat = find("field-seat").value;
  newField();
});
find("field-new").addEventListener("click", newField);
find("field-back").addEventListener("click", takeBackField);
find("field-show").addEventListener("change", () => {
  if (field.asked === 0) goOnInField();
  else drawField();
});

find("field-board").addEventListener("click", (event) => {
  const cell = fieldButtons.indexOf(event.target.closest("button"));
  if (cell < 0) return;
  focusField(cell);
  clickField(cell);
});

find("field-board").addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const cell = fieldButtons.indexOf(event.target);
  if (!step || cell < 0) return;
  event.preventDefault();
  const { m, n } = played();
  const row = (Math.floor(cell / n) + step[0] + m) % m;
  focusField(row * n + ((cell + step[1] + n) % n));
});

later(find("field"), setUpField);
window.addEventListener("hashchange", () => openField(location.hash));
