// The board: nine buttons in a grid, one of them in the tab order, arrow keys between them.
// On it blunders and what refutes them, beside it the value bar, below it the list of moves.

const buttons = [];

for (let row = 0; row < 3; row++) {
  const band = element("div", "", { role: "row" });
  for (let column = 0; column < 3; column++) {
    const holder = element("div", "", { role: "gridcell" });
    const button = element("button", "", { type: "button", tabindex: "-1" });
    button.dataset.place = place(buttons.length);
    buttons.push(button);
    holder.append(button);
    band.append(holder);
  }
  find("board").append(band);
}
buttons[4].tabIndex = 0;

function focusCell(cell, options) {
  buttons.forEach((button, n) => (button.tabIndex = n === cell ? 0 : -1));
  buttons[cell].focus(options);
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

find("board").addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const cell = buttons.indexOf(event.target);
  if (!step || cell < 0) return;
  event.preventDefault();
  const row = (Math.floor(cell / 3) + step[0] + 3) % 3;
  focusCell(row * 3 + ((cell + step[1] + 3) % 3));
});

find("board").addEventListener("click", (event) => {
  const cell = buttons.indexOf(event.target.closest("button"));
  if (cell < 0) return;
  focusCell(cell, { preventScroll: true });
  play(cell);
});

// What the overlay writes into a free cell: {text, kind, heat}.
function hint(position, cell) {
  if (state.overlay === "values") {
    const rank = moveRank(position, cell);
    return { text: verdict(rank), kind: worth(rank) };
  }
  const share = chances(hintedPlayer(), position)[cell] / 255;
  const text = share > 0 && share < 0.01 ? "<1 %" : `${Math.round(100 * share)} %`;
  return { text, kind: "chance", heat: share };
}

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
  bestLine(walk(line)).forEach((cell, n) => {
    const number = since.length + n + 1;
    found.ghosts.set(cell, { mark: "XO"[(bad.ply + number) % 2], number });
  });
  return found;
}

const OUTLINES = { X: { x: crossAt(0, 0) }, O: { o: ringAt(0, 0) } };

function drawBoard() {
  const line = shownLine();
  const position = walk(line);
  const marks = stones(line);
  const won = lost(position) ? data.lines.filter((three) => sameMark(three, marks)).flat() : [];
  const refuted = refutation(line);
  buttons.forEach((button, cell) => {
    const mark = marks[cell];
    const free = mark === "" && !hasEnded(line);
    const ghost = refuted.ghosts.get(cell);
    const written = free && state.overlay !== "none" ? hint(position, cell) : null;
    const number = ghost?.number ?? refuted.numbers.get(cell);
    const tried = state.asking && free && state.tried.includes(cell);
    const wrong = written?.heat > 0 && losesValue(position, cell);
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
    button.classList.toggle("wrong", wrong);
    if (won.includes(cell)) button.classList.add("won", mark.toLowerCase());
    button.style.setProperty("--heat", `${Math.round(100 * (written?.heat ?? 0))}%`);
    button.setAttribute("aria-disabled", String(!mayPlay() || !legal(position, cell)));
    const content = [mark || "empty"];
    if (written) content.push(written.text);
    if (glyph || wrong) content.push("blunder");
    if (ghost) content.push(`best play: ${ghost.number}, ${ghost.mark}`);
    button.setAttribute("aria-label", `${place(cell)}, ${content.join(", ")}`);
  });
}

// A stone of the refutation that is not there yet; one appears after the other.
function ghostStone({ mark, number }) {
  const stone = svg(10, OUTLINES[mark]);
  stone.setAttribute("class", "ghost");
  stone.style.setProperty("--turn", String(number));
  return stone;
}

const sameMark = (three, marks) =>
  marks[three[0]] !== "" && three.every((cell) => marks[cell] === marks[three[0]]);

// The bar: X from below, O from above, the more of a colour the sooner that side wins.
function drawBar() {
  const line = shownLine();
  const position = walk(line);
  const rank = ranks[position];
  const ahead = rank > 0 ? mover(line) : other(mover(line));
  const left = lost(position) ? 0 : rank === 0 ? 5 : winnersStones(rank) * 0.8;
  const share = 50 + 10 * (5 - left);
  const ofX = rank === 0 ? 50 : ahead === "X" ? share : 100 - share;
  find("bar").style.setProperty("--x-share", `${ofX}%`);
  find("bar-text").textContent = standing(line);
  find("bar").setAttribute("aria-label", `Value of the position: ${standing(line)}`);
}

function drawMoves() {
  const list = find("moves");
  const focused = list.contains(document.activeElement);
  const items = [];
  let position = 0;
  state.line.forEach((cell, ply) => {
    const glyph = ply < state.setup ? "" : glyphOf(position, cell);
    const seat = "XO"[ply % 2];
    const chip = element("button", place(cell), { type: "button", class: seat.toLowerCase() });
    if (glyph) chip.append(element("b", glyph));
    if (glyph === "??") chip.classList.add("bad");
    const meaning = { "??": ", blunder", "!": ", the only move that holds" }[glyph] ?? "";
    chip.setAttribute("aria-label", `${place(cell)}${glyph}, move ${ply + 1}, ${seat}${meaning}`);
    if (ply + 1 === state.at) chip.setAttribute("aria-current", "step");
    chip.addEventListener("click", () => goTo(ply + 1));
    const item = element("li");
    item.append(chip);
    items.push(item);
    position = next(position, cell);
  });
  list.replaceChildren(...items);
  if (focused) list.querySelector("[aria-current]")?.focus();
  const empty = state.line.length === 0 || (state.asking && !state.title);
  find("record").classList.toggle("empty", empty);
  find("earlier").setAttribute("aria-disabled", String(state.at === 0));
  find("later").setAttribute("aria-disabled", String(atEnd()));
}
