// A pasted bot's moves as letters, on the boards that its own games reach. They are the digits of a large
// number: for each board, in the order of the positions, which of the possible answers the bot gives.

const CODE_VERSION = "1";
const CODE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CODE_SEATS = ["XO", "X", "O"]; // that a bot plays
const LONGEST_CODE = 3000; // letters; a bot that may play any move anywhere has 2,700
const CODE_CHECK = 4; // letters of a sum that finds damage

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

// A sum of a text (FNV-1a), in digits and small letters: chats cut other signs off the end of a link.
function checkOf(text) {
  let sum = 2166136261;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16777619);
  return (sum >>> 0).toString(36).slice(-CODE_CHECK).padStart(CODE_CHECK, "0");
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
