// Bytes as text: deflated (RFC 1950) and in base 91, as tttenv.report.markup writes them.

const DIGITS =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~./:[]'";

function bytesOf(text) {
  const worth = new Uint8Array(128);
  for (let at = 0; at < DIGITS.length; at++) worth[DIGITS.charCodeAt(at)] = at;
  const digit = (at) => worth[text.charCodeAt(at)];
  const found = new Uint8Array((((text.length - 1) / 2) * 13 - digit(0)) / 8);
  let [bits, left, byte] = [0, 0, 0];
  for (let at = 1; at < text.length; at += 2) {
    bits = (bits << 13) | (digit(at) * 91 + digit(at + 1));
    for (left += 13; left >= 8 && byte < found.length; byte++) {
      left -= 8;
      found[byte] = bits >> left;
      bits &= (1 << left) - 1;
    }
  }
  return found;
}

// The packed bytes as a response, to be read as text or as an array.
function unpacked(text) {
  const inflate = new DecompressionStream("deflate");
  return new Response(new Blob([bytesOf(text)]).stream().pipeThrough(inflate));
}
