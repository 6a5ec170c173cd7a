// The boards of a day: the same for everyone, since the date chooses them by integers alone. Those of
// 3,3,3 come from the solved tables, larger ones from a worker that proves them.

const DAY = 86_400_000; // milliseconds
const DAILY_GAMES = ["3,3,3", "3,3,3", "3,3,3", "4,4,4", "5,5,4"].map(gameNamed);
const DAILY_STONES = [0, 0, 0, 8, 9]; // on the larger boards
const STORED = "only-move"; // the name under which the device keeps what has been answered

const dateOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);
const FIRST_DAY = Date.UTC(2026, 0, 1) / DAY;

// The number of the visitor's own calendar day.
function today() {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;
}

// The number of a day that is written as 2026-11-28; undefined if there is none.
function dayNamed(text) {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) / DAY : NaN;
  return Number.isInteger(day) && dateOf(day) === text ? day : undefined;
}

// The classes of positions of 3,3,3 in which one move of three or more keeps a win or a draw, by the
// first position of each: where it wins at once, where all others lose at once, and the rest.
function onlyMoves() {
  const levels = [[], [], []];
  const seen = new Set();
  ranks.forEach((_, position) => {
    if (seen.has(classOf[position])) return;
    seen.add(classOf[position]);
    const all = moves(position);
    const kept = all.filter((cell) => !losesValue(position, cell));
    if (all.length < 3 || kept.length !== 1) return;
    const others = all.filter((cell) => cell !== kept[0]);
    const atOnce = moveRank(position, kept[0]) === CELLS;
    const blocks = others.every((cell) => moveRank(position, cell) === 1 - CELLS);
    levels[atOnce ? 0 : blocks ? 1 : 2].push(position);
  });
  return levels;
}

// Each level is gone through in an order of its own before a class comes again, in a random image.
function solvedPuzzle(day, level, positions) {
  const classes = shuffled(positions, level);
  const maps = mapsOf(games[0]);
  const image = maps[randomIntegers(8 * day + level)() >>> 29];
  const line = lineTo(classes[day % classes.length]).map((cell) => image[cell]);
  const position = walk(line);
  const values = new Map(moves(position).map((cell) => [cell, moveRank(position, cell)]));
  return { line, values, answer: moves(position).find((cell) => !losesValue(position, cell)) };
}

let daily = null; // the day shown: see `openDay`
let stoneTimer = 0;

// What the device keeps: the day answered last, which answers were right, the last day played to its
// end, and the streak of such days up to it, whatever the answers; where nothing can be stored, it is kept as long as the page is open.
let kept = { day: 0, marks: "", last: 0, streak: 0 };

function recall() {
  try {
    const { day, marks, last, streak } = JSON.parse(localStorage.getItem(STORED));
    const whole = [day, last, streak].every((number) => Number.isSafeInteger(number) && number >= 0);
    if (whole && /^[01]{0,5}$/.test(marks)) kept = { day, marks, last, streak };
  } catch {
    return; // refused, or nothing that this page has written
  }
}

function remember() {
  const { day, marks } = daily;
  kept = { ...kept, day, marks };
  if (marks.length === DAILY_GAMES.length && kept.last < day) {
    Object.assign(kept, { last: day, streak: kept.last === day - 1 ? kept.streak + 1 : 1 });
  }
  try {
    localStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    return; // private windows may refuse
  }
}

function openDay(day, note = "") {
  clearTimeout(stoneTimer);
  recall();
  const marks = day === today() && kept.day === day ? kept.marks : "";
  daily = { day, note, marks, live: day === today(), puzzles: onlyMoves().map((classes, level) => solvedPuzzle(day, level, classes)), wanted: false };
  showPuzzle(Math.min(marks.length, DAILY_GAMES.length - 1));
}

// Show one of the day's boards.
function showPuzzle(at) {
  clearTimeout(stoneTimer);
  Object.assign(daily, { at, given: null, refutation: null });
  layBoard();
  if (at || daily.marks) wantPuzzles();
  drawDaily();
}

// The board as it was before it was answered.
function layBoard() {
  Object.assign(daily, { line: daily.puzzles[daily.at]?.line ?? [], shown: Infinity, refuting: false });
}

function wantPuzzles() {
  if (daily.wanted) return;
  daily.wanted = true;
  DAILY_STONES.forEach((count, at) => {
    const { m, n, k } = DAILY_GAMES[at];
    const key = [daily.day, at];
    if (count) send("puzzle", { key, rules: { m, n, k }, stones: count, seed: 8 * daily.day + at });
  });
}

HEARD.puzzle = ({ key: [day, at], puzzle }) => {
  if (day !== daily.day) return;
  daily.puzzles[at] = puzzle;
  if (at === daily.at) showPuzzle(at);
};

HEARD.refutation = ({ key, line }) => {
  if (key.join() === [daily.day, daily.at, daily.given].join()) refuteBy(line);
};

const isAnswered = () => daily.at < daily.marks.length;

function answerDaily(cell) {
  const { at, puzzles } = daily;
  if (!puzzles[at] || isAnswered() || puzzles[at].line.includes(cell)) return;
  const right = cell === puzzles[at].answer;
  const line = [...puzzles[at].line, cell];
  daily.marks += right ? "1" : "0";
  daily.given = cell;
  if (right || !calm.matches) Object.assign(daily, { line, refuting: !right });
  if (daily.day === today()) remember();
  wantPuzzles();
  if (!right) askRefutation(line);
  drawDaily();
}

function askRefutation(line) {
  const { m, n, k, name } = DAILY_GAMES[daily.at];
  if (name === games[0].name) return refuteBy([...line, ...bestLine(walk(line))]);
  send("puzzle", { kind: "refutation", key: [daily.day, daily.at, daily.given], rules: { m, n, k }, line });
}

// How the game goes on after a wrong move: shown by itself, on demand where nothing is to move.
function refuteBy(line) {
  daily.refutation = line;
  if (daily.refuting) refute();
  else drawDaily();
}

// Stone by stone, after which the board is as it was; where nothing is to move, at once and to stay.
function refute() {
  const line = daily.refutation;
  const shown = calm.matches ? line.length : daily.puzzles[daily.at].line.length + 1;
  Object.assign(daily, { line, shown, refuting: true });
  if (!calm.matches) stoneTimer = setTimeout(nextStone, STONE);
  drawDaily();
}

function nextStone() {
  if (daily.shown === daily.line.length) return endRefutation();
  daily.shown += 1;
  stoneTimer = setTimeout(nextStone, daily.shown < daily.line.length ? STONE : 4 * STONE);
  drawDaily();
}

function endRefutation() {
  clearTimeout(stoneTimer);
  layBoard();
  drawDaily();
}

// Drawing.

let dailyButtons = [];

function makeDailyBoard({ m, n, name }) {
  const board = find("daily-board");
  if (board.dataset.game === name) return;
  const focused = board.contains(document.activeElement);
  board.dataset.game = name;
  board.style.setProperty("--columns", String(n));
  const rows = Array.from({ length: m }, () => element("div", "", { role: "row" }));
  dailyButtons = Array.from({ length: m * n }, (_, cell) => {
    const button = element("button", "", { type: "button", tabindex: cell ? "-1" : "0" });
    button.dataset.place = coordinate(cell, gameNamed(name));
    const holder = element("div", "", { role: "gridcell" });
    holder.append(button);
    rows[Math.floor(cell / n)].append(holder);
    return button;
  });
  board.replaceChildren(...rows);
  if (focused) focusDaily(0);
}

function focusDaily(cell) {
  dailyButtons.forEach((button, number) => (button.tabIndex = number === cell ? 0 : -1));
  dailyButtons[cell].focus({ preventScroll: true });
}

const verbOf = (puzzle, cell) => VERBS[worth(puzzle.values.get(cell))][0];
const keeps = (puzzle) => `only ${coordinate(puzzle.answer, DAILY_GAMES[daily.at])} ${verbOf(puzzle, puzzle.answer)}`;

function taskText(puzzle) {
  const where = `Board ${daily.at + 1} of ${DAILY_GAMES.length}: ${boardTitle(DAILY_GAMES[daily.at])}.`;
  if (!puzzle) return `${where} Proving that it has a single good move…`;
  const wins = puzzle.values.get(puzzle.answer) > 0;
  return `${where} You are ${mover(puzzle.line)}. Only one of ${puzzle.values.size} moves ${wins ? "wins" : "does not lose"}. Which?`;
}

function resultText(puzzle) {
  if (!puzzle || !isAnswered()) return "";
  const right = daily.marks[daily.at] === "1";
  if (right) return `Right: ${keeps(puzzle)}.`;
  if (daily.given === null) return `${capital(keeps(puzzle))}.`;
  const value = puzzle.values.get(daily.given);
  const count = DAILY_GAMES[daily.at] === games[0] ? distance(value) : "";
  return `Not ${coordinate(daily.given, DAILY_GAMES[daily.at])}: it ${verbOf(puzzle, daily.given)}${count}; ${keeps(puzzle)}.`;
}

// The days in a row that were played to their end, once they are two.
const streakText = () => (daily.day === today() && kept.last >= daily.day - 1 && kept.streak > 1 ? `, played ${kept.streak} days in a row` : "");

// How many of the boards were right, "3/5".
const scoreText = () => `${daily.marks.replaceAll("0", "").length}/${DAILY_GAMES.length}`;

// The result to copy, and where the page is published:
// "The only move, tic-tac-toe 2026-11-28: 3/5 🟩🟩🟥🟩🟥, played 2 days in a row".
function shareText() {
  const squares = [...daily.marks].map((mark) => (mark === "1" ? "🟩" : "🟥")).join("");
  const [place] = location.href.split("#");
  const link = location.protocol === "file:" ? "" : `\n${place}#daily=${dateOf(daily.day)}`;
  return `The only move, tic-tac-toe ${dateOf(daily.day)}: ${scoreText()} ${squares}${streakText()}${link}`;
}

function drawDaily() {
  const { at, marks, day, note, given } = daily;
  const puzzle = daily.puzzles[at];
  const game = DAILY_GAMES[at];
  const done = marks.length === DAILY_GAMES.length;
  makeDailyBoard(game);
  drawDailyCells(puzzle, game);
  find("daily-date").textContent = `${dateOf(day)}${done ? `: ${scoreText()}` : ""}${streakText()}`;
  drawRow();
  setText(find("daily-note"), note);
  find("daily-note").hidden = !note;
  setText(find("daily-task"), taskText(puzzle));
  setText(find("daily-result"), resultText(puzzle));
  find("daily-result").className = isAnswered() ? (marks[at] === "1" ? "right" : "wrong") : "";
  find("daily-next").hidden = !isAnswered() || done;
  find("daily-copy").hidden = !done;
  find("daily-share").hidden = true;
  setText(find("daily-copy"), "Copy result");
  find("daily-values").hidden = !puzzle || !isAnswered();
  const shown = puzzle && { game, player: game.start, line: puzzle.line, setup: puzzle.line.length, seat: "both", overlay: "values" };
  if (shown) find("daily-values").href = address(shown);
  find("daily-why").hidden = !daily.refutation;
  if (daily.refutation) setText(find("daily-why"), daily.refuting ? "Back to the board" : `See how it ${verbOf(puzzle, given)}`);
  find("daily-today").hidden = day === today();
  find("daily-today").href = `#daily=${dateOf(today())}`;
  if (document.activeElement?.closest("#daily [hidden]")) focusDaily(given ?? 0);
}

function drawDailyCells(puzzle, game) {
  const line = daily.line.slice(0, daily.shown);
  const marks = stones(line, game.cells);
  const won = wonBy(line, game);
  const begun = puzzle ? puzzle.line.length : 0;
  dailyButtons.forEach((button, cell) => {
    const answer = isAnswered() && cell === puzzle?.answer;
    const right = answer && !daily.refuting; // the opponent may take that cell
    const wrong = cell === daily.given && !answer;
    const ply = line.indexOf(cell);
    button.replaceChildren();
    if (marks[cell]) button.append(svg(10, OUTLINES[marks[cell]]));
    else if (right || wrong) button.append(element("b", right ? "!" : "✗"));
    if (ply > begun) button.append(element("span", String(ply - begun), { class: "number" }));
    button.className = `${right ? "right" : wrong ? "wrong" : ""} ${won.includes(cell) ? "won" : ""}`;
    button.setAttribute("aria-disabled", String(!puzzle || isAnswered() || marks[cell] !== ""));
    const said = [coordinate(cell, game), marks[cell] || "empty", ...(right ? ["the only move"] : wrong ? ["blunder"] : [])];
    button.setAttribute("aria-label", said.join(", "));
  });
}

// The boards in a row: a number until one is answered, then whether that was right.
function drawRow() {
  const results = DAILY_GAMES.map((_, number) => ({ 1: "right", 0: "wrong" })[daily.marks[number]] ?? "");
  const signs = { right: "✓", wrong: "✗" };
  const squares = results.map((kind, number) => element("span", signs[kind] ?? String(number + 1), { class: kind }));
  squares[daily.at].classList.add("shown");
  find("daily-row").replaceChildren(...squares);
  find("daily-row").setAttribute("aria-label", results.map((kind, number) => `${number + 1} ${kind || "open"}`).join(", "));
}

// Addresses "#daily=2026-11-28" open a day; one that has no boards here is named in a line.
function openDaily(text) {
  if (!text.startsWith("#daily=")) return;
  makeNow(find("daily"));
  const named = shortened(new URLSearchParams(text.slice(1)).get("daily"));
  const day = dayNamed(named);
  const fits = day >= FIRST_DAY && day <= today();
  const why = day > today() ? "has not begun here" : "is no date with boards";
  openDay(fits ? day : today(), fits ? "" : `“${named}” ${why}. These are today's boards.`);
  find("daily").scrollIntoView();
}

find("daily-board").addEventListener("click", (event) => {
  const cell = dailyButtons.indexOf(event.target.closest("button"));
  if (cell < 0) return;
  focusDaily(cell);
  answerDaily(cell);
});

find("daily-board").addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const cell = dailyButtons.indexOf(event.target);
  if (!step || cell < 0) return;
  event.preventDefault();
  const { m, n } = DAILY_GAMES[daily.at];
  focusDaily(((Math.floor(cell / n) + step[0] + m) % m) * n + ((cell + step[1] + n) % n));
});

find("daily-next").addEventListener("click", () => {
  showPuzzle(daily.marks.length);
  focusDaily(0);
});

find("daily-why").addEventListener("click", () => (daily.refuting ? endRefutation() : refute()));

find("daily-copy").addEventListener("click", async () => {
  let label = "Copied";
  try {
    await navigator.clipboard.writeText(shareText());
  } catch {
    label = "Selected: copy it"; // a browser may refuse
    find("daily-share").hidden = false;
    find("daily-share").textContent = shareText();
    getSelection().selectAllChildren(find("daily-share"));
  }
  find("daily-copy").textContent = label;
});

// A page that stays open overnight shows the new day.
document.addEventListener("visibilitychange", () => {
  if (daily?.live && daily.day !== today()) openDay(today());
});

later(find("daily"), () => openDay(today()));
window.addEventListener("hashchange", () => openDaily(location.hash));
