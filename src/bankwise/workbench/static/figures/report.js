/** A report of bankwise as a page: check, fix, the fix of a model, and what solve answers. */
import { claim, h, number } from "../view/dom.js";
import { accessTable } from "./report_access.js";
import { certificateView } from "./report_certificate.js";
import { kernelView, placeText, sourceView } from "./report_check.js";
import { countersView } from "./report_counters.js";
import { mendView } from "./report_mend.js";
import { solveView } from "./report_solve.js";
import { tileView } from "./report_tile.js";

const VIEWS = {
  "bankwise.check/1": (document, more) => checkView(document, null, more),
  "bankwise.fix/1": fixView,
  "bankwise.fix-model/1": modelView,
  "bankwise.solve/1": (document, more) =>
    h(
      "div",
      { class: "report" },
      solveView(document),
      document.before ? checkView(document.before, null, more) : null,
    ),
};

/**
 * The elements of a report. `more` is {source, machines}: the kernel's text, and the machines by
 * name as far as they are known. Throws an Error for a document that is no report.
 */
export function reportView(document, more) {
  const view = VIEWS[document?.schema];
  if (view) return view(document, more);
  const known = "check, fix or solve";
  throw new Error(`no report of ${known}: its schema is ${JSON.stringify(document?.schema)}`);
}

function modelView(model, more) {
  return h(
    "div",
    { class: "report" },
    model.notes.map((note) => h("p", { class: "hint" }, note)),
    refusals(model.refusals),
    model.dispatches.map((fix) => fixView(fix, { ...more, source: "" })),
  );
}

function fixView(fix, more) {
  const { before, after } = fix;
  return h(
    "div",
    { class: "report" },
    before.kernels.map((kernel) => fixedKernel(kernel, after)),
    h("p", {}, outcome(fix)),
    h("ul", { class: "verdicts" }, fix.verdicts.map(verdictView)),
    fix.changes.map(changeView),
    refusals(fix.refusals),
    fix.patch
      ? h("details", { open: true }, h("summary", {}, "Patch"), patchView(fix.patch))
      : null,
    checkView(before, after, more),
  );
}

/** One kernel before and after; kernels are never added up, no workgroup runs several of them. */
function fixedKernel(kernel, after) {
  const later = after.kernels.find((one) => one.name === kernel.name).totals.run.extra;
  const name = after.kernels.length > 1 ? `${kernel.demangled ?? kernel.name}: ` : "";
  const line =
    `${name}${number(kernel.totals.run.extra)} → ${number(later)} extra passes per workgroup`;
  return h("p", { class: "headline" }, claim("fix-after", later, line));
}

function outcome(fix) {
  if (fix.accepted) return "The rewritten kernel was accepted by every judge that ran.";
  if (fix.changes.length) return "Nothing is offered: no rewrite was accepted.";
  const known = fix.before.refusals.length ? "is known to have" : "has";
  return `Nothing was changed: no allocation ${known} conflicts that a swizzle removes.`;
}

function verdictView(verdict) {
  const [sign, tone] = { passed: ["✓", "good"], failed: ["✕", "bad"] }[verdict.status] ?? ["–", ""];
  return h(
    "li",
    {},
    h("b", { class: tone }, `${sign} ${verdict.judge}`),
    ` ${verdict.detail}`,
    verdict.rows.length ? h("span", { class: "counts" }, verdict.rows.map(judgeRow)) : null,
  );
}

function judgeRow(row) {
  const text = `${row.name} ${number(row.before)} → ${number(row.after)}`;
  return h("span", { class: row.before === row.after ? "" : "changed" }, text);
}

function changeView(change) {
  return h(
    "section",
    { class: "change" },
    h("h2", {}, `${change.kernel} · ${change.allocations.join(", ")}`),
    h("pre", {}, change.address),
    h(
      "p",
      {},
      `${number(change.before.passes)} → ${number(change.after.passes)} passes, ` +
        `ideal ${number(change.after.ideal)}; best of ${change.members} maps.`,
      change.optimum ? ` ${change.optimum}.` : "",
      change.coalescing ? ` ${change.coalescing}.` : "",
    ),
    change.certificate ? certificateView(change.certificate) : null,
  );
}

function patchView(patch) {
  const kind = (text) => {
    if (/^(---|\+\+\+|@@)/.test(text)) return "meta";
    return { "+": "plus", "-": "minus" }[text[0]] ?? "";
  };
  const lines = patch.split("\n").map((text) => h("span", { class: kind(text) }, `${text}\n`));
  return h("pre", { class: "patch", tabindex: 0 }, lines);
}

function checkView(check, after, more) {
  return h(
    "div",
    { class: "report" },
    h(
      "p",
      { class: "place" },
      h("b", {}, check.file),
      ` · ${check.target}`,
      check.policy === "emitted" ? null : ` · policy ${check.policy}`,
    ),
    after ? null : headline(check),
    after || !check.snippets?.length ? null : mendView(check.snippets),
    check.left_out ? h("p", { class: "hint" }, check.left_out) : null,
    check.spec ? tileView(check, more.machines) : null,
    h(
      "div",
      { class: "columns" },
      accessTable(check, after, more.machines),
      h(
        "div",
        { class: "kernels" },
        check.kernels.map((kernel) => kernelView(kernel, { spec: check.spec, later: after })),
        check.findings.map(findingView),
        refusals(check.refusals),
        check.notes.map((note) => h("p", { class: "hint" }, note)),
      ),
      more.source ? sourceView(more.source, check) : null,
    ),
    check.counters ? countersView(check.counters) : null,
  );
}

/** What the counter adds: of one kernel in numbers, of several which is the worst. */
function headline(check) {
  if (!check.accesses.length) return h("p", { class: "headline" }, "nothing could be counted");
  const total = check.kernels[0].totals.run;
  const alone = check.kernels.length === 1;
  const numbers =
    `${number(total.passes)} passes, ideal ${number(total.ideal)}` +
    (total.bound ? ", as followed" : "");
  return h(
    "p",
    { class: "headline" },
    claim("report-extra", total.extra, headlineText(check)),
    alone ? h("small", {}, ` ${numbers} · ${check.counter}`) : null,
  );
}

function headlineText(check) {
  const worst = check.kernels[0];
  const total = worst.totals.run;
  const plain = !total.bound && !worst.open.length && check.kernels.length === 1;
  if (!plain || worst.conflict === "possible") return check.verdict;
  return total.extra ? `${number(total.extra)} extra passes per workgroup` : "✓ conflict-free";
}

function findingView(finding) {
  return h(
    "p",
    { class: "error finding", "data-rule": finding.rule, "data-line": finding.location?.line },
    h("b", {}, finding.rule),
    ` ${placeText(finding.location)} ${finding.message} `,
    h("small", {}, `bankwise explain ${finding.rule}`),
  );
}

function refusals(list) {
  return list.map((r) =>
    h("p", { class: "error" }, `not analysed ${placeText(r.location)}: ${r.reason}`),
  );
}
