/** One tile of a Wave kernel (32x64 f16, gfx950) and Composable Kernel's XOR descriptor. */
import { count } from "../core/conflict.js";
import { change, within } from "../state.js";
import { hitsOf, hitsSvg } from "../view/charts.js";
import { bankFill, thingFill } from "../view/colour.js";
import { choices, claim, h, slider, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, rect, svg } from "../view/svg.js";

const UNIT = 8;
const PERIOD = 8;

/** Mount the figures of both kernels. */
export function mountWave(machines) {
  figure("wave-copy", [], copyFigure);
  figure("wave-read", ["ws"], (values) => readFigure(values, machines));
  figure("wave-thread", [], threadFigure);
  figure("eight", [], eightFigure);
  figure("descriptor", ["xd"], (values) => descriptorFigure(values, machines));
}

/** First bytes of the fragment read: lane -> row lane mod 16, chunk lane div 16. */
function fragmentOffsets(swizzled) {
  return Array.from({ length: 64 }, (_, lane) => {
    const [row, chunk] = [lane % 16, lane >> 4];
    return 2 * (row * 64 + (swizzled ? chunk ^ (row % PERIOD) : chunk) * UNIT);
  });
}

/** Which wave copies which rows: 8 waves, two copies, two rows of 64 elements each. */
function copyFigure() {
  const [wide, tall] = [17, 11];
  const rows = Array.from({ length: 32 }, (_, m) => {
    const y = 14 + m * tall;
    const wave = (m % 16) >> 1;
    const fill = thingFill(2 * wave, 16);
    const cells = Array.from({ length: 32 }, (_, word) =>
      rect(60 + word * wide, y, wide - 1, tall - 1, fill, { opacity: word & 1 ? 0.8 : 1 }),
    );
    return (
      cells.join("") +
      (m % 2 === 0
        ? label(52, y + 14, `wave ${wave}`, { size: 9, anchor: "end", fill: "var(--quiet)" })
        : "")
    );
  });
  const right = [
    ["first copy", 0],
    ["second copy", 16],
  ].map(([text, m]) =>
    label(66 + 32 * wide, 26 + m * tall, text, {
      size: 9.5,
      anchor: "start",
      fill: "var(--quiet)",
    }),
  );
  return {
    picture: svg(
      140 + 32 * wide,
      18 + 32 * tall,
      rows.join("") + right.join(""),
      "rows of the tile by wave",
    ),
    claim: [
      "Each cell is one lane’s 4 bytes: ",
      claim("wave-rows", 2, "2 rows"),
      " of the tile per wave and copy.",
    ],
  };
}

function readFigure(values, machines) {
  const swizzled = values.ws === "1";
  const row = machines.get("gfx950").instructions.get("ds_read_b128");
  const offsets = fragmentOffsets(swizzled);
  const counted = count(row, offsets);
  const served = new Set(row.phases[0]);
  const size = 11;
  const cells = Array.from({ length: 8 }, (_, line) =>
    Array.from({ length: 64 }, (_, bank) =>
      rect(30 + bank * size, 16 + line * 20, size - 1, 18, bankFill(bank, 64), { opacity: 0.28 }),
    ).join(""),
  );
  const lanes = [...served].map((lane) => {
    const word = offsets[lane] / 4;
    const [bank, line] = [word % 64, Math.floor(word / 64)];
    const x = 30 + bank * size;
    return (
      Array.from({ length: 4 }, (_, i) =>
        rect(x + i * size, 16 + line * 20, size - 1, 18, bankFill(bank + i, 64)),
      ).join("") +
      rect(x, 16 + line * 20, 4 * size - 1, 18, "none", {
        stroke: "var(--ink)",
        "stroke-width": 1.4,
      }) +
      label(x + 2 * size, 29 + line * 20, `t${lane}`, {
        size: 10,
        fill: "#14181d",
        "font-weight": 700,
      })
    );
  });
  const heads = Array.from({ length: 16 }, (_, i) =>
    label(30 + (4 * i + 2) * size, 10, `${4 * i}–${4 * i + 3}`, { size: 8, fill: "var(--quiet)" }),
  );
  const crowd = served.size && row.phases[0].filter((lane) => (offsets[lane] / 4) % 64 === 0);
  return {
    controls: [
      choices(
        "layout",
        [
          ["0", "Row-major"],
          ["1", "chunk XOR (row mod 8)"],
        ],
        swizzled ? "1" : "0",
        (ws) => change({ ws }),
      ),
    ],
    picture:
      svg(
        34 + 64 * size,
        180,
        [...cells, ...lanes, ...heads].join(""),
        "phase 0 of the fragment read in LDS",
      ) +
      `<div class="chart">${hitsSvg(hitsOf(counted.phases[0], 64), { width: 34 + 64 * size })}</div>${cycleStrip(counted)}`,
    claim: [
      verdict("wave-passes", counted.passes, counted.ideal, counted.ways),
      h(
        "p",
        { class: "hint" },
        "Phase 0 (lanes 0–3, 12–15, 20–27). On bank 0: ",
        claim(
          "wave-bank0",
          crowd.join(" "),
          crowd.length > 1 ? `lanes ${crowd.join(", ")}` : `lane ${crowd[0]} alone`,
        ),
        ".",
      ),
    ],
  };
}

/** Cycles of the instruction, a block per pass, by phase. */
function cycleStrip(counted) {
  const size = 38;
  let at = 0;
  const blocks = counted.phases.flatMap((phase, i) =>
    Array.from({ length: phase.passes }, (_, k) => {
      const x = 30 + size * at++;
      return (
        rect(x, 18, size - 3, 22, thingFill(2 * i, 8), { rx: 2, opacity: k ? 0.7 : 1 }) +
        label(x + size / 2 - 1.5, 33, `ph ${i}`, { size: 9, fill: "#14181d" })
      );
    }),
  );
  return svg(
    34 + 64 * 11,
    46,
    label(30, 12, `${at} cycles to issue; 4 are needed`, {
      anchor: "start",
      size: 10,
      fill: "var(--quiet)",
    }) + blocks.join(""),
    `${at} cycles`,
  );
}

function threadFigure() {
  const [row, column] = [1, 0];
  const chunk = Math.floor(column / UNIT);
  const phase = row % PERIOD;
  const moved = (chunk ^ phase) * UNIT;
  const bank = (row * 32 + moved / 2) % 64;
  const steps = [
    ["column chunk", `${column} div ${UNIT}`, chunk],
    ["row phase", `${row} mod ${PERIOD}`, phase],
    ["XOR", `${chunk} ⊕ ${phase}`, chunk ^ phase],
    ["new column", `${chunk ^ phase} × ${UNIT}`, moved],
    ["bank", `(32 × ${row} + ${moved} div 2) mod 64`, bank],
  ];
  const body = steps.map(([name, how, value], i) => {
    const x = i * 148;
    return (
      rect(x, 4, 136, 68, i === 4 ? bankFill(bank, 64) : "var(--wash)", { rx: 6 }) +
      label(x + 68, 22, name, { size: 10.5, fill: i === 4 ? "#14181d" : "var(--quiet)" }) +
      label(x + 68, 46, value, {
        size: 18,
        "font-weight": 700,
        fill: i === 4 ? "#14181d" : "var(--ink)",
      }) +
      label(x + 68, 63, how, { size: 8.5, fill: i === 4 ? "#14181d" : "var(--quiet)" })
    );
  });
  return {
    picture: svg(5 * 148 - 12, 76, body.join(""), "four steps from column 0 of row 1 to bank 36"),
    claim: [
      "Thread 1 reads banks ",
      claim("thread-1", bank, `${bank}–${bank + 3}`),
      "; row-major it would be banks 32–35, with threads 3, 13 and 15.",
    ],
  };
}

function eightFigure() {
  const size = 30;
  const grid = (left, moved, title) =>
    label(left, 12, title, { anchor: "start", size: 11 }) +
    Array.from({ length: 64 }, (_, i) => {
      const [m, n] = [i >> 3, i & 7];
      const from = moved ? n ^ m : n;
      return (
        rect(left + n * size, 20 + m * size, size - 2, size - 2, thingFill(2 * from, 16), {
          rx: 2,
        }) +
        label(left + n * size + size / 2 - 1, 20 + m * size + 18, `${m},${from}`, {
          size: 9.5,
          fill: "#14181d",
        })
      );
    }).join("");
  return {
    picture: svg(
      2 * 8 * size + 48,
      22 + 8 * size,
      grid(0, false, "before") + grid(8 * size + 48, true, "after: unit 1, max_phase 8"),
      "an 8 by 8 tile before and after",
    ),
    claim: [
      "Each column of the tile, one colour, lands in ",
      claim(
        "eight-columns",
        new Set(Array.from({ length: 8 }, (_, m) => m ^ 3)).size,
        "8 different columns",
      ),
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
  const [wide, tall] = [42, 15];
  const marks = [];
  for (let m = 0; m < 32; m++) {
    for (let block = 0; block < 4; block++) {
      const slot = descriptorSlot(m, block, step);
      const [x, y] = logical ? [block, m] : [slot % 8, slot >> 3];
      const text = logical && step === 4 ? `@${slot}` : `${m},${block}`;
      marks.push(
        rect(40 + x * wide, 18 + y * tall, wide - 2, tall - 1, bankFill(block * 8, 32), {
          rx: 2,
          opacity: m & 1 ? 0.72 : 1,
        }) +
          label(40 + x * wide + wide / 2 - 1, 29 + y * tall, text, { size: 8.5, fill: "#14181d" }),
      );
    }
  }
  const across = logical ? 4 : 8;
  const heads = Array.from({ length: across }, (_, i) =>
    label(40 + i * wide + wide / 2, 11, logical ? `block ${i}` : `${4 * i}–${4 * i + 3}`, {
      size: 8.5,
      fill: "var(--quiet)",
    }),
  );
  if (!logical)
    heads.push(label(34, 11, "banks", { size: 8.5, anchor: "end", fill: "var(--quiet)" }));
  const lines = Array.from({ length: logical ? 32 : 16 }, (_, y) =>
    label(34, 29 + y * tall, logical ? `m ${y}` : `B ${y}`, {
      size: 8,
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
