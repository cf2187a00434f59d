/** A and B beside each other: the tile of each, its banks, and what lights up together. */
import { simplest, singleFold } from "../core/fold.js";
import { cute } from "../core/frameworks.js";
import { wordsLeft, rivals, shownPhase } from "./sides.js";
import { inspected, spotlight } from "./spotlight.js";
import { hitsSvg, lanesSvg } from "../view/charts.js";
import { claim, h, number, put, refill, remake, torn, verdict } from "../view/dom.js";
import { show } from "../view/svg.js";
import { cellOf, frame, look, paintTile } from "../view/tile.js";
import { theme } from "../view/theme.js";

/** Cells that show their number; a tile that is not enlarged takes what room there is. */
const READABLE = 17;
const LARGEST = 24;
/** The share of the screen that a tile may be tall. */
const TALLEST = 0.44;

/** The elements of one pane. */
export function pane(tag) {
  const canvas = h("canvas", { tabindex: 0, role: "img", class: `wb-tile side-${tag}` });
  const stage = h("div", { class: "scroll wb-stage" }, canvas);
  const hits = h("div", { class: "wb-hits" }, h("h3"), strip("banks", tag));
  const said = h("p", { class: "said" });
  const title = h("h2", {}, h("b", {}, tag), " ", h("span", { class: "what" }));
  const element = h("section", { class: "pane", "data-side": tag }, title, said, stage, hits);
  return { tag, canvas, stage, hits, said, what: title.lastChild, element };
}

export const strip = (name, of = "") =>
  h("div", {
    class: "chart",
    tabindex: 0,
    role: "group",
    "aria-label": `${name}${of && ` of ${of}`}: the arrow keys choose one, Escape lets go`,
  });

/**
 * Paint whenever the room of the panes is another. To ask for it at every press would make the
 * browser lay out the page twice.
 */
export function follow(view) {
  const { panes, parts } = view;
  const fit = new ResizeObserver(() => {
    for (const pane of panes) pane.room = pane.stage.clientWidth;
    view.room = parts.lanes.clientWidth;
    paint(view);
  });
  for (const element of [parts.lanes, ...panes.map(({ stage }) => stage)]) fit.observe(element);
}

/** Paint the panes and everything that is linked with them. */
export function paint(view) {
  const { sides } = view.seen;
  for (const pane of view.panes) {
    const side = sides.find(({ tag }) => tag === pane.tag);
    if (side) paintPane(view, pane, side);
  }
  if (!sides.length) return;
  const light = spotlight(view, sides.at(-1));
  paintLanes(view, light);
  refill(view.parts.inspect, h("p", { class: "inspect", "aria-live": "polite" }, inspected(view)));
  tint(view, light.cell);
}

function paintPane(view, pane, side) {
  const { name } = view.seen.access;
  const { passes, ideal, ways } = side.counted;
  const named = side.text ?? layoutName(view.seen.model.tile, side.layout);
  put(pane.what, {}, side.bytes ? `${named} · ${number(side.bytes)} bytes` : named);
  remake(pane.said, `${name} ${passes} ${ideal} ${ways} ${side.torn}`, () => [
    h("span", { class: "who" }, name),
    side.torn ? torn() : verdict(`side-${side.tag}`, passes, ideal, ways),
  ]);
  paintHits(view, pane, side);
  if (pane.room) paintTileOf(view, pane, side);
}

/** A layout in as few words as there are. */
export function layoutName(tile, layout) {
  const least = simplest(tile, layout);
  if (singleFold(tile, least)?.count === 0) return "row-major";
  if (least.kind === "pad") return `rows padded by ${least.by}`;
  if (least.kind === "rotate") return `rows rotated by ${least.by}`;
  const found = cute(tile, least)?.split(" ")[0];
  return found ?? (least.kind === "fold" ? `row masks ${least.masks.join(" ")}` : "a matrix");
}

function paintHits(view, pane, side) {
  const { seen } = view;
  pane.hits.hidden = Boolean(side.torn); // What an instruction wants that there is not.
  const shown = shownPhase(side, seen);
  const number = side.counted.phases.indexOf(shown);
  const words = `${shown.passes} ${shown.passes === 1 ? "word" : "words"} in the fullest bank`;
  const [title, chart] = pane.hits.children;
  const chosen = seen.phase === null && seen.tick === null ? " (the worst)" : "";
  remake(title, `${number} ${shown.passes} ${side.counted.phases.length} ${chosen}`, () => [
    side.counted.phases.length > 1 ? `Phase ${number}${chosen}: ` : "",
    claim(side.tag === "B" ? "hits-worst" : "hits-worst-A", shown.passes, words),
  ]);
  const hits = wordsLeft(side, seen);
  const worst = Math.max(1, ...seen.sides.map(({ counted }) => counted.ways));
  const marked = spotlight(view, side).banks;
  show(chart, hitsSvg(hits, { marked, worst, width: Math.max(260, pane.room || 0) }));
}

function paintLanes(view, light) {
  const { seen } = view;
  const side = seen.sides.at(-1);
  const { access, phase, tick } = seen;
  const served = phase === null ? null : new Set(side.counted.phases[phase].lanes);
  const lanes = side.offsets.map((byte, lane) => ({
    bank: Math.floor(byte / 4) % access.row.banks,
    rivals: rivals(side, lane).length,
    served: tick === null ? !served || served.has(lane) : !left(side, lane, tick),
  }));
  const marks = { marked: light.lanes, width: Math.max(260, Math.min(view.room || 0, 900)) };
  put(view.parts.lanes.firstChild, {}, `Lanes of ${side.tag}, and the bank of each`);
  show(view.parts.lanes.lastChild, lanesSvg(lanes, access.row.banks, marks));
}

/** Whether the phase of a lane is over before this pass. */
function left({ time, phaseOf }, lane, pass) {
  return pass >= time.total || time.phaseAt(pass) > phaseOf(lane);
}

/** What a pane draws, row by row. */
export function paneSpec(view, pane, side) {
  const { seen } = view;
  const light = spotlight(view, side);
  const code = (cell) => {
    const bank = side.bank(cell);
    const { ring, faint } = marks(seen, side, cell);
    const pinned = cell === light.cell ? 2 : 0;
    return look(bank, ring || pinned, faint || light.faint(cell, bank));
  };
  const { rows, columns } = side;
  return {
    rows,
    columns,
    size: cellSize(view, pane, side),
    banks: side.row.banks,
    rowLabel: side.rowLabel,
    columnLabel: (n) => n,
    alt: `${side.tag}: ${rows} rows and ${columns} columns coloured by bank`,
    look: (m) => Array.from({ length: columns }, (_, n) => code(m * columns + n)),
    cell: (m, n) => cellOf(code(m * columns + n), side.row.banks),
  };
}

/** Which cells an access has now: waiting (dark), served in this pass (light), gone (faint). */
function marks({ phase, tick, row }, side, cell) {
  const lane = side.lane(cell);
  if (lane < 0 || (phase !== null && side.phaseOf(lane) !== phase)) return { ring: 0, faint: false };
  if (tick === null) return { ring: second(row, side, lane) ? 2 : 1, faint: false };
  const pass = side.served(cell, lane) ?? -1;
  return { ring: pass === tick ? 2 : pass > tick ? 1 : 0, faint: pass < tick };
}

/** Which of the two rings a lane has at rest: phases take turns, a single one shows its halves. */
const second = (row, side, lane) =>
  row.phases.length > 1 ? side.phaseOf(lane) % 2 : lane >= row.wave / 2;

/** A whole number of the screen's pixels, so that cells are sharp. */
function cellSize(view, pane, { rows, columns }) {
  const scale = window.devicePixelRatio || 1;
  const tall = (TALLEST * Math.max(window.innerHeight, 600)) / rows;
  const room = Math.min((pane.room - 28) / columns, tall, LARGEST);
  const wanted = view.seen.values.z === "1" ? Math.max(READABLE, room) : room;
  return Math.max(1, Math.floor(wanted * scale)) / scale;
}

/** The canvas; what looks as before is not painted again. */
function paintTileOf(view, pane, side) {
  const spec = paneSpec(view, pane, side);
  const { width, height } = frame(spec);
  const scale = window.devicePixelRatio || 1;
  const colours = theme.colours();
  const labels = side.text ?? "";
  const looks = [width, height, spec.size, scale, colours.paper, spec.banks, labels].join();
  const fresh = looks !== pane.looks;
  const { canvas } = pane;
  if (fresh) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.setAttribute("aria-label", spec.alt);
    canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    pane.looks = looks;
  }
  paintTile(canvas.getContext("2d"), spec, colours, fresh);
}

/** Tint the toggles that act on the cell, and the names of the bits that are set in it. */
function tint(view, cell) {
  if (view.tinted === cell && cell === null) return;
  view.tinted = cell;
  const { columns } = view.seen.model.tile;
  const set = (bit) => cell !== null && Boolean((cell >> bit) & 1);
  for (const element of view.parts.toggles.querySelectorAll("[data-j], [data-k]")) {
    const { j, k } = element.dataset;
    const bit = j === undefined ? Number(k) : columns + Number(j);
    const acts = element.tagName === "TH" || element.getAttribute("aria-pressed") === "true";
    element.classList.toggle("lit", acts && set(bit));
  }
}
