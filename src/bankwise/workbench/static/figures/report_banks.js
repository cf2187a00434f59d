/** Pictures of one phase: the words that every bank is asked for, and the lanes that ask. */
import { bankFill, thingFill } from "../view/colour.js";
import { label, line, rect, SMALL, svg } from "../view/svg.js";

const WIDTH = 1056;
const HEIGHT = 178; // of every phase the same: what stands below must not move
const LEAST_HEIGHT = 60;
const LEAST_STEP = 16; // the number of a lane fits

/**
 * Banks side by side, on a narrow screen in several rows; their words stacked, on each the lane that
 * wants it. `marked`: a bank, `room`: how wide the picture may be.
 */
export function stacksSvg(phase, banks, marked, room) {
  const wanted = (banks * LEAST_STEP) / Math.min(room, WIDTH);
  const rows = 2 ** Math.max(0, Math.ceil(Math.log2(wanted)));
  const across = banks / rows;
  const width = Math.min(room, WIDTH);
  const height = Math.max(LEAST_HEIGHT, HEIGHT / rows);
  const step = width / across;
  const unit = Math.min(15, (height - 4) / Math.max(1, phase.passes));
  const place = (bank) => [(bank % across) * step, height + Math.floor(bank / across) * (height + 16)];
  const marks = Array.from({ length: rows }, (_, i) => place(i * across)[1] + 0.5).map((y) =>
    line(0, y, width, y),
  );
  for (const [bank, words] of phase.banks) {
    [...words.values()].forEach((lanes, k) => {
      const [x, base] = place(bank);
      const y = base - (k + 1) * unit;
      marks.push(
        rect(x + 0.5, y + 0.5, step - 1, Math.max(0.5, unit - 1), bankFill(bank, banks), {
          rx: 2,
          "data-lane": lanes[0],
          stroke: words.size > 1 ? "var(--bad)" : undefined,
          "stroke-width": words.size > 1 ? 0.8 : undefined,
        }),
      );
      if (unit >= 9) marks.push(laneLabel(lanes, x + step / 2, y + unit / 2 + 3.5));
    });
  }
  for (let bank = 0; bank < banks; bank++) {
    const [x, base] = place(bank);
    marks.push(bankLabel(bank, x + step / 2, base, marked));
  }
  const alt = `words wanted from ${banks} banks: at most ${phase.passes} in one`;
  return svg(width, rows * (height + 16), marks.join(""), alt);
}

function laneLabel(lanes, x, y) {
  const text = lanes.length > 1 ? `${lanes[0]}+` : lanes[0];
  return label(x, y, text, { size: SMALL, fill: "#14181d" });
}

function bankLabel(bank, x, base, marked) {
  return label(x, base + 12, bank, {
    size: SMALL,
    fill: bank === marked ? "var(--bad)" : "var(--quiet)",
    "font-weight": bank === marked ? 700 : undefined,
  });
}

/** The lanes that collide on one bank, with the words that they want. */
export function witnessSvg(witness, room) {
  const [wide, tall] = [52, 37];
  const many = witness.lanes.length;
  const across = Math.min(many, Math.max(1, Math.floor(room / wide)));
  const body = witness.lanes.map((lane, i) => {
    const [x, y] = [(i % across) * wide, Math.floor(i / across) * tall];
    const middle = x + wide / 2 - 1.5;
    return (
      rect(x, y, wide - 3, tall - 3, thingFill(2 * i, 2 * many), { rx: 3 }) +
      label(middle, y + 14, `lane ${lane}`, { size: SMALL, fill: "#14181d" }) +
      label(middle, y + 27, `w ${witness.words[i]}`, { size: SMALL, fill: "#14181d" })
    );
  });
  return svg(across * wide, Math.ceil(many / across) * tall, body.join(""), witness.text);
}
