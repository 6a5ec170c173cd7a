// Everything drawn from the state, and the start.

function show() {
  draw();
  history.replaceState(null, "", address());
}

function draw() {
  for (const setting of ["player", "seat", "overlay"]) find(setting).value = String(state[setting]);
  drawBoard();
  drawReplay();
  find("status").textContent = statusText();
  find("notes").replaceChildren(...state.notes.map(note));
  const player = opponent();
  const safe = player.certificate.unbeatable ? "It cannot be beaten." : "It can be beaten.";
  find("about-name").textContent = player.name;
  find("about").textContent = `${capital(player.about)}. ${safe}`;
  const spec = player.spec.replaceAll("'", `'"'"'`); // quoted, as it is made to be pasted in a shell
  find("command").textContent = `tttenv certify '${spec}' --json`;
  find("command").parentNode.hidden = player.spec === ""; // of a player that was taught here
  find("certificate").textContent = JSON.stringify(player.certificate, null, 1);
  find("link").href = address();
}

function note({ title, text, line, at }) {
  const box = element("div", "", { class: "note" });
  if (title) box.append(element("strong", title));
  box.append(element("p", text));
  if (line) {
    const button = element("button", "Show this line", { type: "button" });
    button.addEventListener("click", () => startReplay(line, at, "The refutation"));
    box.append(button);
  }
  return box;
}

find("player").addEventListener("change", () => {
  state.player = Number(find("player").value);
  newGame();
});
find("seat").addEventListener("change", () => {
  state.seat = find("seat").value;
  newGame();
});
find("overlay").addEventListener("change", () => {
  state.overlay = find("overlay").value;
  show();
});
find("new").addEventListener("click", newGame);
find("back").addEventListener("click", takeBack);

// Addresses of a game, followed on this page or typed, open on the board.
function open(text) {
  if (!readAddress(text)) return;
  answer();
  show();
  find("play").scrollIntoView();
  focusCell(4, { preventScroll: true });
}

window.addEventListener("hashchange", () => open(location.hash));
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#play="]');
  if (!link) return;
  event.preventDefault();
  open(link.getAttribute("href"));
});

if (readAddress(location.hash)) answer();
draw();
drawLesson();
openLesson(location.hash);
openField(location.hash);
drawExplorer();
find("pair-o").selectedIndex = find("pair-o").length - 1;
drawPair();
