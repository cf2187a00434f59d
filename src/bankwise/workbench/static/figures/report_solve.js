/** What `bankwise solve` answers: the layout, how optimality is known, what competes with it. */
import { claim, h, named, number } from "../view/dom.js";
import { certificateView } from "./report_certificate.js";

export function solveView(answer) {
  if (answer.refusal) return h("p", { class: "error" }, `no layout: ${answer.refusal}`);
  const word = answer.optimal ? "optimal" : "not proved optimal";
  const within = [`among ${answer.space}`, ...answer.conditions].join(", ");
  return h(
    "div",
    { class: "solution" },
    h("pre", { class: "headline" }, answer.layout.offset),
    h(
      "p",
      {},
      claim("solve-passes", answer.total_passes, `${number(answer.total_passes)} passes`),
      `, floor ${number(answer.total_floor)}: `,
      h("b", { class: answer.optimal ? "good" : "" }, word),
      ` ${within}: ${answer.how}.`,
      answer.family_size === null
        ? ""
        : ` Row-preserving XOR layouts that are as good: ${number(answer.family_size)}.`,
    ),
    answer.notes.map((note) => h("p", { class: "hint" }, note)),
    rivals(answer),
    answer.certificate ? certificateView(answer.certificate) : null,
    h(
      "details",
      {},
      h("summary", {}, "As text"),
      h(
        "dl",
        { class: "notations" },
        texts(answer).flatMap(([name, text]) => [
          h("dt", {}, name),
          h("dd", {}, h("pre", {}, text)),
        ]),
      ),
    ),
  );
}

/** The layout in every notation that can say it. */
function texts(answer) {
  const said = (answer.notations ?? []).map((n) => [n.notation, n.text ?? `cannot: ${n.refusal}`]);
  return said.length ? said : Object.entries(answer.layout.emit);
}

function rivals(answer) {
  const names = ["what competes", "passes", "instructions", "LDS bytes", "operations"];
  const name = (c) => (c.family === c.label ? c.label : `${c.family}: ${c.label}`);
  const row = (c) => [name(c), c.passes, c.instructions, c.lds_bytes, c.operations];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "what competes" },
    named(h(
      "table",
      { class: "accesses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name, i) => h("th", { scope: "col", class: i ? "number" : "" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        answer.pareto.map((c) =>
          h(
            "tr",
            {},
            row(c).map((value) =>
              typeof value === "number"
                ? h("td", { class: "number" }, number(value))
                : h("td", {}, value),
            ),
          ),
        ),
      ),
    )),
  );
}
