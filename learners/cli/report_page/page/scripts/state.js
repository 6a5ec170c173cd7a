// All that the board shows, and its form as the part of an address after the "#".

const state = {
  player: data.start, // its number among data.players
  seat: "X", // where the human sits: "X", "O" or "both"
  overlay: "none", // "values", "player" or "none"
  line: [], // the game so far, cell by cell
  notes: [], // blunders just made: {text, line, at}
  replay: null, // {line, at, title} while a line is shown step by step
};

const opponent = () => data.players[state.player];
const shownLine = () => (state.replay ? state.replay.line.slice(0, state.replay.at) : state.line);
const myTurn = () => state.seat === "both" || state.seat === mover(state.line);

function address(changes = {}) {
  // In a replay nobody answers: its link must lead to the position shown.
  const seat = state.replay ? "both" : state.seat;
  const now = { ...state, seat, line: shownLine(), ...changes };
  const parts = { play: data.players[now.player].name, seat: now.seat };
  if (now.overlay !== "none") parts.show = now.overlay;
  if (now.line.length) parts.moves = now.line.map((cell) => cell + 1).join("");
  return `#${Object.entries(parts).map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join("&")}`;
}

// Take over what an address says; false if it speaks of no game.
function readAddress(text) {
  if (!/^#(play|seat|show|moves)=/.test(text)) return false;
  const parts = new URLSearchParams(text.slice(1).replaceAll("+", "%2B"));
  const named = playerNamed(parts.get("play"));
  const line = [...(parts.get("moves") ?? "")].map((digit) => Number(digit) - 1);
  if (named >= 0) state.player = named;
  if (["X", "O", "both"].includes(parts.get("seat"))) state.seat = parts.get("seat");
  state.overlay = ["values", "player"].includes(parts.get("show")) ? parts.get("show") : "none";
  const possible = line.every((cell) => cells.includes(cell)) && walk(line) >= 0;
  state.line = possible ? line : [];
  state.notes = possible ? [] : [{ text: "The link led to no possible game; here is a new one." }];
  state.replay = null;
  return true;
}
