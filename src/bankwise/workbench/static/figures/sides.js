/** What the instrument shows: A beside B, each with its cells, its addresses and its count. */
import { count } from "../core/conflict.js";
import { addresses } from "../core/expression.js";
import { service } from "../core/service.js";
import { allOffsets, elementBytes, keepsVectors, offsetsBytes } from "../core/tile.js";
import { layoutText, owners, readModel } from "../model.js";
import { within } from "../state.js";

const WORD_BYTES = 4;
/** Rounds of the banks that a picture of addresses shows. */
const MOST_LINES = 64;

/**
 * Everything that is drawn, from the state alone: {values, model, row, sides, name, chosen, steps,
 * step, phase, ticks, tick, error}. Without an access there are no sides; a side whose address is
 * none is left out, and `error` says so.
 */
export function seeSides(values, machines) {
  const model = readModel(values, machines);
  const seen = values.i === "address" ? addressed(values, model) : accessed(values, model);
  const phases = Math.min(...seen.sides.map(({ counted }) => counted.phases.length));
  const phase = values.p === "all" || !seen.sides.length ? null : within(values.p, phases - 1);
  const ticks = Math.max(0, ...seen.sides.map(({ time, torn }) => (torn ? 0 : time.total)));
  const tick = values.k === "" ? null : within(values.k, ticks);
  return { values, model, ...seen, phase, ticks, tick };
}

/** The chosen access on the tile, in layout A and in layout B; in one where both are the same. */
function accessed(values, model) {
  const chosen = within(values.v, model.accesses.length - 1);
  const access = model.accesses[chosen];
  if (!access) return { access: null, chosen, sides: [], error: model.error };
  const steps = 1 << access.registers.length;
  const step = within(values.r, steps - 1);
  const owned = ownersOf(model.tile, access, `${values.g} ${values.t} ${values.a} ${chosen}`);
  const one = (tag, layout) => tileSide(tag, layout, { model, access, step, owned });
  const same = layoutText(model.before) === layoutText(model.layout);
  const sides = [...(same ? [] : [one("A", model.before)]), one("B", model.layout)];
  return { access, row: access.row, chosen, steps, step, sides, error: "" };
}

let known = { key: null, owned: null };
function ownersOf(tile, access, key) {
  if (known.key !== key) known = { key, owned: owners(tile, access) };
  return known.owned;
}

function tileSide(tag, layout, { model, access, step, owned }) {
  const { tile } = model;
  const offsets = offsetsBytes(layout, tile, access, step);
  const places = allOffsets(layout, tile);
  const size = elementBytes(tile);
  const unused = layout.kind === "pad" ? layout.by << tile.rows : 0;
  return side(tag, access.row, offsets, {
    layout,
    bytes: (places.length + unused) * size,
    torn: !keepsVectors(layout, tile, access),
    rows: 1 << tile.rows,
    columns: 1 << tile.columns,
    byte: (cell) => places[cell] * size,
    lane: (cell) => (owned.step[cell] === step ? owned.lane[cell] : -1),
    owned,
    rowLabel: (m) => m,
  });
}

/** An address expression, before and after, as the words of memory that its lanes touch. */
function addressed(values, model) {
  const [instruction = "", ...texts] = values.e.split(":");
  const row = model.machine.instructions.get(instruction);
  const nothing = { access: null, chosen: 0, sides: [] };
  if (!row) {
    return { ...nothing, error: `${model.machine.name} has no instruction “${instruction}”` };
  }
  const wanted = texts.filter((text, i) => text && text !== texts[i - 1]);
  const sides = [];
  const wrong = [];
  wanted.forEach((text, i) => {
    const tag = i < wanted.length - 1 ? "A" : "B";
    try {
      sides.push(addressSide(tag, row, text));
    } catch (error) {
      wrong.push(`${tag}, ${error.message}`);
    }
  });
  const error = wrong.join("; ");
  if (!sides.length) return { ...nothing, row, error };
  return { access: { name: "access", row }, row, chosen: 0, steps: 1, step: 0, sides, error };
}

function addressSide(tag, row, text) {
  const offsets = addresses(text, row.wave, row.align);
  const lanes = new Map();
  const rounds = row.addresses === 2 ? [0, row.width] : [0];
  offsets.forEach((first, lane) => {
    for (const round of rounds)
      for (let byte = first + round; byte < first + round + row.width; byte++) {
        const word = Math.floor(byte / WORD_BYTES);
        if (!lanes.has(word)) lanes.set(word, lane);
      }
  });
  const lines = [...new Set([...lanes.keys()].map((word) => Math.floor(word / row.banks)))];
  const shown = lines.sort((a, b) => a - b).slice(0, MOST_LINES);
  const word = (cell) => shown[Math.floor(cell / row.banks)] * row.banks + (cell % row.banks);
  return side(tag, row, offsets, {
    text,
    rows: shown.length,
    left: lines.length - shown.length,
    columns: row.banks,
    byte: (cell) => word(cell) * WORD_BYTES,
    lane: (cell) => lanes.get(word(cell)) ?? -1,
    rowLabel: (m) => shown[m],
  });
}

/** One side: what its cells are, what its lanes want, and when they get it. */
function side(tag, row, offsets, cells) {
  const counted = count(row, offsets);
  const time = service(counted);
  const phaseOf = new Map();
  counted.phases.forEach(({ lanes }, phase) => lanes.forEach((lane) => phaseOf.set(lane, phase)));
  return {
    tag,
    row,
    offsets,
    counted,
    time,
    ...cells,
    bank: (cell) => Math.floor(cells.byte(cell) / WORD_BYTES) % row.banks,
    phaseOf: (lane) => phaseOf.get(lane),
    /** The pass in which a lane's cell is served; undefined where nobody asks for it. */
    served: (cell, lane) => {
      const word = Math.floor(cells.byte(cell) / WORD_BYTES);
      const half = counted.phases.length / row.addresses;
      for (let phase = phaseOf.get(lane); phase >= 0; phase -= half) {
        const pass = time.servedAt(phase, word, lane);
        if (pass !== undefined) return pass;
      }
      return undefined;
    },
  };
}

/** The phase whose banks are drawn: the one that is served, the chosen one, else the worst. */
export function shownPhase({ counted, time }, { phase, tick }) {
  if (tick !== null && tick < time.total) return counted.phases[time.phaseAt(tick)];
  if (phase !== null) return counted.phases[phase];
  return counted.phases.reduce((a, b) => (b.passes > a.passes ? b : a));
}

/** Words that each bank has to serve in the phase that is shown, at this time. */
export function wordsLeft(side, seen) {
  const shown = shownPhase(side, seen);
  const { tick } = seen;
  const left = tick === null ? null : tick < side.time.total ? side.time.leftAt(tick) : new Map();
  const words = (bank) => (left ? (left.get(bank) ?? 0) : (shown.banks.get(bank)?.size ?? 0));
  return Array.from({ length: side.row.banks }, (_, bank) => words(bank));
}

/** The lanes of the same phase that want another word of a bank that this lane wants. */
export function rivals({ row, offsets, counted }, lane) {
  const last = Math.floor((offsets[lane] + row.width - 1) / 4);
  const found = new Set();
  for (const phase of counted.phases) {
    if (!phase.lanes.includes(lane)) continue;
    for (let word = Math.floor(offsets[lane] / 4); word <= last; word++) {
      for (const [other, lanes] of phase.banks.get(word % row.banks) ?? []) {
        if (parseInt(other, 10) !== word) lanes.forEach((one) => found.add(one));
      }
    }
  }
  return [...found].sort((a, b) => a - b);
}
