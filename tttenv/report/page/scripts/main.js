// Everything drawn from the state, and the start.

function show() {
  draw();
  keep();
}

function draw() {
  offerGames();
  drawWatch();
  find("player").value = String(trainedOf(state.player));
  find("seat").value = state.seat;
  find("overlay").value = state.overlay;
  find("player").parentNode.hidden = state.seat === "none";
  find("watching").hidden = state.seat !== "none";
  drawBoard();
  drawBar();
  drawMoves();
  drawQuestion();
  find("play-title").textContent = titleText();
  drawStatus();
  setText(find("said"), saidText());
  setText(find("proof"), proofText(shownLine()));
  find("proof").dataset.proving = String(isProving(shownLine()));
  drawRemarks();
  const chance = secondChance();
  find("again").hidden = state.asking ? !refuting() || state.running : !chance;
  find("again").textContent = state.asking ? "Try again" : (chance?.words ?? "");
  const cut = !state.asking && !state.running && !hasEnded(shownLine());
  find("onward").hidden = !cut || (atEnd() && state.seat !== "none");
  find("back").setAttribute("aria-disabled", String(backTo() === undefined));
  drawNext();
  drawLegend();
  drawAbout();
  analyse();
  if (state.overlay === "player") wantShares(hintedPlayer(), shownLine());
  if (state.overlay === "values") wantOutlook(shownLine());
  // A button that has the focus may be gone now.
  if (document.activeElement?.closest("[hidden]")) focusCell();
}

// A line that stands there already is left alone, so that it is not read out again.
function drawRemarks() {
  const told = remarks();
  const same = JSON.stringify(told);
  if (find("notes").dataset.told === same) return;
  find("notes").dataset.told = same;
  find("notes").replaceChildren(...told.map(({ kind, text }) => element("p", text, { class: kind })));
}

// What has happened on the board, for those who do not see it: the last stone, and the value.
function saidText() {
  const line = shownLine();
  if (!line.length || state.asking) return "";
  const value = standing(line);
  const told = value === "draw" ? "Still a draw." : `${capital(value)}${value.includes(" wins") ? " with best play" : ""}.`;
  return `${other(mover(line))} on ${cellName(line.at(-1))}.${hasEnded(line) || value === "not known" ? "" : ` ${told}`}`;
}

// A line of the legend appears when its mark does, and stays.
function drawLegend() {
  const text = [state.overlay, ...["board", "bar-text", "notes", "proof", "moves"].map((id) => find(id).textContent)].join(" ");
  for (const line of document.querySelectorAll("[data-mark][hidden]")) line.hidden = !RegExp(line.dataset.mark).test(text);
}

// The list of boards; a link may have named another.
function offerGames() {
  const list = find("rules");
  if (list.length !== games.length) {
    list.replaceChildren(...games.map((game) => element("option", boardTitle(game), { value: game.name })));
  }
  list.value = state.game.name;
}

find("rules").addEventListener("change", () => {
  const game = gameNamed(find("rules").value);
  setUp({ ...switched(game), seat: state.asking || state.seat === "none" ? "X" : state.seat });
  answer();
  show();
});
find("player").addEventListener("change", () => {
  state.player = Number(find("player").value);
  if (!["X", "O"].includes(state.seat)) state.seat = "X";
  newGame();
});
find("seat").addEventListener("change", () => {
  state.seat = find("seat").value;
  if (state.seat === "none") state.rivals.X = state.player;
  newGame();
});
find("overlay").addEventListener("change", () => {
  state.overlay = find("overlay").value;
  show();
});
find("new").addEventListener("click", newGame);
find("back").addEventListener("click", takeBack);

ask();
const linked = readAddress(location.hash);
if (linked) answer();
draw();
history.replaceState({ game: address() }, "", linked ? address() : undefined);
if (linked) reveal();
openLesson(location.hash);
openDaily(location.hash);
openSample(location.hash);
openMind(location.hash);
requestAnimationFrame(() => whenIdle(makeOneByOne)); // when this has been painted
