// The card of a player below the board: who it is, how it loses, and its certificate as a table.

let described = null; // the player on the card now

// Whose card it is, as a number among the game's players: the opponent's, or of two players O's.
const aboutNumber = () => (state.seat === "none" ? state.rivals.O : state.player);
const aboutPlayer = () => players()[aboutNumber()];

const ROUNDING = 1e-12; // of sums of probabilities; numbers that differ by less are equal

// A share in percent; only what is certain is 0 or 100.
function percent(share, digits = 2) {
  const step = 10 ** -digits;
  if (share > ROUNDING && 100 * share < step / 2) return `<${step}`;
  if (share < 1 - ROUNDING && 100 * share > 100 - step / 2) return `>${100 - step}`;
  return (100 * share).toFixed(digits);
}

// A value between -1 and 1; only what is certain is -1, 0 or 1.
function expected(value) {
  const near = Math.round(value);
  if (Math.abs(value - near) < ROUNDING) return String(near + 0).replace("-", "−");
  const cut = Math.min(Math.max(value, -0.99), 0.99);
  return (Math.abs(cut) < 0.005 ? cut.toExponential(0) : cut.toFixed(2)).replace(/^-/, "−");
}
// How often a player loses: "one game in 189" only where it is exactly that.
function oneIn(chance) {
  const games = 1 / chance;
  const near = Math.round(games);
  if (games < 10) return `${percent(chance)} % of its games`;
  return `${Math.abs(games - near) < 1e-9 * near ? "" : "about "}one game in ${counted(near)}`;
}

const SEATS = ["X", "O"];

// A row of the certificate: its name, and a cell for each seat or one for both.
function certificateRow(name, ...told) {
  const row = element("tr");
  row.append(element("th", name, { scope: "row" }));
  for (const content of told) {
    const cell = element("td", "", told.length === 1 ? { colspan: "2" } : {});
    cell.append(...[content].flat());
    row.append(cell);
  }
  return row;
}

function lostGame(line, never) {
  if (line === null) return never === null || never === false ? "none found" : "none exists";
  const end = line.length ? ", then no legal answer" : "no legal answer on the empty board";
  const told = element("span", `${line.map(cellName).join(" ")}${isWon(line) ? "" : end}`);
  return isSolved() ? [thumbnail(line), told] : [told];
}

function certificateRows(found) {
  const seats = (told) => SEATS.map((seat) => told(seat));
  const both = (name, of, written) => {
    const there = SEATS.some((seat) => (of?.[seat] ?? null) !== null); // of larger boards little is known
    return there ? [certificateRow(name, ...seats((seat) => (of[seat] === null ? "not known" : written(of[seat]))))] : [];
  };
  const odds = (shares) => shares.map((share) => percent(share)).join("\u00a0/ ");
  const head = element("tr");
  head.append(element("td", ""), ...SEATS.map((seat) => element("th", `as ${seat}`, { scope: "col" })));
  const moves = found.optimal_moves;
  return [
    head,
    ...both("Worst case", found.worst_case, expected),
    certificateRow(isSolved() ? "Shortest lost game" : "Lost game", ...seats((seat) => lostGame(found.losing_line[seat], found.never_loses[seat]))),
    ...both("Win / draw / loss against random moves, %", found.vs_random, odds),
    ...both(found.vs_random.X ? "The same against perfect play, %" : "Win / draw / loss against perfect play, %", found.vs_perfect, odds),
    ...(moves.all === null ? [] : [certificateRow("Optimal moves", `${percent(moves.all)}\u00a0% of all positions, ${percent(moves.critical)}\u00a0% of those where a move loses value, ${percent(moves.reached)}\u00a0% of those it reaches`)]),
    ...(found.blunders === null ? [] : [certificateRow("Blunders", found.blunders ? `possible in ${found.blunders} positions` : "none")]),
    ...both("Positions followed", found.reached, counted),
  ];
}

function drawAbout() {
  const player = aboutPlayer();
  if (player === described) return;
  described = player;
  const { certificate, spec, seats = "XO" } = player; // a pasted bot may play one seat only
  for (const seat of SEATS) {
    const line = seats.includes(seat) && certificate?.losing_line[seat];
    const button = find(`lose-${seat}`);
    button.hidden = !line;
    if (line) setText(button, `Watch it lose as ${seat}, in ${howMany(line.length, "stone")}`);
  }
  find("about-name").textContent = player.name;
  find("about").textContent = `${capital(player.about)}. ${certifiedText(certificate, seats)}`;
  find("certificate-holder").hidden = !certificate;
  find("yours").hidden = !isSolved() || !spec; // a player made in this page has led there
  find("about-games").hidden = !isSolved();
  if (!certificate) return;
  const quoted = (spec ?? "").replaceAll("'", `'"'"'`); // as it is made to be pasted in a shell
  find("command").textContent = `tttenv certify '${quoted}' --json`;
  find("command").parentNode.hidden = !spec; // of a player that was trained here
  find("certificate-table").replaceChildren(...certificateRows(player.certificate));
  find("certificate").textContent = JSON.stringify(player.certificate, null, 1);
}

// The verdict in a sentence; on larger boards one about each seat.
function certifiedText(certificate, seats) {
  if (!certificate) return "This page has no certificate of it on this board.";
  const { worst_case: worst, never_loses: never, reached, value } = certificate;
  if (seats.length === 1) return `It does not play ${other(seats)}. As ${seats} it ${never[seats] ? "never loses" : "can be beaten"}.`;
  if (isSolved() && certificate.unbeatable) return "✓ Never loses, as X or O.";
  if (isSolved()) return `${never.X ? "As X it never loses. " : never.O ? "As O it never loses. " : ""}It can be beaten.`;
  const told = SEATS.map((seat) => {
    if (value === (seat === "X" ? -1 : 1)) return `${seat} cannot hold ${boardTitle(state.game)}.`;
    if (never[seat] === false) return `As ${seat} it can be beaten.`;
    if (!never[seat]) return `As ${seat} it is not certified: its certificate was not finished.`;
    const count = reached ? `, in all ${counted(reached[seat])} positions that it can reach` : "";
    return `Certified: ${worst[seat] === 1 ? "always wins" : "never loses"} as ${seat}${count}.`;
  });
  return told.join(" ");
}

for (const seat of SEATS) {
  find(`lose-${seat}`).addEventListener("click", () => {
    startReplay(aboutPlayer().certificate.losing_line[seat], seat, aboutNumber());
  });
}
