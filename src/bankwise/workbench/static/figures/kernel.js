/** "Your kernel": drop a report, or, where a server stands behind the page, a text to work on. */
import { button, h, refill } from "../view/dom.js";
import { describe, runJob, token, whyAlone } from "./jobs.js";
import { reportView } from "./report.js";
import { conflictsOfLines, linkLines } from "./report_check.js";
import { mountSolver } from "./solve.js";

const MOST_BYTES = 4 << 20;
const RECOGNISE_MS = 250;
const EMPTY = "Here will stand every access, why lanes wait and the best layout.";

/** Mount the panel. */
export function mountKernel(root, machines) {
  const result = h("div", { class: "result", "aria-live": "polite" });
  linkLines(result);
  const text = h("textarea", {
    rows: 9,
    spellcheck: "false",
    "aria-label": "kernel or report",
    wrap: "off",
    placeholder: token()
      ? `Paste or drop ${readable()}, or a report (JSON).`
      : "Paste or drop a report here: bankwise check kernel.cu --format json",
  });
  const target = h("input", { size: 10, "aria-label": "target", placeholder: "gfx950" });
  const size = h("input", { size: 10, "aria-label": "workgroup size", placeholder: "256,1,1" });
  const numbers = h("input", { size: 12, "aria-label": "arguments", placeholder: "n=4096" });
  const given = { target, workgroup_size: size, arguments: numbers };
  const heat = h("div", { class: "heat", "aria-label": "conflicts of each line", role: "group" });
  const panel = { text, heat, given, result, machines, name: "", busy: false };
  const verbs = token() ? ["Check", "Fix", "Solve"] : ["Check"];
  panel.verbs = verbs.map((name, i) =>
    button(name, () => work(panel, name.toLowerCase()), { class: i ? "" : "primary" }),
  );
  panel.fields = {
    workgroup_size: field("Workgroup size", size),
    arguments: field("Kernel arguments", numbers),
  };
  panel.what = h("p", { class: "hint what-is", role: "status" });
  const controls = h(
    "div",
    { class: "controls" },
    panel.verbs,
    token() ? [field("Target, if the file names none", target), ...Object.values(panel.fields)] : null,
  );
  const sheet = h("div", { class: "sheet" }, panel.heat, text);
  root.append(h("div", { class: "kernel-input" }, sheet, panel.what, controls), result);
  text.addEventListener("input", () => {
    panel.name = "";
    refill(panel.heat);
    clearTimeout(panel.timer);
    panel.timer = setTimeout(() => recognise(panel), RECOGNISE_MS);
  });
  text.addEventListener("scroll", () => (panel.heat.scrollTop = text.scrollTop));
  takeDrops(root, async (file) => {
    if (file.size > MOST_BYTES) {
      say(result, `${file.name} is larger than 4 MiB`);
      return;
    }
    text.value = await file.text();
    panel.name = file.name;
    recognise(panel);
    work(panel, "check");
  });
  refill(result, h("p", { class: "hint" }, EMPTY));
  mountSolver(machines);
}

/** Say what the text is; what is no use for it is not offered. */
async function recognise(panel) {
  const { text, what, verbs, fields, name } = panel;
  const given = text.value;
  const report = isReport(given);
  const found = report || !token() || !given.trim() ? null : await describe(given, name);
  if (text.value !== given) return; // Another text by now.
  const taken = found?.verbs ?? verbs.map((one) => one.textContent.toLowerCase());
  for (const one of verbs) one.disabled = !taken.includes(one.textContent.toLowerCase());
  for (const [key, one] of Object.entries(fields)) one.hidden = !(found?.fields?.includes(key) ?? true);
  const instead = found?.instead ? `: ${found.instead}` : "";
  what.textContent = report ? "A report." : found?.format ? `This is ${found.format}${instead}.` : "";
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
  else {
    show(result, answer.document, { source: job.text, machines });
    showHeat(panel, answer.document);
    askSize(panel, answer.document.kernels ?? []);
  }
}

/** A block size that nothing says is asked for: what was guessed is said beside its field. */
function askSize({ what, given }, kernels) {
  const told = kernels.flatMap(({ notes }) => notes).find((note) => / size .* guessed/.test(note));
  if (!told) return;
  what.textContent = `${told}. Say it below, and check again.`;
  given.workgroup_size.focus();
}

/** The margin of the text: how many ways each line conflicts, the hotter the more. */
function showHeat({ heat, result, text }, document) {
  const marked = conflictsOfLines(document.before ?? document);
  const follow = (line) => (event) => {
    event.preventDefault();
    result.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
  };
  const lines = text.value.split("\n").map((_, i) => {
    const ways = marked.get(i + 1);
    const said = { href: "#", onclick: follow(i + 1), "aria-label": `line ${i + 1}: ${ways}-way` };
    const share = Math.min(1, Math.log2(ways) / 5);
    const style = `background: color-mix(in srgb, #f08a4b ${Math.round(30 + 70 * share)}%, #ffe9a8)`;
    return ways ? h("a", { ...said, style }, `${ways}-way`) : h("a", { "aria-hidden": "true" });
  });
  refill(heat, lines);
  heat.scrollTop = text.scrollTop;
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
