/** Bank hits as bars, matrices over F2 as cells. */
import { bankFill } from "./colour.js";
import { label, line, rect, SMALL, svg } from "./svg.js";

/** What stands left of the bars: "words", "bank", "lane". */
export const LEFT = 32;
/** Below this width the numbers of 32 lanes do not fit beside each other. */
const NARROW = 480;

/**
 * Words wanted per bank in one phase: bars with their number. `marked`: banks to point out.
 * `hits`: array over banks of the number of distinct words; `worst`: the highest bar there may be.
 */
export function hitsSvg(hits, { width = 704, marked = new Set(), alt = "", worst = 1 } = {}) {
  const banks = hits.length;
  worst = Math.max(worst, ...hits);
  const step = (width - LEFT) / banks;
  const every = [1, 2, 4, 8].find((many) => many * step > 13) ?? 16;
  const unit = Math.min(9, 96 / worst);
  const height = 44 + unit * worst;
  const base = height - 16;
  const marks = [line(LEFT, base + 0.5, width, base + 0.5)];
  hits.forEach((words, bank) => {
    const x = LEFT + bank * step;
    const tall = unit * words;
    marks.push(
      rect(x + 1, base - tall, step - 2, tall, bankFill(bank, banks), {
        "data-bank": bank,
        stroke: marked.has(bank) ? "var(--ink)" : words > 1 ? "var(--bad)" : undefined,
        "stroke-width": marked.has(bank) ? 2.4 : words > 1 ? 1.4 : undefined,
      }),
    );
    if (words && (fits(words, step) || bank % 2 === 0 || hits[bank - 1] !== words)) {
      marks.push(
        label(x + step / 2, base - tall - 4, words, {
          size: SMALL,
          fill: words > 1 ? "var(--bad)" : "var(--quiet)",
          "font-weight": words > 1 ? 700 : undefined,
        }),
      );
    }
    if (bank % every === 0) {
      marks.push(
        label(x + step / 2, height - 4, bank, {
          size: SMALL,
          fill: "var(--quiet)",
        }),
      );
    }
  });
  marks.push(label(0, base - 3, "words", { size: SMALL, anchor: "start", fill: "var(--quiet)" }));
  marks.push(label(0, height - 4, "bank", { size: SMALL, anchor: "start", fill: "var(--quiet)" }));
  return svg(width, height, marks.join(""), alt || hitsAlt(hits));
}

/** Whether a number has room; where it has none, every second of equal neighbours is named. */
const fits = (value, room) => 6.1 * String(value).length <= room;

function hitsAlt(hits) {
  const used = hits.filter(Boolean).length;
  return `${used} of ${hits.length} banks used, at most ${Math.max(...hits)} words in one`;
}

/**
 * The lanes of a wave and the bank of each: its number in its colour, framed where another lane
 * wants another word of it. `lanes`: [{bank, rivals, served}], `marked`: lanes to point out.
 */
export function lanesSvg(lanes, banks, { marked = new Set(), width = 704 } = {}) {
  const across = width < NARROW ? 16 : 32;
  const step = (width - LEFT) / across;
  const marks = [label(0, 28, "bank", { size: SMALL, anchor: "start", fill: "var(--quiet)" })];
  lanes.forEach(({ bank, rivals, served }, lane) => {
    const [x, y] = [LEFT + (lane % across) * step, 14 + 42 * Math.floor(lane / across)];
    const frame = marked.has(lane) ? "var(--ink)" : rivals ? "var(--bad)" : undefined;
    const cell = rect(x + 1, y, step - 2, 22, bankFill(bank, banks), {
      "data-lane": lane,
      rx: 3,
      stroke: frame,
      "stroke-width": frame && (marked.has(lane) ? 2.4 : 1.4),
    });
    const own = { size: 10, fill: "#14181d", "pointer-events": "none" };
    const name = { size: SMALL, fill: marked.has(lane) ? "var(--ink)" : "var(--quiet)" };
    marks.push(
      `<g opacity="${served ? 1 : 0.5}">${cell}${label(x + step / 2, y + 15, bank, own)}</g>` +
        label(x + step / 2, y - 4, lane, name),
    );
  });
  marks.push(label(0, 10, "lane", { size: SMALL, anchor: "start", fill: "var(--quiet)" }));
  const rows = Math.ceil(lanes.length / across);
  const crowded = lanes.filter((lane) => lane.rivals).length;
  const alt = `the first bank of each lane; ${crowded} of ${lanes.length} lanes wait for others`;
  return svg(width, 42 * rows, marks.join(""), alt);
}

/** Distinct words per bank of a counted phase. */
export function hitsOf(phase, banks) {
  return Array.from({ length: banks }, (_, bank) => phase.banks.get(bank)?.size ?? 0);
}

/**
 * A matrix over F2. `columns`: [{name, bits, group}], bits a number over `rowNames` (lowest first).
 * `tone(column, row)` is "one" (fixed structure), "fold" (the reader's choice) or null.
 */
export function matrixSvg({ rowNames, columns, tone, alt, size = 21 }) {
  const left = 30;
  const top = 36;
  const gaps = columns.map((c, i) => (i && c.group !== columns[i - 1].group ? 8 : 0));
  const place = gaps.map(
    (_, i) => left + i * size + gaps.slice(0, i + 1).reduce((a, b) => a + b, 0),
  );
  const width = place.at(-1) + size + 2;
  const height = top + rowNames.length * size + 2;
  const marks = [];
  columns.forEach((column, i) => {
    marks.push(
      label(place[i] + size / 2, top - 6, column.name, { size: SMALL, fill: "var(--quiet)" }),
    );
    if (gaps[i] || i === 0) {
      marks.push(label(place[i], 11, column.group, { size: 10, anchor: "start" }));
    }
    rowNames.forEach((name, row) => {
      const [x, y] = [place[i], top + row * size];
      const on = (column.bits >> row) & 1;
      const kind = on ? (tone?.(i, row) ?? "one") : null;
      const fill = kind === "fold" ? "var(--ink)" : kind ? "var(--accent)" : "var(--wash)";
      marks.push(rect(x, y, size - 1.5, size - 1.5, fill, { rx: 2 }));
      marks.push(
        label(x + size / 2 - 0.75, y + size / 2 + 3, on ? 1 : 0, {
          size: SMALL,
          fill: on ? "var(--paper)" : "var(--faint)",
        }),
      );
    });
  });
  rowNames.forEach((name, row) => {
    marks.push(
      label(left - 6, top + (row + 0.5) * size + 3, name, {
        size: SMALL,
        anchor: "end",
        fill: "var(--quiet)",
      }),
    );
  });
  return svg(width, height, marks.join(""), alt);
}
