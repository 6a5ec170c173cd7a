// All that the board shows.

const state = {
  game: games[0], // the rules, and who plays by them
  player: data.start, // the opponent's number among the game's players
  seat: "O", // where the human sits: "X", "O", "both", or "none" while two players play
  rivals: { X: data.start, O: data.start }, // those two players
  overlay: "none", // "values", "player" or "none"
  line: [0], // the game so far, cell by cell
  at: 1, // how many of its stones are shown
  setup: 0, // how many of its first stones were set up: nobody is blamed for them
  running: false, // whether stones come by themselves
  asking: true, // whether it is the question that the page begins with
  tried: [], // wrong answers to it
  title: "", // of a line that is shown, as of a lost game
  cast: null, // where both sides are the human's: the seat whose stones were the player's
  aimed: -1, // the cell that a finger has chosen, and may play by another tap
  message: null, // about a link or an answer: {kind, text}
};

const players = () => state.game.players;
const opponent = () => players()[state.player];
const shownLine = () => state.line.slice(0, state.at);
const atEnd = () => state.at === state.line.length;
const cellName = (cell) => coordinate(cell, state.game);
const isWon = (line) => wonBy(line, state.game).length > 0;
const isOver = (line) => endsIn(line, state.game);
const isFree = (line, cell) => !line.includes(cell) && !isOver(line);

// Whether a player, by its number, has no legal answer in a position: it forfeits the game there.
const answersNothing = (player, line) =>
  !isOver(line) && (shares(player, line)?.every((part) => part === 0) ?? false);

// Whether the side to move has just forfeited the game, which ends there.
function forfeited(line) {
  const player = playerAt(mover(line));
  return player !== undefined && answersNothing(player, line);
}

const hasEnded = (line) => isOver(line) || forfeited(line);
const isHuman = (seat) => state.seat === "both" || state.seat === seat;
const myTurn = () => isHuman(mover(shownLine()));

// The player in a seat, as a number among the game's players; undefined for a human.
function playerAt(seat) {
  if (state.seat === "none") return state.rivals[seat];
  return isHuman(seat) ? undefined : state.player;
}

// The seat whose stones are, or were, the player's; null if both sides are the human's.
const opponentsSeat = () => (["X", "O"].includes(state.seat) ? other(state.seat) : state.cast);

// Who sits in a seat, in words: "You", "X", "mcts (X)", or a player's name.
function nameAt(seat) {
  if (state.seat === "both") return seat === state.cast ? `${opponent().name} (${seat})` : seat;
  if (isHuman(seat)) return "You";
  const { name } = players()[playerAt(seat)];
  return state.seat === "none" && state.rivals.X === state.rivals.O ? `${name} (${seat})` : name;
}

const whose = (seat) => (nameAt(seat) === "You" ? "Your" : `${nameAt(seat)}'s`);

// Set up another game or line; what is not named is as at a beginning.
function setUp(changes) {
  stopWaiting();
  const line = changes.line ?? [];
  const goesOn = state.line.slice(0, state.setup).every((cell, ply) => cell === line[ply]);
  const setup = goesOn ? state.setup : 0;
  const usual = { at: line.length, setup, running: false, asking: false, tried: [] };
  Object.assign(state, usual, { title: "", cast: null, aimed: -1, message: null, line }, changes);
  find("link-holder").hidden = true;
}

// What changes with another game: its usual opponent in all seats.
const switched = (game) =>
  game === state.game ? { game } : { game, player: game.start, rivals: { X: game.start, O: game.start } };
