// A game against a player: moves, answers, taking back, resigning, and what is said of them.

const THINKING = 300; // milliseconds before a player answers
let waiting = 0;

function stopWaiting() {
  clearTimeout(waiting);
  state.running = false;
}

const mayPlay = () =>
  !state.running && state.seat !== "none" && myTurn() && !hasEnded(shownLine());

function play(cell) {
  if (!mayPlay() || !legal(walk(shownLine()), cell)) return;
  if (state.asking) return answerQuestion(cell);
  setUp({ line: [...shownLine(), cell] });
  answer();
  show();
}

// The player moves if it is its turn, a moment later, so that one sees what has changed.
function answer() {
  clearTimeout(waiting);
  if (state.asking || state.seat === "none" || !atEnd() || hasEnded(state.line) || myTurn()) return;
  if (calm.matches) return placeStone();
  waiting = setTimeout(() => {
    placeStone();
    show();
  }, THINKING);
}

// The player to move places a stone, by its own probabilities.
function placeStone() {
  const position = walk(state.line);
  const chance = chances(playerAt(mover(state.line)), position);
  let dice = Math.random() * chance.reduce((sum, part) => sum + part, 0);
  const cell = moves(position).find((move) => (dice -= chance[move]) < 0);
  state.line.push(cell);
  state.at = state.line.length;
}

function newGame() {
  setUp({});
  if (state.seat === "none") run();
  else answer();
  show();
}

// To the stone before which the human was to move last, as the number of stones; or undefined.
function backTo() {
  if (state.asking || state.seat === "none") return undefined;
  if (state.resigned) return state.line.length;
  const lengths = [...Array(state.at).keys()];
  return lengths.findLast((length) => isHuman("XO"[length % 2]));
}

function takeBack() {
  const length = backTo();
  if (length === undefined) return;
  setUp({ line: state.line.slice(0, length) });
  show();
}

function resign() {
  if (state.asking || !["X", "O"].includes(state.seat) || hasEnded(state.line)) return;
  stopWaiting();
  state.at = state.line.length;
  state.resigned = true;
  show();
}

// To a stone of the game, by the number of stones then on the board.
function goTo(at) {
  stopWaiting();
  state.at = Math.min(Math.max(at, 0), state.line.length);
  state.message = null;
  answer();
  show();
}

find("earlier").addEventListener("click", () => goTo(state.at - 1));
find("later").addEventListener("click", () => goTo(state.at + 1));

// Go on with the position shown; of two players' game the human takes the side to move.
function playOn() {
  const line = shownLine();
  takeSeat(mover(line), line);
}

function takeSeat(seat, line) {
  if (state.seat === "none") {
    visit(() => setUp({ seat, player: state.rivals[other(seat)], line }));
  } else {
    setUp({ line });
  }
  answer();
  show();
  focusCell(4, { preventScroll: true });
}

find("onward").addEventListener("click", playOn);

// The stone that decided a game, if who placed it did not get what was to be had.
const decisive = (line) => (over(walk(line)) ? blundersIn(line).at(-1) : undefined);

// Whether the human, or one side of a game that is watched, may try again from the decisive stone.
function secondChance() {
  const bad = decisive(state.line);
  if (state.asking || state.resigned || !bad || !hasEnded(shownLine())) return undefined;
  const seat = "XO"[bad.ply % 2];
  return isHuman(seat) || state.seat === "none" ? { seat, line: state.line.slice(0, bad.ply) } : undefined;
}

function tryAgain() {
  if (state.asking) return retryQuestion();
  const { seat, line } = secondChance();
  takeSeat(seat, line);
}

find("again").addEventListener("click", tryAgain);

// "You lost at move 2: b1."
function decidedText(line) {
  const bad = decisive(line);
  if (!bad) return lost(walk(line)) ? "" : "Nobody blundered.";
  const gave = lost(walk(line)) ? "lost" : "gave the win away";
  return `${nameAt("XO"[bad.ply % 2])} ${gave} at move ${bad.ply + 1}: ${place(bad.cell)}.`;
}

function endingText(line) {
  if (state.resigned && !over(walk(line))) return `You resigned: ${nameAt(other(state.seat))} wins.`;
  if (forfeited(line)) {
    const won = nameAt(other(mover(line)));
    return `${nameAt(mover(line))} has no legal answer. ${won === "You" ? "You win" : `${won} wins`}.`;
  }
  if (!lost(walk(line))) return `The game is a draw. ${decidedText(line)}`;
  const winner = nameAt(other(mover(line)));
  return `${winner === "You" ? "You win" : `${winner} wins`}. ${decidedText(line)}`;
}

function statusText() {
  const line = shownLine();
  if (state.asking) return questionStatus(line);
  if (hasEnded(line)) return endingText(line);
  if (!atEnd()) return `Move ${line.length} of ${state.line.length}; ${mover(line)} is to move.`;
  if (state.title && answersNothing(state.player, walk(line))) {
    return `${opponent().name} has no legal answer. ${other(mover(line))} wins.`;
  }
  if (state.seat === "both") return `${mover(line)} is to move.`;
  if (state.seat === "none" || !myTurn()) return `${nameAt(mover(line))} is to move.`;
  return "Your turn.";
}

// The lines right under the board: {kind, text}.
function remarks() {
  const found = state.message ? [state.message] : [];
  const line = shownLine();
  if (state.asking) return [...found, ...questionRemarks(line)];
  if (state.setup && line.length === state.setup && state.overlay === "player") {
    const position = walk(line); // opened among those where the player may blunder
    for (const cell of mistakes(state.player, position)) {
      found.push({ kind: "blunder", text: `${opponent().name} may blunder: ${blunderText(position, cell)}` });
    }
  }
  for (const { ply, cell, position } of blundersIn(line)) {
    if (ply < line.length - 2) continue;
    const seat = "XO"[ply % 2];
    if (["X", "O"].includes(state.seat) && seat !== state.seat) {
      const gift = verdict(ranks[next(position, cell)]); // as the human sees it
      found.push({ kind: "slip", text: `${nameAt(seat)} blundered: you can ${gift}.` });
    } else {
      found.push({ kind: "blunder", text: `${whose(seat)} blunder: ${blunderText(position, cell)}` });
    }
  }
  return found;
}

// The heading: who plays whom.
function titleText() {
  if (state.asking) return find("play-title").dataset.question;
  if (state.title) return state.title;
  if (state.seat === "both") return "You play both sides";
  if (state.seat === "none") {
    const [x, o] = [...("XO")].map((seat) => data.players[state.rivals[seat]].name);
    return `${x} as X against ${o} as O`;
  }
  return `You are ${state.seat} against ${opponent().name}`;
}
