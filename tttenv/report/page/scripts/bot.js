// The section in which a visitor's own bot is judged: a function in JavaScript, or a table of moves.

const NO_ANSWER = "has no row there";

// All boards with a move to make, as a bot sees them, each with the number of its position.
const allBoards = () =>
  [...ranks.keys()]
    .filter((position) => !over(position))
    .map((position) => ({ position, board: stones(lineTo(position)).map((mark) => mark || "_"), me: "XO"[turnOf[position]] }));

const boardText = ({ board, me }) => `${board.join("")} (${me} to move)`;

// The rows of a pasted table, by the board; null for text that is no table.
function botTable(text) {
  const rows = [...text.matchAll(/([XO_.-]{9})["']?[\s:,=;]+["']?([a-c][1-3]|\d+)/gi)];
  if (!rows.length || /=>|\bfunction\b/.test(text)) return null;
  return new Map(rows.map(([, board, cell]) => [board.toUpperCase().replace(/[.-]/g, "_"), cell]));
}

// The answer of a pasted table: the cell, a number from `low` or a name from a1 to c3, and its text.
function rowAnswer(table, low, { position, board }) {
  const text = table.get(board.join(""));
  if (text === undefined) return [-1, NO_ANSWER];
  const cell = cells.findIndex((one) => place(one) === text.toLowerCase() || String(one + low) === text);
  return [cell >= 0 && legal(position, cell) ? cell : -1, `has ${text}`];
}

// A pasted table's answers to all boards; its cells count from 1 if that makes more of them legal.
function tableAnswers(table, boards) {
  const [from0, from1] = [0, 1].map((low) => boards.map((one) => [rowAnswer(table, low, one)]));
  const legalIn = (answers) => answers.filter(([[cell]]) => cell >= 0).length;
  return legalIn(from1) > legalIn(from0) ? from1 : from0;
}

// The answers of a bot to all boards, by the number of the board. Each seat has a worker of its own, which is
// asked in order, and then again in the other order: a bot that keeps a memory answers otherwise.
async function askSeats(run, found, boards) {
  const answers = [];
  let reads = false;
  const begun = performance.now();
  let [done, shown] = [0, begun];
  const tell = () => {
    done += 1;
    const now = performance.now();
    if (now - begun > LONGEST_RUN) stopBot(run, `Stopped after ${LONGEST_RUN / 60_000} minutes: ${counted(done)} answers.`);
    if (now - shown < 1000) return;
    shown = now;
    const left = ((now - begun) / done) * Math.max(2 * boards.length - done, 0);
    setText(find("bot-status"), `Asked about ${counted(Math.floor(done / 2))} of ${counted(boards.length)} boards, each twice: about ${counted(Math.ceil(left / 1000))} s left.`);
  };
  const seat = async (me) => {
    const own = [...boards.keys()].filter((number) => boards[number].me === me);
    let bot = await new AskedBot(run, found.body).ready;
    const ask = async (numbers, repeats, variation) => {
      const some = numbers.map((number) => boards[number]);
      const { which, form, reader } = found;
      const request = { which, form, reader, boards: questionsOf(some), finding: false, guard: false, repeats, variation };
      let at = 0;
      try {
        await bot.ask(request, PATIENCE, ({ answers: all, differs, foreign }) => {
          reads ||= foreign;
          const board = some[at];
          const [first] = (answers[numbers[at]] ??= all);
          at += 1;
          tell();
          if (differs || !same(first, all[0])) stopBot(run, differsText(board, first, differs || wordsOf(all[0])));
        });
      } catch (error) {
        throw error.hung ? new Error(`It ${error.message} on ${boardText(some[at])}.`) : error;
      }
    };
    await ask(own, REPEATS, 0);
    await ask(own.toReversed(), 1, 1);
    if (!bot.foreign) return bot.end();
    bot.end(); // it drew random numbers or read the clock as it started
    bot = await new AskedBot(run, found.body, 1).ready;
    await ask(own, 1, 1);
    bot.end();
  };
  await Promise.all([seat("X"), seat("O")]);
  return { answers, reads };
}

const same = ([cell, said], [again, words]) => cell === again && (cell >= 0 || said === words);
const wordsOf = ([cell, said]) => (cell < 0 ? said : place(cell));
const differsText = (board, first, again) =>
  `No verdict: on ${boardText(board)} it answered ${wordsOf(first)}, and ${again} when it was asked again. It uses a clock, a memory or random numbers of its own.`;

// The probabilities of a bot's answers, 9 a position, and what is wrong with others, by the position.
function judged(boards, answers) {
  const table = new Float64Array(POSITIONS * CELLS);
  const wrong = new Map();
  boards.forEach(({ position }, number) => {
    const bad = answers[number].find(([cell]) => cell < 0);
    if (bad) wrong.set(position, `it ${bad[1]}`);
    else for (const [cell] of answers[number]) table[position * CELLS + cell] += 1 / answers[number].length;
  });
  return { table, wrong };
}

let bots = 0; // judged so far
let judging = { bots: new Set() }; // the judgement that goes on

// End a judgement, with a sentence.
function stopBot(run, text) {
  run.said ??= text;
  for (const bot of [...run.bots]) bot.fail(text);
}

async function judgeBot(chosen = {}) {
  stopBot(judging, "");
  const run = (judging = { bots: new Set() });
  const text = find("bot-code").value;
  for (const id of ["bot-ways", "bot-form", "bot-example"]) find(id).hidden = true;
  if (!("shape" in chosen)) find("bot-otherwise").hidden = true; // else the focus is in it
  find("bot-stop").hidden = false;
  setText(find("bot-status"), "Asking it about all boards.");
  let failure = "";
  try {
    await judge(run, text, chosen);
  } catch (error) {
    failure = run.said ?? error.message;
    if (error.form) offerForms(error.form);
    find("bot-example").hidden = !error.unread;
    stopBot(run, failure);
  }
  if (run !== judging) return; // another one has begun
  if (failure) setText(find("bot-status"), failure);
  if (document.activeElement === find("bot-stop")) find("bot-judge").focus();
  find("bot-stop").hidden = true;
}

async function judge(run, text, chosen) {
  const begun = performance.now();
  const boards = allBoards();
  const pasted = botTable(text);
  if (!pasted && text.length > LONGEST_BOT) throw new Error(`A bot has at most ${counted(LONGEST_BOT)} letters.`);
  const found = pasted ? null : await findForm(run, text, chosen);
  if (run !== judging) return;
  if (found) {
    setText(find("bot-form"), readAs(found.name, found.form));
    find("bot-form").dataset.form = formText(found.form);
    find("bot-form").hidden = false;
    offerForms(found.form);
  }
  const { answers, reads } = pasted ? { answers: tableAnswers(pasted, boards) } : await askSeats(run, found, boards);
  if (run !== judging) return;
  const { table, wrong } = judged(boards, answers);
  const absent = ["X", "O"].filter((seat) => boards.every(({ me, position }) => me !== seat || wrong.has(position)));
  if (absent.length === 2) throw new Error(`Not understood: on the empty board ${wrong.get(0)}.`);
  const certificate = certificateOf(table);
  bots += 1;
  const number = offerPlayer(bots === 1 ? "your bot" : `your bot ${bots}`, "pasted into this page", table, certificate);
  const seats = ["X", "O"].filter((seat) => !absent.includes(seat)).join("");
  Object.assign(data.players[number], { code: codeOf(table, seats), shared: USUAL_NAME, seats });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const parts = botVerdict({ certificate, table, boards, absent, wrong, scope: `${countedBoards(boards.length)}, ${seconds} s` });
  const faults = certificate.blunders;
  if (certificate.unbeatable && !faults) parts.push([wrong.size ? "It keeps the value of every board that it answers." : "It is perfect in every position."]);
  if (faults) parts.push([`It throws away a win or a draw on ${countedBoards(faults)}.`]);
  parts.push(...silences(boards.filter(({ me }) => !absent.includes(me)), table, wrong));
  if (answers.some((all) => all.length > 1)) parts.push([`It draws random numbers: judged by ${REPEATS} answers to each board.`]);
  if (reads) parts.push(["It reads a clock or the system's random numbers: its answers were the same whenever it was asked."]);
  showVerdict(number, parts);
  offerMind(number);
  draw();
}

// A verdict in sentences, each with its kind: one about both seats, or one about each.
function botVerdict({ certificate, table, absent, wrong, scope }) {
  const { losing_line: lines } = certificate;
  if (!lines.X && !lines.O) return [[`Unbeatable: no opponent wins a game against it, as X or as O (${scope}).`, "good"]];
  return ["X", "O"].map((seat) => {
    if (absent.includes(seat)) return [`It does not play ${seat}.`, "absent"];
    if (!lines[seat]) return [`As ${seat} it never loses.`, "good"];
    const [line, end] = [lines[seat].map(place).join(" "), walk(lines[seat])];
    const reason = over(end) || answersIn(table, end) ? "" : `, where ${wrong?.get(end) ?? "it has no legal answer"}`;
    return [`As ${seat} it can be beaten: ${line || "on the empty board"}${reason}.`, "bad", lines[seat]];
  });
}

// Where a bot has no legal answer: on boards that its own play reaches, and on others.
function silences(boards, table, wrong) {
  const bad = boards.filter(({ position }) => wrong.has(position));
  const reached = [reachedBy(table, 0), reachedBy(table, 1)];
  const isReached = ({ position }) => reached[turnOf[position]][position] > 0;
  const groups = [[bad.filter(isReached), ""], [bad.filter((one) => !isReached(one)), " that its own play never reaches"]];
  return groups.flatMap(([some, which]) =>
    some.length ? [[`No legal answer on ${countedBoards(some.length)}${which}, as on ${boardText(some[0])}: ${wrong.get(some[0].position)}.`]] : [],
  );
}

const countedBoards = (count) => `${counted(count)} board${count > 1 ? "s" : ""}`;

// Show a verdict and what leads on from it: to the board, or to others.
function showVerdict(number, parts) {
  const told = parts.map(([text, kind = "", line = []], at) => {
    const moves = line.length ? `: ${line.map(place).join(" ")}` : ""; // drawn for those who see it
    const from = moves ? text.indexOf(moves) : text.length;
    const sentence = element("p", `${at ? " " : ""}${text.slice(0, from)}`, kind ? { class: kind } : {});
    if (moves) sentence.append(element("span", moves, { class: "unseen" }), text.slice(from + moves.length));
    return sentence;
  });
  find("bot-status").replaceChildren(...told);
  find("bot-ways").hidden = false;
  offerGame("bot", number);
  const { seats, name, certificate } = data.players[number];
  const lost = [...seats].filter((seat) => certificate.losing_line[seat]?.length);
  find("bot-lost").replaceChildren(...lost.map((seat) => {
    const game = element("span");
    game.append(numberedBoard(certificate.losing_line[seat]), `How it loses as ${seat}`);
    return game;
  }));
  if (seats.length === 1) {
    const line = certificate.losing_line[seats];
    find("bot-lose").hidden = !line;
    find("bot-lose").onclick = () => startReplay(line, seats, number, games[0]);
    find("bot-play").textContent = line ? `Beat it (you are ${other(seats)})` : `Play it as ${other(seats)}`;
    find("bot-play").href = `#play=${encodeURIComponent(name)}&seat=${other(seats)}`;
  }
  offerLink(number, parts);
}

// The parts of a form to choose from. A change judges the bot again as it is chosen.
function offerForms(form) {
  const stonesOf = (stones, name) => ({ stones, name, empty: data.forms.empties[name] });
  const rows = (part) => FORMS[part].map(({ key, text }) => [key, text]);
  const lists = {
    shape: [rows("shapes"), form.shape],
    stones: [FORMS.stones.flatMap((one) => one.empties.map((name) => [`${one.key}-${name}`, stonesText(stonesOf(one, name))])), `${form.stones.key}-${form.name}`],
    call: [rows("arguments"), form.call],
    answer: [[["", "any"], ...rows("answers")], form.answer ?? ""],
  };
  for (const [part, [choices, chosen]] of Object.entries(lists)) {
    const list = find(`bot-${part}`);
    list.replaceChildren(...choices.map(([value, text]) => element("option", text, { value })));
    list.value = chosen;
  }
  find("bot-otherwise").hidden = false;
}

function judgeAsChosen() {
  const chosen = ["shape", "stones", "call", "answer"].map((part) => [part, find(`bot-${part}`).value || undefined]);
  judgeBot(Object.fromEntries(chosen));
}

find("bot-judge").addEventListener("click", () => judgeBot());
find("bot-example").addEventListener("click", () => {
  find("bot-code").value = find("bot-code").defaultValue;
  find("bot-example").hidden = true;
  setText(find("bot-status"), "");
  find("bot-judge").focus();
});
find("bot-stop").addEventListener("click", () => stopBot(judging, "Stopped."));
for (const part of ["shape", "stones", "call", "answer"]) find(`bot-${part}`).addEventListener("change", judgeAsChosen);
