/** Pointer and keyboard of the instrument: cells, lanes, banks and bits light up together. */
import { touched } from "../core/tile.js";
import { change, state, within } from "../state.js";
import { frame } from "../view/tile.js";
import { paint, paneSpec } from "./panes.js";

/** Follow the pointer and the arrow keys over tiles, lanes, bank hits and toggles. */
export function followPointer(view) {
  for (const pane of view.panes) {
    followTile(view, pane);
    followStrip(view, pane.hits, "bank");
  }
  followStrip(view, view.parts.lanes, "lane");
  followToggles(view);
}

/** Look at something else; what stays the same is not painted again. */
function point(view, next) {
  const same = next?.kind === view.point?.kind && next?.at === view.point?.at;
  if ((same && next?.more === view.point?.more) || !view.seen.sides.length) return;
  view.point = next;
  paint(view);
}

const sideOf = (view, pane) => view.seen.sides.find(({ tag }) => tag === pane.tag);

function followTile(view, pane) {
  const { canvas } = pane;
  const at = (event) => {
    const spec = paneSpec(view, pane, sideOf(view, pane));
    const { left, top } = frame(spec);
    const n = Math.floor((event.offsetX - left) / spec.size);
    const m = Math.floor((event.offsetY - top) / spec.size);
    const inside = n >= 0 && m >= 0 && n < spec.columns && m < spec.rows;
    return inside ? m * spec.columns + n : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const cell = at(event);
    point(view, cell === null ? null : { kind: "cell", at: cell });
  });
  canvas.addEventListener("pointerleave", () => point(view, null));
  canvas.addEventListener("click", (event) => change({ c: String(at(event) ?? ""), b: "" }));
  canvas.addEventListener("keydown", (event) => {
    const { columns: down, rows } = sideOf(view, pane);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: down, ArrowUp: -down, Escape: 0 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    if (event.key === "Escape") return change({ c: "", b: "" });
    const size = down * rows;
    const step = steps[event.key];
    const from = state().c === "" ? -step : within(state().c, size - 1);
    change({ c: String((from + step + size) % size), b: "" });
  });
}

/** Lanes and banks: point at one, click to pin it, walk with the arrow keys, Escape lets go. */
function followStrip(view, strip, kind) {
  const under = (event) => event.target.dataset?.[kind];
  strip.addEventListener("pointermove", (event) => {
    const found = under(event);
    point(view, found === undefined ? null : { kind, at: Number(found) });
  });
  strip.addEventListener("pointerleave", () => point(view, null));
  strip.addEventListener("click", (event) => {
    if (under(event) !== undefined) pin(view, kind, Number(under(event)));
  });
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Escape: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (!step) return change({ b: "", c: "" });
    const { row } = view.seen;
    const many = kind === "lane" ? row.wave : row.banks;
    pin(view, kind, (pinned(view, kind) + step + many) % many);
  });
}

function pinned(view, kind) {
  const { b, c } = state();
  if (kind === "bank") return b === "" ? -1 : within(b, view.seen.row.banks - 1);
  const { rows, columns, lane } = view.seen.sides.at(-1);
  return c === "" ? -1 : lane(within(c, rows * columns - 1));
}

/** The link pins a bank, or a lane by the first cell that it touches at this step. */
function pin(view, kind, at) {
  view.point = null;
  if (kind === "bank") return change({ b: String(at), c: "" });
  const { access, step, sides } = view.seen;
  const { owned, rows, columns, lane } = sides.at(-1);
  const cells = rows * columns;
  const first = () => Array.from({ length: cells }, (_, cell) => cell).find((c) => lane(c) === at);
  change({ c: String((owned ? touched(access, at, step) : first()) ?? ""), b: "" });
}

/** A toggle, or the name of a bit: the rows or columns in which the bit is set. */
function followToggles(view) {
  const { toggles } = view.parts;
  const look = (event) => {
    const { j, k } = event.target.dataset ?? {};
    if (j !== undefined) {
      const more = k === undefined ? "" : `; folded there, their slots change by n${k}`;
      point(view, { kind: "row", at: Number(j), more });
    } else if (k !== undefined) point(view, { kind: "column", at: Number(k), more: "" });
    else point(view, null);
  };
  toggles.addEventListener("pointerover", look);
  toggles.addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible")) look(event);
  });
  toggles.addEventListener("pointerleave", () => point(view, null));
  toggles.addEventListener("focusout", () => point(view, null));
}
