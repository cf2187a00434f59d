/** Jobs of the server behind the page: post, ask until the answer is there, show progress, stop. */
import { button, h, refill } from "../view/dom.js";

const POLL_MS = 200;

/** Whether a server stands behind this page. */
const served = () =>
  document.querySelector('meta[name="bankwise-server"]')?.content === "yes";

const KEPT = "bankwise-token";

/**
 * The token that the server asks for; empty where nobody gave one. It comes in the address that the
 * server printed, leaves the address bar at once (a copied link holds no token), and lasts as long
 * as the tab.
 */
export function token() {
  if (!served()) return "";
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given === null) return sessionStorage.getItem(KEPT) ?? "";
  sessionStorage.setItem(KEPT, given);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
  return given;
}

/** Why this page does no jobs, and what to do about it. */
export const whyAlone = () =>
  served()
    ? "This address carries no token: open the one that `bankwise workbench` printed."
    : "This page stands alone: it counts layouts and addresses, and shows reports. Kernels are " +
      "read by `bankwise check kernel.cu --format html`, or `bankwise workbench`.";

/** A server at work, or one that is gone: what `fetch` says is one sentence for the reader. */
async function ask(path, more = {}) {
  const headers = { "Content-Type": "application/json", "X-Bankwise-Token": token() };
  try {
    const answer = await fetch(path, { headers, ...more });
    return await answer.json();
  } catch {
    return {
      state: "failed",
      error: "the server does not answer: is `bankwise workbench` running?",
    };
  }
}

/** What a text is: {format, verbs, fields, instead}, or {error}. */
export const describe = (text, file) =>
  ask("texts", { method: "POST", body: JSON.stringify({ text, file }) });

/**
 * Run {verb, text, file, target}; its progress, with a button that stops it, stands in `place`.
 * Gives {document} or {error}.
 */
export async function runJob(place, job) {
  const sent = await ask("jobs", { method: "POST", body: JSON.stringify(job) });
  if (sent.error) return sent;
  const bar = progressBar(job.verb, () => ask(`jobs/${sent.id}`, { method: "DELETE" }));
  refill(place, bar.element);
  for (;;) {
    const answer = await ask(`jobs/${sent.id}`);
    if (answer.state !== "running") {
      refill(place);
      return answer;
    }
    bar.update(answer);
    await new Promise((next) => setTimeout(next, POLL_MS));
  }
}

/** How far it is: a percentage where somebody knows it, a moving bar where nobody does. */
function progressBar(verb, stop) {
  const bar = h("progress", { max: 1, "aria-label": `progress of ${verb}` });
  const percent = h("b", { class: "percent" });
  const stage = h("span", { role: "status" });
  const time = h("span", { class: "hint" });
  const end = button("Stop", () => {
    end.disabled = true;
    stop();
  });
  const update = (told) => {
    if (told.total) bar.value = told.done / told.total;
    else bar.removeAttribute("value");
    percent.textContent = told.total ? `${Math.floor((100 * told.done) / told.total)} %` : "";
    if (stage.textContent !== told.stage) stage.textContent = told.stage;
    time.textContent = `${told.seconds.toFixed(1)} s of at most ${told.limit_seconds} s`;
  };
  return { element: h("div", { class: "job" }, bar, percent, stage, time, end), update };
}
