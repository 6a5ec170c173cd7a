// Play the boards of a date, each by the name of a cell or the number of a free one. Returns for each
// board the address of its position, the cell played, the right one, and what was said.
async (date, choices) => {
  const find = (id) => document.getElementById(id);
  const cells = () => [...find("daily-board").querySelectorAll("button")];
  const until = async (test) => {
    for (let tries = 0; tries < 1000 && !test(); tries++) await new Promise((resume) => setTimeout(resume, 10));
  };
  location.hash = `#daily=${date}`;
  await until(() => find("daily-date").textContent.startsWith(date));
  const found = [];
  for (const choice of choices) {
    await until(() => find("daily-board").querySelector("[aria-disabled=false]"));
    const free = cells().filter((cell) => cell.ariaDisabled === "false");
    const chosen = typeof choice === "string" ? cells().find((cell) => cell.dataset.place === choice) : free[choice];
    chosen.click();
    const result = find("daily-result").textContent;
    if (/^Not /.test(result)) {
      await until(() => !find("daily-why").hidden);
      if (/^See how it (loses|draws)$/.test(find("daily-why").textContent)) find("daily-why").click();
      if (/loses/.test(result)) await until(() => find("daily-board").querySelector(".won"));
      find("daily-why").click();
    }
    const right = cells().find((cell) => cell.ariaLabel.includes("the only move")).dataset.place;
    found.push({ link: find("daily-values").hash, cell: chosen.dataset.place, right, text: result });
    if (!find("daily-next").hidden) find("daily-next").click();
  }
  return found;
}
