/** More than XOR swizzles of rows: the solver of the server, or, without one, the construction in the page. */
import { builtLayout, notBuilt } from "../core/built.js";
import { columnsOf, directionText, linearLayout, phasePasses } from "../core/tile.js";
import { bestFold, layoutText, readModel } from "../model.js";
import { change, listen, state } from "../state.js";
import { button, h, number, refill } from "../view/dom.js";
import { runJob, token } from "./jobs.js";
import { solveView } from "./report_solve.js";

/** Mount the panel behind the workbench, where there is one. */
export function mountSolver(machines) {
  const bench = document.getElementById("workbench");
  if (!bench) return;
  const panel = {
    machines,
    result: h("div", { class: "result", "aria-live": "polite" }),
    asked: "",
  };
  const root = h(
    "div",
    { class: "ask", id: "ask" },
    h("h2", {}, token() ? "Any swizzle or padding" : "Any XOR swizzle"),
    token() ? served(panel) : alone(panel),
    panel.result,
  );
  bench.querySelector(".wb-export").before(root);
  listen((_, patch) => {
    const now = problemText(model(panel));
    if ("gta".split("").some((key) => key in patch) && now !== panel.asked) refill(panel.result);
  });
}

const model = (panel) => readModel(state(), panel.machines);

function served(panel) {
  return h(
    "div",
    { class: "controls" },
    button("Ask the solver", () => askServer(panel), { class: "primary" }),
    h(
      "span",
      { class: "hint" },
      "All linear layouts of this tile, padding and every framework’s family, with a certificate; " +
        "on your machine.",
    ),
  );
}

function alone(panel) {
  return h(
    "div",
    { class: "controls" },
    button("Build it", () => build(panel), { class: "primary" }),
    h(
      "span",
      { class: "hint" },
      "This page stands alone: it builds layouts for two scalar accesses. ",
      h("code", {}, "bankwise workbench"),
      " has the whole solver: any accesses, padding, proofs.",
    ),
  );
}

async function askServer(panel) {
  const seen = model(panel);
  if (seen.error) {
    say(panel, seen.error);
    return;
  }
  panel.asked = problemText(seen);
  const job = { verb: "solve", text: panel.asked, file: "workbench.toml", target: "" };
  const answer = await runJob(panel.result, job);
  if (problemText(model(panel)) !== job.text) return; // Another tile by now: its answer is not wanted.
  if (answer.error) say(panel, answer.error);
  else showAnswer(panel, seen.tile, answer.document);
}

function showAnswer(panel, tile, answer) {
  if (answer.layout?.bases) put(basesLayout(tile, answer.layout.bases));
  const paddings = answer.pareto
    .map((c) => [c, /^rows padded by (\d+) element/.exec(c.label)])
    .filter(([c, found]) => c.family === "padding" && found);
  refill(
    panel.result,
    h(
      "div",
      { class: "controls" },
      answer.layout?.bases
        ? button("Put the optimum on the tile", () => put(basesLayout(tile, answer.layout.bases)))
        : null,
      paddings.map(([c, [, by]]) =>
        button(`Try ${c.label}`, () => put({ kind: "pad", by: Number(by) }), {
          title: `${number(c.passes)} passes, ${number(c.lds_bytes)} B`,
        }),
      ),
    ),
    h("div", { class: "report" }, solveView(answer)),
  );
}

/** A layout of the page from the offsets of the coordinate bits by name: n0, n1, .. m0, .. */
function basesLayout(tile, bases) {
  const names = Array.from({ length: tile.columns + tile.rows }, (_, i) =>
    directionText(1 << i, tile),
  );
  return linearLayout(
    tile,
    names.map((name) => bases[name]),
  );
}

const put = (layout) => change({ l: layoutText(layout) });

/** The best that the page can say itself. */
function build(panel) {
  const seen = model(panel);
  const why = seen.error || notBuilt(seen.tile, seen.accesses);
  if (why) {
    say(panel, `${why}; “Solve it” searches the XOR swizzles of rows for any accesses.`);
    return;
  }
  const layout = builtLayout(seen.tile, seen.accesses);
  const total = cost(seen, layout);
  const fold = bestFold(seen).cost;
  const versus =
    fold === total ? "the best XOR swizzle of rows is as good" : `the best XOR swizzle of rows takes ${number(fold)}`;
  put(layout);
  refill(
    panel.result,
    h(
      "p",
      { "data-claim": "built-passes", "data-value": total },
      `${number(total)} passes in all, and no linear layout takes fewer; ${versus}.`,
    ),
  );
}

function cost(seen, layout) {
  const columns = columnsOf(layout, seen.tile);
  const one = (access) => phasePasses(seen.tile, columns, access) * access.phases;
  return seen.accesses.reduce((sum, access) => sum + one(access), 0);
}

/** The tile and its accesses as `bankwise solve` reads them. */
export function problemText({ machine, tile, requests }) {
  const quoted = (text) => JSON.stringify(text);
  const accesses = requests.map((request, i) =>
    [
      "[[access]]",
      `name = ${quoted(nameOf(requests, i))}`,
      `op = ${quoted(request.op)}`,
      `lanes = ${quoted(request.lanes)}`,
      ...(request.vector ? [`vector = ${quoted(request.vector)}`] : []),
    ].join("\n"),
  );
  const shape = `[${2 ** tile.rows}, ${2 ** tile.columns}]`;
  const head =
    `machine = ${quoted(machine.name)}\n` +
    `tile = { shape = ${shape}, element_bits = ${tile.elementBits} }`;
  return `${[head, ...accesses].join("\n\n")}\n`;
}

/** Its name, if it is the first of this name; else with its number. */
function nameOf(requests, i) {
  const { name } = requests[i];
  return requests.findIndex((r) => r.name === name) === i ? name : `${name} ${i}`;
}

function say(panel, text) {
  refill(panel.result, h("pre", { class: "error", role: "alert" }, text));
}
