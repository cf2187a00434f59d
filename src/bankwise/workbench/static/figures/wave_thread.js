/** The tile of a Wave kernel, one thread: from its column to its bank. */
import { change, within } from "../state.js";
import { bankFill } from "../view/colour.js";
import { claim, slider } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, rect, SMALL, svg } from "../view/svg.js";
import { fragmentOffsets, PERIOD, UNIT } from "./wave.js";

/** Mount the figure. */
export function mountWaveThread(machines) {
  figure("wave-thread", ["th"], (values) => threadFigure(values, machines));
}

/** One lane's four steps from its column to its bank. */
function threadFigure(values, machines) {
  const lane = within(values.th, 63);
  const [row, column] = [lane % 16, (lane >> 4) * UNIT];
  const chunk = Math.floor(column / UNIT);
  const phase = row % PERIOD;
  const moved = (chunk ^ phase) * UNIT;
  const bank = (row * 32 + moved / 2) % 64;
  const before = (row * 32 + column / 2) % 64;
  const steps = [
    ["column chunk", `${column} div ${UNIT}`, chunk],
    ["row phase", `${row} mod ${PERIOD}`, phase],
    ["XOR", `${chunk} ⊕ ${phase}`, chunk ^ phase],
    ["new column", `${chunk ^ phase} × ${UNIT}`, moved],
    ["bank", `(32 × ${row} + ${moved} div 2) mod 64`, bank],
  ];
  const body = steps.map(([name, how, value], i) => {
    const [x, wide] = [i * 128, i === 4 ? 184 : 118];
    const [quiet, ink] = i === 4 ? ["#14181d", "#14181d"] : ["var(--quiet)", "var(--ink)"];
    return (
      rect(x, 4, wide, 68, i === 4 ? bankFill(bank, 64) : "var(--wash)", { rx: 6 }) +
      label(x + wide / 2, 22, name, { size: 10.5, fill: quiet }) +
      label(x + wide / 2, 46, value, { size: 18, "font-weight": 700, fill: ink }) +
      label(x + wide / 2, 63, how, { size: SMALL, fill: quiet })
    );
  });
  const served = machines.get("gfx950").instructions.get("ds_read_b128").phases;
  const mates = served.find((lanes) => lanes.includes(lane));
  const plain = fragmentOffsets(false);
  const others = mates.filter((one) => one !== lane && (plain[one] / 4) % 64 === before);
  return {
    controls: [
      slider(
        "Thread",
        lane,
        63,
        (t) => `thread ${t}: row ${t % 16}, column ${(t >> 4) * UNIT}`,
        (t) => change({ th: String(t) }),
      ),
    ],
    picture: svg(4 * 128 + 184, 76, body.join(""), `four steps to bank ${bank}`),
    claim: [
      `Thread ${lane} reads banks `,
      claim("thread-bank", bank, `${bank}–${bank + 3}`),
      `; row-major it would be banks ${before}–${before + 3}, in one phase with threads `,
      claim("thread-others", others.join(" "), others.join(", ") || "of other banks only"),
      ".",
    ],
  };
}
