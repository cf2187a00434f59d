/** What stands around the tile of the workbench: toggles, presets, accesses, solver, notations. */
import { everyNotation } from "../core/notations.js";
import { familySize, nextMember, plan } from "../core/search.js";
import { keepsVectors, plain } from "../core/tile.js";
import {
  adapted,
  bestFold,
  countSteps,
  layoutText,
  presets,
  requestsText,
  SCENARIOS,
} from "../model.js";
import { change } from "../state.js";
import { button, claim, h, number, select, slider, verdict } from "../view/dom.js";
import { exporting } from "../view/figure.js";
import { tileSvg } from "../view/tile.js";
import { tileSpec } from "./workbench_tile.js";

export function setup(view, model) {
  const { machine, tile } = model;
  const powers = (last) => Array.from({ length: last }, (_, i) => [i + 1, String(2 << i)]);
  const reshape = (more) => {
    const next = { ...tile, ...more };
    change({
      t: `${next.columns}x${next.rows}x${next.elementBits}`,
      c: "",
      a: requestsText(adapted(model.requests, next, machine)),
    });
  };
  const known = [...view.machines.values()];
  return [
    select(
      "Start from",
      [["", "a session …"], ...SCENARIOS.map(([text], i) => [i, text])],
      "",
      (i) => i !== "" && change({ c: "", r: "0", p: "all", ...SCENARIOS[i][1] }),
    ),
    select(
      "Machine",
      known.map((m) => [m.name, `${m.name} · ${m.product}`]),
      machine.name,
      (name) =>
        change({
          g: name,
          p: "all",
          a: requestsText(adapted(model.requests, tile, view.machines.get(name))),
        }),
    ),
    select("Rows", powers(7), tile.rows, (rows) => reshape({ rows: Number(rows) })),
    select("Columns", powers(7), tile.columns, (columns) => reshape({ columns: Number(columns) })),
    select(
      "Element",
      [8, 16, 32, 64].map((bits) => [bits, `${bits} bits`]),
      tile.elementBits,
      (bits) => reshape({ elementBits: Number(bits) }),
    ),
  ];
}

/** The grid of toggles: row bit j folds into column bit k. Arrow keys walk, space toggles. */
export function toggles(view, model) {
  const { tile, layout } = model;
  const masks = layout.kind === "fold" ? layout.masks : plain(tile).masks;
  const table = h("table", { class: "toggles", "aria-label": "fold row bit into column bit" });
  const head = Array.from({ length: tile.columns }, (_, k) => h("th", { scope: "col" }, `n${k}`));
  table.append(h("tr", {}, h("td"), head));
  masks.forEach((mask, j) => {
    const cells = Array.from({ length: tile.columns }, (_, k) =>
      h(
        "td",
        {},
        h(
          "button",
          {
            type: "button",
            "data-focus": `${j},${k}`,
            "aria-pressed": String(Boolean((mask >> k) & 1)),
            "aria-label": `fold m${j} into n${k}`,
            onkeydown: (event) => walk(event, table, j, k),
            onclick: () => {
              const next = masks.map((old, row) => (row === j ? old ^ (1 << k) : old));
              view.message = "";
              change({ l: layoutText({ kind: "fold", masks: next }) });
            },
          },
          (mask >> k) & 1 ? "1" : "·",
        ),
      ),
    );
    table.append(h("tr", { "data-row": j }, h("th", { scope: "row" }, `m${j}`), cells));
  });
  return [
    h("h4", {}, "Fold row bit … into column bit …"),
    layout.kind === "fold"
      ? null
      : h("p", { class: "hint" }, "This layout is no XOR fold; a toggle starts from row-major."),
    table,
  ];
}

function walk(event, table, j, k) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  const move = step[event.key];
  if (!move) return;
  event.preventDefault();
  table.querySelector(`[data-focus="${j + move[0]},${k + move[1]}"]`)?.focus();
}

export function presetButtons(model) {
  const now = layoutText(model.layout);
  const ready = presets(model);
  const shown = ready.find((preset) => layoutText(preset.layout) === now);
  return [
    h("h4", {}, "Presets"),
    h(
      "div",
      { class: "presets" },
      ready.map((preset) =>
        button(preset.name, () => change({ l: layoutText(preset.layout) }), {
          "aria-pressed": String(layoutText(preset.layout) === now),
          title: preset.note,
        }),
      ),
    ),
    h("p", { class: "hint" }, shown ? shown.note : "Your own."),
  ];
}

export function accessRows(seen) {
  const { model } = seen;
  const rows = model.requests.map((request, i) => {
    const access = model.accesses[i];
    return h(
      "div",
      { class: `access ${i === seen.chosen ? "on" : ""}` },
      h(
        "button",
        {
          type: "button",
          class: "pick",
          "data-focus": `access ${i}`,
          "aria-pressed": String(i === seen.chosen),
          onclick: () => change({ v: String(i), r: "0", p: "all" }),
        },
        request.name,
        h("small", {}, access ? access.row.name : request.op),
      ),
      access ? accessVerdict(model, access) : null,
      editor(model, i),
    );
  });
  return [
    ...rows,
    model.error ? h("p", { class: "error", role: "alert" }, model.error) : null,
    button(
      "Add an access",
      () =>
        change({
          a: requestsText([
            ...model.requests,
            { ...model.requests.at(-1), name: `access ${model.requests.length}` },
          ]),
        }),
      { class: "quiet" },
    ),
  ];
}

function accessVerdict(model, access) {
  if (!keepsVectors(model.layout, model.tile, access)) {
    return h(
      "span",
      { class: "verdict bad" },
      h("b", {}, "✕ tears the vector apart"),
      " · ",
      claim(`passes-${access.name}`, "none", "not this instruction"),
    );
  }
  const counts = countSteps(model, access);
  const worst = counts.reduce((a, b) => (b.passes > a.passes ? b : a));
  const shown = verdict(`passes-${access.name}`, worst.passes, worst.ideal, worst.ways);
  if (counts.some((c) => c.passes !== worst.passes)) shown.append(" in the worst step");
  return shown;
}

function editor(model, i) {
  const request = model.requests[i];
  const put = (more) =>
    change({ a: requestsText(model.requests.map((r, k) => (k === i ? { ...r, ...more } : r))) });
  const field = (key, text) =>
    h(
      "label",
      {},
      text,
      h("input", {
        value: request[key],
        "data-focus": `${key} ${i}`,
        spellcheck: "false",
        onchange: (event) => put({ [key]: event.target.value }),
      }),
    );
  return h(
    "details",
    { class: "edit" },
    h("summary", { "aria-label": `edit ${request.name}` }, "edit"),
    field("name", "name"),
    field("lanes", "lane bits t0 t1 … move"),
    field("vector", "vector"),
    select(
      "direction",
      [
        ["read", "read"],
        ["write", "write"],
      ],
      request.op,
      (op) => put({ op }),
    ),
    model.requests.length > 1
      ? button(
          "Remove",
          () => change({ v: "0", a: requestsText(model.requests.filter((_, k) => k !== i)) }),
          { class: "quiet" },
        )
      : null,
  );
}

export function scrubbers(seen) {
  const phases = seen.counted.phases.length;
  return [
    seen.steps > 1
      ? slider(
          "Register step r",
          seen.step,
          seen.steps - 1,
          (r) => `${r} of ${seen.steps}`,
          (r) => change({ r: String(r) }),
        )
      : null,
    phases > 1
      ? slider(
          "Phase",
          seen.phase === null ? 0 : seen.phase + 1,
          phases,
          (p) => (p ? `${p - 1} of ${phases}` : "all"),
          (p) => change({ p: p ? String(p - 1) : "all" }),
        )
      : null,
  ];
}

export function solver(view, model) {
  if (!model.accesses.length) return [];
  const search = plan(model.tile, model.accesses);
  const solveIt = () => {
    const found = bestFold(model);
    const size = familySize(search, found.cost, 60000);
    view.message =
      `${found.complete ? "Optimal among row folds" : "Best found"}: ` +
      `${found.cost} passes, ${number(found.nodes)} nodes. ` +
      (size === null
        ? "The family is too large to count here."
        : `Family: ${number(size)} layouts.`);
    view.family = found.cost;
    change({ l: layoutText({ kind: "fold", masks: found.masks }) });
  };
  const next = () => {
    const cost = view.family ?? bestFold(model).cost;
    const masks = model.layout.kind === "fold" ? model.layout.masks : plain(model.tile).masks;
    const found = nextMember(search, masks, cost);
    view.message = found ? `Another layout of ${cost} passes in all.` : "None found in time.";
    if (found) change({ l: layoutText({ kind: "fold", masks: found }) });
  };
  return [
    h(
      "div",
      { class: "solve" },
      button("Solve it", solveIt, { class: "primary" }),
      button("Next member", next),
    ),
    h(
      "p",
      { class: "hint", role: "status" },
      view.message || "The best fold for all accesses together.",
    ),
  ];
}

export function exports(view, model) {
  const rows = everyNotation(model.tile, model.layout);
  return [
    h("h4", {}, "Take it with you"),
    h(
      "dl",
      { class: "notations" },
      rows.flatMap(([name, text]) => [
        h("dt", {}, name),
        h("dd", {}, h("pre", { "data-notation": name }, text)),
      ]),
    ),
    exporting(
      "swizzle-workbench",
      () => tileSvg({ ...tileSpec(view), size: 22 }),
      () => rows.map(([name, text]) => `${name}\n${text}\n`).join("\n"),
    ),
  ];
}
