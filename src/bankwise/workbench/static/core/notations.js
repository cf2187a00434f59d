/** A layout as text in the notations that people paste: code, CuTe, IREE, Wave. */
import { composable } from "./composable.js";
import { cute, iree, triton, wave } from "./frameworks.js";
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
  if (layout.kind === "linear") return matrixExpression(layout.columns);
  const terms = shiftTerms(tile, layout.masks).map(([s, mask]) => `((x >> ${s}) & ${hex(mask)})`);
  return ["x", ...terms].join(" ^ ");
}

/** Any matrix: the bits that move by the same distance together, as one shift and one mask. */
function matrixExpression(columns) {
  const terms = new Map();
  columns.forEach((column, i) => {
    for (let k = 0; column >> k; k++) {
      if ((column >> k) & 1) terms.set(i - k, (terms.get(i - k) ?? 0) | (1 << k));
    }
  });
  const shifted = (s) => (s > 0 ? `(x >> ${s})` : s < 0 ? `(x << ${-s})` : "x");
  return [...terms]
    .sort((a, b) => Math.abs(a[0]) - Math.abs(b[0]) || a[0] - b[0])
    .map(([s, mask]) => `(${shifted(s)} & ${hex(mask)})`)
    .join(" ^ ");
}

/** All notations: [[name, text], ...]; what cannot say the layout says so. */
export function everyNotation(tile, layout) {
  const elements = `${1 << tile.rows}x${1 << tile.columns}`;
  const none = "cannot express this layout";
  const untried = layout.kind === "linear" ? "none found: only XOR folds are tried here" : none;
  const formula = expression(tile, layout);
  return [
    [
      "C, CUDA, HIP",
      `// x = row * ${1 << tile.columns} + column, elements of a ${elements} tile\n` +
        `offset = ${formula};`,
    ],
    ["Python", `offset = ${formula}`],
    ["CuTe", cute(tile, layout) ?? untried],
    ["Triton", triton(tile, layout) ?? none],
    ["IREE", iree(tile, layout) ?? none],
    ["Wave", wave(tile, layout) ?? none],
    ["CK", composable(tile, layout) ?? untried],
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
