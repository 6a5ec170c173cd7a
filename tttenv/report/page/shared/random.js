// Random integers of 32 bits from a seed: a Weyl sequence through MurmurHash3's finalizer. Integers
// alone, so that every browser draws the same.

function randomIntegers(seed) {
  let now = seed | 0;
  return () => {
    now = (now + 0x9e3779b9) | 0;
    let mixed = Math.imul(now ^ (now >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
}

// The items in a random order.
function shuffled(items, seed) {
  const random = randomIntegers(seed);
  const order = [...items];
  for (let left = order.length; left > 1; left--) {
    const at = (random() >>> 0) % left;
    [order[left - 1], order[at]] = [order[at], order[left - 1]];
  }
  return order;
}
