/** What the hardware does: phases, the read that feeds an MFMA, what padding costs. */
import { count } from "../core/conflict.js";
import { laneText } from "../core/machines.js";
import { change, within } from "../state.js";
import { hitsOf, hitsSvg } from "../view/charts.js";
import { bankFill, thingFill } from "../view/colour.js";
import { choices, claim, h, select, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, line, rect, SMALL, svg } from "../view/svg.js";

/** Mount the figures about one instruction. */
export function mountHardware(machines) {
  figure("phases", ["ph"], (values) => phasesFigure(values, machines));
  figure("mfma", ["mf"], (values) => mfmaFigure(values, machines));
  figure("occupancy", ["oc"], (values) => occupancyFigure(values, machines));
}

const wave = (address) => Array.from({ length: 64 }, (_, lane) => address(lane));

const PHASE_CHOICES = [
  ["gfx950", "ds_read_b128"],
  ["gfx950", "ds_read_b64"],
  ["gfx950", "ds_read_b32"],
  ["gfx950", "ds_write_b128"],
  ["gfx950", "ds_write_b64"],
  ["gfx942", "ds_read_b128"],
  ["gfx942", "ds_read_b64"],
  ["sm_90", "ld.shared.b32"],
  ["sm_90", "ld.shared.b64"],
  ["sm_90", "ld.shared.b128"],
];

function phasesFigure(values, machines) {
  const [name, ...rest] = values.ph.split(".");
  const row =
    machines.get(name)?.instructions.get(rest.join(".")) ??
    machines.get("gfx950").instructions.get("ds_read_b128");
  const of = new Map(row.phases.flatMap((lanes, i) => lanes.map((lane) => [lane, i])));
  const size = 36;
  const across = 16;
  const cells = Array.from({ length: row.wave }, (_, lane) => {
    const [x, y] = [(lane % across) * size, Math.floor(lane / across) * size];
    const phase = of.get(lane);
    return (
      rect(
        x,
        y,
        size - 3,
        size - 3,
        phase === undefined ? "var(--wash)" : thingFill(2 * phase, 2 * row.phases.length),
        { rx: 3 },
      ) +
      label(x + size / 2 - 1.5, y + 15, lane, { size: 11, fill: "#14181d", "font-weight": 600 }) +
      label(x + size / 2 - 1.5, y + 28, phase === undefined ? "none" : `ph ${phase}`, {
        size: SMALL,
        fill: "#14181d",
      })
    );
  });
  return {
    controls: [
      select(
        "instruction",
        PHASE_CHOICES.map(([m, i]) => [`${m}.${i}`, `${m} · ${i}`]),
        `${row.machine}.${row.name}`,
        (ph) => change({ ph }),
      ),
    ],
    picture: svg(
      across * size,
      Math.ceil(row.wave / across) * size,
      cells.join(""),
      "lanes of a wave by phase",
    ),
    claim: [
      claim(
        "phases",
        row.phases.length,
        `${row.phases.length} phase${row.phases.length > 1 ? "s" : ""}`,
      ),
      ` over ${row.banks} banks · phase 0: lanes `,
      claim("phase-0", laneText(row.phases[0]), laneText(row.phases[0])),
      h("small", {}, ` · ${row.evidence}, confidence ${row.confidence}`),
    ],
    text: row.phases.map((lanes, i) => `phase ${i}: ${laneText(lanes)}`).join("\n"),
  };
}

const PITCH = 128;
const MFMA = [
  ["Row-major", (row, column) => row * PITCH + column],
  ["Padded to 132", (row, column) => row * 132 + column],
  ["XOR swizzle", (row, column) => row * PITCH + ((column >> 2) ^ (row % 32)) * 4 + (column & 3)],
];

/** lane -> row lane mod 16, columns 4 (lane div 16) to +3 of an f16 operand, read 8 bytes at once. */
function mfmaOffsets(which) {
  return wave((lane) => 2 * MFMA[which][1](lane % 16, 4 * (lane >> 4)));
}

function mfmaFigure(values, machines) {
  const which = within(values.mf, MFMA.length - 1);
  const row = machines.get("gfx942").instructions.get("ds_read_b64");
  const offsets = mfmaOffsets(which);
  const counted = count(row, offsets);
  const [wide, tall] = [70, 19];
  const cells = Array.from({ length: 64 }, (_, lane) => {
    const bank = (offsets[lane] / 4) % 32;
    const [x, y] = [54 + (lane >> 4) * wide, 18 + (lane % 16) * tall];
    return (
      rect(x, y, wide - 3, tall - 2, bankFill(bank, 32), { rx: 2 }) +
      label(x + wide / 2 - 1.5, y + 13, `${bank}, ${bank + 1}`, { size: 10.5, fill: "#14181d" })
    );
  });
  const heads = [0, 1, 2, 3].map((g) =>
    label(54 + g * wide + wide / 2, 11, `cols ${4 * g}–${4 * g + 3}`, {
      size: SMALL,
      fill: "var(--quiet)",
    }),
  );
  const sides = Array.from({ length: 16 }, (_, m) =>
    label(46, 31 + m * tall, `row ${m}`, { size: SMALL, anchor: "end", fill: "var(--quiet)" }),
  );
  return {
    controls: [
      choices(
        "layout",
        MFMA.map(([name], i) => [String(i), name]),
        String(which),
        (mf) => change({ mf }),
      ),
    ],
    picture:
      svg(
        54 + 4 * wide,
        20 + 16 * tall,
        [...cells, ...heads, ...sides].join(""),
        "bank pairs of a 16 by 16 operand",
      ) + `<div class="chart" tabindex="0" role="group" aria-label="banks">${hitsSvg(hitsOf(counted.phases[0], 32), { width: 600 })}</div>`,
    claim: [
      verdict("mfma-passes", counted.passes, counted.ideal, counted.ways),
      h(
        "p",
        { class: "hint" },
        `ds_read_b64 on gfx942, served in ${counted.phases.length} phases (lanes ${laneText(row.phases[0])} first). Each cell shows the two banks of one lane.`,
      ),
    ],
  };
}

function occupancyFigure(values, machines) {
  const machine = machines.get("gfx942");
  const [bytes, pitch] = (/^(\d{3,6})\.(\d{1,4})$/.exec(values.oc) ?? ["", 16384, 132])
    .slice(1)
    .map(Number);
  const facts = machine.facts;
  const padded = (bytes / PITCH) * pitch;
  const fits = (size) =>
    Math.floor(
      facts.lds_bytes_per_unit /
        (Math.ceil(size / facts.lds_granule_bytes) * facts.lds_granule_bytes),
    );
  const rows = [
    ["no padding, or XOR", bytes, fits(bytes)],
    [`rows padded to ${pitch}`, padded, fits(padded)],
  ];
  const scale = 620 / facts.lds_bytes_per_unit;
  const body = rows.map(([name, size, resident], i) => {
    const y = 22 + i * 66;
    const slices = Array.from(
      { length: resident },
      (_, k) =>
        rect(k * size * scale, y, size * scale - 2, 32, thingFill(4 * k, 32), { rx: 3 }) +
        label(
          k * size * scale + (size * scale) / 2,
          y + 20,
          size * scale > 60 ? `workgroup ${k}` : k,
          { size: 10, fill: "#14181d" },
        ),
    );
    const rest = facts.lds_bytes_per_unit - resident * size;
    const lost =
      rest > 900
        ? label(
            resident * size * scale + (rest * scale) / 2,
            y + 20,
            rest * scale > 58 ? "too small" : "",
            { size: SMALL, fill: "var(--bad)" },
          )
        : "";
    return (
      label(0, y - 6, `${name}: ${size.toLocaleString("en-US")} B a workgroup`, {
        anchor: "start",
        size: 11,
      }) +
      rect(0, y, 620, 32, "var(--wash)", { rx: 3 }) +
      slices.join("") +
      lost
    );
  });
  return {
    controls: [
      select(
        "LDS of a workgroup",
        [8192, 12288, 16384, 20480, 32768].map((b) => [b, `${b.toLocaleString("en-US")} B`]),
        bytes,
        (b) => change({ oc: `${b}.${pitch}` }),
      ),
      select(
        "padded pitch",
        [
          [130, "130 of 128"],
          [132, "132 of 128"],
          [136, "136 of 128"],
        ],
        pitch,
        (p) => change({ oc: `${bytes}.${p}` }),
      ),
    ],
    picture: gridSvg(facts) + svg(622, 136, body.join(""), "slices of one LDS"),
    claim: [
      claim("resident-plain", rows[0][2], `${rows[0][2]} resident workgroups`),
      " without padding, ",
      claim("resident-padded", rows[1][2], `${rows[1][2]}`),
      ` with it (${machine.name}, ${facts.lds_bytes_per_unit.toLocaleString("en-US")} B a unit, by LDS alone).`,
    ],
  };
}

/** Grid -> compute units -> one unit, as a strip above the slices. */
function gridSvg(facts) {
  const dots = (x, many, across, size, fill) =>
    Array.from({ length: many }, (_, i) =>
      rect(
        x + (i % across) * (size + 3),
        22 + Math.floor(i / across) * (size + 3),
        size,
        size,
        fill,
        { rx: 2 },
      ),
    ).join("");
  const arrow = (x) =>
    line(x, 46, x + 34, 46, "var(--quiet)") +
    label(x + 37, 50, "›", { size: 14, fill: "var(--quiet)" });
  return svg(
    622,
    84,
    label(0, 12, "grid of workgroups", { anchor: "start" }) +
      dots(0, 36, 12, 13, "var(--accent)") +
      arrow(200) +
      label(252, 12, `${facts.units} compute units`, { anchor: "start" }) +
      dots(252, 36, 12, 13, "var(--wash)") +
      dots(252, 1, 1, 13, "var(--accent)") +
      arrow(452) +
      label(504, 12, "one LDS, 32 banks", { anchor: "start" }) +
      Array.from({ length: 16 }, (_, b) =>
        rect(504 + b * 7.3, 22, 6, 45, bankFill(2 * b, 32)),
      ).join(""),
    "from the grid to one compute unit and its LDS",
  );
}
