/** The swizzle workbench: controls, tile and bank hits, drawn anew from the state. */
import { count } from "../core/conflict.js";
import { offsetsBytes } from "../core/tile.js";
import { owners, readModel } from "../model.js";
import { listen, state, within } from "../state.js";
import { h, refill } from "../view/dom.js";
import { theme } from "../view/theme.js";
import {
  accessRows,
  exports,
  presetButtons,
  scrubbers,
  setup,
  solver,
  toggles,
} from "./workbench_controls.js";
import { followPointer, paint } from "./workbench_tile.js";

/** Mount the workbench; `machines` by name. */
export function mountWorkbench(root, machines) {
  const parts = Object.fromEntries(
    ["setup", "toggles", "presets", "solver", "accesses", "scrub", "inspect", "hits", "export"].map(
      (name) => [name, h("div", { class: `wb-${name}` })],
    ),
  );
  const canvas = h("canvas", { tabindex: 0, role: "img", class: "wb-tile" });
  const view = { machines, parts, canvas, hover: null, bank: null, message: "" };
  root.append(
    parts.setup,
    h(
      "div",
      { class: "wb-body" },
      h("div", { class: "wb-side" }, parts.toggles, parts.presets, parts.solver),
      h(
        "div",
        { class: "wb-main" },
        parts.accesses,
        parts.scrub,
        h("div", { class: "scroll" }, canvas),
        parts.inspect,
        parts.hits,
      ),
    ),
    parts.export,
  );
  followPointer(view);
  const redraw = () => draw(view);
  const measure = () => {
    view.room = canvas.parentElement.clientWidth;
    redraw();
  };
  listen((_, patch) => {
    if (Object.keys(patch).some((key) => "gtlavrpc".includes(key))) redraw();
  });
  theme.onchange(measure);
  measure();
}

/** Everything that is drawn, from the state alone. */
function look(view) {
  const values = state();
  const model = readModel(values, view.machines);
  const chosen = within(values.v, model.accesses.length - 1);
  const access = model.accesses[chosen];
  if (!access) return { values, model, access: null };
  const steps = 1 << access.registers.length;
  const step = within(values.r, steps - 1);
  const counted = count(access.row, offsetsBytes(model.layout, model.tile, access, step));
  const phase = values.p === "all" ? null : within(values.p, counted.phases.length - 1);
  return { values, model, access, chosen, steps, step, counted, phase };
}

function draw(view) {
  const seen = look(view);
  view.seen = seen;
  refill(view.parts.setup, setup(view, seen.model));
  refill(view.parts.toggles, toggles(view, seen.model));
  refill(view.parts.presets, presetButtons(seen.model));
  refill(view.parts.accesses, accessRows(seen));
  refill(view.parts.solver, solver(view, seen.model));
  if (!seen.access) {
    for (const name of ["scrub", "inspect", "hits", "export"]) refill(view.parts[name]);
    paint(view);
    return;
  }
  view.owners = owners(seen.model.tile, seen.access);
  refill(view.parts.scrub, scrubbers(seen));
  refill(view.parts.export, exports(view, seen.model));
  paint(view);
}
