/**
 * The history of the page: every step is an entry of the browser's, so Back is undo. Writing takes
 * milliseconds, and Safari allows a hundred in thirty seconds: the address follows late.
 */

const WRITE_EVERY_MS = 350;
const WRITE_AFTER_MS = 30;
/** A frame shares its history with the page around it: there the steps are kept inside. */
const framed = window.parent !== window;

let at = history.state?.at ?? 0;
let last = at;
/** The entry that the address stands at. */
let stood = at;
let known = location.hash;
let unwritten = [];
let timer = null;
let writtenAt = 0;
history.replaceState({ at }, "");
const texts = { [at]: known.slice(1) };

export const trail = {
  /** A state as text; `step`: undo leads back to the one before it. */
  take(text, step) {
    if (step) last = ++at;
    texts[at] = text;
    if (step || !unwritten.length) unwritten.push({ text, at, step });
    else unwritten.at(-1).text = text;
    const pause = writtenAt + WRITE_EVERY_MS - performance.now();
    timer ??= setTimeout(write, Math.max(WRITE_AFTER_MS, pause));
  },
  /** Whether there is a step before (-1) or behind (1) this one. */
  leads: (by) => at + by >= 0 && at + by <= last,
  /** Undo (-1) or redo (1). */
  go(by) {
    write();
    if (!trail.leads(by)) return;
    if (!framed) return history.go(by);
    at += by;
    history.replaceState({ at }, "", address(texts[at]));
    known = location.hash;
    dispatchEvent(new Event("hashchange"));
  },
  /** The address of what the page shows now. */
  link() {
    write();
    return location.href;
  },
};

const address = (text) => `${location.href.split("#")[0]}#${text}`;

function write() {
  clearTimeout(timer);
  timer = null;
  if (location.hash !== known) forget();
  try {
    while (unwritten.length) {
      const { text, step, ...entry } = unwritten[0];
      const way = step && !framed ? "pushState" : "replaceState";
      history[way](entry, "", address(text));
      stood = unwritten.shift().at;
    }
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
    timer = setTimeout(write, 10 * WRITE_EVERY_MS);
  }
  writtenAt = performance.now();
  known = location.hash;
}

/** Somebody went elsewhere: that counts, not what was not written yet. */
function forget() {
  unwritten = [];
  at = stood;
}

/** Back, forward, or a link: the entry says where it stands, a new one is the last. */
addEventListener("popstate", ({ state }) => {
  forget();
  if (state) at = state.at;
  else history.replaceState({ at: (last = ++at) }, "");
  last = Math.max(last, at);
  stood = at;
  texts[at] = location.hash.slice(1);
  known = location.hash;
});
