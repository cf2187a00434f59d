/** The rules of bank conflicts, what the counters say, and any instruction with any address. */
import { count } from "../core/conflict.js";
import { addresses } from "../core/expression.js";
import { laneText } from "../core/machines.js";
import { change, within } from "../state.js";
import { hitsOf, hitsSvg } from "../view/charts.js";
import { choices, claim, field, h, select, verdict } from "../view/dom.js";
import { figure } from "../view/figure.js";

/** Mount the figure. */
export function mountRules(machines) {
  figure("rules", ["ru", "rf"], (values) => rulesFigure(values, machines));
}

const wave = (address) => Array.from({ length: 64 }, (_, lane) => address(lane));

/** [rule, case, instruction on gfx942, byte of every lane, what to see]. */
const RULES = [
  ["Distinct banks", "ds_read_b32", wave((t) => 4 * t), "Every lane of a phase on its own bank."],
  [
    "One word, many lanes",
    "ds_read_b32",
    wave((t) => 4 * (t >> 3)),
    "Lanes in one word are served together: a broadcast is free.",
  ],
  [
    "One bank, many words",
    "ds_read_b32",
    wave((t) => 128 * t),
    "128 bytes apart: every lane wants another word of bank 0.",
  ],
  [
    "Halves of one word",
    "ds_read_u16",
    wave((t) => 2 * t),
    "Two lanes want different halves of a word. Often called a conflict; the published counters of five kernels say it is none.",
  ],
  [
    "Half a word, in columns",
    "ds_read_u16",
    wave((t) => 64 * t),
    "Rows of 64 bytes: all lanes on banks 0 and 16.",
  ],
  [
    "16 bytes, rows apart",
    "ds_read_b128",
    wave((t) => 128 * t),
    "A wide read is served in phases of 8 lanes, not in four sub-steps of the whole wave: 8-way, not 32-way.",
  ],
  [
    "16 bytes, contiguous",
    "ds_read_b128",
    wave((t) => 16 * t),
    "Eight lanes of 16 bytes fill all 32 banks once: the ideal.",
  ],
];

const FREE = RULES.length;

function rulesFigure(values, machines) {
  const which = within(values.ru, FREE);
  const free = readFree(values.rf, machines);
  const options = [...RULES.map(([name], i) => [String(i), name]), [String(FREE), "Free"]];
  const controls = [
    choices("case", options, String(which), (ru) => change({ ru })),
    ...(which < FREE ? [] : freeControls(free, machines)),
  ];
  const asked = which < FREE ? ready(RULES[which], machines) : free;
  if (asked.error) {
    const said = claim("rule-error", asked.error);
    return { controls, picture: "", claim: [h("span", { class: "error", role: "alert" }, said)] };
  }
  const { row, offsets, note } = asked;
  const counted = count(row, offsets);
  const first = counted.phases[0];
  const { counter } = machines.get(row.machine);
  return {
    controls,
    picture: hitsSvg(hitsOf(first, row.banks), { width: 660 }),
    claim: [
      verdict("rule-passes", counted.passes, counted.ideal, counted.ways),
      h(
        "p",
        { class: "hint" },
        `${row.name} on ${row.machine}, phase 0 of ${counted.phases.length} ` +
          `(lanes ${laneText(first.lanes)}). ${note} The counter ${counter} would say `,
        claim("rule-extra", counted.extra, `${counted.extra} extra passes`),
        ".",
      ),
    ],
  };
}

function ready([, instruction, offsets, note], machines) {
  return { row: machines.get("gfx942").instructions.get(instruction), offsets, note };
}

/** Machine, instruction and address of the free case; an error if the address is none. */
function readFree(text, machines) {
  const [name, instruction, ...rest] = text.split(":");
  const machine = machines.get(name) ?? machines.get("gfx942");
  const known = [...machine.instructions.values()].filter((row) => row.addresses === 1);
  const row = machine.instructions.get(instruction) ?? known.find((one) => one.width === 4);
  const address = rest.join(":");
  const asked = { machine, known, row, address, note: `Byte of a lane: ${address}.` };
  try {
    return { ...asked, offsets: addresses(address, row.wave, row.align) };
  } catch (error) {
    return { ...asked, error: error.message };
  }
}

function freeControls({ machine, known, row, address }, machines) {
  const put = (name, instruction, text) => change({ rf: `${name}:${instruction}:${text}` });
  const all = [...machines.values()].map((m) => [m.name, m.name]);
  const named = known.map((one) => [one.name, one.name]);
  return [
    select("machine", all, machine.name, (name) => put(name, row.name, address)),
    select("instruction", named, row.name, (name) => put(machine.name, name, address)),
    field("byte of a lane", address, (text) => put(machine.name, row.name, text)),
  ];
}
