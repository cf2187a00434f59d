/** What colours, numbers and rings mean: at rest, and while passes go by. */
import { bankFill } from "../view/colour.js";
import { h, remake } from "../view/dom.js";

const BANKS = 32;
const swatch = (style, text = "") =>
  h("span", { class: "swatch", style, "aria-hidden": "true" }, text);
const ring = (outer, inner) => `outline-color: ${outer}; background: ${inner}`;

/** Fill `root` with the legend of what is seen; without an access there is nothing to read. */
export function legend(root, { row, sides, tick }) {
  root.hidden = !sides.length;
  if (root.hidden) return;
  const moving = tick !== null;
  remake(root, `${row.machine} ${row.name} ${moving}`, () => [
    h("h2", {}, "What it means"),
    h(
      "dl",
      {},
      entries(row, moving).map(([sign, words]) => h("div", {}, h("dt", {}, sign), h("dd", {}, words))),
    ),
  ]);
}

function entries({ wave, banks, machine, name, phases, evidence, confidence }, moving) {
  const half = wave / 2;
  const [first, second] =
    phases.length > 1 ? ["an even phase", "an odd phase"] : [`0-${half - 1}`, `${half}-${wave - 1}`];
  const [light, dark] = [ring("#ffffff", bankFill(4, BANKS)), ring("#14181d", bankFill(4, BANKS))];
  const hues = [0, 1, 12, 13].map((bank) => swatch(`background: ${bankFill(bank, BANKS)}`));
  const rings = moving
    ? [
        [swatch(dark), "waits: a later pass serves it"],
        [swatch(light), "served in this pass"],
        [swatch(`background: ${bankFill(4, BANKS)}; opacity: 0.38`), "faint: served before"],
      ]
    : [
        [swatch(dark), `wanted now, by a lane of ${first}`],
        [swatch(light), `wanted now, by a lane of ${second}`],
      ];
  return [
    [hues, `colour: the bank, one of the ${banks} of ${machine}; each serves one 4-byte word a pass`],
    [swatch(`background: ${bankFill(4, BANKS)}`, "4"), "number in a cell: its bank (Enlarge shows it)"],
    ...rings,
    [
      swatch(`outline-color: var(--bad); background: ${bankFill(4, BANKS)}`),
      "red frame: lanes want different words of this bank and take turns; the number is how many",
    ],
    ["pass", "one turn of the banks, no time; the order of words is drawn, not known"],
    ["ideal", "passes without any conflict; a profiler’s counter adds passes less ideal"],
    ["n-way", "the fullest bank of a phase has n words: n passes"],
    ["phase", "lanes that the hardware serves together; only they can collide"],
    ["rule", `how ${machine} serves ${name}: ${evidence}, confidence ${confidence}`],
  ];
}
