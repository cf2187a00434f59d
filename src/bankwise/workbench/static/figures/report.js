/** A report of `bankwise check` or `bankwise fix` as a page: bankwise.check/1, bankwise.fix/1. */
import { thingFill } from "../view/colour.js";
import { claim, h, number } from "../view/dom.js";
import { label, rect, svg } from "../view/svg.js";

/** The elements of a report. Throws an Error for a document that is none. */
export function reportView(document, source = "") {
  const schema = document?.schema;
  if (schema === "bankwise.check/1") return checkView(document, source, null);
  if (schema === "bankwise.fix/1") return fixView(document, source);
  throw new Error(`no report of check or fix: its schema is ${JSON.stringify(schema)}`);
}

function fixView(fix, source) {
  const { before, after } = fix;
  const line = `${number(before.totals.run.extra)} → ${number(after.totals.run.extra)} extra passes per workgroup`;
  return h(
    "div",
    { class: "report" },
    h("p", { class: "headline" }, claim("fix-after", after.totals.run.extra, line)),
    h(
      "p",
      {},
      fix.accepted
        ? "The rewritten kernel was accepted by every judge that ran."
        : "Nothing is offered: no rewrite was accepted.",
    ),
    h(
      "ul",
      { class: "verdicts" },
      fix.verdicts.map((v) =>
        h(
          "li",
          {},
          h(
            "b",
            { class: v.status === "passed" ? "good" : v.status === "failed" ? "bad" : "" },
            `${v.status === "passed" ? "✓" : v.status === "failed" ? "✕" : "–"} ${v.judge}`,
          ),
          ` ${v.detail}`,
          judgeRows(v.rows),
        ),
      ),
    ),
    fix.changes.map((c) =>
      h(
        "section",
        { class: "change" },
        h("h4", {}, `${c.kernel} · ${c.allocations.join(", ")}`),
        h("pre", {}, c.address),
        h(
          "p",
          {},
          `${number(c.before.passes)} → ${number(c.after.passes)} passes, ideal ${number(c.after.ideal)}; best of ${c.members} maps.`,
          c.coalescing ? ` ${c.coalescing}.` : "",
        ),
      ),
    ),
    refusals(fix.refusals),
    checkView(before, source, after),
    fix.patch
      ? h("details", { open: true }, h("summary", {}, "Patch"), patchView(fix.patch))
      : null,
  );
}

function judgeRows(rows) {
  if (!rows.length) return null;
  return h(
    "span",
    { class: "counts" },
    rows.map((r) =>
      h(
        "span",
        { class: r.before === r.after ? "" : "changed" },
        `${r.name} ${number(r.before)} → ${number(r.after)}`,
      ),
    ),
  );
}

function patchView(patch) {
  return h(
    "pre",
    { class: "patch" },
    patch.split("\n").map((text) => {
      const kind = /^(---|\+\+\+|@@)/.test(text)
        ? "meta"
        : text[0] === "+"
          ? "plus"
          : text[0] === "-"
            ? "minus"
            : "";
      return h("span", { class: kind }, `${text}\n`);
    }),
  );
}

function checkView(check, source, after) {
  const total = check.totals.run;
  return h(
    "div",
    { class: "report" },
    h(
      "p",
      { class: "place" },
      h("b", {}, check.file),
      ` · ${check.target} · policy ${check.policy}`,
    ),
    after
      ? null
      : h(
          "p",
          { class: "headline" },
          claim(
            "report-extra",
            total.extra,
            total.extra ? `${number(total.extra)} extra passes per workgroup` : "✓ conflict-free",
          ),
          h(
            "small",
            {},
            ` ${number(total.passes)} passes, ideal ${number(total.ideal)} · ${check.counter}`,
          ),
        ),
    accessTable(check, after),
    check.kernels.map(kernelView),
    check.findings.map((f) =>
      h("p", { class: "error" }, `${f.rule}: ${f.message} (${placeText(f.location)})`),
    ),
    refusals(check.refusals),
    source ? sourceView(source, check) : null,
    check.notes.length
      ? h(
          "ul",
          { class: "hint" },
          check.notes.map((note) => h("li", {}, note)),
        )
      : null,
  );
}

const placeText = (place) => (place?.line ? `${place.line}:${place.column ?? 1}` : "");

function refusals(list) {
  return list.map((r) =>
    h("p", { class: "error" }, `not analysed ${placeText(r.location)}: ${r.reason}`),
  );
}

function accessTable(check, after) {
  const columns = [
    "line",
    "access",
    "instruction",
    "passes",
    "ideal",
    after ? "after" : "extra",
    "why",
  ];
  const later = after ? inOrder(after) : [];
  const place = new Map(inOrder(check).map((access, i) => [access, i]));
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "accesses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        check.accesses.map((a, i) => accessRow(a, later[place.get(a)] ?? null, i)),
      ),
    ),
  );
}

/** Accesses in the order of the text: a rewrite moves lines, but neither adds nor drops accesses. */
function inOrder(check) {
  const at = (a) => [a.location?.line ?? 0, a.location?.column ?? 0];
  return [...check.accesses].sort((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1]);
}

function accessRow(access, after, i) {
  const bad = access.run.extra > 0;
  const witness = access.witness ? witnessView(access.witness) : null;
  return h(
    "tr",
    {
      class: bad ? "conflict" : "",
      "data-line": access.location?.line ?? "",
      tabindex: bad ? 0 : null,
    },
    h("td", {}, placeText(access.location)),
    h(
      "td",
      {},
      `${access.direction} ${access.allocations.join(", ")}`,
      h("small", {}, access.operation),
    ),
    h(
      "td",
      {},
      access.instruction,
      h("small", {}, `${access.instruction_source} · ${access.evidence} ${access.confidence}`),
    ),
    h(
      "td",
      { class: "number" },
      claim(`access-${i}-passes`, access.run.passes, number(access.run.passes)),
    ),
    h("td", { class: "number" }, number(access.run.ideal)),
    h(
      "td",
      { class: `number ${!after && bad ? "bad" : after ? "good" : ""}` },
      after ? number(after.run.passes) : number(access.run.extra),
    ),
    h("td", { class: "why" }, access.reason ?? (bad ? "" : "free"), witness),
  );
}

/** The lanes that collide, on their bank: shown while the row is pointed at or focused. */
function witnessView(witness) {
  const size = 44;
  const body = witness.lanes.map(
    (lane, i) =>
      rect(i * size, 0, size - 3, 34, thingFill(2 * i, 2 * witness.lanes.length), { rx: 3 }) +
      label(i * size + size / 2 - 1.5, 14, `lane ${lane}`, { size: 9, fill: "#14181d" }) +
      label(i * size + size / 2 - 1.5, 27, `w ${witness.words[i]}`, { size: 9, fill: "#14181d" }),
  );
  const picture = h("div", { class: "witness" }, h("small", {}, witness.text));
  picture.insertAdjacentHTML(
    "beforeend",
    svg(witness.lanes.length * size, 36, body.join(""), witness.text),
  );
  return picture;
}

function kernelView(kernel) {
  const size = kernel.workgroup_size.join("×");
  const o = kernel.occupancy;
  return h(
    "section",
    { class: "kernel" },
    h("h4", {}, kernel.name),
    h(
      "p",
      {},
      `workgroup ${size}, ${number(kernel.lds_bytes)} B of shared memory`,
      o
        ? `; ${o.workgroups_by_lds} workgroups fit one unit by memory${o.limited_by_lds ? ", which is the limit" : ""}`
        : "",
      ".",
    ),
    h(
      "ul",
      { class: "allocations" },
      kernel.allocations.map((a) =>
        h(
          "li",
          {},
          h("b", {}, a.name),
          ` ${number(a.bytes)} B `,
          h("meter", { min: 0, max: 1, value: a.share }),
          ` ${(100 * a.share).toFixed(1)} %`,
        ),
      ),
    ),
  );
}

/** The kernel's text; lines with a conflict are marked and named. */
function sourceView(source, check) {
  const marked = new Map(
    check.accesses
      .filter((a) => a.run.extra > 0 && a.location?.line)
      .map((a) => [a.location.line, `${a.ways}-way`]),
  );
  const lines = source.split("\n").map((text, i) =>
    h(
      "span",
      {
        class: marked.has(i + 1) ? "hit" : "",
        "data-source-line": i + 1,
        "data-mark": marked.get(i + 1) ?? null,
      },
      `${String(i + 1).padStart(4)}  ${text}\n`,
    ),
  );
  return h("details", { class: "source" }, h("summary", {}, "Source"), h("pre", {}, lines));
}

/** Point at a row: its source line lights up; and the other way round. */
export function linkLines(root) {
  const light = (line, on) => {
    if (!line) return;
    for (const element of root.querySelectorAll(
      `[data-source-line="${line}"], [data-line="${line}"]`,
    )) {
      element.classList.toggle("lit", on);
    }
  };
  const lineOf = (event) => {
    const found = event.target.closest?.("[data-line], [data-source-line]");
    return found?.dataset.line ?? found?.dataset.sourceLine;
  };
  for (const [type, on] of [
    ["pointerover", true],
    ["pointerout", false],
    ["focusin", true],
    ["focusout", false],
  ]) {
    root.addEventListener(type, (event) => light(lineOf(event), on));
  }
}
