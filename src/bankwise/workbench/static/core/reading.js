/** Layouts as people write them, read for one tile: what bankwise.notation reads, in small. */
import { parse } from "./expression.js";
import { inverse } from "./f2.js";
import { linearLayout, offset } from "./tile.js";

const n = (text) => Number(text);
const bits = (count) => (1 << count) - 1;

/** CuTe's Swizzle<B, M, S>: B bits from M + S on are XORed into those from M on. */
function swizzle([b, m, s]) {
  if (!(m >= 0) || !(b + m + Math.abs(s) <= 30) || b > Math.abs(s)) throw new Error(`Swizzle<${b},${m},${s}> is none`);
  const from = bits(b) << (m + Math.max(0, s));
  return (x) => x ^ (s < 0 ? (x & (bits(b) << m)) << -s : (x & from) >> s);
}

/** A group of `unit` elements XORed with the number of its phase. */
const grouped = (width, unit, phase) => (x) => {
  const group = Math.floor((x % width) / unit);
  return x + ((group ^ phase(x)) - group) * unit;
};

function shuffle([width, unit, stride = width, per = 1]) {
  const groups = width / unit;
  if (!Number.isInteger(groups)) throw new Error(`groups of ${unit} do not fill rows of ${width}`);
  return grouped(width, unit, (x) => Math.floor(x / (stride * per)) % groups);
}

/** What else a text says, that is not read here: better no layout than another one. */
function only(text, strange, why) {
  if (strange.test(text)) throw new Error(why);
}

function triton(text, tile, rotating) {
  only(text.replace(/order\s*=\s*\[1,\s*0\]/, ""), /order\s*=/, "only order = [1, 0] is read here");
  const width = 1 << tile.columns;
  const of = (key) => n(named(text, key));
  const [vec, per, most] = ["vec", "perPhase", "maxPhase"].map(of);
  const phase = (row) => {
    const here = Math.floor(row / per);
    return rotating ? (here % most) ^ (Math.floor(here / most) % most) : here % most;
  };
  return (x) => {
    const row = x >> tile.columns;
    const column = x & (width - 1);
    const group = (Math.floor(column / vec) ^ phase(row)) % Math.max(1, width / vec);
    return row * width + group * vec + (column % vec);
  };
}

function named(text, key) {
  const found = new RegExp(`\\b${key}\\s*=\\s*(\\d+)`).exec(text);
  if (!found || n(found[1]) < 1) throw new Error(`${key} = … is missing`);
  return found[1];
}

/** Strides of rows and columns, as CuTe has them: (16,32):(33,1). */
function strides(text, tile) {
  const found = /\((\d+),(\d+)\):\((\d+),(\d+)\)/.exec(text.replace(/_(?=\d)|\s/g, ""));
  if (!found) throw new Error("a shape and strides are written (16,32):(32,1)");
  const [rows, columns, down, across] = found.slice(1).map(n);
  if (rows !== 1 << tile.rows || columns !== 1 << tile.columns)
    throw new Error(`it is ${rows} by ${columns}, the tile ${1 << tile.rows} by ${1 << tile.columns}`);
  return (x) => (x >> tile.columns) * down + (x & (columns - 1)) * across;
}

const numbers = (text) => (text.match(/-?\d+/g) ?? []).map(n);

/** The bytes that TMA and wgmma exchange, in elements of the tile. */
function hardware(text, tile) {
  const bytes = n(/\d+/.exec(text)[0]);
  const low = 4 - Math.log2(tile.elementBits / 8);
  return swizzle([Math.log2(bytes / 16), low, 3]);
}

/** [name, how it looks, the offset of element x of the row-major tile]. */
const NOTATIONS = [
  ["CuTe", /^\s*(?:Sw|Swizzle)\s*<[^>]*>/, (text, tile) => {
    const [head, rest] = text.split(/>(.*)/s);
    const [b, m, s] = numbers(head);
    const pointed = /smem_ptr(?:_flag)?\[?<?(\d+)b/.exec(rest); // Under a pointer it sees bytes.
    const fold = swizzle([b, m - (pointed ? Math.log2(n(pointed[1]) / 8) : 0), s]);
    const inner = /:/.test(rest) ? strides(rest.replace(/^.*o/s, ""), tile) : (x) => x;
    return (x) => fold(inner(x));
  }],
  ["CuTe", /^[\s(_\d,)]*:/, strides],
  ["TMA or wgmma", /^\W*(?:\w*SWIZZLE_|SW)?(?:32|64|128)B?\W*$/i, hardware],
  ["IREE", /xor_shuffle\s*</, (text) => {
    only(text, /=/, "write the numbers alone: xor_shuffle<128, 4>");
    return shuffle(numbers(text.split("xor_shuffle")[1]));
  }],
  ["IREE", /rotate_rows\s*</, (text) => {
    const [width, unit] = numbers(text.split("rotate_rows")[1]);
    return (x) => x - (x % width) + (((x % width) + Math.floor(x / width) * unit) % width);
  }],
  ["Triton", /amd_rotating_shared\s*</, (text, tile) => triton(text, tile, true)],
  ["Triton", /swizzled_shared\s*</, (text, tile) => triton(text, tile, false)],
  ["Triton", /padded_shared\s*</, (text) => {
    only(text, /offset\s*=|order\s*=\s*\[0|block\s*=/, "only a padding of row-major rows is read here");
    const [every, by, ...more] = numbers(/\[([^\]]*)/.exec(text)?.[1] ?? "");
    if (!every || !by || more.length) throw new Error("a padding is written [32:+1]");
    return (x) => x + Math.floor(x / every) * by;
  }],
  ["Wave", /^\s*swizzle\s*</, (text, tile) => {
    const [unit, most] = ["unit", "max_phase"].map((key) => n(named(text, key)));
    const shape = numbers(/\[([^\]]*)/.exec(text)?.[1] ?? "");
    if (shape[0] !== 1 << tile.rows || shape[1] !== 1 << tile.columns)
      throw new Error(`it is for a tile of ${shape.join(" by ") || "another size"}`);
    return grouped(1 << tile.columns, unit, (x) => (x >> tile.columns) % most);
  }],
  ["a padding", /^\s*pad(?:ding|ded)?\s*(?:by\s*)?\d+\s*$/i, (text, tile) => {
    const [by] = numbers(text);
    return (x) => x + (x >> tile.columns) * by;
  }],
  ["an array", /^\s*(?:\w+\s+)*[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)+;?\s*$/, array],
  ["row-major", /^\s*(?:row.?major|plain|none)\s*$/i, () => (x) => x],
  ["an expression", /./, expression],
];

const TYPES = [
  [8, "char bool int8_t uint8_t"],
  [16, "half __half __nv_bfloat16 short int16_t uint16_t"],
  [32, "float int unsigned int32_t uint32_t"],
  [64, "double float2 int2 int64_t uint64_t"],
  [128, "float4 int4 uint4 double2"],
];

/** A declaration of C, `float tile[32][33]`: its last size is the pitch of the rows. */
function array(text, tile) {
  const sizes = [...text.matchAll(/\[([^\]]*)\]/g)].map(([, size]) => size);
  if (sizes.length < 2 || !sizes.every((size) => /^[\d\s+*-]+$/.test(size)))
    throw new Error("an array has rows and columns in figures: float tile[32][33]");
  const [pitch, ...others] = sizes.map((size) => parse(size, [])({})).reverse();
  const [rows, columns] = [1 << tile.rows, 1 << tile.columns];
  const many = others.reduce((all, one) => all * one, 1);
  if (many < rows || pitch < columns)
    throw new Error(`the array has ${many} rows of ${pitch}, the tile ${rows} rows of ${columns}`);
  const words = text.split("[")[0].trim().split(/\s+/);
  const kind = TYPES.find(([, names]) => names.split(" ").includes(words.at(-2)));
  if (kind && kind[0] !== tile.elementBits)
    throw new Error(`${words.at(-2)} has ${kind[0]} bits, an element of this tile ${tile.elementBits}`);
  return (x) => (x >> tile.columns) * pitch + (x & (columns - 1));
}

const ROWS = ["row", "m", "i", "y"];
const COLUMNS = ["col", "column", "n", "j"];

/** Which names are the row's and which the column's; of two others the one that steps less. */
function coordinates(body) {
  const names = [...new Set(body.match(/\b[A-Za-z_]\w*/g) ?? [])].sort();
  const strange = names.some((name) => ![...ROWS, ...COLUMNS, "x"].includes(name));
  if (names.length !== 2 || !(strange || names.join() === "x,y")) return [ROWS, COLUMNS];
  const at = parse(body, names);
  const [none, first, second] = [[0, 0], [1, 0], [0, 1]].map((place) =>
    at(Object.fromEntries(names.map((name, k) => [name, place[k]]))),
  );
  const [one, two] = names.map((name) => [name]);
  return Math.abs(first - none) > Math.abs(second - none) ? [one, two] : [two, one];
}

/** `row * 33 + col`, or `x ^ (x >> 4 & 30)` over the row-major offset x; in elements or bytes. */
function expression(text, tile) {
  const places = indices(text, tile);
  const size = tile.elementBits / 8;
  const all = Array.from({ length: 1 << (tile.rows + tile.columns) }, (_, x) => places(x));
  const bytes = size > 1 && all[1] - all[0] === size && all.every((place) => place % size === 0);
  return bytes ? (x) => all[x] / size : (x) => all[x];
}

function indices(text, tile) {
  const plain = text.replace(/^[^=]*=(?!=)/, "").replace(/;\s*$/, "").replace(/\/\/[^\n]*\n/g, "");
  const body = plain.replace(/([A-Za-z_]\w*)\.(?=[A-Za-z_])/g, "$1_");
  const low = (1 << tile.columns) - 1;
  const [rows, columns] = coordinates(body);
  const found = parse(body, ["x", ...rows, ...columns]);
  return (x) => {
    const given = { x };
    for (const name of rows) given[name] = x >> tile.columns;
    for (const name of columns) given[name] = x & low;
    return found(given);
  };
}

/** What a reader might not expect of a swizzle of CuTe on this tile; else empty. */
function aside(text, tile) {
  const found = /^\s*(?:Sw|Swizzle)\s*<\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*>(.*)/s.exec(text);
  if (!found) return "";
  const [b, m, s] = found.slice(1, 4).map(n);
  const size = tile.rows + tile.columns;
  const bare = !found[4].trim();
  const unit = bare ? `its bits count elements of ${tile.elementBits} bits` : "";
  const left = size - m - s;
  const lost = bare && left < b ? `an offset of this tile has ${size} bits: ${left > 0 ? `${left} of ${b}` : "none"} are swizzled` : "";
  return [unit, lost].filter(Boolean).join("; ");
}

/**
 * The layout that a text means on a tile: {name, layout, aside}; throws an Error that says why it
 * is none.
 */
export function readNotation(text, tile) {
  if (text.length > 2000) throw new Error("a layout has at most 2,000 characters");
  const [name, , read] = NOTATIONS.find(([, looks]) => looks.test(text)) ?? NOTATIONS.at(-1);
  return { name, layout: sampled(read(text, tile), tile), aside: aside(text, tile) };
}

/** The one of the page's layouts that has these offsets for every element. */
function sampled(offsets, tile) {
  const size = 1 << (tile.rows + tile.columns);
  const wanted = Array.from({ length: size }, (_, x) => offsets(x));
  const width = 1 << tile.columns;
  const second = wanted[width] - wanted[0];
  const unit = wanted.filter((_, x) => (x & (x - 1)) === 0 && x > 0);
  const candidates = [
    ...(isLinear(unit, size) ? [linearLayout(tile, unit)] : []),
    { kind: "pad", by: second - width },
    { kind: "rotate", by: (second % width) + (second % width < 0 ? width : 0) },
  ];
  const same = (layout) => wanted.every((place, x) => place === offset(layout, tile, x));
  const found = candidates.find((one) => (one.by ?? 0) >= 0 && (one.by ?? 0) < 1000 && same(one));
  if (found) return found;
  const places = new Set(wanted);
  if (places.size < size) throw new Error("it sends two elements of this tile to one place");
  throw new Error("it is neither linear over XOR nor rows padded or rotated: not drawn here");
}

function isLinear(columns, size) {
  return columns.every((c) => c > 0 && c < size) && inverse(columns) !== null;
}
