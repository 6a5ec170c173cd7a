// Finding the form in which a bot takes a board: the first in which all its answers are legal moves, of
// several the one in which it keeps the value of most boards.

// Each way to read an answer, by the key of its row in the table: the worker has them in this order.
const WAYS = { "scored-pair": 2 };
const READERS = FORMS.answers.flatMap(({ key }) => Array(WAYS[key] ?? 1).fill(key));
const MOST_HUNG = 10; // forms in which a bot may give no answer
const LONGEST_FINDING = 30_000; // milliseconds

// Boards to ask about, in parts: those with one and two empty cells, then fewer and fewer stones.
function probeBoards() {
  const all = allBoards();
  const empties = ({ board }) => board.filter((mark) => mark === "_").length;
  const free = (count, cell) => all.filter((one) => empties(one) === count && one.board[cell] === "_");
  const nearly = [];
  for (const cell of cells) {
    nearly.push(free(1, cell)[0]);
    nearly.push(free(2, cell).find((one) => !nearly.includes(one)));
  }
  const matters = ({ position }) => moves(position).some((cell) => losesValue(position, cell));
  const others = [3, 4, 5, 6].flatMap((count) => {
    const some = all.filter((one) => empties(one) === count && matters(one));
    return [...Array(8).keys()].map((number) => some[Math.floor(((number + 0.5) * some.length) / 8)]);
  });
  return [nearly, others];
}

const questionsOf = (boards) => boards.map(({ board, me }) => [board.join(""), me]);

// Start a bot: the first of its texts that can be run and has functions.
async function startBot(run, text) {
  let first = null;
  for (const body of botTexts(text)) {
    try {
      const bot = await new AskedBot(run, body).ready;
      if (bot.candidates.length) return bot;
      bot.end();
      first ??= bot.wrong ? new Error(`It cannot be started: ${bot.wrong}.`) : unread("No function is in it");
    } catch (error) {
      if (!error.syntax) throw error.hung ? new Error(`It ${error.message} when it was started.`) : error;
      if (/brackets/.test(error.message) || !first) first = unread(`Not read as JavaScript (${error.message})`);
    }
  }
  throw isTyped(text) ? new Error("This looks like TypeScript. Paste it without the types, as its compiler writes it.") : first;
}

const unread = (why) =>
  Object.assign(new Error(`${why}. Paste a function like the example. Other languages: see below.`), { unread: true });
const isTyped = (text) =>
  /^\s*(export\s+)?(interface|type|enum)\s+\w+|[\w)\]?]\s*:\s*(string|number|boolean|any|void|unknown|[A-Z]\w*)\b[\w<>[\]| "']*\s*[,)={;]|\bas\s+(const|string|number|[A-Z]\w*)\b/m.test(text);

// Ask a bot in one form. The seats in which its answers are legal are none if it is not better than `best`.
async function tryForm(bot, which, form, parts, guard, best, answer) {
  const trial = { which, form, answers: [], seats: "" };
  let alive = { X: READERS.map((key) => !answer || key === answer), O: READERS.map((key) => !answer || key === answer) };
  for (const [number, boards] of parts.entries()) {
    const patience = number === 0 ? SHORT_PATIENCE : PATIENCE;
    const request = { which, form, boards: questionsOf(boards), finding: true, guard: guard && number === 0, reader: -1, repeats: 1, variation: 0 };
    const got = await bot.ask(request, patience, ({ answers: [one] }) => trial.answers.push(one));
    for (const seat of "XO") alive[seat] = alive[seat].map((one, reader) => one && got.alive[seat][reader]);
    if (!alive.X.includes(true) && !alive.O.includes(true)) return { ...trial, seats: "" };
    Object.assign(trial, bestReader(trial.answers, alive, parts.flat()));
    if (best && !isBetter(trial, best)) return { ...trial, seats: "" };
  }
  return trial;
}

// Of two forms the better one plays more seats, and then keeps more values. A bot of one seat that makes
// no mistake in it is no bot of both that makes some.
function isBetter(one, than) {
  const faultless = ({ seats, misses }) => Number(seats !== "" && misses === 0);
  const more = faultless(one) - faultless(than) || one.seats.length - than.seats.length || than.misses - one.misses;
  return more > 0;
}

// Whether a bot plays one seat and declines every board of the other: it answers nothing, or throws.
const declines = ({ seats, answers, reader }, boards) =>
  seats.length === 1 && answers.every((one, number) => boards[number].me === seats || one[reader] === -2);

// The way to read the answers that is legal in most seats, and keeps the value of most boards.
function bestReader(answers, alive, boards) {
  let found = { seats: "", misses: Infinity };
  READERS.forEach((answer, reader) => {
    const seats = ["X", "O"].filter((seat) => alive[seat][reader]).join("");
    const missed = (one, number) => seats.includes(boards[number].me) && losesValue(boards[number].position, one[reader]);
    const misses = answers.filter(missed).length;
    const better = seats.length - found.seats.length || found.misses - misses;
    if (seats && better > 0) found = { seats, misses, reader, answer };
  });
  return found;
}

// The form of a pasted bot, with the bot's text. `chosen` names parts of the form that the user chose.
async function findForm(run, text, chosen) {
  const parts = probeBoards();
  const all = parts.flat();
  const begun = performance.now();
  let bot = await startBot(run, text);
  let [best, hung, furthest] = [null, 0, { answers: [] }];
  let meant; // whether the first form with its mark that it plays has X and O, and it declines one of them
  const late = () => hung >= (best ? 3 : MOST_HUNG) || performance.now() - begun > (best ? 0.4 : 1) * LONGEST_FINDING;
  let [tried, shown] = [0, begun];
  const tell = () => {
    tried += 1;
    if (performance.now() - shown < 1000) return;
    shown = performance.now();
    setText(find("bot-status"), `Asked in ${counted(tried)} forms, to find its own.`);
  };
  for (const [which, candidate] of bot.candidates.entries()) {
    for (const form of formsFor(candidate, chosen)) {
      // A bot that plays one seat only may answer in both if it is not told its mark.
      if (form.call === "board" && candidate.length > 1 && best && best.form.call !== "board") continue;
      // A bot that declines the mark X or O means it: it is not asked under other marks.
      const marked = form.call.includes("mark");
      const plain = marked && form.stones.key === "XO";
      if (meant && !plain) continue;
      const least = plain && meant === undefined ? null : best;
      let trial;
      tell();
      for (const last of [false, true]) { // the machine may have been busy
        try {
          trial ??= await tryForm(bot, which, form, parts, hung > 0, least, chosen.answer);
        } catch (error) {
          if (!error.hung) throw error;
          hung += 1;
          if (last || late()) trial = { which, form, seats: "", answers: [], said: error.message };
          bot = await new AskedBot(run, bot.text.body).ready;
        }
      }
      const declining = marked && declines(trial, all);
      const first = meant === undefined && marked && (declining || trial.seats === "XO");
      if (first) meant = plain && declining;
      if (trial.seats && ((first && meant) || !best || isBetter(trial, best))) best = trial;
      if (best?.seats === "XO" && best.misses === 0) break;
      const count = trial.answers.length;
      if (count > furthest.answers.length || !furthest.form) furthest = { ...trial, said: trial.said ?? trial.answers.at(-1).at(-1) };
      if (late()) break;
    }
    if (best || late()) break;
  }
  bot.end();
  if (best) return { ...best, form: { ...best.form, answer: best.answer }, name: bot.candidates[best.which].name, body: bot.text.body };
  if (bot.wrong) throw new Error(`It cannot be started: ${bot.wrong}.`);
  if (!furthest.form) throw new Error("Not understood: a string has one letter for each cell.");
  const at = all[Math.max(furthest.answers.length - 1, 0)];
  const call = callText(bot.candidates[furthest.which].name, furthest.form, at);
  throw Object.assign(new Error(`Not understood: called as ${call}, it ${furthest.said}.`), { form: furthest.form });
}
