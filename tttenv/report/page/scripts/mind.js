// The picture of all games that a player can play on 3,3,3: a tree around the empty board, with the
// places and colours of `tttenv.draw_games`. One can go along it, and play on from each position.

const TREE = { side: 2000, radius: 960, head: 170, cell: 26, many: 40, most: 4000 };
const ENDS = ["won", "drawn", "lost"];
const NEAR = 60; // units of the picture from which the mouse finds a position

// How many games lead on from the positions that a player's games reach: won, drawn, lost, 3 a position.
function gamesOf(follow, own, reached) {
  const games = new Float64Array(3 * POSITIONS);
  for (let position = POSITIONS - 1; position >= 0; position--) {
    if (!reached[position]) continue;
    const here = games.subarray(3 * position, 3 * position + 3);
    const cells = follow(position);
    const loser = over(position) && ranks[position] === 0 ? -1 : turnOf[position];
    if (!cells.length) here[loser < 0 ? 1 : loser === own ? 2 : 0] = 1;
    for (const cell of cells) {
      for (let end = 0; end < 3; end++) here[end] += games[3 * next(position, cell) + end];
    }
  }
  return games;
}

// The tree's nodes by their number of stones: all, or the first rings with as many as can be shown.
function gameTree(player, seat) {
  const table = tableOf(player);
  const own = "XO".indexOf(seat);
  const followed = []; // the moves of each position
  const follow = (position) =>
    (followed[position] ??= moves(position).filter((cell) => turnOf[position] !== own || table[position * CELLS + cell] > 0));
  const games = gamesOf(follow, own, reachedBy(table, own));
  const node = (parent, cell, position, ring) => {
    const counts = games.subarray(3 * position, 3 * position + 3);
    const worst = counts[2] ? 2 : counts[1] ? 1 : 0;
    return { parent, cell, position, ring, games: counts, worst, children: [] };
  };
  const rings = [[node(null, -1, 0, 0)]];
  let size = 1;
  for (;;) {
    const last = rings.at(-1);
    const outer = last.flatMap((parent) => follow(parent.position).map((cell) => node(parent, cell, next(parent.position, cell), rings.length)));
    size += outer.length;
    for (const one of last) one.ended = !follow(one.position).length;
    if (!outer.length || size > TREE.most) break;
    for (const one of outer) one.parent.children.push(one);
    rings.push(outer);
  }
  placeNodes(rings);
  return rings;
}

// The stones on the board in the centre: one if X always opens alike.
const centred = (rings) => Number(rings[1]?.length === 1);

// Each node stands in the middle of its sector, which is as wide as it has ends.
function placeNodes(rings) {
  for (const ring of rings.toReversed()) {
    for (const one of ring) one.width = one.children.reduce((sum, child) => sum + child.width, 0) || 1;
  }
  const [[root]] = rings;
  root.start = 0;
  rings.forEach((ring, number) => {
    const radius = Math.max(number - centred(rings), 0) / Math.max(rings.length - 1 - centred(rings), 1);
    ring.forEach((one, index) => {
      let start = one.start;
      for (const child of one.children) {
        child.start = start;
        start += child.width;
      }
      const angle = (2 * Math.PI * (one.start + one.width / 2)) / root.width;
      one.index = index;
      one.x = Math.round(TREE.radius * radius * Math.sin(angle)) + 0;
      one.y = Math.round(-TREE.radius * radius * Math.cos(angle)) + 0;
    });
  });
}

function shape(name, attributes, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

function edgeTo({ parent, x, y }) {
  const half = 0.5 + (0.5 * Math.hypot(parent.x, parent.y)) / Math.max(Math.hypot(x, y), 1);
  const bend = `${Math.round(half * x - parent.x)} ${Math.round(half * y - parent.y)}`;
  return `M${parent.x} ${parent.y}q${bend} ${x - parent.x} ${y - parent.y}`;
}

// The board in the centre, with a stone of X or none.
function centreBoard(stone) {
  const { cell } = TREE;
  const side = 3 * cell;
  const half = side / 2;
  const lines = [1, 2].map((row) => `M${-half} ${cell * row - half}h${side}`);
  lines.push(...[1, 2].map((column) => `M${cell * column - half} ${-half}v${side}`));
  if (stone >= 0) {
    const [left, top] = [stone % 3, Math.floor(stone / 3)].map((at) => cell * at - half + 7);
    lines.push(`M${left} ${top}l12 12m0-12l-12 12`);
  }
  return [shape("circle", { class: "middle", r: 69 }), shape("path", { class: "centre", d: lines.join("") })];
}

function treePicture(rings, title) {
  const thin = rings[0][0].games[2] > TREE.many ? " many" : "";
  const all = rings.slice(1).flat();
  const path = (kind, some, written) =>
    ENDS.map((end, worst) => shape("path", { class: kind + end + thin, d: some.filter((one) => one.worst === worst).map(written).join("") }));
  const cut = rings.at(-1).every((one) => one.ended) ? "" : `, its first ${rings.length - 1} stones`;
  const told = ENDS.flatMap((end, n) => [shape("tspan", { class: end }, "●"), ` ${counted(rings[0][0].games[n])} ${end} `]);
  const { side, head } = TREE;
  return shape(
    "g",
    { transform: `translate(${side / 2} ${head + side / 2})` },
    ...rings.slice(centred(rings) + 1).map(([one]) => shape("circle", { class: "ring", r: Math.round(Math.hypot(one.x, one.y)) })),
    shape("path", { class: "trail" }),
    ...path("", all, edgeTo),
    ...path("end ", all.filter((one) => one.ended), ({ x, y }) => `M${x} ${y}h0`),
    ...centreBoard(centred(rings) ? rings[1][0].cell : -1),
    shape("text", { y: 80 - head - side / 2 }, title + cut),
    shape("text", { y: 140 - head - side / 2 }, ...told),
  );
}

function pathTo(one) {
  const path = [];
  for (let at = one; at.parent; at = at.parent) path.unshift(at);
  return path;
}

const gamesLine = (one) => pathTo(one).map(({ cell }) => cell);

// What is said of a position of the tree.
function nodeText({ ended, worst, games, position }, name) {
  const count = games[0] + games[1] + games[2];
  if (!ended) return `${howMany(count, "game")} from here: ${ENDS.map((end, n) => `${counted(games[n])} ${end}`).join(", ")}.`;
  if (!over(position)) return `${name} has no legal answer: it loses.`;
  return [`${name} wins.`, "Draw.", `${name} loses.`][worst];
}

// The tree of a player in a seat, and below it the position that is chosen in it.
function drawMind(player, seat, line) {
  const { name } = data.players[player];
  const rings = gameTree(player, seat);
  const picture = treePicture(rings, `${name} as ${seat}`);
  const { side, head } = TREE;
  const drawing = shape("svg", { class: "game-tree", viewBox: `0 ${head} ${side} ${side}`, "aria-hidden": "true" }, picture);
  const title = picture.querySelector("text").textContent;
  const counts = ENDS.map((end, n) => `${counted(rings[0][0].games[n])} ${end}`);
  const tree = element("div", "", {
    class: "mind-tree",
    role: "application",
    tabindex: "0",
    "aria-label": `All games of ${title}: ${counts.join(", ")}. Up goes towards the empty board, down away from it, left and right along the ring; Enter plays on.`,
  });
  tree.append(drawing);
  const [board, moved, told] = [element("div"), element("b"), element("span")];
  const onward = element("button", "Play on from here", { type: "button" });
  const words = element("p", "", { role: "status" });
  words.append(moved, told);
  const readout = element("div", "", { class: "mind-position" });
  readout.append(board, words, onward);
  const figure = element("div", "", { class: "mind-seat", "data-seat": seat, "data-lost": rings[0][0].games[2] });
  const heading = element("h3", `${title}: `, { class: "game-tree" });
  ENDS.forEach((end, n) => heading.append(element("span", "● ", { class: end, "aria-hidden": "true" }), `${counts[n]} `));
  figure.append(heading, tree, readout);

  let chosen = null; // by a click, a tap or a key
  let shown = null; // it, or what the mouse is at
  const tell = (one) => {
    if (one === shown) return;
    shown = one;
    const line = gamesLine(one);
    board.replaceChildren(thumbnail(line));
    setText(moved, line.length ? line.map(place).join(" ") : "The empty board");
    setText(told, nodeText(one, name));
    onward.textContent = one.ended ? "Show this game" : "Play on from here";
    picture.querySelector(".trail").setAttribute("d", `${pathTo(one).map(edgeTo).join("")}M${one.x} ${one.y}h0`);
  };
  const choose = (one) => tell((chosen = one));
  const playFrom = () => {
    const line = gamesLine(chosen);
    history.replaceState(history.state, "", mindAddress(player, seat, line)); // Back leads here
    find("mind").close();
    if (!chosen.ended) return open(address({ game: games[0], player, seat: other(seat), line, setup: line.length, overlay: "none" }));
    startReplay(line, seat, player, games[0], chosen.worst === 2 ? undefined : gameTitle(name, seat, chosen.worst === 0));
  };
  const nearest = ({ clientX, clientY }) => {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM().inverse());
    let [best, found] = [NEAR, null];
    for (const one of rings.flat()) {
      const apart = Math.hypot(one.x - x, one.y - y);
      if (apart <= best) [best, found] = [apart, one];
    }
    return found;
  };
  const steps = {
    ArrowUp: () => chosen.parent,
    ArrowDown: () => chosen.children[0],
    ArrowLeft: () => rings[chosen.ring].at(chosen.index - 1),
    ArrowRight: () => rings[chosen.ring][(chosen.index + 1) % rings[chosen.ring].length],
  };
  tree.addEventListener("keydown", (event) => {
    if (event.key === "Enter") playFrom();
    else if (steps[event.key]) choose(steps[event.key]() ?? chosen);
    else return;
    event.preventDefault();
  });
  tree.addEventListener("pointermove", (event) => tell(nearest(event) ?? chosen));
  tree.addEventListener("pointerleave", () => tell(chosen));
  tree.addEventListener("click", (event) => choose(nearest(event) ?? chosen));
  onward.addEventListener("click", playFrom);
  const linked = line?.reduce((one, cell) => one?.children.find((child) => child.cell === cell), rings[0][0]);
  choose(linked ?? rings.flat().find((one) => one.ended && one.worst === 2) ?? rings[0][0]);
  return figure;
}

// The dialog with both seats' trees, and its part of the address.

let pictured = -1; // whose games it shows
let openedAt = ""; // the address before

function mindAddress(player, seat, line) {
  const at = seat ? `&seat=${seat}&moves=${line.map(place).join(".")}` : "";
  return `#games=${encodeURIComponent(data.players[player].name)}${at}`;
}

// The seat that loses comes first; a seat and a line of its games name the position to choose.
function showMind(player, seat, line) {
  pictured = player;
  const { name } = data.players[player];
  find("mind-title").textContent = `All games of ${name}`;
  find("mind-seats").replaceChildren(...SEATS.map((one) => drawMind(player, one, one === seat ? line : undefined)));
  const [x, o] = find("mind-seats").children;
  if (x.dataset.lost === "0" && o.dataset.lost !== "0") x.before(o);
  if (!find("mind").open) {
    if (!/^#games=/.test(location.hash)) openedAt = location.hash;
    find("mind").showModal();
  }
  document.querySelector(seat ? `[data-seat="${seat}"] .mind-tree` : ".mind-tree").focus();
  history.replaceState(history.state, "", mindAddress(player, seat, line));
}

// Close it, and say in the address what it said before.
function closeMind() {
  find("mind").close();
  find("mind-seats").replaceChildren();
  if (!/^#games=/.test(location.hash)) return;
  history.replaceState(history.state, "", openedAt || location.pathname);
}

// A link may open it.
function openMind(text) {
  if (!/^#games=/.test(text)) return;
  const parts = new URLSearchParams(text.slice(1).replaceAll("+", "%2B"));
  const [name, seat] = [parts.get("games"), parts.get("seat")];
  const player = playerNamed(name, games[0]);
  const line = readMoves(parts.get("moves") ?? "", games[0]);
  if (player >= 0) return SEATS.includes(seat) && isGame(line, games[0]) ? showMind(player, seat, line) : showMind(player);
  state.message = { kind: "warning", text: `The link names “${shortened(name)}”, who is not on this page.` };
  drawRemarks();
}

find("mind").addEventListener("close", closeMind);
window.addEventListener("popstate", () => find("mind").open && !/^#games=/.test(location.hash) && closeMind());
find("mind-close").addEventListener("click", closeMind);
find("mind-save").addEventListener("click", savePicture);
find("about-games").addEventListener("click", () => showMind(aboutNumber()));
window.addEventListener("hashchange", () => openMind(location.hash));

// Both trees as an SVG file, as Python writes it.
function savePicture() {
  const { side, head } = TREE;
  const { name } = data.players[pictured];
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const style = rules.map((rule) => rule.cssText).filter((text) => text.includes(".game-tree"));
  const trees = SEATS.map((seat) => document.querySelector(`[data-seat="${seat}"] .game-tree > g`).cloneNode(true));
  trees.forEach((tree, n) => {
    tree.querySelector(".trail").remove();
    tree.setAttribute("transform", `translate(${side * n + side / 2} ${head + side / 2})`);
  });
  const whole = shape(
    "svg",
    { class: "game-tree", viewBox: `0 0 ${side * trees.length} ${side + head}` },
    shape("title", {}, `All games of ${name}`),
    shape("style", {}, style.join("\n")),
    shape("rect", { width: "100%", height: "100%" }),
    ...trees,
  );
  const file = new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" });
  const link = element("a", "", { href: URL.createObjectURL(file), download: `${name.replace(/[^\w.-]+/g, "-")}-games.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Below the verdict on a pasted bot.
const botGames = element("button", "Show all its games", { type: "button", id: "bot-games" });
botGames.hidden = true;
find("bot-play").after(botGames);
for (const [id, kind] of [["bot-judge", "click"], ["bot-otherwise", "change"]]) {
  find(id).addEventListener(kind, () => (botGames.hidden = true), true); // before it is judged
}
botGames.addEventListener("click", () => showMind(Number(botGames.dataset.player)));

function offerMind(player) {
  botGames.dataset.player = String(player);
  botGames.hidden = false;
}
