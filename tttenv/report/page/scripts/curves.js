// The learners' curves: one of them large, with a slider through its measures and the boards of the
// player that it then was, where that is kept; the others are there to be picked.

const figures = [...document.querySelectorAll("figure[data-measures]")];
let chosen = null; // the large one: {figure, measures, stops, kept}
let learning = 0; // the timer of a training that is shown step by step

function choose(figure) {
  if (chosen?.figure === figure) return;
  clearInterval(learning);
  const measures = figure.dataset.measures.split(";").map((words) => words.split("|"));
  // The measures at which the slider stops: all, or those of which the player is kept.
  const kept = figure.dataset.stops?.split(" ").map(Number);
  const stops = kept ?? [...measures.keys()];
  chosen = { figure, measures, stops, kept };
  for (const one of figures) {
    one.classList.toggle("chosen", one === figure);
    one.querySelector("button").setAttribute("aria-pressed", String(one === figure));
  }
  find("figures").prepend(figure, ...figures.filter((one) => one !== figure));
  figure.append(find("learner"));
  find("learner").hidden = false;
  find("learner-stop").max = String(stops.length - 1);
  find("learner-stop").setAttribute("aria-label", `${kept ? "Player" : "Measure"} of ${figure.dataset.name}`);
  for (const part of ["boards", "play", "blunders"]) find(`learner-${part}`).hidden = !kept;
  point(stops.length - 1);
}

// The player at a stop, as a number among data.players.
const playerAtStop = (stop) => playerAtStep(Number(chosen.figure.dataset.player), stop);

function point(stop) {
  const { figure, measures, stops, kept } = chosen;
  const [step, seconds, share, x, o] = measures[stops[stop]];
  let words = `After ${step} steps, ${seconds} s: optimal moves ${share} %, worst case as X ${x}, as O ${o}.`;
  if (kept) {
    const number = playerAtStop(stop);
    const player = data.players[number];
    words += ` ${lossesText(number)}`;
    find("learner-play").textContent = `${player.certificate.unbeatable ? "Play" : "Beat"} it at step ${step}`;
    find("learner-play").href = gameAgainst(player);
    find("learner-boards").replaceChildren(...mindBoards(Float64Array.from(tableOf(number), (chance) => chance / 255)));
  }
  find("learner-stop").value = String(stop);
  find("learner-stop").setAttribute("aria-valuetext", words);
  find("learner-text").textContent = words;
  const places = figure.querySelector("svg").dataset.x.split(" ");
  figure.querySelector(".cursor").setAttribute("d", `M${places[stops[stop]]} 16V182`);
}

// Show the whole training, from its first stop to its last, in some six seconds.
find("learner-watch").addEventListener("click", () => {
  clearInterval(learning);
  const { length } = chosen.stops;
  let at = 0;
  learning = setInterval(() => {
    point(at);
    at += 1;
    if (at === length) clearInterval(learning);
  }, Math.min(6000 / length, 700));
});
find("learner-stop").addEventListener("input", () => {
  clearInterval(learning);
  point(Number(find("learner-stop").value));
});
find("learner-blunders").addEventListener("click", () => exploreBlunders(playerAtStop(Number(find("learner-stop").value))));

later(find("curves"), () => {
  for (const figure of figures) {
    const heading = figure.querySelector("h3");
    heading.replaceChildren(element("button", heading.textContent, { type: "button" }));
    heading.firstChild.addEventListener("click", () => {
      choose(figure);
      find("figures").scrollIntoView({ block: "nearest" });
      heading.firstChild.focus({ preventScroll: true });
    });
    figure.querySelector("svg").addEventListener("click", () => choose(figure));
  }
  const longest = Math.max(...figures.map((one) => one.dataset.measures.length));
  if (figures.length) choose(figures.find((one) => one.dataset.measures.length === longest));
});
