// "Would you have noticed?": random games against a player that can be beaten, as dots, and a guess.

const COUNTS = [100, 10_000]; // games: their dots fill a square
const FRAMES = 30; // in which the dots turn

// Games of a player against uniformly random moves, in the seat in which it loses.
class Sample {
  constructor(number, games, seed) {
    const { name, certificate } = data.players[number];
    const seat = weakSeat(certificate);
    Object.assign(this, { number, name, certificate, seat, games, seed, table: tableOf(number) });
    Object.assign(this, { below: randomNumbers(seed), played: 0, results: [0, 0, 0], lost: [] });
  }

  play(count) {
    for (const end = this.played + count; this.played < end; this.played++) {
      const result = this.playGame();
      this.results[result] += 1;
      if (result === 2) this.lost.push(this.played);
    }
  }

  // What the player gets in a game: 0 is a win, 1 a draw, 2 a loss. Without a legal answer it loses.
  playGame() {
    for (let position = 0; ; ) {
      const own = "XO"[turnOf[position]] === this.seat;
      const weight = (cell) => (own ? this.table[position * CELLS + cell] : Number(legal(position, cell)));
      const sum = cells.reduce((total, cell) => total + weight(cell), 0);
      if (sum === 0) return over(position) && ranks[position] === 0 ? 1 : own ? 2 : 0;
      let left = this.below(sum);
      position = next(position, cells.find((cell) => (left -= weight(cell)) < 0));
    }
  }

  // The probability that it loses such a game, over all positions, by the table that it plays from.
  get chance() {
    const shares = Float64Array.from(this.table);
    for (let at = 0; at < shares.length; at += CELLS) {
      const row = shares.subarray(at, at + CELLS);
      const sum = row.reduce((total, share) => total + share, 0);
      if (sum) row.set(row.map((share) => share / sum));
    }
    return scoreOf(shares, uniformOver(() => true), "XO".indexOf(this.seat))[2];
  }
}

let sample = null; // the games shown

async function playSample(number, games, seed) {
  const mine = (sample = new Sample(number, games, seed));
  find("noticed-player").value = String(number);
  stopWaiting(); // a game that goes on by itself would put its own address there again
  draw();
  history.replaceState(null, "", `#noticed=${encodeURIComponent(mine.name)}&games=${games}&seed=${seed}`);
  drawSample();
  while (mine === sample && mine.played < games) {
    mine.play(Math.min(Math.ceil(games / FRAMES), games - mine.played));
    if (!calm.matches) drawDots();
    await new Promise((resume) => (calm.matches ? setTimeout(resume) : requestAnimationFrame(resume)));
  }
  if (mine === sample) drawSample();
}

// The dots, row by row; the red ones are larger.
function drawDots() {
  const { games, played, lost } = sample ?? { games: COUNTS[0], played: 0, lost: [] };
  const side = Math.sqrt(games);
  const [rows, rest] = [Math.floor(played / side), played % side];
  const dots = find("noticed-dots");
  const [all, held, red] = dots.querySelectorAll("g path, .lost");
  dots.setAttribute("viewBox", `0 0 ${side} ${side}`);
  all.setAttribute("d", `M0 0h${side}v${side}h-${side}z`);
  held.setAttribute("d", `M0 0h${side}v${rows}h-${side}zM0 ${rows}h${rest}v1h-${rest}z`);
  red.setAttribute("d", lost.map((game) => `M${(game % side) + 0.5} ${Math.floor(game / side) + 0.5}h0`).join(""));
  red.setAttribute("stroke-width", String(0.9 + side / 80));
  const numbers = lost.length ? `number ${fewOf(lost.map((game) => game + 1))}` : "none";
  dots.setAttribute("aria-label", `${counted(played)} games; lost: ${numbers}`);
}

function drawSample(bet = "") {
  const done = sample && sample.played === sample.games;
  const told = done && (bet || sample.lost.length); // a red dot leaves nothing to guess
  find("noticed-sample").hidden = !sample;
  drawDots();
  setText(find("noticed-status"), done ? sampleText(sample) : "");
  find("noticed-bet").hidden = !done || sample.lost.length > 0;
  for (const button of find("noticed-bet").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === bet));
  }
  setText(find("noticed-answer"), told ? answerText(sample, bet) : "");
  find("noticed-lose").hidden = !told;
  if (!told) return;
  const always = sample.certificate.worst_case[sample.seat] < -1 + ROUNDING;
  setText(find("noticed-lose"), always ? "Meet the opponent that wins every game" : "See it lose");
}

function sampleText({ name, seat, games, results }) {
  const [won, drawn, lost] = results.map((count) => (count ? counted(count) : "none"));
  return `${counted(games)} games, ${name} as ${seat} and random moves as ${other(seat)}: ${name} won ${won}, drew ${drawn}, lost ${lost}.`;
}

function answerText({ games, lost, chance }, bet) {
  const can = bet === "no" ? "Right, it can be beaten" : "It can be beaten";
  const seen = lost.length ? ": each red dot is a game that it lost" : ", though no game here shows it";
  const missed = (1 - chance) ** games;
  const samples = `samples of ${counted(games)} games`;
  const green = missed < 0.001 ? `almost all ${samples} show it` : `${percent(missed, 1)} % of all ${samples} show no loss`;
  return `${can}${seen}. Computed over all positions, it loses ${oneIn(chance)} to random moves; ${green}.`;
}

// Offer a player that can be beaten.
function offerSample(number) {
  const player = data.players[number];
  const list = find("noticed-player");
  if (list.querySelector(`[value="${number}"]`) || player.trained !== undefined || !canLose(player)) return;
  list.append(element("option", player.name, { value: String(number) }));
  hideSample(false);
}

function hideSample(hidden) {
  for (const part of document.querySelectorAll('#noticed, nav [href="#noticed"]')) part.hidden = hidden;
}

// Addresses "#noticed=NAME&games=100&seed=SEED" play these games.
function openSample(text) {
  if (!text.startsWith("#noticed=")) return;
  makeNow(find("noticed"));
  const parts = new URLSearchParams(text.slice(1).replaceAll("+", "%2B"));
  const offered = [...find("noticed-player").options].map(({ value }) => Number(value));
  const number = offered.find((one) => data.players[one].name === parts.get("noticed"));
  const [games, seed] = ["games", "seed"].map((part) => Number(parts.get(part)));
  if (number === undefined || !COUNTS.includes(games) || !isSeed(seed)) return;
  find("noticed").scrollIntoView();
  const there = sample?.number === number && sample.games === games && sample.seed === seed;
  if (!there) playSample(number, games, seed); // else the guess stands, too
}

for (const games of COUNTS) {
  find(`noticed-${games}`).addEventListener("click", () => {
    playSample(Number(find("noticed-player").value), games, Math.floor(1e6 * Math.random()));
  });
}
find("noticed-player").addEventListener("change", () => {
  sample = null;
  drawSample();
});
find("noticed-bet").addEventListener("click", ({ target }) => {
  if (!target.value) return;
  drawSample(target.value);
  find("noticed-lose").scrollIntoView({ block: "nearest" });
});
find("noticed-lose").addEventListener("click", () => {
  const { certificate, seat, number } = sample;
  startReplay(certificate.losing_line[seat], seat, number, games[0]);
});

hideSample(weakest < 0);
later(find("noticed"), () => {
  data.players.forEach((_, number) => offerSample(number));
  find("noticed-player").value = String(weakest);
  drawDots();
});
window.addEventListener("hashchange", () => openSample(location.hash));
