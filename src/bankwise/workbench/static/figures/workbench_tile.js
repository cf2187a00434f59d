/** The tile of the workbench, its lanes, its bank hits, and what lights up together. */
import { elementBytes, offset } from "../core/tile.js";
import { state, within } from "../state.js";
import { hitsOf, hitsSvg, lanesSvg } from "../view/charts.js";
import { claim, h, refill, remake } from "../view/dom.js";
import { show } from "../view/svg.js";
import { frame, paintTile } from "../view/tile.js";
import { theme } from "../view/theme.js";

/** Paint the tile and everything that is linked with it. */
export function paint(view) {
  paintTileOf(view);
  if (!view.seen.access) return;
  const light = spotlight(view);
  paintHits(view, light);
  paintLanes(view, light);
  refill(view.parts.inspect, h("p", { class: "inspect", "aria-live": "polite" }, inspected(view)));
  tint(view, light.cell);
}

/** The phase that the bars show: the chosen one, else the worst. */
export function shownPhase({ counted, phase }) {
  if (phase !== null) return counted.phases[phase];
  return counted.phases.reduce((a, b) => (b.passes > a.passes ? b : a));
}

function paintHits(view, light) {
  const { access, counted, phase, step } = view.seen;
  const shown = shownPhase(view.seen);
  const number = counted.phases.indexOf(shown);
  const words = `${shown.passes} ${shown.passes === 1 ? "word" : "words"} in the fullest bank`;
  const { hits } = view.parts;
  remake(hits, "once", () => [h("h4"), strip("banks")]);
  refill(
    hits.firstChild,
    `Bank hits of ${access.name}, step ${step}`,
    counted.phases.length > 1 ? `, phase ${number}${phase === null ? " (the worst)" : ""}` : "",
    " · ",
    claim("hits-worst", shown.passes, words),
  );
  show(hits.lastChild, hitsSvg(hitsOf(shown, access.row.banks), { marked: light.banks }));
}

function paintLanes(view, light) {
  const { access, offsets, counted, phase } = view.seen;
  const served = phase === null ? null : new Set(counted.phases[phase].lanes);
  const lanes = offsets.map((byte, lane) => ({
    bank: Math.floor(byte / 4) % access.row.banks,
    rivals: rivals(view.seen, lane).length,
    served: !served || served.has(lane),
  }));
  remake(view.parts.lanes, "once", () => [strip("lanes")]);
  show(view.parts.lanes.lastChild, lanesSvg(lanes, access.row.banks, { marked: light.lanes }));
}

const strip = (name) =>
  h("div", {
    class: "chart",
    tabindex: 0,
    role: "group",
    "aria-label": `${name}: the arrow keys choose one, Escape lets go`,
  });

/** The lanes of the same phase that want another word of a bank that this lane wants. */
export function rivals({ access, offsets, counted }, lane) {
  const last = Math.floor((offsets[lane] + access.row.width - 1) / 4);
  const found = new Set();
  for (const phase of counted.phases) {
    if (!phase.lanes.includes(lane)) continue;
    for (let word = Math.floor(offsets[lane] / 4); word <= last; word++) {
      for (const [other, lanes] of phase.banks.get(word % access.row.banks) ?? []) {
        if (other !== word) lanes.forEach((one) => found.add(one));
      }
    }
  }
  return [...found].sort((a, b) => a - b);
}

function bankOf(model, access, coordinate) {
  const byte = offset(model.layout, model.tile, coordinate) * elementBytes(model.tile);
  return Math.floor(byte / 4) % (access?.row.banks ?? 32);
}

/** What is pointed at, else what the link pins: {kind: cell | lane | bank | row | column, at}. */
function pointed(view) {
  const { b, c } = state();
  const { access, model } = view.seen;
  if (view.point) return view.point;
  if (b !== "") return { kind: "bank", at: within(b, (access?.row.banks ?? 32) - 1) };
  if (c === "") return null;
  return { kind: "cell", at: within(c, (1 << (model.tile.columns + model.tile.rows)) - 1) };
}

/** What lights up: {cell, banks, lanes, faint(coordinate, bank)}. */
export function spotlight(view) {
  const { model, access } = view.seen;
  const point = pointed(view);
  const light = { cell: null, banks: new Set(), lanes: new Set(), faint: () => false };
  if (!point || !access) return light;
  const { kind, at } = point;
  const shift = kind === "row" ? model.tile.columns + at : at;
  if (kind === "cell") {
    light.cell = at;
    light.banks.add(bankOf(model, access, at));
    if (view.owners.step[at] === view.seen.step) light.lanes.add(view.owners.lane[at]);
  } else if (kind === "bank") {
    light.banks.add(at);
    const words = shownPhase(view.seen).banks.get(at) ?? new Map();
    for (const lanes of words.values()) lanes.forEach((lane) => light.lanes.add(lane));
    light.faint = (_, bank) => bank !== at;
  } else if (kind === "lane") {
    light.lanes.add(at);
    light.banks.add(Math.floor(view.seen.offsets[at] / 4) % access.row.banks);
    light.faint = (coordinate) => view.owners.lane[coordinate] !== at;
  } else light.faint = (coordinate) => !((coordinate >> shift) & 1);
  return light;
}

/** What the tile draws, cell by cell. */
export function tileSpec(view) {
  const { model, access, counted, phase, step } = view.seen;
  const { tile } = model;
  const columns = 1 << tile.columns;
  const banks = access?.row.banks ?? 32;
  const served = phase === null || !access ? null : new Set(counted.phases[phase].lanes);
  const size = Math.max(17, Math.min(24, Math.floor((view.room - 28) / columns)));
  const light = spotlight(view);
  return {
    rows: 1 << tile.rows,
    columns,
    size,
    banks,
    rowLabel: (m) => m,
    columnLabel: (n) => n,
    alt: `tile of ${1 << tile.rows} rows and ${columns} columns coloured by bank`,
    cell: (m, n) => {
      const coordinate = (m << tile.columns) | n;
      const bank = bankOf(model, access, coordinate);
      const lane =
        access && view.owners.step[coordinate] === step ? view.owners.lane[coordinate] : -1;
      const here = lane >= 0 && (!served || served.has(lane));
      const ring = here ? (lane < access.row.wave / 2 ? 1 : 2) : 0;
      const pinned = coordinate === light.cell ? 2 : 0;
      return {
        bank,
        banks,
        text: bank,
        ring: ring || pinned,
        faint: light.faint(coordinate, bank),
      };
    },
  };
}

/** Tint the toggles that act on the cell, and the names of the bits that are set in it. */
function tint(view, cell) {
  const { columns } = view.seen.model.tile;
  const set = (bit) => cell !== null && Boolean((cell >> bit) & 1);
  for (const element of view.parts.toggles.querySelectorAll("[data-j], [data-k]")) {
    const { j, k } = element.dataset;
    const bit = j === undefined ? Number(k) : columns + Number(j);
    const acts = element.tagName === "TH" || element.getAttribute("aria-pressed") === "true";
    element.classList.toggle("lit", acts && set(bit));
  }
}

function inspected(view) {
  const { model, access } = view.seen;
  const point = pointed(view);
  if (!point) {
    return "Point at a cell, a lane, a bank or a toggle, or focus one and use the arrow keys.";
  }
  if (point.kind === "cell") return [inCell(view, point.at)];
  if (point.kind === "lane") {
    const coordinate = access.lanes.reduce((x, d, i) => ((point.at >> i) & 1 ? x ^ d : x), 0);
    const step = access.registers.reduce((x, d, i) => ((view.seen.step >> i) & 1 ? x ^ d : x), 0);
    return [inCell(view, coordinate ^ step)];
  }
  if (point.kind === "bank") {
    const words = shownPhase(view.seen).banks.get(point.at) ?? new Map();
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
  const { model, access } = view.seen;
  const columns = 1 << model.tile.columns;
  const [m, n] = [here >> model.tile.columns, here & (columns - 1)];
  const place = offset(model.layout, model.tile, here);
  const moved = model.layout.kind === "fold" && place - m * columns !== n;
  const slot = moved
    ? `, moved to slot ${place - m * columns} = ${n} ⊕ ${n ^ (place - m * columns)}`
    : "";
  const lane = view.owners.lane[here];
  const step = view.owners.step[here];
  const said = h(
    "span",
    {},
    `row ${m}, column ${n}${slot} · byte ${place * elementBytes(model.tile)} · ` +
      `bank ${bankOf(model, access, here)}`,
    lane < 0 ? "" : ` · ${access.name}: lane ${lane}, step ${step}`,
  );
  if (lane >= 0 && step === view.seen.step) {
    const others = rivals(view.seen, lane);
    const text = others.length ? `waits for lane ${others.join(", ")}` : "waits for nobody";
    said.append(", ", claim("inspect-rivals", others.join(" "), text));
  }
  return said;
}

/** The canvas; what looks as before is not painted again. */
function paintTileOf(view) {
  const spec = tileSpec(view);
  const { width, height } = frame(spec);
  const scale = window.devicePixelRatio || 1;
  const colours = theme.colours();
  const looks = [width, height, spec.size, scale, colours.paper, spec.banks].join();
  const fresh = looks !== view.looks;
  const { canvas } = view;
  if (fresh) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.setAttribute("aria-label", spec.alt);
    canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    view.looks = looks;
  }
  paintTile(canvas.getContext("2d"), spec, colours, fresh);
}
