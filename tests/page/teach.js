// What tests of the taught player call in the scope of the page's scripts.

const base64 = (array) => {
  let text = "";
  for (const byte of new Uint8Array(array.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};

const worst = (table) => Math.min(worstCase(table, 0), worstCase(table, 1));

const taught = (seed, games) => {
  const learner = new TableLearner(seed);
  while (learner.games < games && worst(learner.table()) < -1e-9) learner.playGames(100);
  return {
    certificate: certificateOf(learner.table()),
    games: learner.games,
    table: base64(learner.table()),
    values: base64(learner.values),
  };
};
