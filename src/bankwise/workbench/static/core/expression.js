/** Integer expressions of a lane as C or Python write them: a small bankwise.algebra.expression. */

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

/** A function from lane to number; throws an Error that names what is not understood. */
export function parse(text) {
  if (text.length > LONGEST) throw new Error(`an expression has at most ${LONGEST} characters`);
  const words = text.match(/0x[\da-f]+|\w+|\/\/|<<|>>|\S/gi) ?? [];
  let at = 0;
  const level = (k) => {
    if (k === LEVELS.length) return single();
    let whole = level(k + 1);
    while (LEVELS[k].includes(words[at])) {
      const [apply, left] = [APPLY[words[at++]], whole];
      const right = level(k + 1);
      whole = (lane) => checked(apply(left(lane), right(lane)));
    }
    return whole;
  };
  const single = () => {
    const word = words[at++] ?? "the end";
    if (word === "lane" || word === "t") return (lane) => lane;
    if (/^(0x[\da-f]+|\d+)$/i.test(word))
      return (
        (value) => () =>
          value
      )(checked(Number(word)));
    if (word === "-" || word === "~") {
      const of = single();
      return word === "-" ? (lane) => -of(lane) : (lane) => ~of(lane);
    }
    if (word === "(") {
      const inside = level(0);
      if (words[at++] !== ")") throw new Error(`a “(” of “${text}” is never closed`);
      return inside;
    }
    throw new Error(`“${word}” is neither lane nor a number in “${text}”`);
  };
  const found = level(0);
  if (at < words.length) throw new Error(`“${words[at]}” is not understood in “${text}”`);
  return found;
}

/** The first byte of every lane; throws an Error where one cannot be an address. */
export function addresses(text, lanes, alignment = 1) {
  const found = parse(text);
  return Array.from({ length: lanes }, (_, lane) => {
    const byte = found(lane);
    if (byte < 0 || byte % alignment) {
      const why = byte < 0 ? "lies before the tile" : `is no multiple of ${alignment}`;
      throw new Error(`lane ${lane}: byte ${byte} ${why}`);
    }
    return byte;
  });
}
