/** A layout as text in the notations that people paste: code, CuTe, IREE, Wave. */
import { plain } from "./tile.js";

const hex = (x) => `0x${x.toString(16)}`;

/** The fold as shifts: [[distance, mask of the bits that receive], ...]. */
function shiftTerms(tile, masks) {
  const terms = new Map();
  masks.forEach((mask, j) => {
    for (let k = 0; k < tile.columns; k++) {
      if (!((mask >> k) & 1)) continue;
      const distance = tile.columns + j - k;
      terms.set(distance, (terms.get(distance) ?? 0) | (1 << k));
    }
  });
  return [...terms].sort((a, b) => a[0] - b[0]);
}

/** The offset expression over the row-major offset x, as C, Python and JavaScript write it. */
function expression(tile, layout) {
  if (layout.kind === "pad") return `x + (x >> ${tile.columns}) * ${layout.by}`;
  if (layout.kind === "rotate") {
    const low = hex((1 << tile.columns) - 1);
    return `(x & ~${low}) | ((x + (x >> ${tile.columns}) * ${layout.by}) & ${low})`;
  }
  const terms = shiftTerms(tile, layout.masks).map(([s, mask]) => `((x >> ${s}) & ${hex(mask)})`);
  return ["x", ...terms].join(" ^ ");
}

/** CuTe's Swizzle<B, M, S> on the row-major element offset; null if the fold is none. */
function cute(tile, layout) {
  if (layout.kind !== "fold") return null;
  const terms = shiftTerms(tile, layout.masks);
  if (terms.length === 0) return "Swizzle<0, 0, 0>";
  if (terms.length > 1) return null;
  const [[distance, mask]] = terms;
  const low = Math.log2(mask & -mask);
  const bits = Math.log2((mask >> low) + 1);
  if (!Number.isInteger(bits) || bits > distance) return null;
  return `Swizzle<${bits}, ${low}, ${distance}>`;
}

/** IREE's xor_shuffle<row width, access width, row stride, per phase>; null if it is none. */
function xorShuffle(tile, layout) {
  const found = chunkFold(tile, layout);
  const width = 1 << tile.columns;
  const all = found && (1 << found.bits === width / found.unit || found.last === tile.rows);
  if (!all) return null;
  return `#iree_codegen.xor_shuffle<${width}, ${found.unit}, ${width}, ${found.perPhase}>`;
}

/** Wave's chunk ^ (row % max_phase); null if the fold is none. */
function wave(tile, layout) {
  const found = chunkFold(tile, layout);
  if (!found || found.perPhase !== 1) return null;
  return (
    `swizzle_unit = ${found.unit}, max_phase = ${1 << found.bits}: ` +
    `chunk ^ (row % ${1 << found.bits})`
  );
}

/** Consecutive row bits folded into consecutive column bits: {unit, bits, perPhase}, or null. */
function chunkFold(tile, layout) {
  if (layout.kind !== "fold") return null;
  const first = layout.masks.findIndex((mask) => mask !== 0);
  if (first < 0) return null;
  const used = layout.masks.slice(first);
  const end = used.findIndex((mask) => mask === 0);
  const bits = end < 0 ? used.length : end;
  const unit = used[0];
  const regular = used.every((mask, i) => mask === (i < bits ? unit << i : 0));
  if (!regular || (unit & (unit - 1)) !== 0) return null;
  return { unit, bits, perPhase: 1 << first, last: first + bits };
}

/** All notations: [[name, text], ...]; what cannot say the layout says so. */
export function everyNotation(tile, layout) {
  const elements = `${1 << tile.rows}x${1 << tile.columns}`;
  const none = "cannot express this layout";
  const formula = expression(tile, layout);
  return [
    [
      "C, CUDA, HIP",
      `// x = row * ${1 << tile.columns} + column, elements of a ${elements} tile\n` +
        `offset = ${formula};`,
    ],
    ["Python", `offset = ${formula}`],
    ["CuTe", cute(tile, layout) ?? none],
    ["IREE", xorShuffle(tile, layout) ?? none],
    ["Wave", wave(tile, layout) ?? none],
    [
      "row masks",
      layout.kind === "fold"
        ? layout.masks.map((mask, j) => `m${j} -> ${maskText(mask)}`).join("\n")
        : none,
    ],
  ];
}

function maskText(mask) {
  const bits = [];
  for (let k = 0; mask >> k; k++) if ((mask >> k) & 1) bits.push(`n${k}`);
  return bits.join(" ") || "nothing";
}

/** The layout that a preset stands for: rows fold from bit `first`, into chunks of 2^low. */
export function rowFold(tile, low, first = 0, bits = tile.columns - low) {
  const masks = plain(tile).masks.map((_, j) => {
    const place = j - first;
    return place >= 0 && place < bits && low + place < tile.columns ? 1 << (low + place) : 0;
  });
  return { kind: "fold", masks };
}
