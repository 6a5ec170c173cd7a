// Trained players as they were at earlier steps of their training: players like the others, made
// when they are asked for. A trained player's `steps` are these steps and its own, `earlier` its
// moves at each but the last.

// The trained player of which a player is an earlier state, by number; or the player itself.
const trainedOf = (number) => players()[number].trained ?? number;

const snapshots = new Map();

// The number among data.players of a trained player at one of its steps.
function playerAtStep(trained, at) {
  const player = data.players[trained];
  if (at === player.steps.length - 1) return trained;
  const key = `${trained} ${at}`;
  if (snapshots.has(key)) return snapshots.get(key);
  const [step, last] = [player.steps[at], player.steps.at(-1)];
  const table = movesAt(player, at);
  const number = data.players.length;
  let found = null;
  data.players.push({
    name: `${player.name}, step ${step}`,
    spec: "",
    about: `${player.about}; here after ${counted(step)} of its ${counted(last)} steps`,
    trained,
    get certificate() {
      return (found ??= certificateOf(Float64Array.from(table, (chance) => chance / 255)));
    },
  });
  spreads.set(number, table);
  snapshots.set(key, number);
  return number;
}

// The player that "NAME, step 80" names, as a number among data.players, or -1.
function snapshotNamed(name) {
  const named = /^(.*), step (\d{1,12})$/s.exec(name);
  const trained = data.players.findIndex((one) => one.steps && one.name === named?.[1]);
  const at = trained < 0 ? -1 : data.players[trained].steps.indexOf(Number(named[2]));
  return at < 0 ? -1 : playerAtStep(trained, at);
}

// "As X it loses in 3, as O never." The winner's stones are counted.
function lossesText(number) {
  const { losing_line: lines } = data.players[number].certificate;
  if (!lines.X && !lines.O) return "It never loses.";
  const told = (seat, stones) => (lines[seat] ? `loses in ${stones(lines[seat].length / 2)}` : "never loses");
  return `As X it ${told("X", Math.floor)}, as O it ${told("O", Math.ceil)}.`;
}
