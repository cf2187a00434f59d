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

/** {machine, tile, layout, requests, accesses, error}; with an error there are no accesses. */
export function readModel(values, machines) {
  const machine = machines.get(values.g) ?? machines.get("sm_90");
  const tile = readTile(values.t);
  const layout = readLayout(values.l, tile);
  const requests = readRequests(values.a);
  const model = { machine, tile, layout, requests, accesses: [], error: "" };
  try {
    model.accesses = requests.map((request) => issue(machine, tile, request));
  } catch (error) {
    model.error = error.message;
  }
  return model;
}

function readTile(text) {
  const found = /^([1-7])x([1-7])x(8|16|32|64)$/.exec(text) ?? /(5)x(4)x(32)/.exec("5x4x32");
  const [columns, rows, elementBits] = found.slice(1).map(Number);
  return { columns, rows, elementBits };
}

function readLayout(text, tile) {
  if (text[0] === "x") return readMatrix(text.slice(1).split(".").map(Number), tile);
  const found = /^(?:f([\d.]*)|([pr])(\d{1,3}))$/.exec(text);
  if (!found) return plain(tile);
  if (found[2]) return { kind: found[2] === "p" ? "pad" : "rotate", by: Number(found[3]) };
  const given = found[1].split(".").map(Number);
  const inside = (1 << tile.columns) - 1;
  return { kind: "fold", masks: plain(tile).masks.map((_, j) => (given[j] || 0) & inside) };
}

/** A matrix as columns; row-major if it is none of this tile's, or sends two elements to one place. */
function readMatrix(columns, tile) {
  const bits = tile.columns + tile.rows;
  const fits = columns.length === bits && columns.every((c) => c > 0 && c < 1 << bits);
  return fits && inverse(columns) ? linearLayout(tile, columns) : plain(tile);
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
export function countSteps(model, access) {
  const linear = isLinear(model.layout);
  const steps = 1 << access.registers.length;
  return Array.from({ length: linear ? 1 : steps }, (_, step) =>
    count(access.row, offsetsBytes(model.layout, model.tile, access, step)),
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

/** Sessions to start from; each fits its machine. */
export const SCENARIOS = [
  [
    "Transpose 16×32 f32, one warp",
    {
      g: "sm_90",
      t: "5x4x32",
      l: "f1.2.4.8",
      a: "store:w:n0.n1.n2.n3.n4:,read:r:m0.m1.m2.m3.n0:",
      v: "1",
    },
  ],
  [
    "MFMA operand 64×128 f16, 8-byte reads (gfx942)",
    {
      g: "gfx942",
      t: "7x6x16",
      l: "f",
      a: "store:w:n2.n3.n4.n5.n6.m0:n0.n1,read:r:m0.m1.m2.m3.n2.n3:n0.n1",
      v: "1",
    },
  ],
  [
    "MFMA operand 32×64 f16, 16-byte reads (gfx950)",
    { g: "gfx950", t: "6x5x16", l: "f", a: "read:r:m0.m1.m2.m3.n3.n4:n0.n1.n2", v: "0" },
  ],
  [
    "Three accesses of one 64×64 f32 tile",
    {
      g: "sm_90",
      t: "6x6x32",
      l: "f",
      a: "rows:w:n0.n1.n2.n3.n4:,columns:r:m0.m1.m2.m3.m4:,blocks:r:n0.n1.m0.m1.m2:",
      v: "1",
    },
  ],
  [
    "32-element rows f16, 16-byte reads (gfx950)",
    { g: "gfx950", t: "5x5x16", l: "f", a: "read:r:m0.m1.m2.m3.n3.n4:n0.n1.n2", v: "0" },
  ],
];

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
