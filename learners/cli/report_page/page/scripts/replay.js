// A line shown step by step: a refutation, or how a player loses.

function startReplay(line, at, title) {
  state.replay = { line, at, title };
  show();
  find("later").focus();
}

function stepReplay(by) {
  const { line, at } = state.replay;
  state.replay.at = Math.min(Math.max(at + by, 0), line.length);
  show();
}

find("earlier").addEventListener("click", () => stepReplay(-1));
find("later").addEventListener("click", () => stepReplay(1));

find("leave").addEventListener("click", () => {
  state.replay = null;
  show();
  focusCell(4);
});

find("onward").addEventListener("click", () => {
  Object.assign(state, { line: shownLine(), seat: "both", replay: null, notes: [] });
  show();
  focusCell(4);
});

for (const seat of "XO") {
  find(`lose-${seat}`).addEventListener("click", () => {
    const line = opponent().certificate.losing_line[seat];
    startReplay(line, 0, `${opponent().name} loses as ${seat}`);
  });
}

function drawReplay() {
  find("replay").hidden = !state.replay;
  if (state.replay) {
    find("earlier").setAttribute("aria-disabled", String(state.replay.at === 0));
    const end = state.replay.at === state.replay.line.length;
    find("later").setAttribute("aria-disabled", String(end));
  }
  for (const seat of "XO") {
    const line = opponent().certificate.losing_line[seat];
    find(`lose-${seat}`).disabled = !line;
    const can = `See it lose as ${seat}, in ${line?.length} moves`;
    find(`lose-${seat}`).textContent = line ? can : `As ${seat} it never loses`;
  }
}
