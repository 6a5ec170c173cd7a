// The question that the page begins with: X has a corner, and one reply alone does not lose.

const QUESTION = [0]; // the stones on the board
const ANSWER = moves(walk(QUESTION)).find((cell) => !losesValue(walk(QUESTION), cell));

function ask(tried = []) {
  const usual = { game: games[0], player: data.start, rivals: { X: data.start, O: data.start } };
  setUp({ ...usual, line: [...QUESTION], seat: "O", overlay: "none", asking: true, tried });
}

// Whether a line is a game in which the human gave the right answer.
const answered = (line) =>
  isSolved() && state.seat === "O" && line[0] === QUESTION[0] && line[1] === ANSWER;

// A wrong answer is refuted stone by stone; after the right one the game goes on.
function answerQuestion(cell) {
  const line = [...QUESTION, cell];
  if (cell !== ANSWER) {
    const tried = [...new Set([...state.tried, cell])];
    const whole = [...line, ...bestLine(walk(line))];
    setUp({ line: whole, at: line.length, asking: true, tried, title: "refuted" });
    run();
    return show();
  }
  const text = `Right: ${place(cell)} draws, the other seven lose. Play on.`;
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
const canLose = ({ certificate }) => !certificate.unbeatable;
const beatable = data.players.findIndex((one) => one.name === "mcts" && canLose(one));
const weakest = beatable >= 0 ? beatable : data.players.findIndex(canLose);

// The seat in which a player loses sooner, and the address of a game in which it sits there.
const weakSeat = ({ losing_line: lines, worst_case: worst }) =>
  lines.X && (!lines.O || worst.X <= worst.O) ? "X" : "O";
const gameAgainst = ({ name, certificate }) =>
  `#play=${encodeURIComponent(name)}&seat=${other(weakSeat(certificate))}`;

const first = data.players[data.start];
find("start-net").textContent = `Play ${first.name}`;
find("start-net").href = `#play=${encodeURIComponent(first.name)}&seat=X`;
if (weakest >= 0) {
  const { name } = data.players[weakest];
  const knows = chances(weakest, walk(QUESTION))[ANSWER] > 0;
  find("start-beat").textContent = `Beat ${name}`;
  find("teach-next").textContent = `Now beat ${name}${knows ? "" : ", which never found it"}`;
  find("start-beat").href = find("teach-next").href = gameAgainst(data.players[weakest]);
}

// What leads on: from the right answer, given or shown, to a table that learns it, from a game's end to
// the proof, from a win against another's bot to one's own.
function drawNext() {
  const ended = hasEnded(shownLine()) && opponent().certificate && ["X", "O"].includes(state.seat);
  const told = state.asking && !refuting() && state.overlay === "values";
  const learns = told || (answered(state.line) && !ended);
  const proof = [["Its certificate", "#certificate-holder"]];
  const ways = beatLinked()
    ? [["Got a bot? Paste it.", "#bot"], ...proof]
    : learns
      ? [["Watch a table learn that move", "#train=1"], ["Got a bot? Paste it.", "#bot"]]
      : ended && !state.asking ? proof : [];
  find("next").className = learns && !told ? "button" : "act"; // it leads away from a game that goes on
  ["next", "next-too"].forEach((id, at) => {
    find(id).hidden = !ways[at];
    if (ways[at]) [find(id).textContent, find(id).href] = ways[at];
  });
}

for (const id of ["next", "next-too"]) {
  find(id).addEventListener("click", (event) => {
    if (event.target.hash !== "#certificate-holder") return;
    event.preventDefault();
    find("certificate-holder").open = true;
    find("about-name").scrollIntoView();
    find("certificate-holder").firstElementChild.focus({ preventScroll: true });
  });
}

// Until it is answered there is the question only, and a way to a game without it.
function drawQuestion() {
  find("more").hidden = state.asking;
  find("starts").hidden = !state.asking || refuting(); // then one may try again
  find("start-beat").hidden = weakest < 0 || !state.tried.length;
  find("copy").hidden = state.asking && !state.tried.length;
  find("game-buttons").hidden = state.asking;
  const row = refuting() ? find("reveal").parentNode : find(state.asking ? "starts" : "game-buttons");
  if (find("copy").parentNode !== row) row.append(find("copy"));
  find("reveal").hidden = !refuting() || state.running;
}
