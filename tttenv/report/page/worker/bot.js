// The program of a worker that asks a bot. The bot's own text runs in it, so what it could reach of the
// page is captured and taken away first, and only short answers in our own words leave it.

// Run in the worker before the bot's text. `define` is the function that has this text as its body; it
// calls its first argument with the functions and variables that it may declare, by name, and with the
// names that it declares, in their order.
function askingProgram(define, length, table, begin) {
  "use strict";
  // The text closed a bracket that it did not open: then a part of it stands outside of `define`.
  if ((() => {}).toString.call(define).length !== length) throw "its brackets do not match";
  const scope = this;
  const { apply, construct, deleteProperty, getPrototypeOf } = Reflect;
  const { imul, floor } = Math;
  const [slice, sourceOf] = ["".slice, Function.prototype.toString];
  const dataOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data").get;
  const [RealDate, Bytes, isArray, write] = [Date, Uint8Array, Array.isArray, JSON.stringify];
  const [RealPromise, { then }, ignore] = [Promise, Promise.prototype, () => {}];
  const clock = performance.now.bind(performance);
  const channel = new MessageChannel();
  const port = channel.port1;
  const send = port.postMessage.bind(port);
  scope.postMessage(null, [channel.port2]);
  const outward = ["postMessage", "close", "reportError", "Worker", "SharedWorker", "BroadcastChannel", "MessageChannel"];
  outward.push("fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts");
  for (const name of outward) {
    for (let at = scope; at; at = getPrototypeOf(at)) deleteProperty(at, name);
  }
  for (const name of Object.keys(console)) console[name] = ignore;
  scope.addEventListener("unhandledrejection", (event) => event.preventDefault());
  // Scripts of whole games start, too: what they draw, and what they listen to, is nothing.
  const nothing = new Proxy(ignore, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : nothing),
    apply: () => nothing,
    construct: () => nothing,
    set: () => true,
  });
  Object.assign(scope, { window: scope, document: nothing, localStorage: nothing, alert: ignore, confirm: ignore, prompt: ignore });

  // Random numbers from the board and the repeat's number. Clocks and the system's random numbers
  // differ from one variation to the next, so that a bot that uses them is found.
  let [seed, draws, most, noise] = [0, 0, Infinity, 0];
  let [foreign, variation, started, starting, spent] = [false, begin, clock(), 1, 0];
  function mix(state) {
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
  function hash(text) {
    let found = 2166136261;
    for (let at = 0; at < text.length; at++) found = imul(found ^ text.charCodeAt(at), 16777619);
    return found;
  }
  Math.random = () => {
    draws += 1;
    if (draws > most) throw new Error("it draws random numbers without end");
    seed = (seed + 0x6d2b79f5) | 0;
    return (starting & begin ? ~mix(seed) >>> 0 : mix(seed)) / 4294967296; // another at another start
  };
  const noisy = () => { // the bits of an even variation are all other in the next
    foreign = true;
    noise = (noise + 0x6d2b79f5) | 0;
    return variation & 1 ? ~mix(noise) >>> 0 : mix(noise);
  };
  Crypto.prototype.getRandomValues = (array) => {
    const bytes = new Bytes(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = noisy() >>> 24;
    return array;
  };
  Crypto.prototype.randomUUID = () => "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => (noisy() >>> 28).toString(16));
  const time = () => {
    foreign = true;
    const shift = (mix(imul(variation >> 1, 40503) + 1) & ~1) + (variation & 1);
    return 1.7e12 + 13 * shift + clock() - started;
  };
  performance.constructor.prototype.now = () => time() % 1e9;
  const now = () => floor(time());
  RealDate.now = now;
  Date = new Proxy(RealDate, {
    construct: (_, given, made) => construct(RealDate, given.length ? given : [now()], made),
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.prototype.constructor = Date;

  // What an answer says, as short text that is ours.
  function cut(value) {
    try {
      return apply(slice, String(value), [0, 60]);
    } catch {
      return "what has no text";
    }
  }
  function said(result) {
    if (typeof result === "string") return result.length > 40 ? `a text of ${result.length} letters, too long` : cut(write(result));
    if (typeof result === "function") return "a function";
    if (typeof result !== "object" || result === null) return cut(String(result));
    if (result instanceof RealPromise) return "a promise: a bot must not be async";
    if (!isArray(result)) return cut(`an object with ${Object.keys(result).slice(0, 5).join(", ") || "no names"}`);
    const short = result.length > 9 || result.some((one) => typeof one === "object" && one !== null);
    return short ? `a list of ${result.length}` : cut(`[${result.map((one) => (typeof one === "string" ? write(apply(slice, one, [0, 10])) : String(one))).join(", ")}]`);
  }

  // The cell that each way of reading finds in an answer, or -1.
  function index(value, from, count) {
    const number = typeof value === "string" && /^\s*\d{1,2}\s*$/.test(value) ? Number(value) : value;
    return typeof number === "number" && number >= from && number < from + count && floor(number) === number ? number - from : -1;
  }
  function pair(row, column, from = 0) {
    const [down, right] = [index(row, from, 3), index(column, from, 3)];
    return down < 0 || right < 0 ? -1 : 3 * down + right;
  }
  const isList = (value, count) => typeof value === "object" && value !== null && value.length === count;
  const pairOf = (value, from) => (isList(value, 2) ? pair(value[0], value[1], from) : -1);
  function named(value, names) {
    if (typeof value !== "object" || value === null) return undefined;
    for (const name of names) if (value[name] !== undefined) return value[name];
    return undefined;
  }
  function cellAt(shape, board, cell) {
    if (shape === "rows") return board[floor(cell / 3)][cell % 3];
    return board[shape === "list1" || shape === "dict1" ? cell + 1 : cell];
  }
  // The one cell that differs from the board before, if the side to move has a stone there.
  function stoneIn(value, form, before, mark) {
    if (value === undefined || value === null || typeof value === "number") return -1;
    let found = -1;
    for (let cell = 0; cell < 9; cell++) {
      const [was, is] = [cellAt(form.shape, before, cell), cellAt(form.shape, value, cell)];
      if (was === is) continue;
      if (found >= 0 || is !== mark) return -1;
      found = cell;
    }
    return found;
  }
  function placed(result, form, before, given, mark) {
    const found = stoneIn(given, form, before, mark); // put into the board that it got
    const size = form.shape === "rows" ? 3 : form.shape === "list1" ? 10 : 9;
    const whole = typeof result === "object" ? result !== null && (form.shape.startsWith("dict") || result.length === size) : typeof result === "string" && result.length === 9;
    return found < 0 && whole ? stoneIn(result, form, before, mark) : found;
  }
  const readings = {
    cell: [(a) => index(a, 0, 9)],
    pair: [(a) => pairOf(a, 0)],
    "row-column": [(a, row) => pair(named(a, row.rows), named(a, row.columns))],
    "named-cell": [(a, row) => index(named(a, row.names), 0, 9)],
    number: [(a) => index(a, 1, 9)],
    pair1: [(a) => pairOf(a, 1)],
    name: [(a) => (typeof a === "string" && /^\s*[a-c][1-3]\s*$/i.test(a) ? "abc".indexOf(a.trim()[0].toLowerCase()) + 3 * (a.trim()[1] - 1) : -1)],
    scored: [(a) => (isList(a, 2) ? index(a[1], 0, 9) : -1)],
    "scored-pair": [
      (a) => (isList(a, 3) ? pair(a[1], a[2]) : isList(a, 2) ? pairOf(a[1], 0) : -1),
      (a) => (isList(a, 3) ? pair(a[0], a[1]) : isList(a, 2) ? pairOf(a[0], 0) : -1),
    ],
    "scored-number": [(a) => (isList(a, 2) ? index(a[1], 1, 9) : -1)],
    "named-pair": [(a, row) => pairOf(named(a, row.names), 0)],
    played: [(a, row, ...more) => placed(a, ...more)],
  };
  const readers = []; // [the answer's row in the table, the way to read it]
  for (const row of table.answers) for (const way of readings[row.key]) readers.push([row, way]);

  // A board that counts how often it is read: a loop that never ends on it is ended.
  function guarded(value) {
    if (typeof value !== "object" || value === null) return value;
    let reads = 0;
    const count = (target, key, self) => {
      if (++reads > 20000) throw new Error("it reads the board without end");
      return Reflect.get(target, key, self);
    };
    return new Proxy(isArray(value) ? value.map(guarded) : value, { get: count });
  }

  function place(variable, value) {
    const [get, set] = found.declared[variable];
    try {
      set(value);
    } catch { // a constant: its contents are changed
      const held = get();
      for (const key of Object.keys(held)) deleteProperty(held, key);
      if (isArray(held)) held.length = 0;
      Object.assign(held, value);
    }
    return get;
  }

  // An answer, as the cells that the readers find (-1: none, -2: it declines to answer), and in words.
  function once({ which, form, finding, guard, reader }, [board, me], repeat) {
    const kinds = shownStones(form, me);
    const [mark, rival] = [kinds[me], kinds[me === "X" ? "O" : "X"]];
    const before = shownBoard(form, board, me);
    const copy = guard ? guarded(shownBoard(form, board, me)) : shownBoard(form, board, me);
    const { call } = found.candidates[which];
    seed = hash(board + repeat);
    noise = hash(board + (variation >> 1));
    [draws, most, foreign, started] = [0, finding ? 100000 : Infinity, false, clock()];
    try {
      let after = () => copy;
      let result;
      if (form.call === "global") {
        after = place(found.variable, copy);
        result = call();
      } else if (form.call === "board") result = call(copy);
      else if (form.call === "mark-board") result = call(mark, copy);
      else if (form.call === "board-marks") result = call(copy, mark, rival);
      else result = call(copy, mark);
      if (result instanceof RealPromise) apply(then, result, [ignore, ignore]); // its failure is nobody's news
      const cells = [];
      const none = result === undefined || result === null ? -2 : -1;
      const chosen = reader < 0 ? readers : [readers[reader]];
      for (const [row, way] of chosen) {
        const cell = way(result, row, form, before, after(), mark);
        cells.push(cell >= 0 && board[cell] === "_" ? cell : none);
      }
      return [...cells, `returned ${said(result)}`];
    } catch (error) {
      return [...Array(reader < 0 ? readers.length : 1).fill(-2), `threw ${cut(error)}`];
    }
  }

  // All answers to a board: one, or some where it draws random numbers; and what it answers otherwise
  // where the clock or the system's random numbers are other.
  function answersTo(request, question) {
    variation = request.variation;
    const since = clock();
    const all = [once(request, question, 0)];
    const [drawn, read] = [draws > 0, foreign];
    let differs = "";
    if (read && request.repeats > 1) {
      for (let tried = 1; tried < request.repeats && spent + clock() - since < 1500; tried++) {
        variation = request.variation + tried;
        const again = once(request, question, 0);
        const same = again[0] === all[0][0] && (again[0] >= 0 || again[1] === all[0][1]);
        if (!same) differs = again[0] < 0 ? again[1] : `${"abc"[again[0] % 3]}${floor(again[0] / 3) + 1}`;
      }
      variation = request.variation;
      spent += clock() - since;
    }
    while (drawn && all.length < request.repeats) all.push(once(request, question, all.length));
    return [all, differs, read];
  }

  port.onmessage = (event) => {
    const request = apply(dataOf, event, []);
    const alive = { X: readers.map(() => true), O: readers.map(() => true) };
    request.boards.every((question, number) => {
      const [all, differs, read] = answersTo(request, question);
      send([number, all, differs, read]);
      if (!request.finding) return true;
      const side = alive[question[1]];
      all[0].forEach((cell, reader) => (side[reader] &&= cell >= 0));
      return alive.X.includes(true) || alive.O.includes(true);
    });
  };

  // The bot's text runs here.
  const found = { declared: {}, named: [], candidates: [], variable: "" };
  const module = { exports: {} };
  seed = hash(`start ${begin}`);
  let wrong = "";
  try {
    apply(define, undefined, [(declared, named) => Object.assign(found, { declared, named }), module, module.exports]);
  } catch (error) {
    wrong = cut(error);
  }
  starting = 0;
  const value = (name) => {
    try {
      return found.declared[name][0]();
    } catch {
      return undefined;
    }
  };
  function add(name, value, self) {
    if (typeof value === "object" && value !== null) return methods(name, value);
    if (typeof value !== "function" || found.candidates.some((one) => one.value === value)) return;
    const text = apply(sourceOf, value, []);
    if (/^class\b/.test(text)) {
      try {
        methods(name, new value());
      } catch (error) {
        wrong ||= cut(error);
      }
      return;
    }
    const open = /^[^{]*?(\.\.\.|=(?!>))/.test(text) || /\barguments\b/.test(text);
    found.candidates.push({ name: apply(slice, name, [0, 40]), value, open, length: found.variable || value.length ? index(value.length, 0, 9) : 1, call: (...given) => apply(value, self, given) });
  }
  function methods(name, owner) {
    for (const known of table.names) if (typeof owner[known] === "function") add(`${name}.${known}`, owner[known], owner);
  }
  found.variable = table.variables.find((name) => value(name) !== undefined) ?? table.variables.find((name) => name in found.declared) ?? "";
  for (const name of table.names) add(name, value(name));
  add("module.exports", module.exports);
  const isBot = (one) => typeof one === "function" || (typeof one === "object" && one !== null && table.names.some((known) => typeof one[known] === "function"));
  const last = found.named.findLast((name) => isBot(value(name)));
  if (last) add(last, value(last));
  const told = found.candidates.map(({ name, length, open }) => [name, length, open]);
  send([told, wrong, draws > 0 || foreign]);
}
