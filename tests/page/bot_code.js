// What the test of pasted bots' codes calls in the scope of the page's scripts.

// Bots of all kinds whose code does not hold their moves; and texts that are taken for a code, but are none.
const codeLaw = () => {
  const wrong = [];
  let seed = 1;
  const draw = (count) => (seed = (seed * 48271) % 2147483647) % count;
  for (const seats of ["XO", "X", "O"]) {
    for (const [sets, gaps] of [[false, 0], [false, 1], [true, 0], [true, 1]]) {
      const table = followed(seats, (position) => {
        const open = moves(position);
        const some = sets ? open.filter(() => draw(2)) : [];
        return draw(9) < gaps ? [] : some.length ? some : [open[draw(open.length)]];
      });
      const code = codeOf(table, seats);
      const found = readCode(code);
      if (String(found?.table) !== String(table) || found.seats !== seats) wrong.push(code);
      if (sets || gaps || seats !== "XO") continue;
      for (let at = 0; at < code.length; at++) {
        const [head, tail] = [code.slice(0, at), code.slice(at + 1)];
        const others = [head, head + tail, head + (code[at] === "B" ? "C" : "B") + tail, `${code}${code[at]}`];
        wrong.push(...others.filter((text) => readCode(text)));
      }
    }
  }
  return wrong;
};
