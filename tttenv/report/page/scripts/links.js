// Positions as the part of an address after the "#", and the browser's history of them.

const LONGEST_NAME = 40; // letters of a stranger's text that are shown

function address(changes = {}) {
  if (state.asking && !refuting() && !("line" in changes)) return "#question";
  // At an earlier stone nobody answers: the link must lead to the position shown.
  const answers = !state.asking && (atEnd() || state.seat === "none");
  const seat = answers ? state.seat : "both";
  const setup = "line" in changes ? 0 : state.setup;
  const cast = "line" in changes || state.asking ? null : answers ? state.cast : opponentsSeat();
  const now = { ...state, seat, line: shownLine(), setup, cast, ...changes };
  const [parts, codes] = [{}, {}];
  const who = now.seat === "none" ? { watch: now.rivals.X, against: now.rivals.O } : { play: now.player };
  for (const [key, number] of Object.entries(who)) {
    const { name, shared, code } = now.game.players[number];
    parts[key] = shared ?? name;
    if (code) codes[CODE_KEYS[key]] = code; // of a pasted bot
  }
  if (now.game !== games[0]) parts.rules = now.game.name;
  if (now.seat !== "none") parts.seat = now.seat;
  if (now.seat === "both" && now.cast) parts.as = now.cast;
  if (now.overlay !== "none") parts.show = now.overlay;
  if (now.line.length) parts.moves = now.line.map((cell) => coordinate(cell, now.game)).join(".");
  if (now.setup > 0 && now.line.length) parts.setup = Math.min(now.setup, now.line.length);
  Object.assign(parts, codes);
  const written = (key, text) => (key === "rules" ? text : encodeURIComponent(text));
  return `#${Object.entries(parts).map(([key, text]) => `${key}=${written(key, text)}`).join("&")}`;
}

// The cells that a link's moves name: "b2.a1", "b2,a1" or "b2 a1".
function readMoves(text, game) {
  if (text === "") return [];
  const names = Array.from({ length: game.cells }, (_, cell) => coordinate(cell, game));
  return text.toLowerCase().trim().split(/,\s*|\.|\s+/).map((name) => names.indexOf(name));
}

// Take over what an address says; false if it speaks of no game.
function readAddress(text) {
  if (text === "#question") {
    ask();
    return true;
  }
  if (!/^#(play|seat|show|moves|setup|watch|against|rules)=/.test(text)) return false;
  const parts = new URLSearchParams(text.slice(1).replaceAll("+", "%2B"));
  const game = gameNamed(parts.get("rules") ?? games[0].name);
  const changes = switched(game ?? games[0]);
  const usual = changes.player ?? state.player;
  const unknown = [];
  const torn = []; // names of pasted bots whose moves cannot be read
  const named = (key) => {
    if (!parts.has(key)) return usual;
    const [name, code] = [parts.get(key), parts.get(CODE_KEYS[key])];
    const coded = code !== null && changes.game === games[0];
    const found = coded ? linkedPlayer(code, name) : playerNamed(name, changes.game);
    if (found < 0) (coded ? torn : unknown).push(name);
    return found < 0 ? usual : found;
  };
  const line = readMoves(parts.get("moves") ?? "", changes.game);
  const possible = game !== undefined && isGame(line, game);
  changes.line = possible ? line : [];
  const setup = parts.get("setup") ?? "";
  changes.setup = /^[0-9]{1,3}$/.test(setup) ? Math.min(Number(setup), changes.line.length) : 0;
  changes.overlay = ["values", "player"].includes(parts.get("show")) ? parts.get("show") : "none";
  if (parts.has("watch")) {
    changes.rivals = { X: named("watch"), O: named("against") };
    changes.seat = "none";
  } else {
    changes.player = named("play");
    const asked = parts.get("seat");
    const usualSeat = parts.has("moves") ? "both" : state.seat === "O" && !state.asking ? "O" : "X"; // moves are shown as they are
    changes.seat = ["X", "O", "both"].includes(asked) ? asked : usualSeat;
    const cast = asked === "both" && !unknown.length && !torn.length ? parts.get("as") : "";
    changes.cast = ["X", "O"].includes(cast) ? cast : null;
  }
  if (!possible) {
    changes.message = { kind: "warning", text: "The link shows no possible game: here is a new one." };
  }
  remarkOnLinked(changes);
  if (torn.length) {
    changes.seat = "both";
    changes.message = { kind: "warning", text: "The link was cut off or changed: its bot cannot be read. Both sides are yours." };
  } else if (unknown.length) {
    changes.seat = "both"; // nobody else is to answer in its place
    const names = unknown.map((name) => `“${shortened(name)}”`).join(" and ");
    const told = `The link names ${names}, which is not on this page: you play both sides.`;
    changes.message = { kind: "warning", text: told };
  }
  setUp(changes);
  return true;
}

const shortened = (text) =>
  text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text;

// The history: a position that is opened is a new entry, so that Back returns to the place before.

const openers = []; // what had the focus when a position was opened

function keep() {
  const shown = address();
  const bare = shown === "#question" && !/^#(play|watch|moves|seat|show|rules)/.test(location.hash);
  history.replaceState({ ...history.state, game: shown }, "", bare ? undefined : shown);
}

// Make a change that opens another position, and show it.
function visit(change) {
  const opener = openers.push(document.activeElement) - 1;
  history.replaceState({ ...history.state, game: address(), top: scrollY, opener }, "");
  change();
  history.pushState({ game: address() }, "", address());
  draw();
  reveal();
}

// Bring the board and what is said right under it into view, if they are not.
function reveal() {
  const [{ top }, board, said] = ["play-title", "board", "status"].map((id) => find(id).getBoundingClientRect());
  if (top < 0 || Math.max(board.bottom, said.bottom) > innerHeight) find("play").scrollIntoView();
}

function openAddress(text) {
  if (!readAddress(text)) return false;
  answer();
  draw();
  return true;
}

// Follow a link within the page; a game with a title is shown from its first stone.
function open(text, title) {
  visit(() => {
    readAddress(text);
    if (title) {
      Object.assign(state, { title, at: 0 });
      run();
    } else answer();
  });
  focusCell();
}

window.addEventListener("popstate", ({ state: entry }) => {
  if (!entry?.game) return; // an address that was typed: hashchange tells of it
  if (entry.game !== address()) openAddress(entry.game);
  if (entry.top === undefined) return;
  scrollTo(0, entry.top);
  openers[entry.opener]?.focus({ preventScroll: true });
});

window.addEventListener("hashchange", () => {
  if (history.state?.game || !openAddress(location.hash)) return;
  keep();
  reveal();
  focusCell();
});

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // to open it in another window
  const link = event.target.closest('a[href^="#play="], a[href^="#watch="], a[href^="#rules="], a[href="#question"]');
  if (!link) return;
  event.preventDefault();
  open(link.getAttribute("href"), link.matches(".replay") && link.closest("figure").querySelector("h3").textContent);
});

// A link to the address that stands there already changes no hash: it acts as if it had.
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest('a[href^="#"][href*="="]');
  if (!link || link.hash !== location.hash) return;
  event.preventDefault();
  dispatchEvent(new HashChangeEvent("hashchange"));
});

const copied = new Map(); // the clocks of buttons that say "Copied"

// Copy a text; one that the browser does not let go is shown in a field, to be copied by hand.
async function copyText(text, button, field) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = false;
    field.value = text;
  }
  field.closest("p").hidden = done;
  if (!done) field.select();
  button.dataset.label ??= button.textContent;
  button.textContent = done ? "Copied" : button.dataset.label;
  clearTimeout(copied.get(button));
  copied.set(button, setTimeout(() => (button.textContent = button.dataset.label), 2000));
  return done;
}

// What is said of a copied link in a page that is a file.
function fileText(done) {
  if (location.protocol !== "file:") return "";
  return `${done ? "Copied. It" : "The link"} opens only where this file is: send the file too, or publish it.`;
}

async function copyLink() {
  const text = fileText(await copyText(new URL(address(), location.href).href, find("copy"), find("link")));
  if (!text) return;
  state.message = { kind: "about-link", text };
  drawRemarks();
}

find("copy").addEventListener("click", copyLink);
