// The axis of the curves, and a cursor in each: a slider, or the pointer, names a measure. Where the
// player of a measure is kept, it can be played as it was, and its blunders looked at.

for (const radio of document.querySelectorAll("[name=over]")) {
  radio.addEventListener("change", () => (find("figures").className = `figures ${radio.value}`));
}

function setUpFigure(figure) {
  const measures = figure.dataset.measures.split(";").map((words) => words.split("|"));
  const drawings = [...figure.querySelectorAll("svg")];
  const places = drawings.map((drawing) => drawing.dataset.x.split(" ").map(Number));
  const trained = Number(figure.dataset.player);
  // The measures at which the slider stops: all, or those of which the player is kept.
  const kept = figure.dataset.stops?.split(" ").map(Number);
  const stops = kept ?? [...measures.keys()];
  const last = String(stops.length - 1);
  const slider = element("input", "", { type: "range", min: "0", max: last, value: last });
  slider.setAttribute("aria-label", `${kept ? "Player" : "Measure"} of ${figure.dataset.name}`);
  const output = element("output", "", { "aria-live": "off" }); // the slider says the same
  const play = element("a", "", { class: "button" });
  const blunders = element("button", "Its blunders", { type: "button" });
  figure.append(slider, output);
  if (kept) figure.append(element("p", "", { class: "buttons" }));
  if (kept) figure.lastElementChild.append(play, blunders);

  const point = (stop) => {
    const [step, seconds, share, x, o] = measures[stops[stop]];
    let words = `After ${step} steps, ${seconds} s: optimal moves ${share} %, worst case as X ${x}, as O ${o}.`;
    if (kept) {
      const number = playerAtStep(trained, stop);
      const { name, certificate } = data.players[number];
      const own = certificate.unbeatable ? "X" : other(weakSeat(certificate));
      words += ` ${lossesText(number)}`;
      play.textContent = certificate.unbeatable ? `Play it at step ${step}` : `Beat it at step ${step}`;
      play.href = `#play=${encodeURIComponent(name)}&seat=${own}`;
    }
    slider.value = String(stop);
    slider.setAttribute("aria-valuetext", words);
    output.textContent = words;
    drawings.forEach((drawing, n) => {
      drawing.querySelector(".cursor").setAttribute("d", `M${places[n][stops[stop]]} 16V182`);
    });
  };
  slider.addEventListener("input", () => point(Number(slider.value)));
  blunders.addEventListener("click", () => {
    exploreBlunders(playerAtStep(trained, Number(slider.value)));
  });
  drawings.forEach((drawing, n) => {
    drawing.addEventListener("pointermove", (event) => {
      const box = drawing.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * drawing.viewBox.baseVal.width;
      const held = stops.filter((stop) => places[n][stop] <= x).length - 1; // it holds until the next
      point(Math.max(held, 0));
    });
  });
  point(stops.length - 1);
}

later(find("curves"), () => document.querySelectorAll("figure[data-measures]").forEach(setUpFigure));
