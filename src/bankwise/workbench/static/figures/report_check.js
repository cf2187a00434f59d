/** What else a check tells: kernels and their memory, the optimum, counters, the source. */
import { h, number } from "../view/dom.js";
import { certificateView } from "./report_certificate.js";

export const placeText = (place) => {
  if (!place?.line) return "";
  return place.column ? `${place.line}:${place.column}` : String(place.line);
};

/** One kernel. `spec`: it is the tile of a spec file; `later`: what fixes it has been told. */
export function kernelView(kernel, { spec, later }) {
  const size = kernel.workgroup_size.join("×");
  const o = kernel.occupancy;
  const limit = o?.limited_by_lds ? ", which is the limit" : "";
  return h(
    "section",
    { class: "kernel" },
    h("h2", {}, kernel.demangled ?? kernel.name),
    h(
      "p",
      {},
      `workgroup ${size}, ${number(kernel.lds_bytes)} B of shared memory`,
      o ? `; ${o.workgroups_by_lds} workgroups fit one unit by memory${limit}` : "",
      ".",
    ),
    spec ? null : h("ul", { class: "allocations" }, kernel.allocations.map(allocationView)),
    later ? null : h("p", {}, kernel.verdict),
    kernel.compiled ? h("p", { class: "hint" }, compiledText(kernel.compiled)) : null,
    later ? null : (kernel.optima ?? []).map((o) => optimumView(o, kernel.counted)),
    kernel.notes.map((note) => h("p", { class: "hint" }, note)),
  );
}

/** Whose code was counted, and what is counted from the source. */
function compiledText({ compiler, source }) {
  const assumed = source.assumed ? ` known, ${number(source.assumed)} assumed` : "";
  return (
    `Counted as ${compiler} emits it; counted from the source: ` +
    `${number(source.followed)}${assumed} extra passes.`
  );
}

function allocationView(allocation) {
  return h(
    "li",
    {},
    h("b", {}, allocation.name),
    ` ${number(allocation.bytes)} B `,
    h("meter", { min: 0, max: 1, value: allocation.share, "aria-label": "share of the memory" }),
    ` ${(100 * allocation.share).toFixed(1)} %`,
  );
}

/** The present layout of some allocations against the best that there is. */
function optimumView(optimum, counted) {
  const word = optimum.optimal ? "optimum" : "best found";
  const within = [`among ${optimum.space}`, ...optimum.conditions].join(", ");
  const worse = optimum.present.passes > optimum.best.passes;
  return h(
    "div",
    { class: "optimum" },
    h(
      "p",
      {},
      h("b", {}, optimum.allocations.join(", ")),
      " ",
      h("b", { class: worse ? "bad" : "good" }, number(optimum.present.passes)),
      ` passes ${counted ? "per workgroup" : "as followed"}, ${word} `,
      `${number(optimum.best.passes)} (${within}: ${optimum.how})`,
    ),
    optimum.address ? h("pre", {}, optimum.address) : null,
    optimum.notation ? h("pre", {}, optimum.notation) : null,
    (optimum.notes ?? []).map((note) => h("p", { class: "hint" }, note)),
    optimum.certificate ? certificateView(optimum.certificate) : null,
  );
}

/** How many ways each line of a check conflicts at worst, by line. */
export function conflictsOfLines({ accesses = [] }) {
  const found = new Map();
  for (const { run, location, ways } of accesses) {
    if (run.extra > 0 && location?.line)
      found.set(location.line, Math.max(ways, found.get(location.line) ?? 0));
  }
  return found;
}

/** The kernel's text; lines with a conflict are marked and named. */
export function sourceView(source, check) {
  const marked = new Map(
    [...conflictsOfLines(check)].map(([line, ways]) => [line, `${ways}-way`]),
  );
  for (const { location, rule } of check.findings) {
    if (location?.line && !marked.has(location.line)) marked.set(location.line, rule);
  }
  const lines = source.split("\n").map((text, i) =>
    h(
      "span",
      {
        class: marked.has(i + 1) ? "hit" : "",
        "data-source-line": i + 1,
        "data-mark": marked.get(i + 1),
      },
      `${String(i + 1).padStart(4)}  ${text}\n`,
    ),
  );
  return h(
    "details",
    { class: "source" },
    h("summary", {}, "Source"),
    h("pre", { tabindex: 0 }, lines),
  );
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
