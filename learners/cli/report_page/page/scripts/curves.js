// The axis of the curves, and a cursor in each: a slider, or the pointer, names a measure.

for (const radio of document.querySelectorAll("[name=over]")) {
  radio.addEventListener("change", () => (find("figures").className = `figures ${radio.value}`));
}

for (const figure of document.querySelectorAll("figure[data-measures]")) {
  const measures = figure.dataset.measures.split(";").map((words) => words.split("|"));
  const drawings = [...figure.querySelectorAll("svg")];
  const places = drawings.map((drawing) => drawing.dataset.x.split(" ").map(Number));
  const last = measures.length - 1;
  const slider = element("input", "", { type: "range", min: "0", max: String(last), value: String(last) });
  slider.setAttribute("aria-label", `Measure of ${figure.dataset.name}`);
  const output = element("output");
  figure.append(slider, output);

  const point = (at) => {
    const [step, seconds, share, x, o] = measures[at];
    const words = `After ${step} steps, ${seconds} s: optimal moves ${share} %, worst case as X ${x}, as O ${o}.`;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", words);
    output.textContent = words;
    drawings.forEach((drawing, n) => {
      drawing.querySelector(".cursor").setAttribute("d", `M${places[n][at]} 16V182`);
    });
  };
  slider.addEventListener("input", () => point(Number(slider.value)));
  drawings.forEach((drawing, n) => {
    drawing.addEventListener("pointermove", (event) => {
      const box = drawing.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * drawing.viewBox.baseVal.width;
      const held = places[n].filter((place) => place <= x).length - 1; // a measure holds until the next
      point(Math.max(held, 0));
    });
  });
  point(last);
}
