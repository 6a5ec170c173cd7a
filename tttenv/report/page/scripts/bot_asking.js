// Asking a bot in a worker that is not trusted: what it sends is checked like a file from outside.

const PATIENCE = 3000; // milliseconds for one answer, also of an endless loop
const SHORT_PATIENCE = 400; // while the form is looked for, on boards with one or two empty cells
const REPEATS = 40; // answers to a board where the bot draws random numbers
const LONGEST_RUN = 1_800_000; // milliseconds for all answers
const LONGEST_BOT = 200_000; // letters
const LONGEST_SAID = 60; // letters of an answer in words
const FOREIGN = "The bot's code sends messages of its own: no verdict.";
const ODD = "The bot's code interferes with what asks it: no verdict.";

// JavaScript's own words, which are no names.
const RESERVED = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield eval arguments takePasted module exports".split(" "),
);

// The texts that may define the bot, tried in turn: statements, or an expression.
function botTexts(text) {
  const plain = text
    .replace(/^(\s*)export\s*\{[^}]*\};?/gm, "$1")
    .replace(/^(\s*)export\s+default\s+(?=(?:async\s+)?function\s*\*?\s*[A-Za-z_$]|class\s+(?!extends\b)[A-Za-z_$])/gm, "$1")
    .replace(/^(\s*)export\s+default\s+/gm, "$1module.exports = ")
    .replace(/^(\s*)export\s+(?=(?:async|function|class|const|let|var)\b)/gm, "$1");
  const declared = [...plain.matchAll(/\b(?:function\s*\*?|class|const|let|var)\s+([A-Za-z_$][\w$]*)/g)];
  const named = declared.map((found) => found[1]).filter((name) => !RESERVED.has(name));
  const { variables } = FORMS.arguments.find(({ key }) => key === "global");
  const mentioned = variables.filter((name) => RegExp(`\\b${name}\\b`).test(plain));
  const all = new Set([...data.forms.names, ...mentioned, ...named]);
  const held = [...all].map((name) => `${name}: [() => ${name}, (value) => (${name} = value)]`);
  const expression = text.trim().replace(/^export\s+default\s+|^module\.exports\s*=\s*/, "").replace(/;$/, "");
  return [
    `takePasted({ ${held.join(", ")} }, ${JSON.stringify(named)});\n${plain}\n`,
    `takePasted({ bot: [() => pastedBot] }, []);\nconst pastedBot = (${expression}\n);\n`,
  ];
}

function programOf(body, begin) {
  const { names } = data.forms;
  const { variables } = FORMS.arguments.find(({ key }) => key === "global");
  const define = `function pasted(takePasted, module, exports) {${body}}`;
  const table = JSON.stringify({ names, variables, answers: FORMS.answers });
  const ours = [shownStones, shownEmpty, shownBoard, data.asking].join("\n");
  return `(function () {\n${ours}\naskingProgram.call(this, pasted, ${define.length}, ${table}, ${begin});\n}).call(this);\n${define}`;
}

// A worker in which a bot is asked. All that waits for it ends with an error when it fails.
class AskedBot {
  constructor(run, body, begin = 0) {
    if (run.said !== undefined) throw new Error(run.said); // it has been stopped
    this.run = run;
    run.bots.add(this);
    this.text = { body, begin };
    this.url = URL.createObjectURL(new Blob([programOf(body, begin)], { type: "text/javascript" }));
    this.worker = new Worker(this.url);
    this.worker.onerror = (event) => {
      event.preventDefault();
      const why = event.message?.replace(/^Uncaught /, "").replace(/^uncaught exception: /, "");
      this.fail(this.port ? ODD : (why ?? "the browser cannot read it"), { syntax: !this.port });
    };
    this.worker.onmessage = ({ ports }) => {
      if (this.port || ports.length !== 1) return this.fail(FOREIGN);
      [this.port] = ports;
      this.port.onmessage = ({ data: sent }) => this.receive(sent);
    };
    this.ready = this.awaiting(PATIENCE, (sent) => {
      if (!isIntroduction(sent)) return this.fail(ODD);
      const [candidates, wrong, foreign] = sent;
      this.candidates = candidates.map(([name, length, open]) => ({ name, length, open }));
      Object.assign(this, { wrong, foreign });
      this.done(this);
    });
  }

  // A promise of what `receive` ends by `done`; each message has so many milliseconds.
  awaiting(patience, receive) {
    return new Promise((resolve, reject) => {
      if (this.failed) return reject(this.failed);
      const give = () => this.fail(`gave no answer within ${patience / 1000} seconds`, { hung: true });
      const wait = () => { // in two halves: a page that was busy reads its messages in between
        clearTimeout(this.clock);
        this.clock = setTimeout(() => (this.clock = setTimeout(give, patience / 2)), patience / 2);
      };
      this.receive = (sent) => {
        wait();
        receive(sent);
      };
      this.done = (found) => {
        clearTimeout(this.clock);
        this.receive = () => this.fail(FOREIGN);
        resolve(found);
      };
      this.reject = reject;
      wait();
    });
  }

  fail(text, more) {
    this.end();
    this.failed ??= Object.assign(new Error(text), more);
    this.reject(this.failed);
  }

  end() {
    clearTimeout(this.clock);
    this.worker.terminate();
    this.port?.close();
    URL.revokeObjectURL(this.url);
    this.run.bots.delete(this);
  }

  // The answers to a request's boards, in their order: lists of [cell of each reader, in words], and
  // what it answers otherwise there. While a form is looked for, boards are left out once it is dead.
  ask(request, patience, tell = () => {}) {
    const found = [];
    const readers = request.reader < 0 ? READERS.length : 1;
    const alive = { X: Array(readers).fill(true), O: Array(readers).fill(true) };
    const asked = this.awaiting(patience, (sent) => {
      if (!isAnswer(sent, found.length, readers, request)) return this.fail(ODD);
      const [number, answers, differs, foreign] = sent;
      found.push({ answers, differs, foreign });
      tell(found.at(-1), number);
      const side = alive[request.boards[number][1]];
      if (request.finding) side.forEach((one, reader) => (side[reader] = one && answers[0][reader] >= 0));
      const dead = !alive.X.includes(true) && !alive.O.includes(true);
      if (dead || found.length === request.boards.length) this.done({ found, alive });
    });
    asked.catch(() => {}); // it may fail before somebody waits for it
    this.port.postMessage(request);
    return asked;
  }
}

const isText = (value, most) => typeof value === "string" && value.length <= most;
const isCell = (value, least = -1) => Number.isInteger(value) && value >= least && value < CELLS;

function isIntroduction(sent) {
  if (!Array.isArray(sent) || sent.length !== 3 || !isText(sent[1], LONGEST_SAID)) return false;
  const isCandidate = (one) => Array.isArray(one) && one.length === 3 && isText(one[0], 100) && isCell(one[1]);
  return Array.isArray(sent[0]) && sent[0].length < 200 && sent[0].every(isCandidate);
}

// Whether a message is the next answer, and of its size.
function isAnswer(sent, number, readers, { repeats, boards }) {
  if (!Array.isArray(sent) || sent.length !== 4 || sent[0] !== number || number >= boards.length) return false;
  const isOne = (one) =>
    Array.isArray(one) && one.length === readers + 1 && isText(one[readers], LONGEST_SAID + 20) && one.slice(0, readers).every((cell) => isCell(cell, -2));
  const [, all, differs] = sent;
  return Array.isArray(all) && all.length > 0 && all.length <= repeats && all.every(isOne) && isText(differs, LONGEST_SAID + 20);
}
