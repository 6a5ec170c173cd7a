// The link of a judged bot holds its moves, never its code: whoever opens it plays against the bot, and has
// its verdict, computed from the moves.

const CODE_KEYS = { play: "bot", watch: "bot", against: "rival" }; // the parts of an address with the moves
const USUAL_NAME = "pasted bot";

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
    for (let count = 1; data.players.some((player) => player.name === name); count++) {
      name = `${shared} (linked${count > 1 ? ` ${count}` : ""})`;
    }
    const certificate = certificateOf(found.table);
    number = offerPlayer(name, "a pasted bot, opened from a link", found.table, certificate);
    const parts = linkedVerdict(number, found, certificate);
    Object.assign(certificate, { blunders: null, optimal_moves: { ...certificate.optimal_moves, all: null } }); // of other boards nothing is known
    Object.assign(data.players[number], { code, shared, seats: found.seats, linked: parts });
  }
  const { linked, name } = data.players[number];
  if (!linked) return number; // it was judged on this page
  for (const id of ["bot-form", "bot-otherwise"]) find(id).hidden = true;
  showVerdict(number, [[`${name}, from the link that you opened:`], ...linked]);
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
    if (!lines[seat]) return "never loses";
    const count = lines[seat].length;
    return count ? `can be beaten in ${howMany(count, "stone")}` : "has no legal first move";
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
