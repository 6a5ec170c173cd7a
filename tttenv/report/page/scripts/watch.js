// Stones that come by themselves: two players' game, how a player loses, how a blunder is refuted.

const STONE = 700; // milliseconds
const MOMENT = 50; // while a player still thinks

function run(wait = STONE) {
  clearTimeout(waiting);
  state.running = true;
  waiting = setTimeout(tick, wait);
}

function tick() {
  if (!atEnd()) state.at += 1;
  else if (state.seat === "none" && !hasEnded(state.line)) {
    const player = playerAt(mover(state.line));
    if (!shares(player, state.line)) {
      wantShares(player, state.line);
      return run(MOMENT);
    }
    placeStone();
  }
  const done = atEnd() && (state.seat !== "none" || hasEnded(state.line));
  if (done) stopWaiting();
  else run();
  show();
}

// Two players of a game by their numbers play it by themselves.
function watch(X, O, game = state.game) {
  visit(() => {
    setUp({ ...switched(game), seat: "none", rivals: { X, O } });
    run();
  });
}

const lossTitle = (name, seat) => `How ${name} loses as ${seat}`;
const gameTitle = (name, seat, wins) => `A game that ${name} ${wins ? "wins" : "draws"} as ${seat}`;

// Show stone by stone a game of a player in a seat, usually one that it loses.
function startReplay(line, seat, player, game = state.game, title = lossTitle(game.players[player].name, seat)) {
  visit(() => {
    setUp({ ...switched(game), line: [...line], at: 0, title, player, seat: "both", cast: seat });
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

// Fill a list with the game's players; earlier steps of a training have a slider instead.
function offerPlayers(list) {
  if (list.dataset.game !== state.game.name) list.replaceChildren();
  list.dataset.game = state.game.name;
  players().forEach((player, number) => {
    if (number <= Number(list.lastElementChild?.value ?? -1) || player.trained !== undefined) return;
    list.append(element("option", player.label ?? player.name, { value: String(number) }));
  });
}

function drawWatch() {
  const shown = state.seat === "none" || state.running || state.title !== "";
  find("pause").hidden = !shown || (state.asking && !state.running);
  find("pause").textContent = state.running ? "Pause" : hasEnded(shownLine()) ? "Play it again" : state.at === 0 ? "Start" : "Go on";
  for (const list of ["player", "watch-x", "watch-o"]) offerPlayers(find(list));
  if (state.seat !== "none") return;
  find("watch-x").value = String(trainedOf(state.rivals.X));
  find("watch-o").value = String(trainedOf(state.rivals.O));
}
