/** Every setting of the toggles, judged twice: by counting words per bank, and by rank. */
import { apply, basis } from "./f2.js";

/**
 * Passes of the first phase for the settings `from` to `to` (bit columns*j + k folds row bit j
 * into column bit k): {counted, ranked, disagree}, histograms by passes. Word elements whose rows
 * are one round of the banks; the lanes of the phase want different words.
 */
export function sweep(tile, access, from, to) {
  const width = tile.columns;
  const low = (1 << width) - 1;
  const starts = access.row.phases[0].map((lane) => apply(access.lanes, lane));
  const rows = starts.map((x) => x >> width);
  const banks = starts.map((x) => x & low);
  const fold = new Int32Array(1 << tile.rows);
  const hits = new Uint8Array(1 << width);
  const result = { counted: {}, ranked: {}, disagree: 0 };
  for (let setting = from; setting < to; setting++) {
    for (let row = 1; row < fold.length; row++) {
      const bit = 31 - Math.clz32(row);
      fold[row] = fold[row ^ (1 << bit)] ^ ((setting >> (width * bit)) & low);
    }
    hits.fill(0);
    let worst = 0;
    for (let i = 0; i < banks.length; i++) {
      const here = ++hits[banks[i] ^ fold[rows[i]]];
      if (here > worst) worst = here;
    }
    const predicted = byRank(access.phase, fold, width, low);
    result.counted[worst] = (result.counted[worst] ?? 0) + 1;
    result.ranked[predicted] = (result.ranked[predicted] ?? 0) + 1;
    if (worst !== predicted) result.disagree += 1;
  }
  return result;
}

function byRank(directions, fold, width, low) {
  const colours = directions.map((x) => (x & low) ^ fold[x >> width]);
  return 2 ** (directions.length - basis(colours).length);
}

/** Add one histogram to another. */
export function merged(a, b) {
  const out = { ...a };
  for (const [passes, settings] of Object.entries(b)) out[passes] = (out[passes] ?? 0) + settings;
  return out;
}
