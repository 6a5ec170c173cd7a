// The board: a grid of buttons, one of them in the tab order, arrow keys between them.
// On it blunders and what refutes them, beside it the value bar, below it the list of moves.

const NAMED = 6; // columns up to which each cell shows its name; beyond, rows and columns do

let buttons = [];
let shownGame = null; // the game that they are made for

const isDense = () => state.game.n > NAMED;

function makeBoard() {
  const { m, n } = state.game;
  const focused = find("board").contains(document.activeElement);
  shownGame = state.game;
  buttons = [];
  find("board").replaceChildren();
  find("board").style.setProperty("--columns", String(n));
  find("board").dataset.dense = String(isDense());
  find("play").dataset.wide = String(n > 3);
  const bands = Array.from({ length: m }, () => element("div", "", { role: "row" }));
  bands.forEach((band, row) => {
    if (isDense()) band.append(element("div", String(row + 1), { role: "rowheader" }));
    for (let column = 0; column < n; column++) {
      const holder = element("div", "", { role: "gridcell" });
      const button = element("button", "", { type: "button", tabindex: "-1" });
      if (!isDense()) button.dataset.place = cellName(buttons.length);
      buttons.push(button);
      holder.append(button);
      band.append(holder);
    }
  });
  if (isDense()) {
    const names = Array.from({ length: n }, (_, column) => coordinate(column, state.game)[0]);
    bands.unshift(element("div", "", { role: "row" }));
    bands[0].append(...["", ...names].map((name) => element("div", name, { role: name ? "columnheader" : "cell" })));
  }
  find("board").append(...bands);
  buttons[middle()].tabIndex = 0;
  if (focused) focusCell();
}

const middle = () => Math.floor(state.game.m / 2) * state.game.n + Math.floor(state.game.n / 2);

// Without a cell the one in the middle.
function focusCell(cell = middle()) {
  if (shownGame !== state.game) makeBoard();
  buttons.forEach((button, n) => (button.tabIndex = n === cell ? 0 : -1));
  buttons[cell].focus({ preventScroll: true });
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

find("board").addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const cell = buttons.indexOf(event.target);
  if (!step || cell < 0) return;
  event.preventDefault();
  const { m, n } = state.game;
  const row = (Math.floor(cell / n) + step[0] + m) % m;
  focusCell(row * n + ((cell + step[1] + n) % n));
  buttons[row * n].scrollIntoView({ block: "nearest" });
});

const THUMB = 30; // pixels: with a finger the first tap on a smaller cell chooses it, the second plays
let touched = false;
find("board").addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"));

find("board").addEventListener("click", (event) => {
  const cell = buttons.indexOf(event.target.closest("button"));
  if (cell < 0) return;
  const asks = touched && event.detail > 0 && buttons[cell].offsetWidth < THUMB && cell !== state.aimed;
  focusCell(cell);
  if (!asks || !mayPlay() || !isFree(shownLine(), cell)) return play(cell);
  state.aimed = cell;
  draw();
});

// What the overlay writes into a free cell: {text, kind, heat}.
function hint(line, cell) {
  if (state.overlay === "values") {
    const value = known(line).get(cell) ?? OPEN_VALUE;
    if (!isExact(value)) return { text: "", told: "not known", kind: "open", heat: outlook(line)?.[cell] };
    const told = verdictOf(value);
    return { text: isDense() ? shortVerdict(value) : told, told, kind: worth(value.low) };
  }
  const share = shares(hintedPlayer(), line)?.[cell];
  if (share === undefined) return { text: "", told: "", kind: "open" };
  const told = `${percent(share, 0)} %`;
  const text = isDense() ? (share > 0 ? told.replace(" %", "") : "") : told;
  return { text, told, kind: "chance", heat: share };
}

// "+2", "=", "−3" where there is no room for words.
const shortVerdict = ({ low, stones: count }) => `${{ 1: "+", 0: "=", "-1": "−" }[low]}${count ?? ""}`;

// Whose chances are shown: the opponent's, or of two players those of the one to move.
const hintedPlayer = () =>
  state.seat === "none" ? state.rivals[mover(shownLine())] : state.player;

// The last blunder shown, the stones since then by number, and the best ones to come.
function refutation(line) {
  const bad = blundersIn(line).at(-1);
  const found = { bad: bad?.cell, numbers: new Map(), ghosts: new Map() };
  if (!bad) return found;
  const since = line.slice(bad.ply + 1);
  since.forEach((cell, n) => found.numbers.set(cell, n + 1));
  const live = ["X", "O"].includes(state.seat) && atEnd();
  const slip = live && !isHuman("XO"[bad.ply % 2]); // which the human is to punish unaided
  if (slip || since.length > 1 || state.running || hasEnded(line)) return found;
  bestPlay(line).forEach((cell, n) => {
    const number = since.length + n + 1;
    found.ghosts.set(cell, { mark: "XO"[(bad.ply + number) % 2], number });
  });
  return found;
}

// How the game goes on if both play best; on larger boards the next stone, if it is known.
function bestPlay(line) {
  if (isSolved()) return bestLine(walk(line));
  const value = valueOf(line);
  if (value.stones === null) return [];
  return [...known(line)].filter(([, move]) => move.low === value.low && move.stones === value.stones).map(([cell]) => cell).slice(0, 1);
}

const OUTLINES = { X: { x: crossAt(0, 0) }, O: { o: ringAt(0, 0) } };

function drawBoard() {
  if (shownGame !== state.game) makeBoard();
  const line = shownLine();
  const marks = stones(line, state.game.cells);
  const won = wonBy(line, state.game);
  const ended = hasEnded(line);
  const playable = mayPlay();
  const refuted = refutation(line);
  buttons.forEach((button, cell) => {
    const mark = marks[cell];
    const free = mark === "" && !ended;
    const ghost = refuted.ghosts.get(cell);
    const written = free && state.overlay !== "none" ? hint(line, cell) : null;
    const number = ghost?.number ?? refuted.numbers.get(cell);
    const tried = state.asking && free && state.tried.includes(cell);
    const wrong = written?.kind === "chance" && written.heat > 0 && isBlunder(line, cell);
    const glyph = cell === refuted.bad || tried ? "??" : "";
    const parts = [];
    if (mark) parts.push(svg(10, OUTLINES[mark]));
    if (ghost) parts.push(ghostStone(ghost));
    if (written) parts.push(element("span", written.text, { class: "hint" }));
    if (number) parts.push(element("span", String(number), { class: "number" }));
    if (glyph) parts.push(element("span", glyph, { class: "glyph" }));
    button.replaceChildren(...parts);
    button.className = written ? `hinted ${written.kind}` : "";
    button.classList.toggle("last", cell === line.at(-1));
    button.classList.toggle("blunder", cell === refuted.bad);
    button.classList.toggle("tried", tried);
    button.classList.toggle("aimed", cell === state.aimed);
    button.classList.toggle("wrong", wrong);
    if (won.includes(cell)) button.classList.add("won", mark.toLowerCase());
    button.style.setProperty("--heat", `${Math.round(100 * (written?.heat ?? 0))}%`);
    button.setAttribute("aria-disabled", String(!playable || !free));
    const content = [mark || "empty"];
    if (written?.told) content.push(written.told);
    if (glyph || wrong) content.push("blunder");
    if (ghost) content.push(`best play: ${ghost.number}, ${ghost.mark}`);
    button.setAttribute("aria-label", `${cellName(cell)}, ${content.join(", ")}`);
  });
}

// A stone of the refutation that is not there yet; one appears after the other.
function ghostStone({ mark, number }) {
  const stone = svg(10, OUTLINES[mark]);
  stone.setAttribute("class", "ghost");
  stone.style.setProperty("--turn", String(number));
  return stone;
}

// The bar: X from below, O from above, the more of a colour the sooner that side wins.
function drawBar() {
  const line = shownLine();
  const value = valueOf(line);
  const ahead = value.low > 0 ? mover(line) : other(mover(line));
  const share = 100 - 8 * Math.min(value.stones ?? 5, 5);
  const even = !isExact(value) || value.low === 0;
  const ofX = even ? 50 : ahead === "X" ? share : 100 - share;
  find("bar").style.setProperty("--x-share", `${ofX}%`);
  find("bar").classList.toggle("open", !isExact(value));
  find("bar-text").textContent = standing(line);
  find("bar").setAttribute("aria-label", `Value of the position: ${standing(line)}`);
}

function drawMoves() {
  const list = find("moves");
  const focused = list.contains(document.activeElement);
  const items = [];
  state.line.forEach((cell, ply) => {
    const glyph = ply < state.setup ? "" : glyphOf(state.line.slice(0, ply), cell);
    const seat = "XO"[ply % 2];
    const chip = element("button", cellName(cell), { type: "button", class: seat.toLowerCase() });
    if (glyph) chip.append(element("b", glyph));
    if (glyph.startsWith("?")) chip.classList.add("bad");
    const meaning = { "??": ", blunder", "?!": ", loses where others are not known to", "!": ", the only move that holds" }[glyph] ?? "";
    chip.setAttribute("aria-label", `${cellName(cell)}${glyph}, move ${ply + 1}, ${seat}${meaning}`);
    if (ply + 1 === state.at) chip.setAttribute("aria-current", "step");
    chip.addEventListener("click", () => goTo(ply + 1));
    const item = element("li");
    item.append(chip);
    items.push(item);
  });
  list.replaceChildren(...items);
  if (focused) (list.querySelector("[aria-current]") ?? buttons.find((button) => button.tabIndex === 0)).focus();
  const empty = state.line.length === 0 || (state.asking && !state.title);
  find("record").classList.toggle("empty", empty);
  if (items.length > 6) { // they may not all have room
    const chip = list.querySelector("[aria-current]") ?? list.firstElementChild;
    list.scrollLeft = chip.offsetLeft + chip.offsetWidth / 2 - list.clientWidth / 2;
  }
  find("earlier").setAttribute("aria-disabled", String(state.at === 0));
  find("later").setAttribute("aria-disabled", String(atEnd()));
}
