/** Integer expressions, of a lane say, as C or Python write them: a small bankwise.algebra.expression. */

const LEVELS = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%"]];
const MOST = 2 ** 31 - 1;
const LONGEST = 200;

const APPLY = {
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "<<": (a, b) => a * 2 ** shift(b),
  ">>": (a, b) => Math.floor(a / 2 ** shift(b)),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.floor(a / divisor(b)),
  "//": (a, b) => Math.floor(a / divisor(b)),
  "%": (a, b) => a - b * Math.floor(a / divisor(b)),
};

function shift(by) {
  if (by < 0 || by > 30) throw new Error(`it shifts by ${by}`);
  return by;
}

function divisor(value) {
  if (value === 0) throw new Error("it divides by zero");
  return value;
}

function checked(value) {
  if (Math.abs(value) > MOST) throw new Error(`${value} is no 32-bit number`);
  return value;
}

/**
 * A function of the values of its names, {lane: 3}; throws an Error that says what is not understood.
 */
export function parse(text, names) {
  if (text.length > LONGEST) throw new Error(`an expression has at most ${LONGEST} characters`);
  const words = text.match(/0x[\da-f]+|\w+|\/\/|<<|>>|\S/gi) ?? [];
  let at = 0;
  const level = (k) => {
    if (k === LEVELS.length) return single();
    let whole = level(k + 1);
    while (LEVELS[k].includes(words[at])) {
      const [apply, left] = [APPLY[words[at++]], whole];
      const right = level(k + 1);
      whole = (given) => checked(apply(left(given), right(given)));
    }
    return whole;
  };
  const single = () => {
    const word = words[at++] ?? "the end";
    if (names.includes(word)) return (given) => given[word];
    if (/^(0x[\da-f]+|\d+)$/i.test(word))
      return (
        (value) => () =>
          value
      )(checked(Number(word)));
    if (word === "-" || word === "~") {
      const of = single();
      return word === "-" ? (given) => -of(given) : (given) => ~of(given);
    }
    if (word === "(") {
      const inside = level(0);
      if (words[at++] !== ")") throw new Error(`a “(” of “${text}” is never closed`);
      return inside;
    }
    throw new Error(`“${word}” is neither ${names[0]} nor a number in “${text}”`);
  };
  const found = level(0);
  if (at < words.length) throw new Error(`“${words[at]}” is not understood in “${text}”`);
  return found;
}

/** The first byte of every lane; throws an Error where one cannot be an address. */
export function addresses(text, lanes, alignment = 1) {
  const found = parse(text, ["lane", "t"]);
  return Array.from({ length: lanes }, (_, lane) => {
    const byte = found({ lane, t: lane });
    if (byte < 0 || byte % alignment) {
      const why = byte < 0 ? "lies before the tile" : `is no multiple of ${alignment}`;
      throw new Error(`lane ${lane}: byte ${byte} ${why}`);
    }
    return byte;
  });
}
