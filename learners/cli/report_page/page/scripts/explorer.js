// All positions by number of stones, turned and mirrored ones as one; filter: a player's blunders.

// The positions of each class, in order.
const groups = [];
ranks.forEach((_, position) => (groups[classOf[position]] ??= []).push(position));
const stonesOf = groups.map(([position]) => lineTo(position).length);

for (const [number, player] of data.players.entries()) {
  const name = `where ${player.name} may blunder`;
  find("whose").append(element("option", name, { value: String(number) }));
}

for (let ply = 0; ply <= CELLS; ply++) {
  const label = element("label");
  const radio = element("input", "", { type: "radio", name: "ply", value: String(ply) });
  radio.checked = ply === 2;
  label.append(radio, element("span", String(ply)), element("small"));
  find("plies").append(label);
}

// Of a class what is shown: its first position, or the first in which the player may blunder.
function shownOf(group, whose) {
  if (whose === "") return group[0];
  return group.find((position) => mistakes(Number(whose), position).length > 0);
}

function drawExplorer() {
  const whose = find("whose").value;
  const ply = Number(document.querySelector("[name=ply]:checked").value);
  const found = groups.map((group) => shownOf(group, whose));
  const counts = Array(CELLS + 1).fill(0);
  found.forEach((position, n) => (counts[stonesOf[n]] += position !== undefined));
  for (const label of find("plies").querySelectorAll("label")) {
    const count = counts[Number(label.querySelector("input").value)];
    label.querySelector("small").textContent = count;
    label.classList.toggle("none", count === 0);
  }
  const here = found.filter((position, n) => position !== undefined && stonesOf[n] === ply);
  find("tiles").replaceChildren(...here.map((position) => tile(position, whose)));
  const all = counts.reduce((sum, count) => sum + count);
  const what = whose === "" ? "positions" : "positions where it may blunder";
  find("counted").textContent = `${counts[ply]} of ${all} ${what} have ${ply} stones.`;
}

function tile(position, whose) {
  const line = lineTo(position);
  const wrong = whose === "" ? [] : mistakes(Number(whose), position);
  const shown = { line, seat: "both", overlay: whose === "" ? "values" : "player" };
  if (whose !== "") shown.player = Number(whose);
  const standing = over(position) ? ending(line) : `${mover(line)} to move`;
  const value = over(position) ? "the end" : verdict(ranks[position]);
  const link = element("a", "", { href: address(shown) });
  const names = stones(line).map((mark) => mark || "empty").join(" ");
  const bad = wrong.length ? `, blunder at ${wrong.map(place).join(" and ")}` : "";
  link.setAttribute("aria-label", `${names}; ${standing}, ${value}${bad}`);
  link.append(thumbnail(line, wrong), element("span", standing), element("small", value));
  const item = element("li");
  item.append(link);
  return item;
}

find("whose").addEventListener("change", () => {
  drawExplorer();
  const label = [...find("plies").querySelectorAll("label")];
  const chosen = label.find((one) => one.querySelector("input").checked);
  const filled = label.find((one) => !one.classList.contains("none"));
  if (chosen.classList.contains("none") && filled) {
    filled.querySelector("input").checked = true;
    drawExplorer();
  }
});
find("plies").addEventListener("change", drawExplorer);
