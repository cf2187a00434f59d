/**
 * The family of row-preserving XOR folds: the best of them, how many, and the next one.
 *
 * Row bits are decided one after the other. Of every access only the phase directions that reach
 * no higher row bit count at a level, so the cost of a beginning never falls as more is decided.
 */
import { basis } from "./f2.js";
import { insideBits, moved } from "./tile.js";

/** What the search needs: per level and access the directions that this row bit completes. */
export function plan(tile, accesses) {
  const pinned = Math.max(...accesses.map((access) => insideBits(tile, access)));
  const reach = Math.max(...accesses.map((a) => Math.log2((a.row.banks * 32) / tile.elementBits)));
  const top = Math.min(tile.columns, reach);
  const low = Math.min(top, Math.max(0, pinned - Math.max(0, Math.log2(tile.elementBits) - 5)));
  const choices = 1 << Math.max(0, top - low);
  const sides = accesses.map((access) => side(tile, access));
  return { tile, low, choices, sides };
}

function side(tile, access) {
  const levels = Array.from({ length: tile.rows + 1 }, () => []);
  for (const direction of basis(access.phase)) {
    levels[Math.max(0, 32 - Math.clz32(direction) - tile.columns)].push(direction);
  }
  const weight = access.phases * (access.weight ?? 1);
  return { access, levels, weight };
}

/** Spans and losses once the row bits below `level` are decided; null if it costs over `most`. */
function enter(search, state, level, columns, most) {
  const next = { spans: [], lost: [] };
  let cost = 0;
  search.sides.forEach((side, i) => {
    const rows = [...state.spans[i]];
    let lost = state.lost[i];
    const images = moved(search.tile, columns, side.access, side.levels[level]);
    images.banks.forEach((bank, k) => {
      let rest = bank;
      for (const row of rows) if ((rest ^ row) < rest) rest ^= row;
      if (rest) rows.push(rest);
      else if (images.all[k]) lost += 1;
    });
    next.spans.push(rows);
    next.lost.push(lost);
    cost += side.weight * 2 ** lost;
  });
  return cost <= most ? { ...next, cost } : null;
}

function start(search) {
  const columns = Array.from({ length: search.tile.columns }, (_, i) => 1 << i);
  const state = { spans: search.sides.map(() => []), lost: search.sides.map(() => 0) };
  return { columns, state: enter(search, state, 0, columns, Infinity) };
}

function column(search, level, choice) {
  return (1 << (search.tile.columns + level)) ^ (choice << search.low);
}

/** The fewest weighted passes of the family: {masks, cost, nodes, complete}. */
export function solve(search, budget = 200000) {
  const begin = start(search);
  const best = { masks: null, cost: Infinity, nodes: 0, complete: true };
  const visit = (level, columns, state) => {
    if (level === search.tile.rows) {
      best.cost = state.cost;
      best.masks = masksOf(search, columns);
      return;
    }
    for (const choice of orderly(search.choices)) {
      if (best.nodes >= budget) {
        best.complete = false;
        return;
      }
      if (state.cost >= best.cost) return;
      best.nodes += 1;
      const longer = [...columns, column(search, level, choice)];
      const after = enter(search, state, level + 1, longer, best.cost - 1);
      if (after) visit(level + 1, longer, after);
    }
  };
  visit(0, begin.columns, begin.state);
  return best;
}

/** Masks with few bits first: the plainest answer among equals. */
function orderly(choices) {
  const ones = (x) => x.toString(2).replaceAll("0", "").length;
  return Array.from({ length: choices }, (_, i) => i).sort((a, b) => ones(a) - ones(b) || a - b);
}

function masksOf(search, columns) {
  const { columns: bits, rows } = search.tile;
  return Array.from({ length: rows }, (_, j) => columns[bits + j] & ((1 << bits) - 1));
}

/** How many members cost exactly `cost`, the least that there is; null beyond the budget. */
export function familySize(search, cost, budget = 200000) {
  const known = new Map();
  let nodes = 0;
  const visit = (level, columns, state) => {
    if (level === search.tile.rows) return state.cost === cost ? 1 : 0;
    const key = `${level} ${state.lost} ${state.spans.map((rows) => basis(rows)).join(";")}`;
    if (simple(search) && known.has(key)) return known.get(key);
    let total = 0;
    for (let choice = 0; choice < search.choices; choice++) {
      if (++nodes > budget) return NaN;
      const longer = [...columns, column(search, level, choice)];
      const after = enter(search, state, level + 1, longer, cost);
      if (after) total += visit(level + 1, longer, after);
    }
    known.set(key, total);
    return total;
  };
  const begin = start(search);
  const total = visit(0, begin.columns, begin.state);
  return Number.isNaN(total) ? null : total;
}

/** Whether no direction spans two row bits: then only spans matter, not which masks made them. */
function simple(search) {
  const row = (x) => x >> search.tile.columns;
  return search.sides.every((side) =>
    side.levels.every((level) => level.every((x) => (row(x) & (row(x) - 1)) === 0)),
  );
}

/** The member of exactly this cost that follows `masks`, in order of masks; it wraps around. */
export function nextMember(search, masks, cost, budget = 200000) {
  const wanted = masks.map((mask) => mask >> search.low);
  return after(search, wanted, cost, budget) ?? after(search, null, cost, budget);
}

/** Search in order, last row bit fastest, strictly behind `floor` (null: from the beginning). */
function after(search, floor, cost, budget) {
  let nodes = 0;
  let found = null;
  const visit = (level, columns, state, tight) => {
    if (found || level === search.tile.rows) {
      if (!tight) found ??= masksOf(search, columns);
      return;
    }
    for (let choice = tight ? floor[level] : 0; choice < search.choices && !found; choice++) {
      if (++nodes > budget) return;
      const longer = [...columns, column(search, level, choice)];
      const next = enter(search, state, level + 1, longer, cost);
      if (next) visit(level + 1, longer, next, tight && choice === floor[level]);
    }
  };
  const begin = start(search);
  visit(0, begin.columns, begin.state, floor !== null);
  return found;
}

/**
 * How many of all settings of the toggles give 2^k passes a phase: [[passes, settings], ...], in
 * closed form. Empty unless a row is one round of the banks and the elements are words: only then
 * is every setting of the masks a free choice of colours.
 */
export function histogram(tile, access) {
  const oneRound = 1 << tile.columns === access.row.banks;
  if (!oneRound || tile.elementBits !== 32 || access.vector.length) return [];
  const fixed = basis(access.phase).filter((direction) => direction >> tile.columns === 0);
  return distribution(fixed.length, access.phase.length - fixed.length, tile);
}

/** `free` uniform colours on top of `fixed` independent ones: how often each rank comes out. */
function distribution(fixed, free, tile) {
  const colours = 1n << BigInt(tile.columns);
  let counts = new Map([[fixed, 1n]]);
  for (let i = 0; i < free; i++) {
    const next = new Map();
    for (const [rank, ways] of counts) {
      const inside = 1n << BigInt(rank);
      next.set(rank, (next.get(rank) ?? 0n) + ways * inside);
      if (inside < colours)
        next.set(rank + 1, (next.get(rank + 1) ?? 0n) + ways * (colours - inside));
    }
    counts = next;
  }
  const others = colours ** BigInt(tile.rows - free);
  return [...counts]
    .map(([rank, ways]) => [2 ** (fixed + free - rank), ways * others])
    .sort((a, b) => a[0] - b[0]);
}
