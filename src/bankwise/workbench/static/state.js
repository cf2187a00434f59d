/** The whole state of the page lives in the URL behind "#": a link is a saved session. */

/** What the page shows untouched. Keys are short because they are typed into links. */
const DEFAULTS = {
  g: "sm_90", // machine
  t: "5x4x32", // column bits x row bits x element bits
  l: "f1.2.4.8", // layout: f<row masks>, p<padding>, r<rotation>
  a: "store:w:n0.n1.n2.n3.n4:,read:r:m0.m1.m2.m3.n0:", // accesses, name:op:lanes:vector
  v: "1", // the access that is looked at
  r: "0", // its register step
  p: "all", // phase
  c: "", // the cell that is pinned
  b: "", // the bank that is pinned
  al: "0", // the algebra of the workbench is shown
  s: "0", // step of the hand derivation's read
  ln: "9", // the lane that is ringed in A and B
  xr: "3", // rows that the XOR is built from
  k: "9", // steps of the algorithm shown
  co: "0", // coalescing scenario
  cs: "4.64.16*lane", // free coalescing: width, line, bytes of a lane
  ru: "2", // bank conflict rule
  rf: "gfx942:ds_read_b32:128*lane", // free rule: machine, instruction, bytes of a lane
  xd: "2", // XOR descriptor step
  ph: "gfx950.ds_read_b128", // phase table
  wc: "0", // Wave tile: the wave whose copy is shown
  ws: "0", // Wave tile in LDS: swizzled
  wp: "0", // Wave tile: the phase of the read
  th: "1", // the thread whose four steps are shown
  mp: "8", // max_phase of the 8 by 8 tile
  mf: "0", // MFMA readback: none, padded, swizzled
  oc: "16384.132", // LDS bytes of a workgroup, padded pitch
  l1: "8", // log2 of the L1 stride
};

/** A number of the URL as one of 0 .. last, whatever stands there. */
export function within(text, last) {
  return Math.max(0, Math.min(last, Math.floor(Number(text)) || 0));
}

const listeners = new Set();
let current = { ...DEFAULTS };

/** All values as they are now: texts by key. */
export const state = () => current;

/** Change some keys, tell everybody who listens, rewrite the URL soon. */
export function change(patch) {
  current = { ...current, ...patch };
  for (const listener of listeners) listener(current, patch);
  const pause = writtenAt + WRITE_EVERY_MS - performance.now();
  unwritten ??= setTimeout(write, Math.max(WRITE_AFTER_MS, pause));
}

/** Writing takes milliseconds, and Safari allows a hundred in thirty seconds: a drag is a few. */
const WRITE_EVERY_MS = 350;
const WRITE_AFTER_MS = 30;
let unwritten = null;
let writtenAt = 0;
let known = "";

function write() {
  unwritten = null;
  if (location.hash !== known) return; // Somebody went elsewhere: that counts, not what was here.
  history.replaceState(null, "", `${location.href.split("#")[0]}#${encode(current)}`);
  writtenAt = performance.now();
  known = location.hash;
}

/** Call `listener` after every change. */
export function listen(listener) {
  listeners.add(listener);
}

/** Read the URL; keys that are unknown are left out. */
export function restore() {
  clearTimeout(unwritten);
  unwritten = null;
  known = location.hash;
  current = { ...DEFAULTS, ...decode(location.hash.slice(1)) };
  for (const listener of listeners) listener(current, current);
}

function encode(values) {
  return Object.entries(values)
    .filter(([key, value]) => DEFAULTS[key] !== value)
    .map(([key, value]) => `${key}=${value.replace(/[%&#=\s"<>]/g, encodeURIComponent)}`)
    .join("&");
}

function decode(text) {
  const found = {};
  for (const part of text.split("&")) {
    const [key, value] = part.split("=");
    if (key in DEFAULTS && value !== undefined) found[key] = unescaped(value);
  }
  return found;
}

function unescaped(value) {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
