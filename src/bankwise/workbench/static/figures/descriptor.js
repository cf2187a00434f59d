/** The XOR of an 8x8 tile in small, and Composable Kernel's XOR descriptor step by step. */
import { count } from "../core/conflict.js";
import { change, within } from "../state.js";
import { bankFill, lighter, thingFill } from "../view/colour.js";
import { choices, claim, h, slider, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, rect, SMALL, svg } from "../view/svg.js";

/** Mount both figures. */
export function mountDescriptor(machines) {
  figure("eight", ["mp"], eightFigure);
  figure("descriptor", ["xd"], (values) => descriptorFigure(values, machines));
}

function eightFigure(values) {
  const most = [1, 2, 4, 8].includes(Number(values.mp)) ? Number(values.mp) : 8;
  const size = 30;
  const lands = (m, n) => n ^ (m % most);
  const grid = (moved, title) => {
    const cells = Array.from({ length: 64 }, (_, i) => {
      const [m, n] = [i >> 3, i & 7];
      const [x, y] = [(moved ? lands(m, n) : n) * size, 20 + m * size];
      return (
        rect(x, y, size - 2, size - 2, thingFill(2 * n, 16), { rx: 2 }) +
        label(x + size / 2 - 1, y + 18, `${m},${n}`, { size: SMALL, fill: "#14181d" })
      );
    });
    const name = label(0, 12, title, { anchor: "start", size: 11 });
    return svg(8 * size, 22 + 8 * size, name + cells.join(""), `an 8 by 8 tile, ${title}`);
  };
  const spread = (n) => new Set(Array.from({ length: 8 }, (_, m) => lands(m, n))).size;
  const fewest = Math.min(...Array.from({ length: 8 }, (_, n) => spread(n)));
  return {
    controls: [
      choices(
        "max_phase",
        ["1", "2", "4", "8"].map((p) => [p, `max_phase ${p}`]),
        String(most),
        (mp) => change({ mp }),
      ),
    ],
    picture: grid(false, "before") + grid(true, `after: unit 1, max_phase ${most}`),
    claim: [
      "Each column of the tile, one colour, lands in ",
      claim("eight-columns", fewest, fewest > 1 ? `${fewest} different columns` : "one column"),
      ".",
    ],
  };
}

const DESCRIPTOR = [
  "The tile as the program sees it: 64 rows of 32 f16, in blocks of 8 elements.",
  "Two rows share one round of 32 banks: B = row div 2, A = 4 (row mod 2) + block.",
  "XOR: block A of row B moves to A ⊕ (B mod 8). Only this step permutes.",
  "A is taken apart again into (row mod 2, block).",
  "Merged back: what the program calls row and column. The permutation stays in memory.",
];

/** First bytes of one ds_read_b128 per lane (row = lane, block 0) at a step of the descriptor. */
function descriptorOffsets(step) {
  return Array.from({ length: 64 }, (_, m) => 16 * descriptorSlot(m, 0, step));
}

function descriptorSlot(m, block, step) {
  const [b, a] = [m >> 1, 4 * (m & 1) + block];
  return 8 * b + (step >= 2 ? a ^ (b % 8) : a);
}

function descriptorFigure(values, machines) {
  const step = within(values.xd, DESCRIPTOR.length - 1);
  const row = machines.get("gfx942").instructions.get("ds_read_b128");
  const counted = count(row, descriptorOffsets(step));
  const plain = count(row, descriptorOffsets(1));
  const logical = step === 0 || step === 4;
  const [wide, tall] = [47, 15];
  const marks = [];
  for (let m = 0; m < 32; m++) {
    for (let block = 0; block < 4; block++) {
      const slot = descriptorSlot(m, block, step);
      const [x, y] = logical ? [block, m] : [slot % 8, slot >> 3];
      const fill = bankFill(block * 8, 32);
      const text = logical && step === 4 ? `@${slot}` : `${m},${block}`;
      marks.push(
        rect(40 + x * wide, 18 + y * tall, wide - 2, tall - 1, m & 1 ? lighter(fill) : fill, {
          rx: 2,
        }) +
          label(40 + x * wide + wide / 2 - 1, 29 + y * tall, text, { size: SMALL, fill: "#14181d" }),
      );
    }
  }
  const across = logical ? 4 : 8;
  const heads = Array.from({ length: across }, (_, i) =>
    label(40 + i * wide + wide / 2, 11, logical ? `block ${i}` : `${4 * i}–${4 * i + 3}`, {
      size: SMALL,
      fill: "var(--quiet)",
    }),
  );
  if (!logical)
    heads.push(label(34, 11, "banks", { size: SMALL, anchor: "end", fill: "var(--quiet)" }));
  const lines = Array.from({ length: logical ? 32 : 16 }, (_, y) =>
    label(34, 29 + y * tall, logical ? `m ${y}` : `B ${y}`, {
      size: SMALL,
      anchor: "end",
      fill: "var(--quiet)",
    }),
  );
  return {
    controls: [
      slider(
        "Step",
        step,
        4,
        (k) => ["before", "1 reshape", "2 XOR", "3 unmerge", "4 merge"][k],
        (xd) => change({ xd: String(xd) }),
      ),
    ],
    picture: svg(
      44 + 8 * wide,
      20 + 32 * tall * (logical ? 1 : 0.5),
      [...marks, ...heads, ...lines].join(""),
      DESCRIPTOR[step],
    ),
    claim: [
      h("p", { class: "hint" }, DESCRIPTOR[step]),
      "ds_read_b128 down the rows, gfx942: ",
      verdict("descriptor-passes", counted.passes, counted.ideal, counted.ways),
      step >= 2
        ? h(
            "span",
            {},
            " (before the XOR: ",
            claim("descriptor-before", plain.passes, `${plain.passes} passes`),
            ")",
          )
        : null,
    ],
  };
}
