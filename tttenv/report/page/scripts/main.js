// Everything drawn from the state, and the start.

function show() {
  draw();
  keep();
}

function draw() {
  find("player").value = String(trainedOf(state.player));
  find("seat").value = state.seat;
  find("overlay").value = state.overlay;
  find("player").parentNode.hidden = state.seat === "none";
  find("watching").hidden = state.seat !== "none";
  drawBoard();
  drawBar();
  drawMoves();
  drawWatch();
  drawTraining();
  drawQuestion();
  find("play-title").textContent = titleText();
  find("status").textContent = statusText();
  drawRemarks();
  find("again").hidden = state.asking ? !refuting() || state.running : !secondChance();
  find("again").textContent = state.asking ? "Try again" : "Try again from there";
  const cut = !state.asking && !state.running && !hasEnded(shownLine());
  find("onward").hidden = !cut || (atEnd() && state.seat !== "none");
  find("back").setAttribute("aria-disabled", String(backTo() === undefined));
  find("link-holder").hidden = true;
  drawAbout();
  // A button that has the focus may be gone now.
  if (document.activeElement?.closest("[hidden]")) focusCell(4, { preventScroll: true });
}

// A line that stands there already is left alone, so that it is not read out again.
function drawRemarks() {
  const told = remarks();
  const same = JSON.stringify(told);
  if (find("notes").dataset.told === same) return;
  find("notes").dataset.told = same;
  find("notes").replaceChildren(...told.map(({ kind, text }) => element("p", text, { class: kind })));
}

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
openField(location.hash);
requestAnimationFrame(() => whenIdle(makeOneByOne)); // when this has been painted
