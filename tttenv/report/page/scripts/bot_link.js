// A pasted bot as a part of an address: its moves on the boards that its own games reach, never its code.
// Who opens the address has the bot's moves, and computes the verdict anew. The moves are the digits of
// a large number: of each board, in the order of the positions, which of the possible answers it gives.

const CODE_VERSION = "1";
const CODE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CODE_SEATS = ["XO", "X", "O"]; // that a bot plays
const LONGEST_CODE = 3000; // letters; a bot that may play any move anywhere has 2,700
const CODE_CHECK = 4; // letters of a sum that finds damage
const CODE_KEYS = { play: "bot", watch: "bot", against: "rival" }; // the parts of an address that hold their moves
const USUAL_NAME = "pasted bot";

// The table of a bot in the boards that its games in its seats reach; `answer` gives its cells there.
function followed(seats, answer) {
  const table = new Float64Array(POSITIONS * CELLS);
  for (const seat of seats) {
    const reached = new Uint8Array(POSITIONS);
    reached[0] = 1;
    for (let position = 0; position < POSITIONS; position++) { // moves lead to larger numbers
      if (!reached[position] || over(position)) continue;
      const own = "XO"[turnOf[position]] === seat;
      const chosen = own ? answer(position) : moves(position);
      for (const cell of chosen) {
        reached[next(position, cell)] = 1;
        if (own) table[position * CELLS + cell] = 1 / chosen.length;
      }
    }
  }
  return table;
}

// The answers that a bot may give on a board: a cell; or any set of cells, for one that draws random
// numbers; or none, for one that has no legal answer somewhere.
function possibleAnswers(position, { sets, gaps }) {
  const open = moves(position);
  let all = open.map((cell) => [cell]);
  if (sets) {
    const numbers = [...Array(1 << open.length).keys()].slice(1);
    all = numbers.map((bits) => open.filter((_, at) => bits & (1 << at)));
  }
  return gaps ? [[], ...all] : all;
}

// 24 bits of a text (FNV-1a), as letters.
function checkOf(text) {
  let sum = 2166136261;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16777619);
  return lettersOf(BigInt(sum >>> 0) % 64n ** BigInt(CODE_CHECK)).padStart(CODE_CHECK, CODE_LETTERS[0]);
}

function lettersOf(number) {
  let text = "";
  for (let left = number; left > 0n; left /= 64n) text = CODE_LETTERS[Number(left % 64n)] + text;
  return text;
}

// The code of a bot's moves in the seats that it plays.
function codeOf(table, seats) {
  const answers = [];
  followed(seats, (position) => {
    const chosen = moves(position).filter((cell) => table[position * CELLS + cell] > 0);
    answers.push([position, chosen]);
    return chosen;
  });
  const kind = { sets: answers.some(([, chosen]) => chosen.length > 1), gaps: answers.some(([, chosen]) => !chosen.length) };
  let number = 0n;
  for (const [position, chosen] of answers.reverse()) { // the first is read first
    const texts = possibleAnswers(position, kind).map(String);
    number = number * BigInt(texts.length) + BigInt(texts.indexOf(String(chosen)));
  }
  const flags = 4 * CODE_SEATS.indexOf(seats) + 2 * Number(kind.sets) + Number(kind.gaps);
  const text = CODE_VERSION + CODE_LETTERS[flags] + lettersOf(number);
  return text + checkOf(text);
}

// The moves that a code holds, and the seats; null for a code that is not exactly one that this page writes.
function readCode(code) {
  if (code.length > LONGEST_CODE || !/^1[A-L][\w-]*$/.test(code)) return null;
  const flags = CODE_LETTERS.indexOf(code[1]);
  const [seats, kind] = [CODE_SEATS[flags >> 2], { sets: (flags & 2) > 0, gaps: (flags & 1) > 0 }];
  let number = 0n;
  for (const letter of code.slice(2, -CODE_CHECK)) number = 64n * number + BigInt(CODE_LETTERS.indexOf(letter));
  const table = followed(seats, (position) => {
    const possible = possibleAnswers(position, kind);
    const chosen = possible[Number(number % BigInt(possible.length))];
    number /= BigInt(possible.length);
    return chosen;
  });
  return codeOf(table, seats) === code ? { table, seats } : null;
}

// Letters of a name that a stranger gave, to be shown as text.
const cleanName = (text) => [...text.replace(/\p{C}/gu, " ").trim()].slice(0, LONGEST_NAME).join("") || USUAL_NAME;

// The player whose moves a code holds, as a number among data.players; -1 if it holds none.
function linkedPlayer(code, text) {
  let number = data.players.findIndex((player) => player.code === code);
  if (number < 0) {
    const found = readCode(code);
    if (!found) return -1;
    const shared = cleanName(text);
    let name = shared;
    for (let count = 1; data.players.some((player) => player.name === name); count++) name = `${shared} (linked ${count})`;
    const certificate = certificateOf(found.table);
    number = offerPlayer(name, "a pasted bot, opened from a link", found.table, certificate);
    const parts = linkedVerdict(number, found, certificate);
    Object.assign(certificate, { blunders: null, optimal_moves: { ...certificate.optimal_moves, all: null } }); // of other boards nothing is known
    Object.assign(data.players[number], { code, shared, seats: found.seats, linked: parts });
  }
  const { linked, name } = data.players[number];
  if (linked) {
    setText(find("bot-form"), `${name}, from the link that you opened, which holds its moves. The verdict is computed from them.`);
    find("bot-form").hidden = false;
    showVerdict(number, linked);
  }
  return number;
}

function linkedVerdict(number, { table, seats }, certificate) {
  const count = positionsMet(number).filter((met, position) => met && !over(position)).length;
  const absent = ["X", "O"].filter((seat) => !seats.includes(seat));
  const parts = botVerdict({ certificate, table, absent, scope: `${countedBoards(count)} that its games reach` });
  const { blunders } = certificate;
  if (blunders) parts.push([`It throws away a win or a draw on ${countedBoards(blunders)} that its games reach.`]);
  if (table.some((share) => share > 0 && share < 1)) parts.push(["It draws random numbers: its moves on a board count as equally likely."]);
  return parts;
}

// Take account of a linked bot in what an address says: its verdict is shown where its game begins, and
// nobody answers in a game with stones that it does not play, since its moves there are not known.
function remarkOnLinked(changes) {
  const { game, line, seat, player = state.player, rivals } = changes;
  if (game !== games[0] || changes.message) return;
  const seated = { none: [[rivals?.X, "X"], [rivals?.O, "O"]], X: [[player, "O"]], O: [[player, "X"]], both: [] }[seat];
  const isOther = ([number, own]) => (cell, ply) => "XO"[ply % 2] === own && !chances(number, walk(line.slice(0, ply)))[cell];
  if (seated.some((one) => data.players[one[0]].linked && line.some(isOther(one)))) {
    changes.seat = "both";
    changes.message = { kind: "warning", text: "This game has moves that the linked bot does not play: both sides are yours." };
  } else if (seat !== "none" && data.players[player].linked && !line.length) {
    changes.message = { kind: "challenge", text: challengeText(data.players[player]) };
  }
}

// What is said of a linked bot as its game begins, without the moves that beat it.
function challengeText({ certificate: { losing_line: lines }, seats }) {
  const told = [...seats].map((seat) => {
    const count = lines[seat] && (lines[seat].length + Number(seat === "O")) >> 1; // the winner's stones
    return lines[seat] ? `can be beaten in ${howMany(count, "stone")}` : "never loses";
  });
  const text = told[0] === told[1] ? `it ${told[0]}` : told.map((one, at) => `as ${seats[at]} it ${one}`).join(", ");
  return `Proved over all its games: ${text}.`;
}

// The buttons that pass a verdict on.

let passed = null; // the player and the verdict that they pass on

function offerLink(number, parts) {
  const { code, shared, linked } = data.players[number];
  passed = { number, parts };
  find("bot-name").value = linked ? shared : "";
  find("bot-copied").hidden = true;
  setText(find("bot-said"), "");
  const long = code.length > 600 ? ` The link is long, ${counted(code.length)} letters: the bot draws random numbers.` : "";
  setText(find("bot-about-link"), `The link holds its moves, not its code.${long}`);
}

// The address of a game against the bot, in a seat in which it can be beaten if there is one.
function botLink() {
  const player = data.players[passed.number];
  player.shared = cleanName(find("bot-name").value);
  const weak = player.seats.length === 1 ? player.seats : weakSeat(player.certificate);
  const fragment = address({ game: games[0], player: passed.number, seat: other(weak), line: [], overlay: "none" });
  return new URL(fragment, location.href).href;
}

function botText() {
  const name = cleanName(find("bot-name").value);
  const who = name === USUAL_NAME ? "A tic-tac-toe bot" : `${name}, a tic-tac-toe bot`;
  const lines = [`${who}, all its games followed:`, ...passed.parts.filter(([, kind]) => kind).map(([text]) => text)];
  if (location.protocol !== "file:") lines.push(`Can you beat it? ${botLink()}`);
  return lines.join("\n");
}

find("bot-link").addEventListener("click", async () => {
  const done = await copyText(botLink(), find("bot-link"), find("bot-copied-text"));
  setText(find("bot-said"), fileText(done));
});
find("bot-text").addEventListener("click", () => {
  setText(find("bot-said"), "");
  copyText(botText(), find("bot-text"), find("bot-copied-text"));
});
