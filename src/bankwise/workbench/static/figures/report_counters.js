/** A prediction beside a profile: each counter, and each instruction that the profile names. */
import { claim, h, named, number } from "../view/dom.js";
import { placeText } from "./report_check.js";

/** The key `counters` of a check. */
export function countersView(counters) {
  return h(
    "section",
    { class: "counters" },
    h("h2", {}, "Predicted and measured"),
    h("p", { class: "hint" }, `${counters.file} (${counters.tool})`),
    notes(counters),
    counters.kernels.map(kernelCounters),
  );
}

const notes = ({ notes: list }) => (list ?? []).map((note) => h("p", { class: "hint" }, note));

function kernelCounters(kernel, i) {
  const groups = kernel.workgroups === null ? "unknown" : number(kernel.workgroups);
  const verdict = { true: "✓ agree", false: "✕ differ", null: "– not comparable" };
  return h(
    "div",
    {},
    h(
      "p",
      {},
      h("b", {}, kernel.kernel),
      ` = ${kernel.measured_as}: ${number(kernel.launches)} launches, ${groups} workgroups ` +
        `(${kernel.scale}) `,
      h(
        "b",
        { class: tone(kernel.agrees) },
        claim(`counters-${i}`, kernel.agrees, verdict[kernel.agrees]),
      ),
    ),
    table(
      ["counter", "predicted", "measured", "difference", "likely cause"],
      kernel.rows.map((row) => counterCells(row, i)),
    ),
    table(
      ["place", "instruction", "predicted", "measured", "difference", "likely cause"],
      kernel.instructions.map(instructionCells),
    ),
    kernel.worth ? h("p", {}, `${kernel.worth.verdict} (${kernel.worth.scope})`) : null,
    notes(kernel),
  );
}

const tone = (agrees) => (agrees === null ? "" : agrees ? "good" : "bad");

function counterCells(row, i) {
  const known = row.predicted !== null;
  const text = known ? number(row.predicted) : `${number(row.per_workgroup)} a workgroup`;
  return [
    h("td", {}, `${row.what}: `, h("small", {}, row.counter)),
    h("td", { class: "number" }, claim(`predicted-${i}-${row.counter}`, row.predicted, text)),
    h(
      "td",
      { class: "number" },
      claim(`measured-${i}-${row.counter}`, row.measured, number(row.measured)),
    ),
    difference(row.difference),
    h("td", { class: "why" }, row.cause),
  ];
}

function instructionCells(row) {
  return [
    h("td", {}, placeText(row.location), row.source ? h("small", {}, row.source) : null),
    h("td", {}, row.instruction, h("small", {}, `${row.address} ${row.text}`)),
    h("td", { class: "number" }, number(row.predicted.extra)),
    h("td", { class: "number" }, number(row.measured.extra)),
    difference(row.measured.extra - row.predicted.extra),
    h("td", { class: "why" }, row.cause),
  ];
}

function difference(value) {
  if (value === null) return h("td", { class: "number" }, "–");
  const text = value > 0 ? `+${number(value)}` : number(value);
  return h("td", { class: `number ${value ? "bad" : "good"}` }, text);
}

function table(names, rows) {
  if (!rows.length) return null;
  const numeric = ["predicted", "measured", "difference"];
  return h(
    "div",
    { class: "scroll looked", tabindex: 0, role: "region", "aria-label": names[0] },
    named(h(
      "table",
      { class: "accesses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name) =>
            h("th", { scope: "col", class: numeric.includes(name) ? "number" : "" }, name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((cells) => h("tr", {}, cells)),
      ),
    )),
  );
}
