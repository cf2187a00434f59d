/** One tile of a Wave kernel (32x64 f16, gfx950): copied, laid out in LDS, read in phases. */
import { count } from "../core/conflict.js";
import { laneText } from "../core/machines.js";
import { change, within } from "../state.js";
import { hitsOf, hitsSvg, LEFT } from "../view/charts.js";
import { bankFill, lighter, thingFill } from "../view/colour.js";
import { choices, claim, h, slider, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, rect, SMALL, svg } from "../view/svg.js";

export const UNIT = 8;
export const PERIOD = 8;
const ROW = 64;
const WAVES = 8;

/** Mount the figures of the kernel. */
export function mountWave(machines) {
  figure("wave-copy", ["wc"], copyFigure);
  figure("wave-lds", ["ws"], ldsFigure);
  figure("wave-read", ["wp"], (values) => readFigure(values, machines));
}

/** First bytes of the fragment read: lane -> row lane mod 16, chunk lane div 16. */
export function fragmentOffsets(swizzled) {
  return Array.from({ length: 64 }, (_, lane) => {
    const [row, chunk] = [lane % 16, lane >> 4];
    return 2 * (row * ROW + (swizzled ? chunk ^ (row % PERIOD) : chunk) * UNIT);
  });
}

/** Which element a lane of a wave copies: 4 bytes a lane, 256 bytes a wave, two copies of each. */
function copied(copy, wave, lane) {
  const element = 2 * (64 * (WAVES * copy + wave) + lane);
  return { row: Math.floor(element / ROW), word: (element % ROW) / 2 };
}

/** Words of the tile in global memory: who copies each. */
function copyOwners() {
  const owners = new Map();
  for (let copy = 0; copy < 2; copy++) {
    for (let wave = 0; wave < WAVES; wave++) {
      for (let lane = 0; lane < 64; lane++) {
        const { row, word } = copied(copy, wave, lane);
        owners.set(row * 32 + word, { copy, wave, lane });
      }
    }
  }
  return owners;
}

function copyFigure(values) {
  const shown = within(values.wc, WAVES - 1);
  const [wide, tall] = [17, 13];
  const marks = [];
  const rows = new Set();
  for (const [place, { copy, wave, lane }] of copyOwners()) {
    const [m, word] = [place >> 5, place % 32];
    const [x, y] = [60 + word * wide, 14 + m * tall];
    if (wave === shown && copy === 0) rows.add(m);
    marks.push(
      rect(x, y, wide - 1, tall - 1, thingFill(2 * wave, 2 * WAVES), {
        opacity: wave === shown ? 1 : 0.45,
        title: `row ${m}, columns ${2 * word} and ${2 * word + 1}: wave ${wave}, lane ${lane}, copy ${copy + 1}`,
      }),
    );
    if (wave === shown) {
      marks.push(label(x + wide / 2 - 0.5, y + 9.5, lane, { size: SMALL, fill: "#14181d" }));
    }
    if (word === 0 && m % 2 === 0) {
      marks.push(
        label(52, y + 14, `wave ${wave}`, { size: SMALL, anchor: "end", fill: "var(--quiet)" }),
      );
    }
    if (word === 0 && m % 16 === 0) {
      const text = copy ? "second copy" : "first copy";
      const own = { size: SMALL, anchor: "start", fill: "var(--quiet)" };
      marks.push(label(66 + 32 * wide, y + 12, text, own));
    }
  }
  const many = [...rows].sort((one, other) => one - other);
  return {
    controls: [
      slider(
        "Wave",
        shown,
        WAVES - 1,
        (wave) => `wave ${wave}`,
        (wave) => change({ wc: String(wave) }),
      ),
    ],
    picture: svg(140 + 32 * wide, 18 + 32 * tall, marks.join(""), "rows of the tile by wave"),
    claim: [
      `Each cell is one lane’s 4 bytes. In its first copy wave ${shown} takes rows `,
      claim("wave-rows", many.join(" "), many.join(" and ")),
      ".",
    ],
  };
}

/** The whole tile as it lies in LDS: 64 banks wide, a chunk of 16 bytes per cell. */
function ldsFigure(values) {
  const swizzled = values.ws === "1";
  const [wide, tall] = [40, 17];
  const marks = [];
  const banks = new Set();
  for (let m = 0; m < 32; m++) {
    for (let chunk = 0; chunk < ROW / UNIT; chunk++) {
      const slot = swizzled ? chunk ^ (m % PERIOD) : chunk;
      const word = (m * ROW + slot * UNIT) / 2;
      const [bank, line] = [word % 64, Math.floor(word / 64)];
      if (chunk === 0) banks.add(bank);
      const [x, y] = [48 + (bank / 4) * wide, 16 + line * tall];
      const fill = thingFill(2 * chunk, 16);
      marks.push(
        rect(x, y, wide - 1.5, tall - 1.5, m & 1 ? lighter(fill) : fill, { rx: 2 }) +
          label(x + wide / 2 - 1, y + 12, `${m},${chunk}`, { size: SMALL, fill: "#14181d" }),
      );
    }
  }
  const heads = Array.from({ length: 16 }, (_, i) =>
    label(48 + (i + 0.5) * wide, 10, `${4 * i}–${4 * i + 3}`, { size: SMALL, fill: "var(--quiet)" }),
  );
  const lines = Array.from({ length: 16 }, (_, i) =>
    label(42, 28 + i * tall, `line ${i}`, { size: SMALL, anchor: "end", fill: "var(--quiet)" }),
  );
  return {
    controls: [layouts("ws", swizzled)],
    picture: svg(
      48 + 16 * wide,
      18 + 16 * tall,
      [...marks, ...heads, ...lines].join(""),
      "the tile in the lines of LDS, row and chunk",
    ),
    claim: [
      "Chunk 0 of the 32 rows starts on ",
      claim("wave-lds-banks", banks.size, `${banks.size} different banks`),
      ` of 64: ${[...banks].sort((one, other) => one - other).join(", ")}.`,
    ],
  };
}

const layouts = (key, swizzled) =>
  choices(
    "layout",
    [
      ["0", "Row-major"],
      ["1", "chunk XOR (row mod 8)"],
    ],
    swizzled ? "1" : "0",
    (value) => change({ [key]: value }),
  );

function readFigure(values, machines) {
  const row = machines.get("gfx950").instructions.get("ds_read_b128");
  const phase = within(values.wp, row.phases.length - 1);
  const sides = [false, true].map((swizzled) => {
    const offsets = fragmentOffsets(swizzled);
    return { swizzled, offsets, counted: count(row, offsets) };
  });
  const on0 = ({ counted }) =>
    [...(counted.phases[phase].banks.get(0) ?? new Map()).values()].flat();
  const said = ({ swizzled, counted }, lanes) => {
    const name = swizzled ? "wave-xor" : "wave-plain";
    const { passes, ideal, ways } = counted;
    return h(
      "p",
      {},
      h("span", { class: "who" }, swizzled ? "chunk XOR (row mod 8)" : "row-major"),
      verdict(`${name}-passes`, passes, ideal, ways),
      " · bank 0: ",
      claim(
        `${name}-bank0`,
        lanes.join(" "),
        lanes.length > 1 ? `lanes ${lanes.join(", ")}` : `lane ${lanes[0]} alone`,
      ),
    );
  };
  return {
    controls: [
      slider(
        "Phase",
        phase,
        row.phases.length - 1,
        (p) => `${p}: lanes ${laneText(row.phases[p])}`,
        (p) => change({ wp: String(p) }),
      ),
    ],
    picture: sides
      .map(({ swizzled, offsets, counted }) => {
        const hits = hitsSvg(hitsOf(counted.phases[phase], 64), { width: WIDTH });
        const title = swizzled ? "chunk XOR (row mod 8)" : "row-major";
        const lines = linesSvg(title, offsets, row.phases[phase]);
        return `${lines}<div class="chart" tabindex="0" role="group" aria-label="banks">${hits}</div>${cycleStrip(counted)}`;
      })
      .join(""),
    claim: sides.map((side) => said(side, on0(side))),
  };
}

const SIZE = 10.5;
const WIDTH = LEFT + 64 * SIZE;

/** The first eight lines of LDS and the chunks that the lanes of one phase want. */
function linesSvg(title, offsets, lanes) {
  const cells = Array.from({ length: 8 }, (_, at) =>
    Array.from({ length: 64 }, (_, bank) =>
      rect(LEFT + bank * SIZE, 32 + at * 20, SIZE - 1, 18, bankFill(bank, 64), { opacity: 0.28 }),
    ).join(""),
  );
  const wanted = lanes.map((lane) => {
    const word = offsets[lane] / 4;
    const [bank, at] = [word % 64, Math.floor(word / 64)];
    const [x, y] = [LEFT + bank * SIZE, 32 + at * 20];
    const four = Array.from({ length: 4 }, (_, i) =>
      rect(x + i * SIZE, y, SIZE - 1, 18, bankFill(bank + i, 64)),
    );
    const frame = { stroke: "var(--ink)", "stroke-width": 1.4 };
    const text = { size: 10.5, fill: "#14181d", "font-weight": 700 };
    return (
      four.join("") +
      rect(x, y, 4 * SIZE - 1, 18, "none", frame) +
      label(x + 2 * SIZE, y + 13, `t${lane}`, text)
    );
  });
  const heads = Array.from({ length: 16 }, (_, i) =>
    label(LEFT + (4 * i + 2) * SIZE, 26, `${4 * i}–${4 * i + 3}`, {
      size: SMALL,
      fill: "var(--quiet)",
    }),
  );
  const name = label(LEFT, 11, title, { size: 12, anchor: "start", "font-weight": 600 });
  const alt = `${title}: the lanes of one phase in the lines of LDS`;
  return svg(WIDTH, 196, [name, ...cells, ...wanted, ...heads].join(""), alt);
}

/** Cycles of the instruction, a block per pass, by phase. */
function cycleStrip(counted) {
  const size = 38;
  let at = 0;
  const blocks = counted.phases.flatMap((phase, i) =>
    Array.from({ length: phase.passes }, (_, k) => {
      const x = LEFT + size * at++;
      const fill = thingFill(2 * i, 8);
      return (
        rect(x, 18, size - 3, 22, k ? lighter(fill) : fill, { rx: 2 }) +
        label(x + size / 2 - 1.5, 33, `ph ${i}`, { size: SMALL, fill: "#14181d" })
      );
    }),
  );
  return svg(
    WIDTH,
    46,
    label(LEFT, 12, `${at} cycles to issue; ${counted.ideal} are needed`, {
      anchor: "start",
      size: 10.5,
      fill: "var(--quiet)",
    }) + blocks.join(""),
    `${at} cycles`,
  );
}
