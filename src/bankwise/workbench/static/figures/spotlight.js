/** What is pointed at or pinned: what lights up with it, and what is said about it. */
import { elementBytes, offset } from "../core/tile.js";
import { state, within } from "../state.js";
import { rivals, shownPhase } from "./sides.js";
import { claim, h } from "../view/dom.js";

/** What is pointed at, else what the link pins: {kind: cell | lane | bank | row | column, at}. */
function pointed(view) {
  const { b, c } = state();
  const side = view.seen.sides.at(-1);
  if (view.point) return view.point;
  if (b !== "") return { kind: "bank", at: within(b, side.row.banks - 1) };
  if (c === "") return null;
  return { kind: "cell", at: within(c, side.rows * side.columns - 1) };
}

/** What lights up on a side: {cell, banks, lanes, faint(cell, bank)}. */
export function spotlight(view, side) {
  const point = pointed(view);
  const light = { cell: null, banks: new Set(), lanes: new Set(), faint: () => false };
  if (!point) return light;
  const { kind, at } = point;
  if (kind === "cell") {
    if (at >= side.rows * side.columns) return light;
    light.cell = at;
    light.banks.add(side.bank(at));
    if (side.lane(at) >= 0) light.lanes.add(side.lane(at));
  } else if (kind === "bank") {
    light.banks.add(at);
    const words = shownPhase(side, view.seen).banks.get(at) ?? new Map();
    for (const lanes of words.values()) lanes.forEach((lane) => light.lanes.add(lane));
    light.faint = (_, bank) => bank !== at;
  } else if (kind === "lane") {
    light.lanes.add(at);
    light.banks.add(Math.floor(side.offsets[at] / 4) % side.row.banks);
    light.faint = (cell) => (side.owned ? side.owned.lane[cell] : side.lane(cell)) !== at;
  } else {
    const shift = kind === "row" ? view.seen.model.tile.columns + at : at;
    light.faint = (cell) => !((cell >> shift) & 1);
  }
  return light;
}

/** The line below the tiles. */
export function inspected(view) {
  const { model, access, step, sides } = view.seen;
  const side = sides.at(-1);
  const point = pointed(view);
  if (!point) {
    return "Point at a cell, a lane, a bank or a toggle, or focus one and use the arrow keys.";
  }
  if (point.kind === "cell") return [inCell(view, point.at)];
  if (point.kind === "lane") {
    if (!side.owned) return [inLane(side, point.at)];
    const coordinate = access.lanes.reduce((x, d, i) => ((point.at >> i) & 1 ? x ^ d : x), 0);
    const moved = access.registers.reduce((x, d, i) => ((step >> i) & 1 ? x ^ d : x), 0);
    return [inCell(view, coordinate ^ moved)];
  }
  if (point.kind === "bank") {
    const words = shownPhase(side, view.seen).banks.get(point.at) ?? new Map();
    const wanted = [...words].map(([word, lanes]) => `word ${word} by lane ${lanes.join(", ")}`);
    return [`bank ${point.at}: `, claim("inspect-words", words.size, `${words.size} words`)].concat(
      wanted.length ? ` · ${wanted.join(" · ")}` : "",
    );
  }
  const name = `${point.kind === "row" ? "m" : "n"}${point.at}`;
  const { rows, columns } = model.tile;
  const many = 1 << (point.kind === "row" ? rows - 1 : columns - 1);
  return `${name}: the ${many} ${point.kind}s in which this bit is set${point.more ?? ""}`;
}

function inCell(view, here) {
  const side = view.seen.sides.at(-1);
  const lane = side.lane(here);
  if (!side.owned) {
    const what = `byte ${side.byte(here)} · bank ${side.bank(here)}`;
    return lane < 0 ? `${what} · no lane wants it` : inLane(side, lane);
  }
  const { model, access } = view.seen;
  const columns = 1 << model.tile.columns;
  const [m, n] = [here >> model.tile.columns, here & (columns - 1)];
  const place = offset(side.layout, model.tile, here);
  const moved = side.layout.kind === "fold" && place - m * columns !== n;
  const slot = moved
    ? `, moved to slot ${place - m * columns} = ${n} ⊕ ${n ^ (place - m * columns)}`
    : "";
  const owner = side.owned.lane[here];
  const said = h(
    "span",
    {},
    `row ${m}, column ${n}${slot} · byte ${place * elementBytes(model.tile)} · ` +
      `bank ${side.bank(here)}`,
    owner < 0 ? "" : ` · ${access.name}: lane ${owner}, step ${side.owned.step[here]}`,
  );
  if (lane >= 0) said.append(", ", waiting(side, lane));
  return said;
}

function inLane(side, lane) {
  const byte = side.offsets[lane];
  const bank = Math.floor(byte / 4) % side.row.banks;
  return h("span", {}, `lane ${lane} · byte ${byte} · bank ${bank}, `, waiting(side, lane));
}

function waiting(side, lane) {
  const others = rivals(side, lane);
  const text = others.length ? `waits for lane ${others.join(", ")}` : "waits for nobody";
  return claim("inspect-rivals", others.join(" "), text);
}
