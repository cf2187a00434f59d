/** "Your kernel": drop a report, or, where a server stands behind the page, a kernel to check and fix. */
import { button, h, refill } from "../view/dom.js";
import { linkLines, reportView } from "./report.js";

const POLL_MS = 250;

/** Mount the panel; `embedded` is {document, source} of a report page, null elsewhere. */
export function mountKernel(root, embedded) {
  const result = h("div", { class: "result", "aria-live": "polite" });
  linkLines(result);
  if (embedded) {
    root.append(result);
    show(result, embedded.document, embedded.source);
    return;
  }
  const token = document.querySelector('meta[name="bankwise-token"]')?.content;
  const text = h("textarea", {
    rows: 9,
    spellcheck: "false",
    "aria-label": "kernel or report",
    placeholder: token
      ? "Paste MLIR here, or a report of bankwise check --format json; or drop a file."
      : "Paste or drop a report here: bankwise check kernel.mlir --format json",
  });
  const target = h("input", { size: 10, "aria-label": "target", placeholder: "gfx950" });
  const name = { file: "kernel.mlir" };
  const work = (verb) =>
    isReport(text.value)
      ? show(result, JSON.parse(text.value), "")
      : token
        ? run(result, token, { verb, text: text.value, file: name.file, target: target.value })
        : say(
            result,
            "This page stands alone. Start `bankwise workbench` to check and fix kernels here.",
          );
  root.append(
    text,
    h(
      "div",
      { class: "controls" },
      button("Check", () => work("check"), { class: "primary" }),
      token ? button("Fix", () => work("fix")) : null,
      token
        ? h("label", { class: "select" }, h("span", {}, "Target, if the file names none"), target)
        : null,
    ),
    result,
  );
  takeDrops(root, async (file) => {
    name.file = file.name;
    text.value = await file.text();
    work("check");
  });
}

function isReport(text) {
  return text.trimStart().startsWith("{") && text.includes('"bankwise.');
}

function show(result, document, source) {
  try {
    refill(result, reportView(document, source));
  } catch (error) {
    say(result, error.message);
  }
}

function say(result, text) {
  refill(result, h("pre", { class: "error", role: "alert" }, text));
}

/** Send the job, ask for its answer until it is there; a button ends it. */
async function run(result, token, job) {
  const headers = { "Content-Type": "application/json", "X-Bankwise-Token": token };
  const ask = async (path, more = {}) => {
    const answer = await fetch(path, { headers, ...more });
    return answer.json();
  };
  const started = performance.now();
  const sent = await ask("jobs", { method: "POST", body: JSON.stringify(job) });
  if (sent.error) {
    say(result, sent.error);
    return;
  }
  const stop = () => ask(`jobs/${sent.id}`, { method: "DELETE" });
  for (;;) {
    const answer = await ask(`jobs/${sent.id}`);
    if (answer.state !== "running") {
      finish(result, answer, job.text);
      return;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    refill(
      result,
      h(
        "p",
        {},
        h("progress"),
        ` ${job.verb} has been running for ${seconds} s `,
        button("Stop", stop),
      ),
    );
    await new Promise((next) => setTimeout(next, POLL_MS));
  }
}

function finish(result, answer, source) {
  if (answer.error) say(result, answer.error);
  else show(result, answer.document, source);
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
