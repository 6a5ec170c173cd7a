// The lines of an m,n,k-game, m rows and n columns, and the symmetries of its board, both in the
// order of tttenv.Rules.lines and tttenv.game.symmetry.maps.

const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]]; // down and right

function linesOf({ m, n, k }) {
  const lines = [];
  for (const [down, right] of DIRECTIONS) {
    for (let cell = 0; cell < m * n; cell++) {
      const [row, column] = [Math.floor(cell / n) + down * (k - 1), (cell % n) + right * (k - 1)];
      if (row >= m || column < 0 || column >= n) continue;
      lines.push([...Array(k).keys()].map((step) => cell + step * (down * n + right)));
    }
  }
  return lines;
}

function mapsOf({ m, n }) {
  const [up, left] = [m - 1, n - 1];
  const images = [
    (row, column) => row * n + column,
    (row, column) => column * n + left - row, // a quarter turn
    (row, column) => (up - row) * n + left - column,
    (row, column) => (up - column) * n + row,
    (row, column) => (up - row) * n + column, // mirror images
    (row, column) => row * n + left - column,
    (row, column) => column * n + row,
    (row, column) => (up - column) * n + left - row,
  ];
  const fitting = m === n ? images : [0, 2, 4, 5].map((number) => images[number]);
  const cells = [...Array(m * n).keys()];
  return fitting.map((image) => cells.map((cell) => image(Math.floor(cell / n), cell % n)));
}
