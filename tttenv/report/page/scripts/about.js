// The card of a player below the board: who it is, how it loses, and its certificate as a table.

let described = null; // the player on the card now

// Whose card it is, as a number among data.players: the opponent's, or of two players the chosen one's.
const aboutNumber = () =>
  state.seat === "none" ? state.rivals[find("about-whose").value] : state.player;
const aboutPlayer = () => data.players[aboutNumber()];

// A share in percent; only what is certain is 0 or 100.
function percent(share) {
  if (share < 1e-9 || share > 1 - 1e-9) return String(Math.round(100 * share));
  return Math.min(Math.max(100 * share, 0.01), 99.99).toFixed(2);
}

const expected = (value) => (Math.abs(value) < 1e-9 ? "0" : value.toFixed(2).replace(/\.00$/, "").replace("-", "−"));
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

function lostGame(line) {
  if (line === null) return "none exists";
  const end = lost(walk(line)) ? "" : ", then no legal answer";
  return [thumbnail(line), element("span", `${line.map(place).join(" ")}${end}`)];
}

function certificateRows(found) {
  const seats = (told) => SEATS.map((seat) => told(seat));
  const odds = (shares) => shares.map(percent).join(" / ");
  const head = element("tr");
  head.append(element("td", ""), ...SEATS.map((seat) => element("th", `as ${seat}`, { scope: "col" })));
  const moves = found.optimal_moves;
  return [
    head,
    certificateRow("Worst case", ...seats((seat) => expected(found.worst_case[seat]))),
    certificateRow("Shortest lost game", ...seats((seat) => lostGame(found.losing_line[seat]))),
    certificateRow("Win / draw / loss against random moves, %", ...seats((seat) => odds(found.vs_random[seat]))),
    certificateRow("The same against perfect play, %", ...seats((seat) => odds(found.vs_perfect[seat]))),
    certificateRow("Optimal moves", `${percent(moves.all)} % of all positions, ${percent(moves.critical)} % of those where a move loses value, ${percent(moves.reached)} % of those it reaches`),
    certificateRow("Blunders", found.blunders ? `possible in ${found.blunders} positions` : "none"),
  ];
}

function drawAbout() {
  const watched = state.seat === "none" && state.rivals.X !== state.rivals.O;
  find("about-holder").hidden = !watched;
  for (const choice of find("about-whose").options) {
    setText(choice, `${data.players[state.rivals[choice.value]].name}, ${choice.value}`);
  }
  const player = aboutPlayer();
  for (const seat of SEATS) {
    const line = player.certificate.losing_line[seat];
    const button = find(`lose-${seat}`);
    button.setAttribute("aria-disabled", String(!line));
    setText(button, line ? `See it lose as ${seat}, in ${howMany(line.length, "stone")}` : `As ${seat} it never loses`);
  }
  if (player === described) return;
  described = player;
  const safe = player.certificate.unbeatable ? "It cannot be beaten." : "It can be beaten.";
  find("about-name").textContent = player.name;
  find("about").textContent = `${capital(player.about)}. ${safe}`;
  const spec = player.spec.replaceAll("'", `'"'"'`); // quoted, as it is made to be pasted in a shell
  find("command").textContent = `tttenv certify '${spec}' --json`;
  find("command").parentNode.hidden = player.spec === ""; // of a player that was trained here
  find("certificate-table").replaceChildren(...certificateRows(player.certificate));
  find("certificate").textContent = JSON.stringify(player.certificate, null, 1);
}

find("about-whose").addEventListener("change", drawAbout);

for (const seat of SEATS) {
  find(`lose-${seat}`).addEventListener("click", () => {
    const { certificate, name } = aboutPlayer();
    const line = certificate.losing_line[seat];
    if (line) startReplay(line, 0, `How ${name} loses as ${seat}`, aboutNumber());
  });
}
