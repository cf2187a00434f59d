/** From the page's state to a problem: machine, tile, layout, accesses. Refuses in words. */
import { count } from "./core/conflict.js";
import {
  columnsOf,
  directionText,
  isLinear,
  issue,
  linearLayout,
  offsetsBytes,
  phasePasses,
  plain,
  readDirections,
  touched,
} from "./core/tile.js";
import { inverse } from "./core/f2.js";
import { rowFold } from "./core/notations.js";
import { plan, solve } from "./core/search.js";
import { state, within } from "./state.js";

/**
 * {machine, tile, layout, before, requests, accesses, error, strange}; with an error there are no
 * accesses. `strange`: what the values ask for and is not there, one sentence each.
 */
export function readModel(values, machines) {
  const strange = [];
  const machine = machines.get(values.g) ?? machines.get("sm_90");
  if (machine.name !== values.g) strange.push(`no machine is called “${values.g}”`);
  const tile = readTile(values.t);
  const [layout, before] = ["l", "o"].map((key) => {
    const { fits, ...found } = readLayout(values[key], tile);
    if (!fits) strange.push(`“${values[key]}” is no layout of this tile`);
    return found;
  });
  const requests = readRequests(values.a);
  const model = { machine, tile, layout, before, requests, accesses: [], error: "", strange };
  if (within(values.c, (2 << (tile.columns + tile.rows)) - 1) >> (tile.columns + tile.rows))
    strange.push(`the tile has no element ${values.c}`);
  if (values.i === "layout" && within(values.v, 99) >= Math.max(1, requests.length))
    strange.push(`there is no access ${values.v}`);
  try {
    model.accesses = requests.map((request) => issue(machine, tile, request));
  } catch (error) {
    model.error = error.message;
  }
  return model;
}

function readTile(text) {
  const [columns, rows, elementBits] = text.split("x").map(Number);
  return { columns, rows, elementBits };
}

/** A layout of the tile, and whether that is what the text says: a tile may have fewer bits. */
function readLayout(text, tile) {
  const given = text.slice(1).split(".").map(Number);
  if (text[0] === "x") return readMatrix(given, tile);
  if (text[0] !== "f") return { kind: text[0] === "p" ? "pad" : "rotate", by: given[0], fits: true };
  const inside = (1 << tile.columns) - 1;
  const masks = plain(tile).masks.map((_, j) => (given[j] || 0) & inside);
  const fits = given.every((mask, j) => mask === (masks[j] ?? 0)) || text === UNTOUCHED;
  return { kind: "fold", masks, fits };
}

/** The layout that a link need not say; it is cut to a smaller tile without a word. */
const UNTOUCHED = state().l;

function readMatrix(columns, tile) {
  const bits = tile.columns + tile.rows;
  const fits = columns.length === bits && columns.every((c) => c > 0 && c < 1 << bits);
  const found = fits && inverse(columns);
  return { ...(found ? linearLayout(tile, columns) : plain(tile)), fits: Boolean(found) };
}

export function layoutText(layout) {
  if (layout.kind === "linear") return `x${layout.columns.join(".")}`;
  if (layout.kind === "fold") return `f${layout.masks.join(".")}`;
  return `${layout.kind === "pad" ? "p" : "r"}${layout.by}`;
}

function readRequests(text) {
  return text
    .split(",")
    .filter(Boolean)
    .slice(0, 64)
    .map((part) => {
      const [name = "access", op = "r", lanes = "", vector = ""] = part.split(":");
      const words = (list) => list.replaceAll(".", " ").replaceAll("-", "^").trim();
      return {
        name: name.slice(0, 24),
        op: op === "w" ? "write" : "read",
        lanes: words(lanes),
        vector: words(vector),
      };
    });
}

export function requestsText(requests) {
  const word = (list) => list.trim().replace(/\s+/g, ".").replace(/[\^⊕]/g, "-");
  const name = (text) => text.replace(/[^\w ]/g, "") || "access";
  return requests
    .map((r) => `${name(r.name)}:${r.op[0]}:${word(r.lanes)}:${word(r.vector)}`)
    .join(",");
}

/** A layout as far as another tile has its bits. */
export const fitted = (text, tile) => layoutText(readLayout(text, tile));

/** Requests that fit another tile or wave: unknown bits go, missing lane bits are filled up. */
export function adapted(requests, tile, machine) {
  const wanted = Math.log2(machine.wave_size);
  const units = Array.from({ length: tile.columns + tile.rows }, (_, i) =>
    directionText(1 << i, tile),
  );
  return requests.map((request) => {
    const known = (word) => {
      try {
        return readDirections(word, tile).length > 0;
      } catch {
        return false;
      }
    };
    const vector = request.vector.split(" ").filter(known);
    const lanes = request.lanes.split(" ").filter((word) => known(word) && !vector.includes(word));
    const rest = units.filter((unit) => !lanes.includes(unit) && !vector.includes(unit));
    return {
      ...request,
      vector: vector.join(" "),
      lanes: [...lanes, ...rest].slice(0, wanted).join(" "),
    };
  });
}

/** All register steps of one access: passes of each, as the definition counts them. */
export function countSteps(model, access, layout = model.layout) {
  const linear = isLinear(layout);
  const steps = 1 << access.registers.length;
  return Array.from({ length: linear ? 1 : steps }, (_, step) =>
    count(access.row, offsetsBytes(layout, model.tile, access, step)),
  );
}

/** Passes of one execution by the theorem; null where the layout is not linear. */
export function ranked(model, access) {
  if (!isLinear(model.layout)) return null;
  return phasePasses(model.tile, columnsOf(model.layout, model.tile), access) * access.phases;
}

/** Who touches each coordinate: arrays of lane and register step, -1 for nobody. */
export function owners(tile, access) {
  const size = 1 << (tile.columns + tile.rows);
  const lane = new Int16Array(size).fill(-1);
  const step = new Int16Array(size).fill(-1);
  for (let r = 0; r < 1 << access.registers.length; r++) {
    for (let t = 0; t < access.row.wave; t++) {
      const first = touched(access, t, r);
      for (let i = 0; i < 1 << access.vector.length; i++) {
        lane[first + i] = t;
        step[first + i] = r;
      }
    }
  }
  return { lane, step };
}

/** Ready layouts for this tile: [{name, layout, note}]. */
export function presets(model) {
  const { tile, accesses } = model;
  const unit = Math.max(0, ...accesses.map((access) => access.vector.length));
  const room = Math.max(0, tile.columns - unit);
  const chunk = unit ? `chunks of ${1 << unit}` : "elements";
  const cost = (layout) =>
    accesses.reduce(
      (sum, access) => sum + phasePasses(tile, columnsOf(layout, tile), access) * access.phases,
      0,
    );
  const best = (layouts) => layouts.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  const rows = Array.from({ length: tile.rows }, (_, j) => j);
  const triples = rows.flatMap((first) =>
    rows.flatMap((low) =>
      rows.map((bits) =>
        rowFold(tile, unit + low, first, Math.min(bits + 1, Math.max(0, room - low))),
      ),
    ),
  );
  return [
    {
      name: "Unswizzled",
      layout: plain(tile),
      note: "Row-major. The bank is a matter of the column alone.",
    },
    { name: "XOR m", layout: rowFold(tile, unit), note: `The classic: ${chunk} XOR the row.` },
    {
      name: "XOR 2m",
      layout: rowFold(tile, unit + 1),
      note: "One bit higher: the lowest free column bit stays as it is.",
    },
    {
      name: "Rotation",
      layout: { kind: "rotate", by: 1 << unit },
      note: `Row m shifted by ${1 << unit}·m. Carries, so it is counted, not solved.`,
    },
    {
      name: "Padding",
      layout: { kind: "pad", by: 1 << unit },
      note: `${1 << unit} unused behind every row: the same banks as rotation, and more memory.`,
    },
    {
      name: "Wave",
      layout: rowFold(tile, unit, 0, Math.min(3, room)),
      note: "chunk XOR (row mod max_phase), max_phase = min(8, chunks).",
    },
    {
      name: "xor_shuffle",
      layout: best(rows.map((first) => rowFold(tile, unit, first, room))),
      note: "IREE’s, with the per_phase that costs least here.",
    },
    {
      name: "CuTe",
      layout: best(triples),
      note: "The Swizzle<B, M, S> from row bits that costs least here.",
    },
  ];
}

/** The best row-preserving fold: {masks, cost, nodes, complete}. */
export function bestFold(model) {
  return solve(plan(model.tile, model.accesses));
}

/** The access that is looked at; undefined if there is none. */
export function chosen(model) {
  return model.accesses[within(state().v, model.accesses.length - 1)];
}
