// A game against a player: moves, blunders flagged as they are made, taking back.

// What is to be said of a move that gives something away, with the line that shows it.
function judge(line, cell, who) {
  const position = walk(line);
  if (!losesValue(position, cell)) return [];
  const had = worth(ranks[position]);
  const left = worth(moveRank(position, cell));
  const played = [...line, cell];
  const whole = [...played, ...bestLine(walk(played))];
  const refuted = `${told(whole, played.length)}: ${ending(whole)}.`;
  const text = `${who} at ${place(cell)} turns a ${had} into a ${left}. Best play from there: `;
  return [{ title: "Blunder", text: text + refuted, line: whole, at: played.length }];
}

function play(cell) {
  if (state.replay || !myTurn() || !legal(walk(state.line), cell)) return;
  const name = state.seat === "both" ? mover(state.line) : "Your move";
  state.notes = judge(state.line, cell, name);
  state.line.push(cell);
  answer();
  show();
}

// The player moves if it is its turn, by its own probabilities.
function answer() {
  const position = walk(state.line);
  if (over(position) || myTurn()) return;
  const chance = chances(state.player, position);
  let dice = Math.random() * chance.reduce((sum, part) => sum + part, 0);
  const cell = moves(position).find((move) => (dice -= chance[move]) < 0);
  state.notes.push(...judge(state.line, cell, opponent().name));
  state.line.push(cell);
}

function newGame() {
  Object.assign(state, { line: [], notes: [], replay: null });
  answer();
  show();
}

// Back to the last position in which the human was to move.
function takeBack() {
  const turns = state.line.map((_, length) => state.line.slice(0, length));
  const kept = turns.findLast((line) => state.seat === "both" || mover(line) === state.seat);
  if (kept) Object.assign(state, { line: kept, notes: [], replay: null });
  show();
}

function statusText() {
  const line = shownLine();
  const position = walk(line);
  const turn = line.length ? `${mover(line.slice(1))} took ${place(line.at(-1))}.` : "";
  if (state.replay) return `${state.replay.title}: move ${line.length} of ${state.replay.line.length}. ${turn} ${over(position) ? `${capital(ending(line))}.` : ""}`;
  if (lost(position)) return `${turn} ${winnerText(line)}`;
  if (over(position)) return `${turn} The game is a draw.`;
  return `${turn} ${state.seat === "both" ? `${mover(line)} to move.` : `Your turn, you play ${state.seat}.`}`;
}

function winnerText(line) {
  const winner = mover(line) === "X" ? "O" : "X";
  if (state.seat === "both") return `${winner} wins.`;
  return winner === state.seat ? "You win." : `${opponent().name} wins.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
