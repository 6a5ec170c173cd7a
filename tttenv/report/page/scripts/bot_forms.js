// The forms in which bots take a board and answer, from tttenv/players/programs/bot_forms.json.

const inPages = (rows) => rows.filter((row) => row.only === undefined || row.only === "javascript");
const FORMS = Object.fromEntries(
  ["shapes", "stones", "arguments", "answers"].map((part) => [part, inPages(data.forms[part])]),
);

// A board as a form shows it to the side to move. The worker runs these three functions, too.
function shownStones({ stones: kinds }, me) {
  if ("X" in kinds) return { X: kinds.X, O: kinds.O };
  return me === "X" ? { X: kinds.mine, O: kinds.theirs } : { X: kinds.theirs, O: kinds.mine };
}

function shownEmpty({ empty }, cell) {
  if (typeof empty !== "object" || empty === null) return empty;
  return empty.as === "text" ? String(cell + empty.from) : cell + empty.from;
}

function shownBoard(form, board, me) {
  const kinds = shownStones(form, me);
  const all = [];
  for (let cell = 0; cell < 9; cell++) all[cell] = board[cell] === "_" ? shownEmpty(form, cell) : kinds[board[cell]];
  const { shape } = form;
  if (shape === "rows") return [0, 3, 6].map((at) => all.slice(at, at + 3));
  if (shape === "text") return all.join("");
  if (shape === "list1") return [shownEmpty(form, -1), ...all];
  if (shape === "list") return all;
  return Object.fromEntries(all.map((value, cell) => [shape === "dict1" ? cell + 1 : cell, value]));
}

// Whether the cells of a form can stand in a string, one letter each.
function isWritable({ stones: kinds, empty }) {
  const letters = [kinds.X ?? kinds.mine, kinds.O ?? kinds.theirs, typeof empty === "object" && empty ? "1" : empty];
  return letters.every((one) => one !== null && String(one).length === 1);
}

// Which arguments a function may want, by its number of parameters; all if that says nothing. Where its
// stones always look the same it has no parameter for its mark.
function argumentsFor({ length, open }, stones) {
  const fitting = [["global"], ["board"], ["board-mark", "board", "mark-board"]][length];
  return FORMS.arguments.filter(({ key }) => {
    if ("mine" in stones && (key.includes("mark") || length > 1)) return false;
    return open || !fitting ? key !== "global" || length === 0 : fitting.includes(key);
  });
}

// All forms in which a function may be asked, without those of its answers, in the table's order.
function formsFor(candidate, chosen = {}) {
  const may = (part, key) => chosen[part] === undefined || chosen[part] === key;
  const found = [];
  for (const { key: shape } of FORMS.shapes) {
    for (const stones of FORMS.stones) {
      for (const name of stones.empties) {
        const board = { shape, stones, name, empty: data.forms.empties[name] };
        if (!may("shape", shape) || !may("stones", `${stones.key}-${name}`)) continue;
        if (shape === "text" && !isWritable(board)) continue;
        for (const { key, variables } of chosen.call ? FORMS.arguments : argumentsFor(candidate, stones)) {
          if (may("call", key)) found.push({ ...board, call: key, variables });
        }
      }
    }
  }
  return found;
}

const textOf = (part, key) => FORMS[part].find((row) => row.key === key).text;
const formText = ({ shape, stones, name, call, answer }) => `${shape}/${stones.key}-${name}/${call}/${answer}`;

// '"X", "O", null', or '1 (its own), -1 (the other), 0'.
function stonesText({ stones: kinds, name, empty }) {
  const own = "mine" in kinds;
  const [first, second] = own ? [kinds.mine, kinds.theirs] : [kinds.X, kinds.O];
  const marks = [first, second].map((one) => JSON.stringify(one));
  if (own) marks.splice(0, 2, `${marks[0]} (its own)`, `${marks[1]} (the other's)`);
  const numbered = typeof empty === "object" && empty !== null;
  const [low, high] = [0, 8].map((cell) => JSON.stringify(shownEmpty({ empty }, cell)));
  return [...marks, numbered ? `a cell's number, ${low} to ${high}` : JSON.stringify(empty)].join(", ");
}

const readAs = (name, form) =>
  `Read as ${textOf("shapes", form.shape)} of ${stonesText(form)}; ${name} is ${textOf("arguments", form.call)} and answers ${textOf("answers", form.answer)}.`;

// A question as a call: 'move(["X", "", …], "X")'.
function callText(name, form, { board, me }) {
  const kinds = shownStones(form, me);
  const [shown, mark, rival] = [shownBoard(form, board, me), kinds[me], kinds[other(me)]].map((one) => JSON.stringify(one));
  const given = { "board-mark": [shown, mark], board: [shown], "mark-board": [mark, shown], "board-marks": [shown, mark, rival] };
  return form.call === "global" ? `${name}() with the board ${shown}` : `${name}(${given[form.call].join(", ")})`;
}
