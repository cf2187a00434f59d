/** Three figures of the derivation by hand, each run on the real read. */
import { count } from "../core/conflict.js";
import { listed } from "../core/construct.js";
import { columnsOf, conflictDirections, issue, offset, offsetsBytes, plain } from "../core/tile.js";
import { change, within } from "../state.js";
import { bankFill } from "../view/colour.js";
import { claim, h, slider, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, line, path, rect, SMALL, svg } from "../view/svg.js";
import { tileMarks } from "../view/tile.js";

const TILE = { columns: 5, rows: 4, elementBits: 32 };
const BANKS = 32;

const fold = (masks) => ({ kind: "fold", masks });
/** Mount every figure of the story. */
export function mountStory(machines) {
  const machine = machines.get("sm_90");
  const request = { name: "read", op: "read", lanes: "m0 m1 m2 m3 n0", vector: "" };
  const read = issue(machine, TILE, request);
  figure("opening", [], () => opening(read));
  figure("story-xor", ["xr"], (values) => building(within(values.xr, 3)));
  figure("story-diagnosis", ["s"], (values) => diagnosis(read, within(values.s, 15)));
}

function bank(layout, m, n) {
  return offset(layout, TILE, (m << TILE.columns) | n) % BANKS;
}

function opening(read) {
  const panels = [
    ["row-major", "plain", plain(TILE)],
    ["n ⊕ m", "m", fold([1, 2, 4, 8])],
    ["n ⊕ 2m", "2m", fold([2, 4, 8, 16])],
  ];
  const alts = ["vertical stripes", "a staircase", "a staircase of pairs"];
  const spec = (layout) => ({
    rows: 8,
    columns: 32,
    size: 10.5,
    cell: (m, n) => ({ bank: bank(layout, m, n), banks: BANKS }),
  });
  const pictures = panels.map(([name, , layout], i) => {
    const title = label(0, 12, name, { anchor: "start", size: 12 });
    const alt = `eight rows coloured by bank: ${alts[i]}`;
    return svg(337, 8 * 10.5 + 22, tileMarks(spec(layout), 0, 20) + title, alt);
  });
  const claims = panels.map(([name, key, layout]) => {
    const counted = count(read.row, offsetsBytes(layout, TILE, read, 0));
    return side(name, `opening-${key}`, counted);
  });
  return { picture: pictures.join(""), claim: claims };
}

function side(text, name, counted) {
  const { passes, ideal, ways } = counted;
  return h("span", { class: "side" }, who(text), verdict(name, passes, ideal, ways));
}

const who = (text) => h("span", { class: "who" }, text);

/** Rows 0 to 3: which slots the row index swaps, built up to row `last`. */
function building(last) {
  const size = 19.5;
  const shown = 16;
  const folded = (m) => (m <= last ? m : 0);
  const body = [0, 1, 2, 3].map((m) => {
    const top = 18 + m * (size + 42);
    const cells = Array.from({ length: shown }, (_, slot) => {
      const column = slot ^ folded(m);
      const x = 1 + slot * (size + 2);
      const reach = (column - slot) * (size + 2);
      const arc = `M ${x + size / 2} ${top + size + 3} q ${reach / 2} 16 ${reach} 0`;
      return (
        rect(x, top, size, size, tileFill(column)) +
        label(x + size / 2, top + size / 2 + 3, `n${column}`, { size: SMALL, fill: "#14181d" }) +
        (column > slot ? path(arc, { stroke: "var(--quiet)" }) : "")
      );
    });
    const what = ["stays", "swaps neighbours", "swaps pairs", "does both"][folded(m)];
    return (
      label(0, top - 6, `row ${m}  ⊕${folded(m)}: ${what}`, { anchor: "start", size: 11 }) +
      cells.join("")
    );
  });
  const lands = (rows) =>
    new Set(Array.from({ length: rows }, (_, m) => bank(fold([1, 2, 4, 8]), m, 0))).size;
  const here = new Set([0, 1, 2, 3].map((m) => folded(m))).size;
  return {
    controls: [
      slider(
        "Built up to row",
        last,
        3,
        (m) => (m ? `row ${m}` : "nothing folded"),
        (m) => change({ xr: String(m) }),
      ),
    ],
    picture: svg(
      shown * (size + 2),
      4 * (size + 42),
      body.join(""),
      "the first half of rows 0 to 3 while the XOR is built",
    ),
    claim: [
      who("column 0 of these rows"),
      claim("story-xor-built", here, `lands in ${here} of 4 banks`),
      " · ",
      who("of all 16 rows, when done"),
      claim("story-xor-banks", lands(16), `in ${lands(16)} different banks`),
    ],
  };
}

const tileFill = (bank) => bankFill(bank, BANKS);

function diagnosis(read, step) {
  const bad = conflictDirections(TILE, columnsOf(fold([1, 2, 4, 8]), TILE), read);
  const even = Array.from({ length: 16 }, (_, m) => bank(fold([1, 2, 4, 8]), m, 2 * step));
  const odd = Array.from({ length: 16 }, (_, m) => bank(fold([1, 2, 4, 8]), m, 2 * step + 1));
  const size = 18;
  const left = 60;
  const row = (banks, top, name) =>
    label(0, top + 22, name, { anchor: "start", size: 11 }) +
    banks
      .map(
        (b, m) =>
          rect(left + m * size, top, size - 2, 30, tileFill(b)) +
          label(left + m * size + (size - 2) / 2, top + 20, b, { size: 11, fill: "#14181d" }),
      )
      .join("");
  const same = new Set([...even, ...odd]).size;
  const links = even.map((b, m) => {
    const other = odd.indexOf(b);
    return line(left + m * size + 8, 46, left + other * size + 8, 70, "var(--bad)", {
      "stroke-width": 1.3,
    });
  });
  return {
    controls: [
      slider(
        "Read step r",
        step,
        15,
        (r) => `columns ${2 * r} and ${2 * r + 1}`,
        (r) => change({ s: String(r) }),
      ),
    ],
    picture: svg(
      left + 16 * size,
      122,
      row(even, 16, `column ${2 * step}`) +
        row(odd, 70, `column ${2 * step + 1}`) +
        links.join("") +
        label(0, 118, "row", { size: 11, anchor: "start" }) +
        Array.from({ length: 16 }, (_, m) =>
          label(left + m * size + 8, 118, m, { size: SMALL, fill: "var(--quiet)" }),
        ).join(""),
      "the banks of two neighbouring columns; each bank appears in both",
    ),
    claim: [
      who("both columns together"),
      claim("story-diagnosis-banks", same, `${same} banks for 32 lanes`),
      " · ",
      who("what changes the lane and not the bank"),
      h("span", { class: "side" }, claim("story-diagnosis-direction", listed(bad, TILE))),
    ],
  };
}
