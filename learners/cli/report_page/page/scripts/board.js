// The board: nine buttons in a grid, one of them in the tab order, arrow keys between them.

const buttons = [];

for (let row = 0; row < 3; row++) {
  const band = element("div", "", { role: "row" });
  for (let column = 0; column < 3; column++) {
    const holder = element("div", "", { role: "gridcell" });
    const button = element("button", "", { type: "button", tabindex: "-1" });
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
  const share = chances(state.player, position)[cell] / 255;
  const text = share > 0 && share < 0.01 ? "<1 %" : `${Math.round(100 * share)} %`;
  return { text, kind: "chance", heat: share };
}

function drawBoard() {
  const line = shownLine();
  const position = walk(line);
  const marks = stones(line);
  const won = lost(position) ? data.lines.filter((three) => sameMark(three, marks)).flat() : [];
  const playable = !state.replay && !over(position) && myTurn();
  buttons.forEach((button, cell) => {
    const shape = { X: { x: crossAt(0, 0) }, O: { o: ringAt(0, 0) } }[marks[cell]];
    const written = shape || over(position) || state.overlay === "none" ? null : hint(position, cell);
    button.replaceChildren(...(shape ? [svg(10, shape)] : written ? [element("span", written.text)] : []));
    button.className = written ? `hinted ${written.kind}` : won.includes(cell) ? "won" : "";
    if (cell === line.at(-1)) button.classList.add("last");
    button.style.setProperty("--heat", `${Math.round(100 * (written?.heat ?? 0))}%`);
    button.setAttribute("aria-disabled", String(!playable || !legal(position, cell)));
    const content = marks[cell] || (written ? `empty, ${written.text}` : "empty");
    button.setAttribute("aria-label", `${place(cell)}, ${content}`);
  });
}

const sameMark = (three, marks) =>
  marks[three[0]] !== "" && three.every((cell) => marks[cell] === marks[three[0]]);
