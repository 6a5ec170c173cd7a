// Stones that come by themselves: two players' game, how a player loses, how a blunder is refuted.

const STONE = 700; // milliseconds

function run() {
  clearTimeout(waiting);
  state.running = true;
  waiting = setTimeout(tick, STONE);
}

function tick() {
  if (!atEnd()) state.at += 1;
  else if (state.seat === "none" && !hasEnded(state.line)) placeStone();
  const done = atEnd() && (state.seat !== "none" || hasEnded(state.line));
  if (done) stopWaiting();
  else run();
  show();
}

// Two players by their numbers play a game by themselves.
function watch(X, O) {
  visit(() => {
    setUp({ seat: "none", rivals: { X, O } });
    run();
  });
}

// Show a line from a stone on, which goes on by itself.
function startReplay(line, at, title, player = state.player) {
  visit(() => {
    setUp({ line: [...line], at, title, player, seat: "both" });
    run();
  });
  find("pause").focus({ preventScroll: true });
}

function pauseOrRun() {
  if (state.running) stopWaiting();
  else {
    if (hasEnded(shownLine())) state.at = 0;
    run();
  }
  show();
}

find("pause").addEventListener("click", pauseOrRun);
find("watch").addEventListener("click", () => {
  watch(Number(find("watch-x").value), Number(find("watch-o").value));
  find("pause").focus({ preventScroll: true });
});
find("pair-watch").addEventListener("click", () => {
  watch(Number(find("pair-x").value), Number(find("pair-o").value));
  find("pause").focus({ preventScroll: true });
});

function drawWatch() {
  const shown = state.seat === "none" || state.running || state.title !== "";
  find("pause").hidden = !shown || (state.asking && !state.running);
  find("pause").textContent = state.running ? "Pause" : hasEnded(shownLine()) ? "Play it again" : state.at === 0 ? "Start" : "Go on";
  for (const list of [find("watch-x"), find("watch-o")]) {
    data.players.forEach((player, number) => {
      if (number <= Number(list.lastElementChild?.value ?? -1) || player.trained !== undefined) return;
      list.append(element("option", player.name, { value: String(number) }));
    });
  }
  if (state.seat !== "none") return;
  find("watch-x").value = String(trainedOf(state.rivals.X));
  find("watch-o").value = String(trainedOf(state.rivals.O));
}
