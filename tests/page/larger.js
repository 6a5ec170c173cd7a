// What tests of larger boards call in the scope of the worker's own scripts.

const networkOf = (given, game) => {
  weights.set("it", given.network);
  return game.network("it");
};

const asked = {
  linesAndMaps: (given) => [linesOf(given.rules), mapsOf(given.rules)],

  moves: async (given, game) => {
    const network = await networkOf(given, game);
    return given.boards.map((board) => network.move(board));
  },

  policies: async (given, game) => {
    const network = await networkOf(given, game);
    return given.boards.map((board) => network.policy(board));
  },

  mostBy: (given, game) => {
    networkOf(given, game);
    return mostBy({ network: "it", least: 0 }, given.line, game);
  },

  chances: (given, game) =>
    Promise.all(given.boards.map((board) => game.chances(given.player, board))),

  // The values of all moves as lines decide them.
  swept: (given, game) =>
    given.boards.map((position) => {
      const values = new MoveValues(game, position, 1);
      values.sweep();
      return values.moves();
    }),

  // The values of all moves as searches within a limit prove them.
  proved: (given, game) =>
    given.boards.map((position) => {
      const values = new MoveValues(game, position, 1);
      for (const move of values.undecided()) values.improve(move, given.limit);
      return values.moves().map(([cell, low, high]) => [cell, low, high]);
    }),

  // The same with the numbers of stones, and the value of the position.
  counted: (given, game) =>
    given.boards.map((position) => {
      const values = new MoveValues(game, position, 1);
      values.sweep();
      for (const step of values.steps()) step(given.limit);
      return [values.moves(), values.whole()];
    }),
};
