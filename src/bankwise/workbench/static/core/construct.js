/** The constructive algorithm for two accesses, step by step: the twin of bankwise.solver.construct. */
import { complement, independent, intersection } from "./f2.js";
import { directionText } from "./tile.js";

/**
 * The steps for a store and a read of one tile of words: [{name, text, values}], values being
 * [label, directions] pairs, and the pairs that become the segment. Only without vectors: then
 * every step is about lanes, banks and segments alone.
 */
export function construct(tile, accesses) {
  const [small, large] = [...accesses].sort((a, b) => a.phase.length - b.phase.length);
  const size = tile.columns + tile.rows;
  const bankBits = Math.min(size, Math.log2(small.row.banks));
  const shared = intersection(small.phase, large.phase);
  const onlySmall = independent(small.phase, shared);
  const onlyLarge = independent(large.phase, shared);
  const pairs = onlySmall.map((e, i) => e ^ onlyLarge[i]);
  const outside = complement([...shared, ...onlySmall, ...onlyLarge], size);
  const rest = [...onlyLarge.slice(onlySmall.length), ...onlySmall, ...shared];
  const segment = [...outside, ...pairs, ...rest].slice(0, size - bankBits);
  const banks = complement(segment, size);
  return {
    shared,
    onlySmall,
    onlyLarge,
    pairs,
    outside,
    segment,
    banks,
    small,
    large,
    size,
    bankBits,
    masks: masksOf(tile, segment),
  };
}

/** The toggles of a segment basis that has one row bit in every vector; null if it has not. */
function masksOf(tile, segment) {
  const masks = Array(tile.rows).fill(null);
  for (const direction of segment) {
    const row = direction >> tile.columns;
    const bit = 31 - Math.clz32(row);
    if (row === 0 || row !== 1 << bit) return null;
    masks[bit] = direction & ((1 << tile.columns) - 1);
  }
  return masks.includes(null) ? null : masks;
}

/** Directions as text, joined; "none" for no direction. */
export function listed(directions, tile) {
  return (
    directions.map((x) => directionText(x, tile).split("^").sort().join(" ⊕ ")).join(", ") || "∅"
  );
}
