/** "Your kernel": drop a report, or, where a server stands behind the page, a text to work on. */
import { button, h, refill } from "../view/dom.js";
import { runJob, token, whyAlone } from "./jobs.js";
import { reportView } from "./report.js";
import { linkLines } from "./report_check.js";
import { mountSolver } from "./solve.js";

const MOST_BYTES = 4 << 20;

/** Mount the panel; `embedded` is {document, source} of a report page, null elsewhere. */
export function mountKernel(root, embedded, machines) {
  const result = h("div", { class: "result", "aria-live": "polite" });
  linkLines(result);
  if (embedded) {
    root.append(result);
    show(result, embedded.document, { source: embedded.source, machines });
    return;
  }
  const text = h("textarea", {
    rows: 9,
    spellcheck: "false",
    "aria-label": "kernel or report",
    placeholder: token()
      ? `Paste or drop ${readable()}, or a report (JSON).`
      : "Paste or drop a report here: bankwise check kernel.mlir --format json",
  });
  const target = h("input", { size: 10, "aria-label": "target", placeholder: "gfx950" });
  const size = h("input", { size: 10, "aria-label": "workgroup size", placeholder: "256,1,1" });
  const numbers = h("input", { size: 12, "aria-label": "arguments", placeholder: "n=4096" });
  const given = { target, workgroup_size: size, arguments: numbers };
  const panel = { text, given, result, machines, name: "", busy: false };
  const verbs = token() ? ["Check", "Fix", "Solve"] : ["Check"];
  root.append(
    text,
    h(
      "div",
      { class: "controls" },
      verbs.map((name, i) =>
        button(name, () => work(panel, name.toLowerCase()), { class: i ? "" : "primary" }),
      ),
      token()
        ? [
            field("Target, if the file names none", target),
            field("Workgroup size", size),
            field("Kernel arguments", numbers),
          ]
        : null,
    ),
    result,
  );
  text.addEventListener("input", () => (panel.name = ""));
  takeDrops(root, async (file) => {
    if (file.size > MOST_BYTES) {
      say(result, `${file.name} is larger than 4 MiB`);
      return;
    }
    text.value = await file.text();
    panel.name = file.name;
    work(panel, "check");
  });
  mountSolver(machines);
}

/** A pasted report is shown; anything else is a job, one at a time. */
async function work(panel, verb) {
  const { text, result, machines } = panel;
  if (isReport(text.value)) {
    showText(result, text.value, machines);
    return;
  }
  if (!token()) {
    say(result, whyAlone());
    return;
  }
  if (panel.busy) return;
  panel.busy = true;
  const said = Object.entries(panel.given).map(([key, input]) => [key, input.value]);
  const job = { verb, text: text.value, file: panel.name, ...Object.fromEntries(said) };
  const answer = await runJob(result, job);
  panel.busy = false;
  if (answer.error) say(result, answer.error);
  else show(result, answer.document, { source: job.text, machines });
}

function isReport(text) {
  return text.trimStart().startsWith("{") && text.includes('"bankwise.');
}

/** What the server reads, in words: Python writes them from its table of formats. */
function readable() {
  return document.querySelector('meta[name="bankwise-formats"]').content;
}

function field(words, input) {
  return h("label", { class: "select" }, h("span", {}, words), input);
}

function showText(result, text, machines) {
  try {
    show(result, JSON.parse(text), { source: "", machines });
  } catch (error) {
    say(result, error.message);
  }
}

function show(result, document, more) {
  try {
    refill(result, reportView(document, more));
  } catch (error) {
    say(result, error.message);
  }
}

function say(result, text) {
  refill(result, h("pre", { class: "error", role: "alert" }, text));
}

function takeDrops(root, take) {
  root.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("over");
  });
  root.addEventListener("dragleave", () => root.classList.remove("over"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file) take(file);
  });
}
