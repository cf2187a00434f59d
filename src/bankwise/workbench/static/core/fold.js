/** The one map that most frameworks' swizzles are: a field of the offset XORed into another. */
import { columnsOf, isLinear } from "./tile.js";

/** The layout as a fold where it is one under another name: rotated by half a row, padded by 0. */
export function simplest(tile, layout) {
  const width = 1 << tile.columns;
  const masks = Array(tile.rows).fill(0);
  if (layout.kind === "pad" && layout.by === 0) return { kind: "fold", masks };
  if (layout.kind !== "rotate" || (2 * layout.by) % width !== 0) return layout;
  if (layout.by % width !== 0 && tile.rows) masks[0] = width / 2;
  return { kind: "fold", masks };
}

/**
 * Bits from `source` on, `count` of them, XORed into those from `target` on; count 0 is row-major.
 * Null for every other layout.
 */
export function singleFold(tile, layout) {
  if (!isLinear(layout)) return null;
  const extra = columnsOf(layout, tile).map((column, i) => column ^ (1 << i));
  const source = extra.findIndex((added) => added !== 0);
  if (source < 0) return { source: 0, target: 0, count: 0 };
  const used = extra.slice(source);
  const end = used.indexOf(0);
  const count = end < 0 ? used.length : end;
  const target = Math.log2(used[0]);
  const regular = used.every((added, i) => added === (i < count ? used[0] << i : 0));
  const apart = Number.isInteger(target) && count <= Math.abs(source - target);
  return regular && apart ? { source, target, count } : null;
}
