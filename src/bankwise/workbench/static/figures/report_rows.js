/** Rows of a report in the order, the groups and the choice that its reader wants. */
import { button, h, named, number, put, refill, select } from "../view/dom.js";

const GROUPS = [
  ["", "nothing"],
  ["kernel", "kernel"],
  ["buffer", "buffer"],
  ["cause", "cause"],
];
/** Below this many rows everything is seen at once. */
const FEW = 6;

/**
 * A table body that is sorted by its headings, filtered and grouped. `rows`: {element, values, words,
 * kernel, buffer, cause, extra}, `values` by heading; `headings`: [name, class]. The element has the
 * controls, if there is something to control, and the table. `more`: {what, groups, group}, where the
 * rows are no accesses, which start grouped by what causes their conflicts.
 */
export function rowTable(rows, headings, more = {}) {
  const body = h("tbody", {}, rows.map(({ element }) => element));
  const { what, groups, group } = { what: "accesses", groups: GROUPS, group: "cause", ...more };
  const view = { rows, body, what, groups, by: null, down: true, wanted: "", group: "", bad: false };
  view.heads = headings.map(([name, kind], at) => heading(view, name, kind, at));
  const table = h(
    "table",
    { class: "accesses" },
    h("thead", {}, h("tr", {}, view.heads)),
    body,
  );
  view.table = named(table);
  const several = group && rows.length > FEW && new Set(rows.map((row) => row[group])).size > 1;
  if (several) view.group = group;
  const tools = rows.length > FEW ? controls(view) : null;
  arrange(view);
  return [tools, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": what }, table)];
}

function heading(view, name, kind, at) {
  const sort = () => {
    view.down = view.by !== at || !view.down;
    view.by = at;
    arrange(view);
  };
  const sign = h("span", { "aria-hidden": "true" });
  const press = h("button", { type: "button", class: "quiet", onclick: sort }, name, sign);
  return h("th", { scope: "col", class: kind }, press);
}

function controls(view) {
  const search = h("input", {
    type: "search",
    "aria-label": `filter the ${view.what}`,
    placeholder: "filter",
    oninput: () => {
      view.wanted = search.value.toLowerCase();
      arrange(view);
    },
  });
  const bad = button("Conflicts only", () => {
    view.bad = !view.bad;
    put(bad, { "aria-pressed": String(view.bad) });
    arrange(view);
  });
  view.said = h("span", { class: "hint", role: "status" });
  const group = select("Group by", view.groups, view.group, (by) => {
    view.group = by;
    arrange(view);
  });
  return h("div", { class: "controls rows" }, search, bad, group, view.said);
}

/** Put the rows that are wanted into the body, in order and below the name of their group. */
function arrange(view) {
  const { by, down, group } = view;
  const shown = view.rows.filter(
    ({ words, extra }) => words.includes(view.wanted) && (!view.bad || extra > 0),
  );
  if (by !== null) shown.sort((a, b) => (down ? -1 : 1) * order(a.values[by], b.values[by]));
  const groups = group ? Map.groupBy(shown, (row) => row[group]) : new Map([["", shown]]);
  put(view.table, { "data-group": group });
  const worst = [...groups].sort((a, b) => (group ? total(b[1]) - total(a[1]) : 0));
  view.body.replaceChildren(
    ...worst.flatMap(([name, rows]) => [
      ...(group ? [title(view, name, rows)] : []),
      ...rows.map(({ element }) => element),
    ]),
  );
  view.heads.forEach((head, at) => {
    put(head, { "aria-sort": at !== by ? "none" : down ? "descending" : "ascending" });
    put(head.querySelector("span"), {}, at !== by ? "" : down ? " ▼" : " ▲");
  });
  if (view.said) refill(view.said, `${number(shown.length)} of ${number(view.rows.length)}`);
}

const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
const total = (rows) => rows.reduce((sum, { extra }) => sum + extra, 0);

function title(view, name, rows) {
  const many = `${view.what}: ${number(rows.length)}`;
  const said = `${name || "none"} · ${many} · ${number(total(rows))} extra passes`;
  return h("tr", { class: "group" }, h("th", { colspan: view.heads.length, scope: "colgroup" }, said));
}
