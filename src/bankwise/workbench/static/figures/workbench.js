/** The instrument: what is put in, A beside B with time, verdicts; kept in step with the state. */
import { conflictDirections, columnsOf, directionText, elementBytes, isLinear } from "../core/tile.js";
import { why } from "../core/why.js";
import { change, listen, state } from "../state.js";
import { button, copying, h, put, refill, verdict } from "../view/dom.js";
import { theme } from "../view/theme.js";
import { addressInput, notationInput, tabs } from "./inputs.js";
import { legend } from "./legend.js";
import { follow, paint, pane, strip } from "./panes.js";
import { player, playing, stop } from "./play.js";
import { seeSides } from "./sides.js";
import { accessRows } from "./workbench_accesses.js";
import { exports, presetButtons, scrubbers, setup, solver, toggles } from "./workbench_controls.js";
import { followPointer } from "./workbench_pointer.js";

const PARTS = ["setup", "notation", "address", "toggles", "presets", "solver"];
const OTHERS = ["accesses", "why", "scrub", "inspect", "lanes", "legend", "export"];
/** The keys of the state that the instrument shows. */
const KEYS = ["y", "i", "g", "t", "l", "o", "a", "e", "v", "r", "p", "k", "z", "c", "b", "al"];

/** Mount the instrument; `machines` by name. */
export function mountWorkbench(root, machines) {
  const parts = Object.fromEntries(
    [...PARTS, ...OTHERS].map((name) => [name, h("div", { class: `wb-${name}` })]),
  );
  const panes = ["A", "B"].map(pane);
  const view = { machines, parts, panes, point: null, message: "", open: new Set(), timer: null };
  parts.lanes.append(h("h2"), strip("lanes"));
  root.append(
    h(
      "section",
      { class: "wb-left", "aria-label": "input" },
      tabs(),
      h("div", { class: "wb-input" }, PARTS.map((name) => parts[name])),
    ),
    h(
      "section",
      { class: "wb-middle", "aria-label": "banks" },
      h("div", { class: "wb-panes" }, panes.map(({ element }) => element)),
      player(view),
      parts.inspect,
      parts.scrub,
      parts.lanes,
      parts.legend,
    ),
    h(
      "section",
      { class: "wb-right", "aria-label": "verdicts" },
      h("h2", {}, "Verdict"),
      parts.accesses,
      parts.why,
      algebraPanel(view),
      parts.export,
    ),
  );
  view.root = root;
  followPointer(view);
  listen((_, patch) => {
    if (["g", "t", "l", "o", "a", "e", "i", "v"].some((key) => key in patch)) stop(view);
    if (KEYS.some((key) => key in patch)) draw(view);
  });
  theme.onchange(() => draw(view));
  draw(view);
  follow(view);
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

/** Draw what the state says. */
function draw(view) {
  view.seen = seeSides(state(), view.machines);
  const { values, sides } = view.seen;
  const free = values.i === "address";
  view.root.dataset.input = values.i;
  setup(view);
  notationInput(view);
  addressInput(view);
  if (!free) drawTile(view);
  for (const { tag, element } of view.panes) element.hidden = !sides.some((s) => s.tag === tag);
  verdicts(view, free);
  if (sides.length) {
    refill(view.parts.scrub, [...scrubbers(view.seen), enlarge(values)]);
    playing(view);
  } else for (const name of ["scrub", "inspect"]) refill(view.parts[name]);
  for (const part of [view.parts.lanes, view.player.bar.parentElement]) part.hidden = !sides.length;
  legend(view.parts.legend, view.seen);
  paint(view);
}

/** What belongs to a tile and its layout. */
function drawTile(view) {
  const { values } = view.seen;
  toggles(view);
  presetButtons(view);
  solver(view);
  accessRows(view);
  const shown = values.al === "1";
  put(view.algebra.button, { "aria-expanded": String(shown) });
  view.algebra.figure.hidden = !shown;
  exports(view);
}

const enlarge = ({ z }) =>
  button("Enlarge", () => change({ z: z === "1" ? "0" : "1" }), {
    "aria-pressed": String(z === "1"),
    title: "cells large enough for their bank numbers",
  });

/** Why, in a line for each side; of an address also the verdict itself. */
function verdicts(view, free) {
  const { sides, row, error, model, access } = view.seen;
  if (!sides.length) {
    refill(view.parts.why, free ? h("p", { class: "error", role: "alert" }, error) : []);
    return;
  }
  const one = (side) => {
    const { passes, ideal, ways } = side.counted;
    const bits = side.layout && isLinear(side.layout) ? collide(model, access, side.layout) : [];
    return h(
      "p",
      { class: "because" },
      h("b", {}, `${side.tag} `),
      free ? verdict(`address-${side.tag}`, passes, ideal, ways) : null,
      free ? copied(side) : "",
      side.torn ? tornText(view.seen) : why(row, side.counted, bits),
    );
  };
  const wrong = free && error ? h("p", { class: "error", role: "alert" }, error) : "";
  refill(view.parts.why, [...sides.map(one), wrong]);
}

function tornText({ model, access }) {
  const bytes = elementBytes(model.tile) << access.vector.length;
  return (
    `The ${bytes} bytes of a lane no longer lie together at a multiple of ${bytes}: one ` +
    `${access.row.name} cannot take them, several narrower ones would.`
  );
}

const copied = ({ tag, text }) =>
  h("span", { class: "address" }, h("code", {}, text), copying("Copy", () => text, {
    "aria-label": `copy address ${tag}`,
    class: "quiet",
  }));

function collide({ tile }, access, layout) {
  const found = conflictDirections(tile, columnsOf(layout, tile), access);
  return found.map((direction) => directionText(direction, tile).replaceAll("^", " ⊕ "));
}
