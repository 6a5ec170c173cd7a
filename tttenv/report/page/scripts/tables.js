// Tables that sort by a click on a heading or scroll sideways.

const unsorted = new Map(); // the rows of each table as they came

// First the best on top, then the worst, at a third click the order in which the table came.
function sortBy(heading) {
  const table = heading.closest("table");
  const column = [...heading.parentNode.children].indexOf(heading);
  const was = heading.getAttribute("aria-sort");
  const first = heading.dataset.first ?? "descending";
  const second = first === "descending" ? "ascending" : "descending";
  const order = was === null ? first : was === first ? second : null;
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  if (order === null) return table.tBodies[0].append(...unsorted.get(table));
  heading.setAttribute("aria-sort", order);
  const key = (row) => row.children[column].dataset.value;
  const rows = [...table.tBodies[0].rows].sort((one, two) => {
    const [a, b] = [key(one), key(two)];
    if (a === "" || b === "") return (a === "") - (b === ""); // what is missing stands last
    const found = column === 0 ? a.localeCompare(b) : Number(a) - Number(b);
    return order === "descending" ? -found : found;
  });
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll(".sortable")) {
  unsorted.set(table, [...table.tBodies[0].rows]);
  table.tHead.addEventListener("click", (event) => {
    const heading = event.target.closest("th");
    if (heading) sortBy(heading);
  });
  // On a phone a row shows its name, verdict and one bar, and the rest on a tap.
  table.addEventListener("click", (event) => {
    const more = event.target.closest(".more");
    if (!more) return;
    const open = more.closest("tr").classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? "less" : "more";
  });
}

// What goes on beyond an edge of its frame fades there; below a table a line says so.
for (const frame of document.querySelectorAll(".scroll, nav")) {
  const cue = element("p", "Scroll sideways for more →", { class: "cue", "aria-hidden": "true" });
  if (frame.matches(".scroll")) frame.after(cue);
  const look = () => {
    const room = frame.scrollWidth - frame.clientWidth;
    const right = room - frame.scrollLeft > 1;
    frame.dataset.more = right ? "right" : "";
    cue.hidden = room <= 1 || frame.scrollLeft > 1;
  };
  frame.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(frame);
  new ResizeObserver(look).observe(frame.firstElementChild ?? frame);
}
