/** The accesses of the workbench: their verdicts, and what can be changed, added and removed. */
import { keepsVectors } from "../core/tile.js";
import { adapted, countSteps, layoutText, requestsText } from "../model.js";
import { change } from "../state.js";
import { button, claim, h, put, refill, remake, select, torn, verdict } from "../view/dom.js";

/** One row for each access; only the verdicts are new when the layout changes. */
export function accessRows(view) {
  const { values, model, chosen } = view.seen;
  const { accesses: root } = view.parts;
  remake(root, `${values.g} ${values.t} ${values.a} ${model.error}`, () => [
    ...model.requests.map((request, i) => row(view, request, i)),
    model.error ? h("p", { class: "error", role: "alert" }, model.error) : null,
    button("Add an access", () => add(view), { class: "quiet" }),
  ]);
  root.querySelectorAll(".access").forEach((element, i) => {
    element.classList.toggle("on", i === chosen);
    put(element.querySelector(".pick"), { "aria-pressed": String(i === chosen) });
    const access = model.accesses[i];
    if (access) refill(element.querySelector(".judged"), judged(model, access));
  });
}

function row(view, request, i) {
  const access = view.seen.model.accesses[i];
  const pick = h(
    "button",
    {
      type: "button",
      class: "pick",
      "data-focus": `access ${i}`,
      onclick: () => change({ v: String(i), r: "0", p: "all" }),
    },
    request.name,
    h("small", {}, access ? access.row.name : request.op),
  );
  return h("div", { class: "access" }, pick, h("span", { class: "judged" }), editor(view, i));
}

function judged(model, access) {
  if (!keepsVectors(model.layout, model.tile, access)) {
    return torn(claim(`passes-${access.name}`, "none", "not this instruction"));
  }
  const counts = countSteps(model, access);
  const worst = counts.reduce((a, b) => (b.passes > a.passes ? b : a));
  const shown = verdict(`passes-${access.name}`, worst.passes, worst.ideal, worst.ways);
  if (counts.some((c) => c.passes !== worst.passes)) shown.append(" in the worst step");
  return [shown, before(model, access)];
}

/** What layout A takes, where it is another. */
function before(model, access) {
  if (layoutText(model.before) === layoutText(model.layout)) return null;
  if (!keepsVectors(model.before, model.tile, access)) return null;
  const passes = Math.max(...countSteps(model, access, model.before).map((c) => c.passes));
  return h("small", {}, " A: ", claim(`before-${access.name}`, passes));
}

function editor(view, i) {
  const request = view.seen.model.requests[i];
  const store = (more) => {
    const { requests } = view.seen.model;
    change({ a: requestsText(requests.map((r, k) => (k === i ? { ...r, ...more } : r))) });
  };
  const line = (key, text) =>
    h(
      "label",
      {},
      text,
      h("input", {
        value: request[key],
        "data-focus": `${key} ${i}`,
        spellcheck: "false",
        onchange: (event) => store({ [key]: event.target.value }),
      }),
    );
  const ways = ["read", "write"].map((op) => [op, op]);
  const remember = (event) => view.open[event.target.open ? "add" : "delete"](i);
  return h(
    "details",
    { class: "edit", open: view.open.has(i), ontoggle: remember },
    h("summary", { "aria-label": `edit ${request.name}`, "data-focus": `edit ${i}` }, "edit"),
    line("name", "name"),
    line("lanes", "lane bits t0 t1 … move"),
    line("vector", "vector"),
    select("direction", ways, request.op, (op) => store({ op })),
    view.seen.model.requests.length > 1
      ? button("Remove", () => remove(view, i), { class: "quiet", "data-focus": `remove ${i}` })
      : null,
  );
}

/** One more access, a copy of the one that is looked at, open for change. */
function add(view) {
  const { requests } = view.seen.model;
  const names = new Set(requests.map((request) => request.name));
  let number = requests.length;
  while (names.has(`access ${number}`)) number += 1;
  const { tile, machine } = view.seen.model;
  const like = requests[view.seen.chosen] ?? { op: "read", lanes: "", vector: "" };
  const [copied] = adapted([{ ...like, name: `access ${number}` }], tile, machine);
  view.open = new Set([requests.length]);
  change({ a: requestsText([...requests, copied]), v: String(requests.length), r: "0", p: "all" });
}

function remove(view, i) {
  view.open = new Set();
  const left = view.seen.model.requests.filter((_, k) => k !== i);
  change({ v: "0", r: "0", p: "all", a: requestsText(left) });
}
