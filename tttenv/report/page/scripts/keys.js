// Keys as in the window: u n h and those that stand for cells; arrows step through the moves, and
// l copies the link.

const CELL_KEYS = "qweasdzxc"; // they lie on the keyboard as the cells do on the board

const KEYS = {
  u: takeBack,
  n: newGame,
  h: () => {
    state.overlay = state.overlay === "values" ? "none" : "values";
    show();
  },
  l: copyLink,
  ArrowLeft: () => goTo(state.at - 1),
  ArrowRight: () => goTo(state.at + 1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const { target } = event;
  const here = target === document.body || find("play").contains(target);
  if (!here || target.closest("input, select, textarea, pre")) return;
  const arrow = event.key.startsWith("Arrow");
  if (arrow ? target.closest("#board") : !find("letters").checked) return;
  const act = KEYS[event.key];
  const cell = CELL_KEYS.indexOf(event.key);
  if (!act && (cell < 0 || event.key.length > 1)) return;
  if (act) act();
  else if (isSolved()) play(cell);
  event.preventDefault();
});
