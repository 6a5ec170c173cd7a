// The section in which a visitor's own bot is judged: a function in JavaScript, or a table of moves.

const PATIENCE = 3000; // milliseconds for one answer, also of an endless loop
const REPEATS = 40; // answers to a board where the bot draws random numbers
const NO_ANSWER = "it does not answer there";

// The program of a worker that asks a bot about boards, and tells each board before it begins. The
// page's policy lets a worker run text and load nothing.
const askingProgram = (bot) => `const draw = Math.random;
let drawn = false;
Math.random = () => { drawn = true; return draw(); };
const bot = (() => { ${bot}\n})();
function answer(board, me) {
  try {
    return { cell: bot([...board], me) };
  } catch (error) {
    return { error: String(error).slice(0, 200) };
  }
}
function tell({ cell, error }) {
  if (error !== undefined) return { error };
  return typeof cell === "number" || typeof cell === "string" ? { cell } : { error: "it returned " + (cell instanceof Promise ? "a promise: a bot must not be async" : typeof cell) };
}
onmessage = ({ data: boards }) => {
  boards.forEach(({ board, me }, number) => {
    postMessage({ asked: number });
    drawn = false;
    const answers = [tell(answer(board, me))];
    while (drawn && answers.length < ${REPEATS}) answers.push(tell(answer(board, me)));
    postMessage({ number, answers });
  });
  postMessage({ done: true });
};
postMessage({ ready: true });`;

// The forms that a bot's text may have, tried in turn: an expression, or statements that define it.
function botForms(text) {
  const names = [...text.matchAll(/^(?:function\s+|(?:const|let|var)\s+)([A-Za-z_$][\w$]*)/gm)];
  const last = names.find(([, name]) => /^(move|bot|play)$/.test(name)) ?? names.at(-1);
  return [`return (${text.trim().replace(/;$/, "")}\n);`, ...(last ? [`${text}\nreturn ${last[1]};`] : [])];
}

// Ask a bot about all boards: the list of its answers to each.
async function askBot(text, boards) {
  let wrong = null;
  for (const form of botForms(text)) {
    try {
      return await askForm(form, boards);
    } catch (error) {
      wrong ??= error;
      if (!error.syntax) throw error;
    }
  }
  throw wrong;
}

function askForm(form, boards) {
  const program = new Blob([askingProgram(form)], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(program));
  let patience = 0;
  return new Promise((resolve, reject) => {
    const found = [];
    let at = -1;
    const fail = (text, syntax) => reject(Object.assign(new Error(text), { syntax }));
    const wait = () => {
      clearTimeout(patience);
      const where = () => (at < 0 ? "" : ` on ${boardText(boards[at])}`);
      patience = setTimeout(() => fail(`No answer${where()} within ${PATIENCE / 1000} seconds.`), PATIENCE);
    };
    wait();
    worker.onerror = (event) => {
      event.preventDefault();
      fail(`This is no function and no table of moves: ${event.message}. Other languages: see below.`, at < 0);
    };
    worker.onmessage = ({ data: told }) => {
      if (told.ready) worker.postMessage(boards.map(({ board, me }) => ({ board, me })));
      if (told.asked !== undefined) at = told.asked;
      if (told.answers) found.push(told.answers);
      if (told.asked !== undefined && at % 100 === 0) setText(find("bot-status"), `Asked about ${counted(at)} boards.`);
      wait();
      if (told.done) resolve(found);
    };
  }).finally(() => {
    clearTimeout(patience);
    worker.terminate();
  });
}

// All boards with a move to make, as a bot sees them, each with the number of its position.
const allBoards = () =>
  [...ranks.keys()]
    .filter((position) => !over(position))
    .map((position) => ({ position, board: stones(lineTo(position)), me: "XO"[turnOf[position]] }));

const boardText = ({ board, me }) => `${board.map((mark) => mark || "_").join("")} (${me} to move)`;

// The rows of a pasted table, by the board; null for text that is no table.
function botTable(text) {
  const rows = [...text.matchAll(/([XO_.-]{9})["']?[\s:,=;]+["']?([a-c][1-3]|\d+)/gi)];
  if (!rows.length || /=>|\bfunction\b/.test(text)) return null;
  return new Map(rows.map(([, board, cell]) => [board.toUpperCase().replace(/[.-]/g, "_"), cell]));
}

// The cell that an answer names: a number from 0 to 8 or a name from a1 to c3; else -1.
function answeredCell({ cell }) {
  const text = String(cell).trim().toLowerCase();
  return /^[0-8]$/.test(text) ? Number(text) : cells.findIndex((one) => place(one) === text);
}

// The probabilities of a bot's answers, 9 a position, and what is wrong with others, by the position.
function judged(boards, answers) {
  const table = new Float64Array(POSITIONS * CELLS);
  const wrong = new Map();
  boards.forEach(({ position }, number) => {
    const isLegal = (cell) => cell >= 0 && legal(position, cell);
    const bad = answers[number].find((one) => !isLegal(answeredCell(one)));
    if (bad) wrong.set(position, bad.error ?? `it answers ${JSON.stringify(bad.cell)}`);
    else for (const one of answers[number]) table[position * CELLS + answeredCell(one)] += 1 / answers[number].length;
  });
  return { table, wrong };
}

let bots = 0; // judged so far

async function judgeBot() {
  const text = find("bot-code").value;
  for (const id of ["bot-lose", "bot-play"]) find(id).hidden = true;
  setText(find("bot-status"), "Asking it about all boards.");
  const begun = performance.now();
  const boards = allBoards();
  const pasted = botTable(text);
  let answers;
  try {
    const read = (one) => pasted.get(boardText(one).slice(0, CELLS));
    const row = (one) => (read(one) === undefined ? { error: NO_ANSWER } : { cell: read(one) });
    answers = pasted ? boards.map((one) => [row(one)]) : await askBot(text, boards);
  } catch (error) {
    setText(find("bot-status"), error.message);
    return;
  }
  const { table, wrong } = judged(boards, answers);
  const certificate = certificateOf(table);
  bots += 1;
  const number = offerPlayer(bots === 1 ? "your bot" : `your bot ${bots}`, "pasted into this page", table, certificate);
  const random = answers.some((all) => all.length > 1);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  setText(find("bot-status"), botVerdict(certificate, wrong, boards, pasted, random, seconds));
  offerGame("bot", number);
  draw();
}

function botVerdict({ losing_line: lines, blunders }, wrong, boards, pasted, random, seconds) {
  const parts = ["X", "O"].map((seat) => {
    if (!lines[seat]) return `As ${seat} it never loses.`;
    const line = lines[seat].map(place).join(" ");
    const reason = wrong.get(walk(lines[seat]));
    return `As ${seat} it can be beaten: ${line || "on the empty board"}${reason ? `, where ${reason}` : ""}.`;
  });
  if (!lines.X && !lines.O) {
    parts.splice(0, 2, `Unbeatable: no opponent wins a game against it, as X or as O (${counted(boards.length)} boards, ${seconds} s).`);
    parts.push(blunders ? `It throws away a win or a draw on ${counted(blunders)} boards.` : "It is perfect in every position.");
  }
  if (wrong.size) {
    const first = boards.find(({ position }) => wrong.has(position));
    parts.push(`No legal answer on ${counted(wrong.size)} board${wrong.size > 1 ? "s" : ""}, as on ${boardText(first)}: ${wrong.get(first.position)}.`);
    if (!pasted) parts.push('Empty cells are "", and the answer is a number from 0 to 8.');
  }
  if (random) parts.push(`It draws random numbers: judged by ${REPEATS} answers to each board.`);
  return parts.join(" ");
}

find("bot-judge").addEventListener("click", judgeBot);
