/**
 * A layout in the words of CuTe, Triton, IREE and Wave; null where they have none.
 *
 * What each can say is decided as in Python (bankwise.notation.frameworks): the tests hold every
 * text, and every null, to what Python writes.
 */
import { inverse } from "./f2.js";
import { simplest, singleFold } from "./fold.js";
import { columnsOf, isLinear } from "./tile.js";

/** Wave XORs a chunk number with row mod max_phase, and max_phase is at most 8. */
const WAVE_BITS = 3;

const sizes = (tile) => [1 << tile.rows, 1 << tile.columns];
const isPower = (number) => number > 0 && (number & (number - 1)) === 0;

/** CuTe's strides, or Sw<B,M,S> over row-major ones. */
export function cute(tile, given) {
  const layout = simplest(tile, given);
  const [rows, columns] = sizes(tile);
  const strides = (pitch) => `(${rows},${columns}):(${rows > 1 ? pitch : 0},1)`;
  if (layout.kind === "pad") return strides(columns + layout.by);
  const fold = singleFold(tile, layout);
  if (!fold) return null;
  if (fold.count === 0) return strides(columns);
  const { source, target, count } = fold;
  const swizzle = `Sw<${count},${Math.min(source, target)},${source - target}>`;
  return `${swizzle} o 0 o ${strides(columns)}`;
}

/** Triton's shared encodings: swizzled, padded, rotating, or linear, which says every matrix. */
export function triton(tile, given) {
  const layout = simplest(tile, given);
  const [rows, columns] = sizes(tile);
  if (layout.kind === "pad") {
    if (!isPower(layout.by)) return null;
    const shape = `order = [1, 0], shape = [${rows}, ${columns}]`;
    return `#ttg.padded_shared<[${columns}:+${layout.by}] {${shape}}>`;
  }
  if (!isLinear(layout)) return null;
  const fold = singleFold(tile, layout);
  if (fold?.count === 0) return swizzled(1, 1, 1);
  if (fold && fold.source >= tile.columns && fold.target + fold.count <= tile.columns) {
    return swizzled(1 << fold.target, 1 << (fold.source - tile.columns), 1 << fold.count);
  }
  return rotating(tile, layout) ?? sharedLinear(tile, layout);
}

function swizzled(vec, perPhase, maxPhase, name = "swizzled_shared") {
  const phases = `perPhase = ${perPhase}, maxPhase = ${maxPhase}`;
  return `#ttg.${name}<{vec = ${vec}, ${phases}, order = [1, 0]}>`;
}

/** amd_rotating_shared: the phases change from one block of rows to the next. */
function rotating(tile, layout) {
  if (layout.kind !== "fold") return null;
  const [rows, columns] = sizes(tile);
  for (let vec = 1; vec <= columns / 2; vec *= 2) {
    for (let per = 1; per <= rows / 2; per *= 2) {
      for (let most = 2; most <= Math.max(columns, rows); most *= 2) {
        const phase = (row) => (Math.floor(row / per) % most) ^ (Math.floor(row / per / most) % most);
        const fits = layout.masks.every((mask, j) => mask === (vec * phase(1 << j)) % columns);
        if (fits) return swizzled(vec, per, most, "amd_rotating_shared");
      }
    }
  }
  return null;
}

function sharedLinear(tile, layout) {
  const low = (1 << tile.columns) - 1;
  const bases = inverse(columnsOf(layout, tile)).map((x) => `[${x >> tile.columns}, ${x & low}]`);
  return `#ttg.shared_linear<{offset = [${bases.join(", ")}]}, alignment = 16>`;
}

/** IREE's xor_shuffle<row width, access width, row stride, per phase>, or rotate_rows. */
export function iree(tile, given) {
  const width = 1 << tile.columns;
  if (given.kind === "rotate" && given.by && width % given.by === 0) {
    return `#iree_codegen.rotate_rows<${width}, ${given.by}>`;
  }
  const fold = singleFold(tile, simplest(tile, given));
  if (!fold) return null;
  const all = 1 << (tile.rows + tile.columns);
  if (fold.count === 0) return `#iree_codegen.xor_shuffle<${all}, ${all}>`;
  const found = shuffle(tile, fold);
  return found && `#iree_codegen.xor_shuffle<${found.join(", ")}>`;
}

/** Rows as wide as the tile's if possible, else the narrowest; per phase at most the groups. */
function shuffle(tile, { source, target, count }) {
  const bits = tile.rows + tile.columns;
  const last = source + count === bits ? bits : target + count;
  const widths = Array.from({ length: last - target - count + 1 }, (_, i) => target + count + i);
  widths.sort((a, b) => (a !== tile.columns) - (b !== tile.columns) || a - b);
  for (const width of widths) {
    const least = Math.max(width, source - (width - target));
    if (least > source) continue;
    const stride = least <= tile.columns && tile.columns <= source ? tile.columns : least;
    const numbers = [1 << width, 1 << target, 1 << stride, 1 << (source - stride)];
    if (source > stride) return numbers;
    return numbers.slice(0, stride === width ? 2 : 3);
  }
  return null;
}

/** Wave's chunk ^ (row % max_phase). */
export function wave(tile, given) {
  const fold = singleFold(tile, simplest(tile, given));
  if (!fold) return null;
  const text = (unit, most) =>
    `swizzle<[${sizes(tile).join(", ")}], unit = ${unit}, max_phase = ${most}>`;
  if (fold.count === 0) return text(1 << tile.columns, 1);
  const whole = fold.source === tile.columns && fold.target + fold.count <= tile.columns;
  return whole && fold.count <= WAVE_BITS ? text(1 << fold.target, 1 << fold.count) : null;
}
