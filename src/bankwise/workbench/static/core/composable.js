/** A layout as a tensor descriptor of Composable Kernel: strides, or one XOR of two digits. */
import { simplest, singleFold } from "./fold.js";

/** The bank counts that the XOR descriptor of CK's pipelines is made for. */
const BANKS = [32, 64];

const product = (values) => values.reduce((a, b) => a * b, 1);
const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
const number = (value) => `number<${value}>{}`;
const tuple = (values) => `make_tuple(${values.join(", ")})`;
const numbers = (values) => tuple(values.map(number));
const sequences = (groups) => tuple(groups.map((group) => `sequence<${group.join(", ")}>{}`));
const through = (length) => `make_pass_through_transform(${number(length)})`;
const merge = (lengths) =>
  lengths.length > 1 ? `make_merge_transform(${numbers(lengths)})` : through(lengths[0]);

const naive = (lengths, strides, vector) =>
  `make_naive_tensor_descriptor(${numbers(lengths)}, ${numbers(strides)}` +
  `${vector ? `, ${number(vector)}, ${number(1)}` : ""})`;

const transform = (below, transforms, low, up) =>
  `transform_tensor_descriptor(${below},\n  ${tuple(transforms)},\n  ` +
  `${sequences(low)}, ${sequences(up)})`;

/** The descriptor; null where neither strides nor one XOR transform give the layout. */
export function composable(tile, given) {
  const layout = simplest(tile, given);
  const [rows, columns] = [1 << tile.rows, 1 << tile.columns];
  const fold = singleFold(tile, layout);
  if (layout.kind === "pad" || fold?.count === 0) {
    const pitch = rows > 1 ? columns + (layout.by ?? 0) : 0;
    return naive([rows, columns], [pitch, 1], promised(columns, pitch, tile.elementBits));
  }
  if (!fold) return null;
  const [divisor, unit, phases] = [fold.source, fold.target, fold.count].map((bit) => 1 << bit);
  const layers = divisor / columns;
  if (isStandard(tile, { layers, unit, phases })) return standard([rows, columns], layers, unit);
  return general([rows, columns], { divisor, unit, phases });
}

/** Elements that strides may promise to lie in a row: 16 bytes, where rows begin at multiples. */
function promised(columns, pitch, bits) {
  let vector = 128 % bits === 0 ? 128 / bits : 1;
  while (columns % vector || pitch % vector) vector /= 2;
  return vector > 1 ? vector : 0;
}

/** Whether CK's pipelines make this fold themselves: all chunks of a row of LDS exchanged. */
function isStandard(tile, { layers, unit, phases }) {
  const [rows, columns] = [1 << tile.rows, 1 << tile.columns];
  const bytes = tile.elementBits / 8;
  const own = BANKS.map((banks) => Math.max(1, Math.floor(Math.floor((banks * 4) / columns) / bytes)));
  const chunks = (columns / unit) * layers;
  return own.includes(layers) && rows % layers === 0 && columns % unit === 0
    && phases === Math.min(chunks, rows / layers);
}

function standard([m, k], layers, pack) {
  const [rows, chunks] = [m / layers, (k / pack) * layers];
  const box = naive([rows, chunks, pack], [k * layers, pack, 1], pack);
  const inside = [[0, 1], [2]];
  const xor = `make_xor_transform(${numbers([rows, chunks])})`;
  const folded = transform(box, [xor, through(pack)], inside, inside);
  const split = `make_unmerge_transform(${numbers([layers, k / pack])})`;
  const apart = transform(folded, [through(rows), split, through(pack)], [[0], [1], [2]], [
    [0],
    [1, 2],
    [3],
  ]);
  const joined = [[rows, layers], [k / pack, pack]].map((l) => `make_merge_transform(${numbers(l)})`);
  return transform(apart, joined, [[0, 1], [2, 3]], [[0], [1]]);
}

/** The offset cut into digits, the two of the XOR among them; kept apart by axis if possible. */
function general(shape, fold) {
  const elements = product(shape);
  const { divisor, unit, phases } = fold;
  const ends = [1, unit, unit * phases, divisor];
  const places = [...new Set(ends)].sort((a, b) => a - b);
  if (elements % places.at(-1) !== 0) return null;
  const apart = perAxis(places, shape);
  if (whole(fold, apart)) return joined(fold, apart);
  const flat = joined(fold, [digits(places, elements)]);
  return transform(flat, [`make_unmerge_transform(${numbers(shape)})`], [[0]], [[0, 1]]);
}

/** Lengths of the digits that begin at these places, the slowest first. */
const digits = (places, end) =>
  places.map((place, i) => (places[i + 1] ?? end) / place).reverse();

function perAxis(places, shape) {
  let below = 1;
  const found = [...shape].reverse().map((size) => {
    const inside = places.filter((p) => p > below && p < below * size).map((p) => p / below);
    below *= size;
    return digits([1, ...inside], size);
  });
  return found.reverse();
}

/** Whether no axis cuts a field off; the one that is read may end where the tile does. */
function whole({ divisor, unit, phases }, axes) {
  const lengths = axes.flat();
  const [read, changed] = [dimension(lengths, divisor), dimension(lengths, unit)];
  const outermost = lengths.slice(0, read).every((n) => n === 1);
  return lengths[changed] === phases && (outermost || lengths[read] % phases === 0);
}

const dimension = (lengths, place) =>
  lengths.findIndex((n, i) => n > 1 && product(lengths.slice(i + 1)) === place);

function joined({ divisor, unit }, axes) {
  const lengths = axes.flat();
  const [read, changed] = [dimension(lengths, divisor), dimension(lengths, unit)];
  const others = range(0, lengths.length).filter((i) => i !== read && i !== changed);
  const places = [[read, changed], ...others.map((i) => [i])];
  const xor = `make_xor_transform(${numbers([lengths[read], lengths[changed]])})`;
  const kept = others.map((i) => through(lengths[i]));
  const strides = lengths.map((_, i) => product(lengths.slice(i + 1)));
  const folded = transform(naive(lengths, strides, lengths.at(-1)), [xor, ...kept], places, places);
  let first = 0;
  const low = axes.map((axis) => range(first, (first += axis.length)));
  return transform(folded, axes.map(merge), low, axes.map((_, i) => [i]));
}
