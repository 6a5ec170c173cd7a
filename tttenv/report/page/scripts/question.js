// The question that the page begins with: X has a corner, and one reply alone does not lose.

const QUESTION = [0]; // the stones on the board

function ask(tried = []) {
  const usual = { game: games[0], player: data.start, rivals: { X: data.start, O: data.start } };
  setUp({ ...usual, line: [...QUESTION], seat: "O", overlay: "none", asking: true, tried });
}

// A wrong answer is refuted stone by stone; after the right one the game goes on.
function answerQuestion(cell) {
  const line = [...QUESTION, cell];
  const before = walk(QUESTION);
  if (losesValue(before, cell)) {
    const tried = [...new Set([...state.tried, cell])];
    const whole = [...line, ...bestLine(walk(line))];
    setUp({ line: whole, at: line.length, asking: true, tried, title: "refuted" });
    run();
    return show();
  }
  const wrong = moves(before).length - 1;
  const text = `Right: ${place(cell)} draws, the other ${["no", "one", "two", "three", "four", "five", "six", "seven"][wrong]} lose. Play on.`;
  visit(() => {
    setUp({ line, overlay: "none", message: { kind: "good", text } });
    answer();
  });
}

function retryQuestion() {
  ask(state.tried);
  show();
  focusCell();
}

find("reveal").addEventListener("click", () => {
  ask(state.tried);
  state.overlay = "values";
  show();
  focusCell();
});

const refuting = () => state.asking && state.line.length > QUESTION.length;

function questionStatus(line) {
  if (!refuting()) return state.overlay === "values" ? "What each reply is worth to O." : "Your answer: choose a cell.";
  return hasEnded(line) ? `${capital(ending(line))}.` : "See how X wins.";
}

function questionRemarks(line) {
  if (!refuting() || line.length <= QUESTION.length) return [];
  const cell = state.line[QUESTION.length];
  const rank = moveRank(walk(QUESTION), cell);
  return [{ kind: "blunder", text: `Not ${place(cell)}: it ${VERBS[worth(rank)][0]}${distance(rank)}.` }];
}

// The ways in that stand below the question.
const beatable = data.players.findIndex(({ name }) => name === "mcts");
const weakest = beatable >= 0 ? beatable : data.players.findIndex((one) => !one.certificate.unbeatable);

function startGame(player, seat) {
  visit(() => {
    setUp({ ...switched(games[0]), player, seat, overlay: "none" });
    answer();
  });
  focusCell();
}

find("start-net").textContent = /\b(net|network|MLP)\b/.test(data.players[data.start].about)
  ? "Play the net"
  : `Play ${data.players[data.start].name}`;
find("start-net").addEventListener("click", () => startGame(data.start, "X"));
find("start-beat").hidden = weakest < 0;
find("start-beat").textContent = `Beat ${data.players[Math.max(weakest, 0)].name}`;
find("start-beat").addEventListener("click", () =>
  startGame(weakest, other(weakSeat(data.players[weakest].certificate))),
);

function drawQuestion() {
  find("starts").hidden = !state.asking || refuting(); // then one may try again
  find("game-buttons").hidden = state.asking;
  const row = refuting() ? find("reveal").parentNode : find(state.asking ? "starts" : "game-buttons");
  if (find("copy").parentNode !== row) row.append(find("copy"));
  find("reveal").hidden = !refuting() || state.running;
}
