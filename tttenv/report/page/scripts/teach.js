// The section in which a table is taught while one watches, and the players that come of it.

const MEASURED = 100; // games between two looks at the worst case
const PAUSE = 180; // milliseconds for which each look is shown: some 6 seconds in all
const ENOUGH = 20000; // games after which it is given up

class Lesson {
  constructor(seed) {
    this.learner = new TableLearner(seed);
    this.spent = 0; // milliseconds of learning and measuring
    this.measures = [];
    this.measure();
  }

  measure() {
    this.table = this.learner.table();
    const worst = bySeat((seat) => worstCase(this.table, seat));
    this.measures.push({ games: this.learner.games, ...worst });
  }

  get worst() {
    return this.measures.at(-1);
  }

  get certified() {
    return this.worst.X >= -1e-9 && this.worst.O >= -1e-9;
  }

  get ended() {
    return this.certified || this.learner.games >= ENOUGH;
  }

  goOn() {
    const begun = performance.now();
    this.learner.playGames(MEASURED);
    this.measure();
    this.spent += performance.now() - begun;
  }

  // The player that it is now, as a number among data.players.
  player() {
    const { seed, games } = this.learner;
    const trained = `trained ${seed}`;
    const name = this.certified ? trained : `${trained} (${games} games)`;
    const known = data.players.findIndex((player) => player.name === name);
    if (known >= 0) return known;
    const about = `a table trained in this page, seed ${seed}, ${counted(games)} games`;
    return offerPlayer(name, about, this.table, certificateOf(this.table));
  }
}

// Make a table a player of the page; its number among data.players.
function offerPlayer(name, about, table, certificate) {
  const number = data.players.push({ name, spec: "", about, certificate }) - 1;
  spreads.set(number, Uint8Array.from(table, (share) => Math.round(255 * share) || Number(share > 0)));
  offerBlunders(number);
  offerSample(number);
  return number;
}

// The player with a name, as a number among data.players; one that was trained here is trained
// again, and one at an earlier step made.
function playerNamed(asked, game = games[0]) {
  if (game !== games[0]) return game.players.findIndex((player) => player.name === asked);
  const name = asked ?? "";
  const trained = /^trained (\d{1,10})(?: \((\d{1,5}) games\))?$/.exec(name);
  const known = data.players.findIndex((player) => player.name === name);
  if (known >= 0) return known;
  if (!trained) return snapshotNamed(name);
  const seed = Number(trained[1]);
  const most = Math.min(Number(trained[2] ?? ENOUGH), ENOUGH);
  if (!isSeed(seed)) return -1;
  const again = new Lesson(seed);
  while (!again.certified && again.learner.games < most) again.goOn();
  const number = again.player();
  return data.players[number].name === name ? number : -1;
}

const isSeed = (seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32;
const lessonAddress = ({ seed }) => `#train=${seed}`;

const counted = (number) => number.toLocaleString("en-US");

let lesson = null; // until the section is made
let teaching = false; // whether it goes on by itself
let hurried = false; // whether to show the end only

async function teach() {
  const mine = lesson;
  let shown = performance.now();
  teaching = true;
  hurried = calm.matches;
  stopWaiting(); // a game that goes on by itself would put its own address there again
  draw();
  history.replaceState(null, "", lessonAddress(mine.learner));
  drawLesson();
  while (mine === lesson && teaching && !mine.ended) {
    mine.goOn();
    if (hurried && performance.now() - shown < 50) continue; // then let the page breathe
    if (!hurried) drawProgress();
    await new Promise((resume) => setTimeout(resume, hurried ? 0 : PAUSE));
    shown = performance.now();
  }
  if (mine !== lesson) return;
  teaching = false;
  drawLesson();
}

function newLesson(seed) {
  lesson = new Lesson(seed);
  teaching = false;
  find("teach-seed").value = String(seed);
  drawLesson();
}

// The seed that is typed, or the nearest one that there is.
function typedSeed() {
  const typed = Math.round(Number(find("teach-seed").value));
  return isSeed(typed) ? typed : typed > 0 ? 2 ** 32 - 1 : 0;
}

find("teach-seed").addEventListener("change", () => newLesson(typedSeed()));

find("teach-start").addEventListener("click", () => {
  if (teaching) {
    hurried = true;
    return;
  }
  if (lesson.ended) newLesson((lesson.learner.seed + 1) % 2 ** 32);
  teach();
});

find("teach-stop").addEventListener("click", () => {
  teaching = false;
  find("teach-start").focus();
});

// Addresses "#train=SEED" train that one.
function openLesson(text) {
  const named = /^#train=(\d{1,10})$/.exec(text);
  if (!named || !isSeed(Number(named[1]))) return;
  makeNow(find("teach"));
  const there = lesson.learner.games > 0 && lessonAddress(lesson.learner) === text;
  if (!there) newLesson(Number(named[1]));
  find("teach").scrollIntoView();
  if (!there) teach();
}

function drawLesson() {
  const { learner, certified, ended } = lesson;
  const done = learner.games > 0 && !teaching;
  const started = done && !ended ? "Train it on" : "Train another";
  find("teach-start").textContent = teaching ? "Finish at once" : done ? started : "Train one";
  find("teach-stop").hidden = !teaching;
  find("teach-status").textContent = lessonText(done);
  find("teach-next").hidden = !(done && certified && weakest >= 0);
  for (const way of ["play", "lose"]) find(`teach-${way}`).hidden = true;
  if (done) offerGame("teach", lesson.player());
  drawProgress();
}

function lessonText(done) {
  const { learner, certified, worst, ended } = lesson;
  if (teaching) return `Learning, with seed ${learner.seed}.`;
  if (!done) return "It has learned nothing yet, and plays at random.";
  const games = `${counted(learner.games)} games`;
  if (certified) {
    const seconds = Math.max(lesson.spent / 1000, 0.01).toFixed(2);
    return `Certified: never loses, in both seats. ${games}, ${seconds} s of computing.`;
  }
  const values = `${expected(worst.X)} as X, ${expected(worst.O)} as O`;
  return `${ended ? "Given up" : "Stopped"} at ${games}. It can be beaten: ${values}.`;
}

// What leads from a player that was made in a section to the board, in the section's buttons.
function offerGame(section, number) {
  const { certificate } = data.players[number];
  const seat = weakSeat(certificate);
  const line = certificate.losing_line[seat];
  const [play, lose] = ["play", "lose"].map((way) => find(`${section}-${way}`));
  play.hidden = false;
  play.textContent = line ? `Beat it (you are ${other(seat)})` : "Play it";
  play.href = gameAgainst(data.players[number]);
  lose.hidden = !line;
  lose.textContent = "Watch it lose";
  lose.onclick = () => startReplay(line, seat, number, games[0]);
}

function drawProgress() {
  const { games, X, O } = lesson.worst;
  find("teach-count").textContent = `${counted(games)} games: ${expected(X)} as X, ${expected(O)} as O.`;
  find("teach-chart").replaceChildren(lessonChart(lesson.measures));
  find("teach-boards").replaceChildren(...mindBoards(lesson.table));
}

// How a player opens, and answers the openings that differ.
const mindBoards = (table) => [
  mindBoard(table, [], "Its first move"),
  mindBoard(table, QUESTION, "Its answer to the question"),
  ...[1, 4].map((cell) => mindBoard(table, [cell], `Its answer to ${place(cell)}`)),
];

// A small board with the chances of the player's moves in a position.
function mindBoard(table, line, title) {
  const position = walk(line);
  const marks = stones(line);
  const told = [];
  const board = element("div", "", { class: "mind", role: "img" });
  for (const cell of cells) {
    const share = table[position * CELLS + cell];
    const slip = share > 0 && losesValue(position, cell);
    const chance = `${percent(share, 0)} %`;
    const box = element("span", marks[cell] || share === 0 ? "" : slip ? "??" : chance);
    if (marks[cell]) box.append(svg(10, { x: crossAt(0, 0) }));
    if (slip) box.className = "slip";
    box.style.setProperty("--heat", `${Math.round(100 * share)}%`);
    if (share > 0) told.push(`${place(cell)} ${chance}${slip ? ", a blunder" : ""}`);
    board.append(box);
  }
  board.setAttribute("aria-label", `${title}: ${told.join("; ")}`);
  const holder = element("div");
  holder.append(board, element("h4", title));
  return holder;
}

// The worst cases as steps: a value holds until the next one is measured.
function lessonChart(measures) {
  const [left, right, top, bottom] = [34, 392, 12, 200];
  let widest = 4000;
  while (widest < measures.at(-1).games) widest += 4000;
  const across = (games) => left + ((right - left) * games) / widest;
  const down = (value) => top - (bottom - top) * value;
  const rounded = (number) => Math.round(10 * number) / 10;
  const paths = {};
  const ticks = [0, 1, 2, 3, 4].map((part) => (part * widest) / 4);
  paths.axis = [0, -0.5, -1].map((value) => `M${left} ${down(value)}H${right}`).join("");
  for (const seat of "XO") {
    const steps = measures.map((one) => `H${rounded(across(one.games))}V${rounded(down(one[seat]))}`);
    const last = [across(measures.at(-1).games), down(measures.at(-1)[seat])].map(rounded);
    paths[`as-${seat.toLowerCase()}`] = `M${left} ${rounded(down(measures[0][seat]))}${steps.join("")}`;
    paths[`dot-${seat.toLowerCase()}`] = `M${last[0] - 3} ${last[1]}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;
  }
  const chart = svg(1, paths);
  chart.setAttribute("viewBox", "0 0 400 222");
  chart.removeAttribute("aria-hidden");
  chart.setAttribute("role", "img");
  const now = measures.at(-1);
  chart.setAttribute(
    "aria-label",
    `Worst case after ${counted(now.games)} games: ${expected(now.X)} as X, ${expected(now.O)} as O`,
  );
  const write = (text, x, y, anchor) => {
    const written = document.createElementNS(chart.namespaceURI, "text");
    written.textContent = text;
    for (const [key, value] of Object.entries({ x, y, "text-anchor": anchor })) {
      written.setAttribute(key, value);
    }
    chart.append(written);
  };
  for (const [value, text] of [[0, "0"], [-0.5, "−0.5"], [-1, "−1"]]) {
    write(text, left - 5, down(value) + 3, "end");
  }
  ticks.forEach((games, n) => write(counted(games), across(games), bottom + 14, n === 4 ? "end" : "middle"));
  write("games", right, bottom - 4, "end");
  return chart;
}

later(find("teach"), () => newLesson(1));
window.addEventListener("hashchange", () => openLesson(location.hash));
