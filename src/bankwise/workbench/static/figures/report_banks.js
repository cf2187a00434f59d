/** Pictures of one phase: the words that every bank is asked for, and the lanes that ask. */
import { bankFill, thingFill } from "../view/colour.js";
import { label, line, rect, SMALL, svg } from "../view/svg.js";

const WIDTH = 1056;
const HEIGHT = 178; // of every phase the same: what stands below must not move

/** Banks side by side, their words stacked, on each the lane that wants it; `marked`: a bank. */
export function stacksSvg(phase, banks, marked) {
  const step = WIDTH / banks;
  const unit = Math.min(15, (HEIGHT - 4) / Math.max(1, phase.passes));
  const base = HEIGHT;
  const marks = [line(0, base + 0.5, WIDTH, base + 0.5)];
  for (const [bank, words] of phase.banks) {
    [...words.values()].forEach((lanes, k) => {
      const [x, y] = [bank * step, base - (k + 1) * unit];
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
  for (let bank = 0; bank < banks; bank++) marks.push(bankLabel(bank, step, base, marked));
  const alt = `words wanted from ${banks} banks: at most ${phase.passes} in one`;
  return svg(WIDTH, base + 16, marks.join(""), alt);
}

function laneLabel(lanes, x, y) {
  const text = lanes.length > 1 ? `${lanes[0]}+` : lanes[0];
  return label(x, y, text, { size: SMALL, fill: "#14181d" });
}

function bankLabel(bank, step, base, marked) {
  return label((bank + 0.5) * step, base + 12, bank, {
    size: SMALL,
    fill: bank === marked ? "var(--bad)" : "var(--quiet)",
    "font-weight": bank === marked ? 700 : undefined,
  });
}

/** The lanes that collide on one bank, with the words that they want. */
export function witnessSvg(witness) {
  const size = 52;
  const many = witness.lanes.length;
  const body = witness.lanes.map((lane, i) => {
    const middle = i * size + size / 2 - 1.5;
    return (
      rect(i * size, 0, size - 3, 34, thingFill(2 * i, 2 * many), { rx: 3 }) +
      label(middle, 14, `lane ${lane}`, { size: SMALL, fill: "#14181d" }) +
      label(middle, 27, `w ${witness.words[i]}`, { size: SMALL, fill: "#14181d" })
    );
  });
  return svg(many * size, 36, body.join(""), witness.text);
}
