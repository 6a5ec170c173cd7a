// Runs before the body is read. A page that opens at its top lays out its first screen first: the
// sections below it appear when all is loaded and the board has been painted, one at a time while
// nothing else is to be done, or all at once for the printer. Pages that open at a place further
// down, or anew where one was, are shown whole at once.

// Safari before 2025 has no idle callbacks.
const whenIdle = (act) =>
  globalThis.requestIdleCallback ? requestIdleCallback(act, { timeout: 1000 }) : setTimeout(act, 30);

function showOneByOne() {
  const hidden = document.querySelector("section:not(#play, .shown, [hidden])");
  if (hidden) whenIdle(showOneByOne);
  else document.documentElement.classList.remove("first");
  hidden?.classList.add("shown");
}

const fresh = performance.getEntriesByType("navigation")[0]?.type === "navigate";
if (fresh && /^(#(play|watch|rules)=.*)?$/.test(location.hash)) {
  document.documentElement.classList.add("first");
  addEventListener("beforeprint", () => document.documentElement.classList.remove("first"));
  addEventListener("load", () => requestAnimationFrame(() => whenIdle(showOneByOne)));
}
