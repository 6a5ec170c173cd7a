// A game against a player: moves, answers, taking back, and what is said of them.

const THINKING = 300; // milliseconds before a player answers
let waiting = 0;

function stopWaiting() {
  clearTimeout(waiting);
  awaited = "";
  state.running = false;
}

const mayPlay = () =>
  !state.running && state.seat !== "none" && myTurn() && !hasEnded(shownLine());

function play(cell) {
  if (!mayPlay() || !isFree(shownLine(), cell)) return;
  if (state.asking) return answerQuestion(cell);
  setUp({ line: [...shownLine(), cell] });
  answer();
  show();
}

// The player moves if it is its turn, a moment later, so that one sees what has changed.
function answer() {
  clearTimeout(waiting);
  if (state.asking || state.seat === "none" || !atEnd() || hasEnded(state.line) || myTurn()) return;
  if (!shares(state.player, state.line)) {
    awaited = answerKey(state.player, state.line); // then this is called again
    return wantShares(state.player, state.line);
  }
  if (calm.matches) return placeStone();
  waiting = setTimeout(() => {
    placeStone();
    show();
  }, THINKING);
}

// The player to move places a stone, by its own probabilities.
function placeStone() {
  const chance = shares(playerAt(mover(state.line)), state.line);
  let left = Math.random() * chance.reduce((sum, part) => sum + part, 0);
  const likely = [...chance.keys()].filter((cell) => chance[cell] > 0);
  state.line.push(likely.find((cell) => (left -= chance[cell]) < 0) ?? likely.at(-1));
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
  const lengths = [...Array(state.at).keys()];
  return lengths.findLast((length) => isHuman("XO"[length % 2]));
}

function takeBack() {
  const length = backTo();
  if (length === undefined) return;
  setUp({ line: state.line.slice(0, length) });
  show();
}

// To a stone of the game, by the number of stones then on the board.
function goTo(at) {
  stopWaiting();
  state.at = Math.min(Math.max(at, 0), state.line.length);
  Object.assign(state, { message: null, aimed: -1 });
  find("link-holder").hidden = true;
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

function takeSeat(seat, line, anew = state.seat === "none") {
  if (anew) {
    visit(() => setUp({ seat, player: playerAt(other(seat)) ?? state.player, line }));
  } else {
    setUp({ line });
  }
  answer();
  show();
  focusCell();
}

find("onward").addEventListener("click", playOn);

// The stone that decided a game, if who placed it did not get what was to be had.
function decisive(line) {
  const bad = isOver(line) ? blundersIn(line).at(-1) : undefined;
  if (!bad) return undefined;
  const left = known(bad.before).get(bad.cell);
  const decided = isWon(line) ? left.high === -1 && mover(bad.before) === mover(line) : left.low === 0 && isExact(left);
  return decided ? bad : undefined; // of a larger game not all may be known
}

// Whether it is the end of a game that the player loses while both sides are the human's: of a replay.
function sawLoss() {
  const { line, cast, player } = state;
  return atEnd() && cast === mover(line) && (isWon(line) || answersNothing(player, line));
}

// What the reader may do about a lost game, or one that is watched: beat who lost it from the empty board,
// or play on from the decisive stone.
function secondChance() {
  if (sawLoss()) return { seat: other(state.cast), line: [], words: "Now beat it yourself", anew: true };
  const bad = decisive(state.line);
  if (state.asking || !bad || !hasEnded(shownLine())) return undefined;
  const seat = "XO"[bad.ply % 2];
  if (state.cast && seat !== state.cast) return undefined; // nobody's stone
  if (!isHuman(seat) && state.seat !== "none") return undefined;
  return { seat, line: state.line.slice(0, bad.ply), words: state.seat === "none" ? "Do better from there" : "Try again from there" };
}

function tryAgain() {
  if (state.asking) return retryQuestion();
  const { seat, line, anew } = secondChance();
  takeSeat(seat, line, anew);
}

find("again").addEventListener("click", tryAgain);

// "You lost at move 2: b1."
function decidedText(line) {
  const bad = decisive(line);
  const all = line.every((cell, ply) => isExact(known(line.slice(0, ply)).get(cell) ?? OPEN_VALUE));
  if (!bad) return isWon(line) || !all ? "" : "Nobody blundered.";
  const gave = isWon(line) ? "lost" : "threw the win away";
  return `${nameAt("XO"[bad.ply % 2])} ${gave} at move ${bad.ply + 1}: ${cellName(bad.cell)}.`;
}

const WIN = "You win.";
const winsText = (name) => (name === "You" ? WIN : `${name} wins.`);

function endingText(line) {
  if (forfeited(line)) {
    const won = nameAt(other(mover(line)));
    return `${nameAt(mover(line))} has no legal answer. ${winsText(won)}`;
  }
  if (!isWon(line)) return `The game is a draw. ${decidedText(line)}`.trim();
  return `${winsText(nameAt(other(mover(line))))} ${decidedText(line)}`.trim();
}

// Whether the human has just beaten a player.
const youWon = (line) =>
  !state.asking && hasEnded(line) && (isWon(line) || forfeited(line)) && nameAt(other(mover(line))) === "You";

const beatLinked = () => Boolean(opponent().linked) && youWon(shownLine());

// What it means to have beaten a player: how seldom random moves do.
function winText() {
  const { name, certificate, linked } = opponent();
  const chance = certificate?.vs_random[other(state.seat)]?.[2];
  const who = linked ? "It" : `You beat ${name}, which`; // as the heading says
  return chance ? ` ${who} loses ${oneIn(chance)} to random moves.` : "";
}

// The status; a win stands out, on the board too.
function drawStatus() {
  const won = youWon(shownLine());
  find("play").dataset.won = String(won);
  const text = statusText() + (won ? winText() : "");
  if (find("status").textContent === text) return; // so that it is not read out again
  const [before, after] = won ? text.split(WIN) : [text];
  find("status").textContent = before;
  if (won) find("status").append(element("strong", WIN, { class: state.seat.toLowerCase() }), after);
}

function statusText() {
  const line = shownLine();
  if (state.asking) return questionStatus(line);
  if (hasEnded(line)) return endingText(line);
  if (!atEnd()) return `Move ${line.length} of ${state.line.length}; ${mover(line)} is to move.`;
  if (state.title && answersNothing(state.player, line)) {
    return `${opponent().name} has no legal answer. ${other(mover(line))} wins.`;
  }
  if (state.seat === "both") return `${mover(line)} is to move.`;
  if (state.seat === "none" || !myTurn()) return `${nameAt(mover(line))} is to move.`;
  return state.aimed < 0 ? "Your turn." : `${cellName(state.aimed)}? Tap it again to play it.`;
}

// The lines right under the board: {kind, text}.
function remarks() {
  const found = state.message ? [state.message] : [];
  const line = shownLine();
  if (state.asking) return [...found, ...questionRemarks(line)];
  if (state.setup && line.length === state.setup && state.overlay === "player") {
    // opened among those where the player may blunder
    const reached = !isSolved() || positionsMet(state.player)[walk(line)];
    (shares(state.player, line) ?? []).forEach((share, cell) => {
      if (share === 0 || !isBlunder(line, cell)) return;
      const will = share === 1 ? "blunders" : "may blunder";
      const where = reached ? "" : " here, though its own games never reach this position";
      found.push({ kind: "blunder", text: `${opponent().name} ${will}${where}: ${blunderText(line, cell)}` });
    });
  }
  for (const { ply, cell, before } of blundersIn(line)) {
    if (ply < line.length - 2) continue;
    const seat = "XO"[ply % 2];
    if (["X", "O"].includes(state.seat) && seat !== state.seat) {
      const { low, high, stones: count } = known(before).get(cell);
      const gift = verdictOf({ low: -high, high: -low, stones: count }); // as the human sees it
      const text = gift === "?" ? "it no longer wins" : `you can ${gift}`;
      found.push({ kind: "slip", text: `${nameAt(seat)} blundered: ${text}.` });
    } else {
      const who = seat === state.cast ? `${nameAt(seat)} blundered` : `${whose(seat)} blunder`;
      found.push({ kind: "blunder", text: `${who}: ${blunderText(before, cell)}` });
    }
  }
  line.slice(-2).forEach((cell, n) => {
    const ply = Math.max(line.length - 2, 0) + n;
    const before = line.slice(0, ply);
    if (ply < state.setup || !isDubious(before, cell)) return;
    const own = ["X", "O"].includes(state.seat) && "XO"[ply % 2] !== state.seat ? "slip" : "blunder";
    found.push({ kind: own, text: `${whose("XO"[ply % 2])} ${dubiousText(before, cell)}` });
  });
  return found;
}

// The heading: who plays whom.
function titleText() {
  if (state.asking) return find("play-title").dataset.question;
  if (state.title) return state.title;
  if (state.cast) {
    const { name } = opponent();
    if (!isOver(state.line)) return `${name} as ${state.cast}: you play both sides`;
    const wins = isWon(state.line) && mover(state.line) !== state.cast;
    return isWon(state.line) && !wins ? lossTitle(name, state.cast) : gameTitle(name, state.cast, wins);
  }
  if (state.seat === "both") return "You play both sides";
  if (state.seat === "none") {
    const [x, o] = [...("XO")].map((seat) => players()[state.rivals[seat]].name);
    return `${x} as X against ${o} as O`;
  }
  const { name, linked, shared } = opponent();
  if (linked) {
    const who = shared === USUAL_NAME ? "this bot" : name;
    return beatLinked() ? `You beat ${who}.` : `Can you beat ${who}? You are ${state.seat}.`;
  }
  return `You are ${state.seat} against ${name}`;
}
