// What stands below the first screen is made after that has been painted, a section at a time while
// nothing else is to be done; or at once where somebody wants something of it, or prints the page.

const unmade = new Map(); // what makes a section, by the section

function later(section, make) {
  section.setAttribute("aria-busy", "true");
  unmade.set(section, make);
}

function makeNow(section) {
  const make = unmade.get(section);
  if (!make) return;
  unmade.delete(section);
  make();
  section.removeAttribute("aria-busy");
}

function makeOneByOne() {
  const [section] = unmade.keys();
  if (!section) return;
  makeNow(section);
  whenIdle(makeOneByOne);
}

for (const kind of ["pointerdown", "click", "keydown", "input", "change", "focusin"]) {
  document.addEventListener(kind, ({ target }) => makeNow(target.closest?.("[aria-busy]")), true);
}

addEventListener("beforeprint", () => [...unmade.keys()].forEach(makeNow));
