/** A layout in the words of CuTe, Triton, IREE, Wave and CK; null where they have none. */
import { inverse } from "./f2.js";
import { columnsOf, isLinear } from "./tile.js";

/** Wave XORs a chunk number with row mod max_phase, and max_phase is at most 8. */
const WAVE_BITS = 3;

const isPlain = (layout) => layout.kind === "fold" && layout.masks.every((mask) => mask === 0);
const sizes = (tile) => [1 << tile.rows, 1 << tile.columns];

/** Consecutive row bits folded into consecutive column bits: {unit, bits, perPhase}, or null. */
function chunkFold(tile, layout) {
  if (layout.kind !== "fold") return null;
  const first = layout.masks.findIndex((mask) => mask !== 0);
  if (first < 0) return { unit: 1 << tile.columns, bits: 0, perPhase: 1, last: 0 };
  const used = layout.masks.slice(first);
  const end = used.findIndex((mask) => mask === 0);
  const bits = end < 0 ? used.length : end;
  const unit = used[0];
  const regular = used.every((mask, i) => mask === (i < bits ? unit << i : 0));
  if (!regular || (unit & (unit - 1)) !== 0) return null;
  return { unit, bits, perPhase: 1 << first, last: first + bits };
}

/** Whether the fold is chunk XOR (row / perPhase) mod (all chunks), none left out. */
function whole(tile, found) {
  const chunks = (1 << tile.columns) / found.unit;
  return 1 << found.bits === chunks || (found.last === tile.rows && 1 << found.bits <= chunks);
}

/** CuTe's strides, or Swizzle<B, M, S> on row-major offsets. `terms`: shifts of the fold. */
export function cute(tile, layout, terms) {
  const [rows, columns] = sizes(tile);
  if (layout.kind === "pad") return `(${rows},${columns}):(${columns + layout.by},1)`;
  if (layout.kind !== "fold" || terms.length > 1) return null;
  if (terms.length === 0) return `(${rows},${columns}):(${columns},1)`;
  const [[distance, mask]] = terms;
  const low = Math.log2(mask & -mask);
  const bits = Math.log2((mask >> low) + 1);
  if (!Number.isInteger(bits) || bits > distance) return null;
  return `Swizzle<${bits}, ${low}, ${distance}>`;
}

/** Triton's shared encodings: swizzled, padded, or linear, which says every matrix. */
export function triton(tile, layout) {
  const [rows, columns] = sizes(tile);
  if (layout.kind === "pad") {
    const shape = `order = [1, 0], shape = [${rows}, ${columns}]`;
    return `#ttg.padded_shared<[${columns}:+${layout.by}] {${shape}}>`;
  }
  if (!isLinear(layout)) return null;
  const found = isPlain(layout) ? { unit: 1, bits: 0, perPhase: 1 } : chunkFold(tile, layout);
  if (found) return swizzled(found);
  const low = columns - 1;
  const bases = inverse(columnsOf(layout, tile)).map((x) => `[${x >> tile.columns}, ${x & low}]`);
  return `#ttg.shared_linear<{offset = [${bases.join(", ")}]}, alignment = 16>`;
}

function swizzled({ unit, perPhase, bits }) {
  const phases = `perPhase = ${perPhase}, maxPhase = ${1 << bits}`;
  return `#ttg.swizzled_shared<{vec = ${unit}, ${phases}, order = [1, 0]}>`;
}

/** IREE's xor_shuffle<row width, access width, row stride, per phase>, or rotate_rows. */
export function iree(tile, layout) {
  const width = 1 << tile.columns;
  if (layout.kind === "rotate" && layout.by && width % layout.by === 0) {
    return `#iree_codegen.rotate_rows<${width}, ${layout.by}>`;
  }
  const found = chunkFold(tile, layout);
  if (!found || !whole(tile, found)) return null;
  return `#iree_codegen.xor_shuffle<${width}, ${found.unit}, ${width}, ${found.perPhase}>`;
}

/** Wave's chunk ^ (row % max_phase). */
export function wave(tile, layout) {
  const found = chunkFold(tile, layout);
  if (!found || found.perPhase !== 1 || found.bits > WAVE_BITS) return null;
  const most = 1 << found.bits;
  return `swizzle<[${sizes(tile).join(", ")}], unit = ${found.unit}, max_phase = ${most}>`;
}

const number = (value) => `number<${value}>{}`;
const tuple = (...values) => `make_tuple(${values.join(", ")})`;
const sequence = (...values) => `sequence<${values.join(", ")}>{}`;
const through = (length) => `make_pass_through_transform(${number(length)})`;
const merge = (...lengths) => `make_merge_transform(${tuple(...lengths.map(number))})`;

/** Composable Kernel's descriptor: strides, or the XOR of packs with the row of LDS. */
export function composable(tile, layout) {
  const [rows, columns] = sizes(tile);
  const found = chunkFold(tile, layout);
  if (layout.kind === "pad" || isPlain(layout)) {
    const strides = tuple(number(columns + (layout.by ?? 0)), number(1));
    return `make_naive_tensor_descriptor(${tuple(number(rows), number(columns))}, ${strides})`;
  }
  if (!found || !whole(tile, found)) return null;
  const { unit, perPhase } = found;
  const chunks = columns / unit;
  const [wide, tall] = [chunks * perPhase, rows / perPhase];
  if (perPhase > 1 && tall > chunks) return null;
  const inside = tuple(sequence(0, 1), sequence(2));
  const box = `make_naive_tensor_descriptor(${tuple(...[tall, wide, unit].map(number))}, ${tuple(
    ...[columns * perPhase, unit, 1].map(number),
  )}, ${number(unit)}, ${number(1)})`;
  const folded = `transform_tensor_descriptor(${box},
  ${tuple(`make_xor_transform(${tuple(number(tall), number(wide))})`, through(unit))},
  ${inside}, ${inside})`;
  const split = `make_unmerge_transform(${tuple(number(perPhase), number(chunks))})`;
  const apart = `transform_tensor_descriptor(${folded},
  ${tuple(through(tall), split, through(unit))},
  ${tuple(sequence(0), sequence(1), sequence(2))}, ${tuple(sequence(0), sequence(1, 2), sequence(3))})`;
  return `transform_tensor_descriptor(${apart},
  ${tuple(merge(tall, perPhase), merge(chunks, unit))},
  ${tuple(sequence(0, 1), sequence(2, 3))}, ${tuple(sequence(0), sequence(1))})`;
}
