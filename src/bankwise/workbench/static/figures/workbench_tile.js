/** The tile of the workbench on its canvas, the bank hits below it, and what the pointer says. */
import { elementBytes, offset } from "../core/tile.js";
import { change, state, within } from "../state.js";
import { hitsOf, hitsSvg } from "../view/charts.js";
import { claim, h, refill } from "../view/dom.js";
import { frame, paintTile } from "../view/tile.js";
import { theme } from "../view/theme.js";

/** Paint the tile and the hits; called alone while the pointer moves. */
export function paint(view) {
  paintOnlyTile(view);
  const { access, counted, phase, step } = view.seen;
  if (!access) return;
  const worst = counted.phases.reduce((a, b) => (b.passes > a.passes ? b : a));
  const shown = phase === null ? worst : counted.phases[phase];
  const number = counted.phases.indexOf(shown);
  refill(
    view.parts.hits,
    h(
      "h4",
      {},
      `Bank hits of ${access.name}, step ${step}`,
      counted.phases.length > 1 ? `, phase ${number}${phase === null ? " (the worst)" : ""}` : "",
      " · ",
      claim(
        "hits-worst",
        shown.passes,
        `${shown.passes} ${shown.passes === 1 ? "word" : "words"} in the fullest bank`,
      ),
    ),
  );
  const drawn = h("div", { class: "chart" });
  drawn.innerHTML = hitsSvg(hitsOf(shown, access.row.banks), { marked: cellBank(view) });
  view.parts.hits.append(drawn);
  refill(view.parts.inspect, h("p", { class: "inspect", "aria-live": "polite" }, inspected(view)));
}

function bankOf(model, access, coordinate) {
  const byte = offset(model.layout, model.tile, coordinate) * elementBytes(model.tile);
  return Math.floor(byte / 4) % (access?.row.banks ?? 32);
}

export function tileSpec(view) {
  const { model, access, counted, phase, step } = view.seen;
  const { tile } = model;
  const columns = 1 << tile.columns;
  const banks = access?.row.banks ?? 32;
  const served = phase === null || !access ? null : new Set(counted.phases[phase].lanes);
  const size = Math.max(15, Math.min(24, Math.floor((view.room - 28) / columns)));
  const pinned = cell(view);
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
      const off = view.bank !== null ? bank !== view.bank : false;
      return { bank, banks, text: bank, ring: ring || (coordinate === pinned ? 2 : 0), faint: off };
    },
  };
}

/** The coordinate that is pointed at, else the one in the URL; null for none. */
function cell(view) {
  const { columns, rows } = view.seen.model.tile;
  return view.hover ?? (state().c === "" ? null : within(state().c, (1 << (columns + rows)) - 1));
}

function cellBank(view) {
  const { model, access } = view.seen;
  if (view.bank !== null) return view.bank;
  return cell(view) === null ? null : bankOf(model, access, cell(view));
}

function inspected(view) {
  const { model, access } = view.seen;
  const here = cell(view);
  if (here === null) {
    return "Point at a cell, or focus the tile and use the arrow keys.";
  }
  const columns = 1 << model.tile.columns;
  const [m, n] = [here >> model.tile.columns, here & (columns - 1)];
  const place = offset(model.layout, model.tile, here);
  const slot =
    model.layout.kind === "fold" && place - m * columns !== n
      ? `, moved to slot ${place - m * columns} = ${n} ⊕ ${n ^ (place - m * columns)}`
      : "";
  const lane = view.owners.lane[here];
  const who = lane < 0 ? "" : ` · ${access.name}: lane ${lane}, step ${view.owners.step[here]}`;
  return (
    `row ${m}, column ${n}${slot} · byte ${place * elementBytes(model.tile)} · ` +
    `bank ${bankOf(model, access, here)}${who}`
  );
}

export function followPointer(view) {
  const { canvas, parts } = view;
  const at = (event) => {
    const spec = tileSpec(view);
    const { left, top } = frame(spec);
    const n = Math.floor((event.offsetX - left) / spec.size);
    const m = Math.floor((event.offsetY - top) / spec.size);
    const inside = n >= 0 && m >= 0 && n < spec.columns && m < spec.rows;
    return inside ? (m << view.seen.model.tile.columns) | n : null;
  };
  const look = (coordinate) => {
    if (coordinate === view.hover) return;
    view.hover = coordinate;
    paint(view);
  };
  canvas.addEventListener("pointermove", (event) => look(at(event)));
  canvas.addEventListener("pointerleave", () => look(null));
  canvas.addEventListener("click", (event) => change({ c: String(at(event) ?? "") }));
  canvas.addEventListener("keydown", (event) => {
    const { columns, rows } = view.seen.model.tile;
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: 1 << columns,
      ArrowUp: -(1 << columns),
    };
    if (!(event.key in step)) return;
    event.preventDefault();
    const size = 1 << (columns + rows);
    const from = state().c === "" ? -step[event.key] : within(state().c, size - 1);
    change({ c: String((from + step[event.key] + size) % size) });
  });
  parts.hits.addEventListener("pointerover", (event) => {
    const bank = event.target.dataset?.bank;
    const next = bank === undefined ? null : Number(bank);
    if (next === view.bank) return;
    view.bank = next;
    paintOnlyTile(view);
  });
  parts.hits.addEventListener("pointerleave", () => {
    view.bank = null;
    paintOnlyTile(view);
  });
}

/** The tile alone: the bars must stay in place under the pointer that points at them. */
function paintOnlyTile(view) {
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
