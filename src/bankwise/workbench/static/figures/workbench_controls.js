/** What stands around the tile of the workbench: toggles, presets, solver, notations. */
import { everyNotation } from "../core/notations.js";
import { familySize, nextMember, plan } from "../core/search.js";
import { plain } from "../core/tile.js";
import { adapted, bestFold, fitted, layoutText, presets, requestsText } from "../model.js";
import { change, state } from "../state.js";
import { hitsSvg } from "../view/charts.js";
import { button, copying, h, number, put, remake, select, slider } from "../view/dom.js";
import { exporting } from "../view/figure.js";
import { tileSvg } from "../view/tile.js";
import { paneSpec } from "./panes.js";
import { wordsLeft } from "./sides.js";

/** Machine and tile, and sessions to start from. */
export function setup(view) {
  const { values } = view.seen;
  remake(view.parts.setup, `${values.g} ${values.t}`, () => selects(view, view.seen.model));
}

function selects(view, { machine, tile }) {
  const powers = Array.from({ length: 8 }, (_, i) => [i + 1, String(2 << i)]);
  const reshape = (more) => {
    const next = { ...tile, ...more };
    change({
      t: `${next.columns}x${next.rows}x${next.elementBits}`,
      l: fitted(state().l, next),
      o: fitted(state().o, next),
      c: "",
      a: requestsText(adapted(view.seen.model.requests, next, machine)),
    });
  };
  const known = [...view.machines.values()];
  return [
    select(
      "Machine",
      known.map((m) => [m.name, `${m.name} · ${m.product}`]),
      machine.name,
      (name) =>
        change({
          g: name,
          p: "all",
          a: requestsText(adapted(view.seen.model.requests, tile, view.machines.get(name))),
        }),
    ),
    select("Rows", powers, tile.rows, (rows) => reshape({ rows: Number(rows) })),
    select("Columns", powers, tile.columns, (columns) => reshape({ columns: Number(columns) })),
    select(
      "Element",
      [8, 16, 32, 64].map((bits) => [bits, `${bits} bits`]),
      tile.elementBits,
      (bits) => reshape({ elementBits: Number(bits) }),
    ),
  ];
}

const masksOf = ({ layout, tile }) => (layout.kind === "fold" ? layout : plain(tile)).masks;

/** The grid of toggles: row bit j folds into column bit k. Arrow keys walk, space toggles. */
export function toggles(view) {
  const { values, model } = view.seen;
  const { toggles: root } = view.parts;
  remake(root, values.t, () => [
    h("h2", {}, "XOR row bit … into column bit …"),
    h("p", { class: "hint" }, "This layout is no such XOR; a toggle starts from row-major."),
    grid(view, model.tile),
  ]);
  const hint = root.querySelector(".hint");
  const fits = model.layout.kind === "fold";
  if (hint.hidden !== fits) hint.hidden = fits;
  const masks = masksOf(model);
  for (const { button, j, k } of view.cells) press(button, (masks[j] >> k) & 1);
}

function press(cell, on) {
  if (cell.on === on) return;
  cell.on = on;
  put(cell, { "aria-pressed": String(Boolean(on)) });
}

function grid(view, tile) {
  const many = tile.columns > 6 ? " many" : "";
  const table = h("table", { class: `toggles${many}`, "aria-label": "fold row bit into column bit" });
  const heads = Array.from({ length: tile.columns }, (_, k) =>
    h("th", { scope: "col", "data-k": k }, `n${k}`),
  );
  table.append(h("tr", {}, h("td"), heads));
  view.cells = [];
  for (let j = 0; j < tile.rows; j++) {
    const row = heads.map((_, k) => ({ button: toggle(view, table, j, k), j, k }));
    view.cells.push(...row);
    const cells = row.map((cell) => h("td", {}, cell.button));
    table.append(h("tr", {}, h("th", { scope: "row", "data-j": j }, `m${j}`), cells));
  }
  return table;
}

function toggle(view, table, j, k) {
  return h("button", {
    type: "button",
    tabindex: j + k ? -1 : 0,
    "data-j": j,
    "data-k": k,
    "data-focus": `${j},${k}`,
    "aria-label": `fold m${j} into n${k}`,
    onkeydown: (event) => walk(event, table, j, k),
    onclick: () => {
      const next = masksOf(view.seen.model).map((old, row) => (row === j ? old ^ (1 << k) : old));
      view.message = "";
      view.point = null;
      change({ l: layoutText({ kind: "fold", masks: next }) });
    },
  });
}

/** Arrow keys move the focus; the grid is one stop of the tab key, where it was left. */
function walk(event, table, j, k) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  const move = step[event.key];
  if (!move) return;
  event.preventDefault();
  const next = table.querySelector(`[data-focus="${j + move[0]},${k + move[1]}"]`);
  if (!next) return;
  event.currentTarget.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** Ready layouts; which are good depends on tile and accesses alone. */
export function presetButtons(view) {
  const { values, model } = view.seen;
  const { presets: root } = view.parts;
  remake(root, `${values.g} ${values.t} ${values.a}`, () => {
    view.presets = presets(model).map((preset) => ({ ...preset, text: layoutText(preset.layout) }));
    const buttons = view.presets.map((preset) =>
      button(preset.name, () => use(view, preset), { title: preset.note }),
    );
    return [
      h("h2", {}, "Presets"),
      h("div", { class: "presets" }, buttons),
      h("p", { class: "hint" }),
    ];
  });
  const now = layoutText(model.layout);
  root.querySelectorAll("button").forEach((element, i) => {
    put(element, { "aria-pressed": String(view.presets[i].text === now) });
  });
  const shown = view.presets.find((preset) => preset.text === now);
  put(root.querySelector(".hint"), {}, shown ? shown.note : "Your own.");
}

/** Which register step and which phase is shown. */
export function scrubbers(seen) {
  const phases = seen.sides[0].counted.phases.length;
  return [
    seen.steps > 1
      ? slider(
          "Register step r",
          seen.step,
          seen.steps - 1,
          (r) => `${r} of ${seen.steps}`,
          (r) => change({ r: String(r), k: "" }),
        )
      : null,
    phases > 1
      ? slider(
          "Phase",
          seen.phase === null ? 0 : seen.phase + 1,
          phases,
          (p) => (p ? `${p - 1} of ${phases}` : "all"),
          (p) => change({ p: p ? String(p - 1) : "all", k: "" }),
        )
      : null,
  ];
}

function use(view, preset) {
  view.message = "";
  change({ l: preset.text });
}

/** Solve it, next member: asked only when pressed. */
export function solver(view) {
  const { values, model } = view.seen;
  const { solver: root } = view.parts;
  remake(root, `${values.g} ${values.t} ${values.a}`, () => {
    view.family = null;
    if (!model.accesses.length) return [];
    return [
      h(
        "div",
        { class: "solve" },
        button("Solve it", () => solveIt(view), { class: "primary" }),
        button("Next as good", () => next(view)),
      ),
      h("p", { class: "hint", role: "status" }),
    ];
  });
  const said = view.message || "The best XOR swizzle of rows for all accesses together.";
  if (model.accesses.length) put(root.querySelector(".hint"), {}, said);
}

function solveIt(view) {
  const { model } = view.seen;
  const found = bestFold(model);
  const size = familySize(plan(model.tile, model.accesses), found.cost, 60000);
  view.message =
    `${found.complete ? "Optimal among XOR swizzles of rows" : "Best found"}: ` +
    `${found.cost} passes, ${number(found.nodes)} nodes. ` +
    (size === null ? "Too many are as good to count here." : `${number(size)} layouts are as good.`);
  view.family = found.cost;
  change({ l: layoutText({ kind: "fold", masks: found.masks }) });
}

function next(view) {
  const { model } = view.seen;
  const cost = view.family ?? bestFold(model).cost;
  view.family = cost;
  const found = nextMember(plan(model.tile, model.accesses), masksOf(model), cost);
  view.message = found ? `Another layout of ${cost} passes in all.` : "None found in time.";
  change(
    found ? { l: layoutText({ kind: "fold", masks: found }) } : { l: layoutText(model.layout) },
  );
}

/** The layout in every notation, the tile and its bank hits as a picture. */
export function exports(view) {
  const { model } = view.seen;
  const rows = everyNotation(model.tile, model.layout);
  const text = () => everyNotation(view.seen.model.tile, view.seen.model.layout);
  const said = (name) => text().find(([known]) => known === name)[1];
  remake(view.parts.export, "once", () => [
    h("h2", {}, "Take it with you"),
    h(
      "dl",
      { class: "notations" },
      rows.flatMap(([name]) => [
        h("dt", {}, name),
        h("dd", {}, h("pre", { "data-notation": name, tabindex: 0 })),
        h("dd", {}, copying("Copy", () => said(name), { "aria-label": `copy ${name}` })),
      ]),
    ),
    exporting(
      "swizzle-workbench",
      () => picture(view),
      () =>
        text()
          .map(([name, said]) => `${name}\n${said}\n`)
          .join("\n"),
    ),
  ]);
  const places = view.parts.export.querySelectorAll("pre");
  rows.forEach(([, said], i) => put(places[i], {}, said));
}

function picture(view) {
  const shown = view.seen.sides.map((side) => {
    const pane = view.panes.find(({ tag }) => tag === side.tag);
    const tile = tileSvg({ ...paneSpec(view, pane, side), size: 22 });
    return tile + hitsSvg(wordsLeft(side, view.seen));
  });
  return shown.join("");
}
