/** The swizzle workbench: controls, tile, lanes and bank hits, kept in step with the state. */
import { count } from "../core/conflict.js";
import { offsetsBytes } from "../core/tile.js";
import { owners, readModel } from "../model.js";
import { change, listen, state, within } from "../state.js";
import { button, h, refill } from "../view/dom.js";
import { theme } from "../view/theme.js";
import { accessRows } from "./workbench_accesses.js";
import { exports, presetButtons, scrubbers, setup, solver, toggles } from "./workbench_controls.js";
import { followPointer } from "./workbench_pointer.js";
import { paint } from "./workbench_tile.js";

const PARTS = ["setup", "toggles", "presets", "solver", "accesses", "scrub", "inspect", "lanes"];
/** The keys of the state that the workbench shows. */
const KEYS = ["g", "t", "l", "a", "v", "r", "p", "c", "b", "al"];

/** Mount the workbench; `machines` by name. */
export function mountWorkbench(root, machines) {
  const parts = Object.fromEntries(
    [...PARTS, "hits", "export"].map((name) => [name, h("div", { class: `wb-${name}` })]),
  );
  const canvas = h("canvas", { tabindex: 0, role: "img", class: "wb-tile" });
  const view = { machines, parts, canvas, point: null, message: "", open: new Set() };
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
        algebraPanel(view),
        parts.scrub,
        h("div", { class: "scroll wb-stage" }, canvas),
        parts.inspect,
        parts.lanes,
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
    if (KEYS.some((key) => key in patch)) redraw();
  });
  theme.onchange(measure);
  measure();
}

/** The switch of the algebra and the figure that it shows. */
function algebraPanel(view) {
  view.algebra = {
    button: button("Show the algebra", () => change({ al: state().al === "1" ? "0" : "1" })),
    figure: h(
      "figure",
      { "data-figure": "algebra", class: "panel" },
      h(
        "figcaption",
        {},
        "M_Seg: the directions that change the segment of an address and not its bank. Where it " +
          "meets the directions in which lanes of a phase differ, lanes collide: 2 to the power " +
          "of the dimension.",
      ),
    ),
  };
  return h("div", { class: "wb-algebra" }, view.algebra.button, view.algebra.figure);
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
  const offsets = offsetsBytes(model.layout, model.tile, access, step);
  const counted = count(access.row, offsets);
  const phase = values.p === "all" ? null : within(values.p, counted.phases.length - 1);
  return { values, model, access, chosen, steps, step, offsets, counted, phase };
}

function draw(view) {
  const seen = look(view);
  view.seen = seen;
  setup(view);
  toggles(view);
  presetButtons(view);
  accessRows(view);
  solver(view);
  const shown = seen.values.al === "1";
  view.algebra.button.setAttribute("aria-expanded", String(shown));
  view.algebra.figure.hidden = !shown;
  exports(view);
  if (seen.access) {
    const owned = `${seen.values.g} ${seen.values.t} ${seen.values.a} ${seen.chosen}`;
    if (view.owned !== owned) view.owners = owners(seen.model.tile, seen.access);
    view.owned = owned;
    refill(view.parts.scrub, scrubbers(seen));
  } else
    for (const name of ["scrub", "inspect", "lanes", "hits"]) {
      refill(view.parts[name]);
      view.parts[name].made = null;
    }
  paint(view);
}
