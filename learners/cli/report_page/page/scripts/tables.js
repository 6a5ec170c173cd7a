// Tables that sort by a click on a heading, the pairs' exact odds, the axis of the curves.

function sortBy(heading) {
  const table = heading.closest("table");
  const column = [...heading.parentNode.children].indexOf(heading);
  const was = heading.getAttribute("aria-sort");
  const down = was ? was === "ascending" : column > 0; // names from a to z, numbers from the top
  const key = (row) => row.children[column].dataset.value;
  const rows = [...table.tBodies[0].rows].sort((first, second) => {
    const [a, b] = [key(first), key(second)];
    if (a === "" || b === "") return (a === "") - (b === ""); // what is missing stands last
    const order = column === 0 ? a.localeCompare(b) : Number(a) - Number(b);
    return down ? -order : order;
  });
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll(".sortable")) {
  table.tHead.addEventListener("click", (event) => {
    const heading = event.target.closest("th");
    if (heading) sortBy(heading);
  });
}

const pairTable = document.querySelector(".pairs");

function drawPair() {
  const [x, o] = [find("pair-x").value, find("pair-o").value];
  const cell = pairTable.querySelector(`[data-x="${x}"][data-o="${o}"]`);
  const [win, draw, loss] = cell.dataset.odds.split("|");
  pairTable.querySelector(".chosen")?.classList.remove("chosen");
  cell.classList.add("chosen");
  find("pair").textContent = `X wins ${win} %, draws ${draw} %, loses ${loss} %`;
}

pairTable.addEventListener("click", (event) => {
  const cell = event.target.closest("[data-x]");
  if (!cell) return;
  find("pair-x").value = cell.dataset.x;
  find("pair-o").value = cell.dataset.o;
  drawPair();
});
find("pair-x").addEventListener("change", drawPair);
find("pair-o").addEventListener("change", drawPair);

for (const radio of document.querySelectorAll("[name=over]")) {
  radio.addEventListener("change", () => (find("figures").className = `figures ${radio.value}`));
}
