// All positions by number of stones, turned and mirrored ones as one; filter: a player's blunders.
// A player's own moves and any replies reach some of its blunders; the others are shown pale.

const groups = []; // the positions of each class, in order
let stonesOf = []; // on the boards of each class

// Offer to show where a player may blunder.
function offerBlunders(number) {
  if (find("whose").querySelector(`[value="${number}"]`)) return;
  const name = `where ${data.players[number].name} may blunder`;
  find("whose").append(element("option", name, { value: String(number) }));
}

later(find("explorer"), () => {
  ranks.forEach((_, position) => (groups[classOf[position]] ??= []).push(position));
  stonesOf = groups.map(([position]) => lineTo(position).length);
  data.players.forEach((_, number) => offerBlunders(number));
  for (let ply = 0; ply <= CELLS; ply++) {
    const label = element("label");
    const radio = element("input", "", { type: "radio", name: "ply", value: String(ply) });
    radio.checked = ply === 2;
    label.append(radio, element("span", String(ply)), element("small"));
    find("plies").append(label);
  }
  drawExplorer();
});

// The positions in which a player has to move if it plays its own moves, to any replies.
const metBy = new Map();
function positionsMet(player) {
  if (metBy.has(player)) return metBy.get(player);
  const table = tableOf(player);
  const reached = [reachedBy(table, 0), reachedBy(table, 1)];
  const found = turnOf.map((turn, position) => reached[turn][position]);
  metBy.set(player, found);
  return found;
}

// Of a class what is shown: its first position, or a blunder of the player, one it reaches first.
function shownOf(group, whose) {
  if (whose === "") return group[0];
  const wrong = group.filter((position) => mistakes(Number(whose), position).length > 0);
  return wrong.find((position) => positionsMet(Number(whose))[position]) ?? wrong[0];
}

const howMany = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// How many there are: of a player's blunders all positions, as in the leaderboard and its certificate.
function countedText(whose, found, here, ply) {
  const all = found.filter((position) => position !== undefined);
  if (whose === "") return `${here.length} of ${all.length} positions have ${howMany(ply, "stone")}.`;
  const { name, linked } = data.players[Number(whose)];
  if (!all.length) return `${name} never blunders${linked ? " in its games" : ""}.`;
  const wrong = groups.flat().filter((position) => mistakes(Number(whose), position).length > 0);
  const met = wrong.filter((position) => positionsMet(Number(whose))[position]).length;
  const where = `${name} may blunder in ${howMany(wrong.length, "position")}; its games reach ${met || "none"} of them.`;
  return `${where} Turned and mirrored ones are shown once: here are those with ${howMany(ply, "stone")}.`;
}

function drawExplorer() {
  const whose = find("whose").value;
  const ply = Number(document.querySelector("[name=ply]:checked").value);
  const found = groups.map((group) => shownOf(group, whose));
  const counts = Array(CELLS + 1).fill(0);
  found.forEach((position, n) => (counts[stonesOf[n]] += position !== undefined));
  for (const label of find("plies").querySelectorAll("label")) {
    const there = counts[Number(label.querySelector("input").value)];
    label.querySelector("small").textContent = there;
    label.classList.toggle("none", there === 0);
  }
  const here = found.filter((position, n) => position !== undefined && stonesOf[n] === ply);
  if (whose !== "") here.sort((a, b) => positionsMet(Number(whose))[b] - positionsMet(Number(whose))[a]);
  find("tiles").replaceChildren(...here.map((position) => tile(position, whose)));
  find("counted").textContent = countedText(whose, found, here, ply);
}

function tile(position, whose) {
  const line = lineTo(position);
  const wrong = whose === "" ? [] : mistakes(Number(whose), position);
  const player = whose === "" ? (isSolved() ? state.player : data.start) : Number(whose);
  const shown = { game: games[0], player, line, setup: line.length, seat: "both", overlay: whose === "" ? "values" : "player" };
  const standing = over(position) ? ending(line) : `${mover(line)} to move`;
  const value = over(position) ? "the end" : verdict(ranks[position]);
  const link = element("a", "", { href: address(shown) });
  const names = stones(line).map((mark) => mark || "empty").join(" ");
  const pale = whose !== "" && !positionsMet(Number(whose))[position];
  const bad = wrong.length ? `; blunder at ${wrong.map(place).join(" and ")}` : "";
  // What is seen comes first in the label, as who speaks to the page will say it.
  link.append(thumbnail(line, wrong), element("span", `${standing} `), element("small", value));
  link.setAttribute("aria-label", `${standing} ${value}; ${names}${bad}${pale ? "; never reached" : ""}`);
  const item = element("li", "", pale ? { class: "pale" } : {});
  item.append(link);
  return item;
}

// Show where a player may blunder.
function exploreBlunders(number) {
  makeNow(find("explorer"));
  offerBlunders(number);
  find("whose").value = String(number);
  drawWhose();
  find("explorer").scrollIntoView();
  find("whose").focus({ preventScroll: true });
}

// Open on a number of stones with blunders that the player's games reach, else on one with any.
function drawWhose() {
  const whose = find("whose").value;
  const best = Array(CELLS + 1).fill(0); // by stones: 2 if such a blunder is reached, 1 if there is one
  groups.forEach((group, n) => {
    const position = shownOf(group, whose);
    if (position === undefined) return;
    const reached = whose !== "" && positionsMet(Number(whose))[position];
    best[stonesOf[n]] = Math.max(best[stonesOf[n]], reached ? 2 : 1);
  });
  const radios = [...document.querySelectorAll("[name=ply]")];
  const chosen = radios.findIndex((radio) => radio.checked);
  if (best[chosen] < Math.max(...best)) radios[best.indexOf(Math.max(...best))].checked = true;
  drawExplorer();
}

find("whose").addEventListener("change", drawWhose);
find("plies").addEventListener("change", drawExplorer);
