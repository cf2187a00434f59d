/** The whole state of the page lives in the URL behind "#": a link is a saved session. */
import { saved } from "./chapters.js";
import { trail } from "./trail.js";

const WHOLE = /^\d{1,5}$/;
const TEXT = /^[^\n]*$/;

/** What the page shows untouched, and how a value looks. Keys are short: they are typed into links. */
const KEYS = {
  y: ["", /^([1-8]|algebra|hardware|memory)?$/], // what is shown: the instrument, a chapter, an article
  i: ["layout", /^(layout|address|kernel)$/], // what is put in
  g: ["sm_90", TEXT], // machine
  t: ["5x4x32", /^[1-8]x[1-8]x(8|16|32|64)$/], // column bits x row bits x element bits
  l: ["f2.4.8.16", /^(f[\d.]*|[pr]\d{1,3}|x[\d.]+)$/], // B: f<row masks>, p<padding>, r<rotation>, x<matrix>
  o: ["f", /^(f[\d.]*|[pr]\d{1,3}|x[\d.]+)$/], // A, the same way
  a: ["store:w:n0.n1.n2.n3.n4:,read:r:m0.m1.m2.m3.n0:", TEXT], // accesses, name:op:lanes:vector
  e: ["ld.shared.b32:128*lane:132*lane", TEXT], // addresses: instruction, bytes of a lane in A and in B
  v: ["1", WHOLE], // the access that is looked at
  r: ["0", WHOLE], // its register step
  p: ["all", /^(all|\d{1,3})$/], // phase
  k: ["", /^\d{0,5}$/], // passes that have gone by
  z: ["0", /^[01]$/], // cells large enough for their numbers
  c: ["", /^\d{0,5}$/], // the cell that is pinned
  b: ["", /^\d{0,3}$/], // the bank that is pinned
  al: ["0", /^[01]$/], // the algebra of the workbench is shown
  s: ["0", WHOLE], // step of the hand derivation's read
  ln: ["9", WHOLE], // the lane that is ringed in A and B
  xr: ["3", WHOLE], // rows that the XOR is built from
  ak: ["9", WHOLE], // steps of the algorithm shown
  co: ["0", WHOLE], // coalescing scenario
  cs: ["4.64.16*lane", TEXT], // free coalescing: width, line, bytes of a lane
  ru: ["2", WHOLE], // bank conflict rule
  rf: ["gfx942:ds_read_b32:128*lane", TEXT], // free rule: machine, instruction, bytes of a lane
  xd: ["2", WHOLE], // XOR descriptor step
  ph: ["gfx950.ds_read_b128", TEXT], // phase table
  wc: ["0", WHOLE], // Wave tile: the wave whose copy is shown
  ws: ["0", WHOLE], // Wave tile in LDS: swizzled
  wp: ["0", WHOLE], // Wave tile: the phase of the read
  th: ["1", WHOLE], // the thread whose four steps are shown
  mp: ["8", WHOLE], // max_phase of the 8 by 8 tile
  mf: ["0", WHOLE], // MFMA readback: none, padded, swizzled
  oc: ["16384.132", /^\d+\.\d+$/], // LDS bytes of a workgroup, padded pitch
  l1: ["8", WHOLE], // log2 of the L1 stride
};
const DEFAULTS = Object.fromEntries(Object.entries(KEYS).map(([key, [value]]) => [key, value]));

/** A change of one of these is a step of the history; the others only look elsewhere. */
const STEPS = ["y", "i", "g", "t", "l", "o", "a", "e"];

/** A number of the URL as one of 0 .. last, whatever stands there. */
export function within(text, last) {
  return Math.max(0, Math.min(last, Math.floor(Number(text)) || 0));
}

const listeners = new Set();
let current = { ...DEFAULTS };
let strange = [];

/** All values as they are now: texts by key. */
export const state = () => current;

/** What the link asks for and the page cannot show, one sentence each. */
export const unshown = () => strange;

/** Change some keys, tell everybody who listens, rewrite the URL soon. */
export function change(patch) {
  const step = STEPS.some((key) => key in patch && patch[key] !== current[key]);
  current = { ...current, ...patch };
  strange = [];
  trail.take(encode(current), step);
  for (const listener of listeners) listener(current, patch);
}

/** Show a view: the instrument (""), an article, or a chapter of the story as it was saved. */
export const visit = (view) => change({ ...(Number(view) > 0 ? base(view) : {}), y: view });

/** Open a link, as a gallery or a preset has it: what it does not say is as untouched. */
export function open(text) {
  const { values } = decode(text);
  change({ ...base(values.y), ...values });
}

/** Call `listener` after every change. */
export function listen(listener) {
  listeners.add(listener);
}

/** Read the URL; what cannot be shown is left out and said. */
export function restore() {
  const found = decode(location.hash.slice(1));
  current = { ...base(found.values.y), ...found.values };
  strange = found.strange;
  for (const listener of listeners) listener(current, current);
}

const base = (view) => ({ ...DEFAULTS, ...saved(view) });

/** A state as it stands in a link. */
export function encode(values) {
  const untouched = base(values.y);
  return Object.entries(values)
    .filter(([key, value]) => (key === "y" ? value !== "" : untouched[key] !== value))
    .map(([key, value]) => `${key}=${value.replace(/[%&#=\s"<>]/g, encodeURIComponent)}`)
    .join("&");
}

function decode(text) {
  const values = {};
  const strange = [];
  for (const part of text.split("&").filter(Boolean)) {
    const [key, written = ""] = part.split(/=(.*)/s);
    const value = unescaped(written);
    if (!Object.hasOwn(KEYS, key)) strange.push(`“${key.slice(0, 40)}” is no part of a link`);
    else if (KEYS[key][1].test(value)) values[key] = value;
    else strange.push(`“${key}=${value.slice(0, 40)}” cannot be shown`);
  }
  return { values, strange };
}

function unescaped(value) {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
