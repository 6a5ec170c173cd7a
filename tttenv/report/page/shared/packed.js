// Bytes as text: deflated (RFC 1950) and in base 85, as tttenv.report.markup writes them.

const DIGITS =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";

function bytesOf(text) {
  const worth = new Uint8Array(128);
  for (let at = 0; at < DIGITS.length; at++) worth[DIGITS.charCodeAt(at)] = at;
  const groups = Math.ceil(text.length / 5);
  const padded = text.padEnd(5 * groups, DIGITS.at(-1));
  const found = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; group++) {
    let number = 0;
    for (let at = 5 * group; at < 5 * group + 5; at++) number = number * 85 + worth[padded.charCodeAt(at)];
    found.setUint32(4 * group, number);
  }
  return new Uint8Array(found.buffer, 0, 4 * groups - (padded.length - text.length));
}

// The packed bytes as a response, to be read as text or as an array.
function unpacked(text) {
  const inflate = new DecompressionStream("deflate");
  return new Response(new Blob([bytesOf(text)]).stream().pipeThrough(inflate));
}
