/** Global memory: coalescing in seven scenarios and freely, L1 sets by stride. */
import { cacheSet, coalesce } from "../core/coalesce.js";
import { addresses } from "../core/expression.js";
import { change, within } from "../state.js";
import { thingFill } from "../view/colour.js";
import { choices, claim, field, h, select } from "../view/dom.js";
import { figure } from "../view/figure.js";
import { label, line, rect, SMALL, svg } from "../view/svg.js";

const LANES = 64;
const lanes = (address) => Array.from({ length: LANES }, (_, lane) => address(lane));

/** [name, bytes per lane, addresses, what it teaches]. */
const SCENARIOS = [
  ["4 B, contiguous", 4, lanes((t) => 4 * t), "One word a lane: every fetched byte is used."],
  [
    "16 B, contiguous",
    16,
    lanes((t) => 16 * t),
    "The widest load: as efficient, a quarter of the instructions.",
  ],
  [
    "4 B, shifted by 4",
    4,
    lanes((t) => 4 * t + 4),
    "One line more, of which a single word is used.",
  ],
  ["4 B, every second", 4, lanes((t) => 8 * t), "Half of each line is thrown away."],
  ["One address", 4, lanes(() => 0), "A broadcast costs one line."],
  [
    "A column, pitch 256 B",
    4,
    lanes((t) => 256 * t),
    "A transposing read straight from global memory: a line a lane. This is why tiles go through shared memory.",
  ],
  [
    "Tile rows of 64 B, 16 B a lane",
    16,
    lanes((t) => 512 * (t >> 2) + 16 * (t & 3)),
    "Four lanes fill a line of every row: as good as contiguous.",
  ],
];

const FREE = SCENARIOS.length;

/** Mount the figures about global memory. */
export function mountMemory(machines) {
  figure("coalescing", ["co", "cs"], coalescing);
  figure("l1", ["l1", "g"], (values) => l1Figure(values, machines));
}

function readFree(text) {
  const found = /^(4|8|16)\.(32|64|128)\.(.*)$/.exec(text) ?? ["", 4, 64, "16*lane"];
  const [width, bytes] = found.slice(1, 3).map(Number);
  const free = { name: "Free", width, bytes, address: found[3], note: "" };
  try {
    return { ...free, starts: addresses(free.address, LANES) };
  } catch (error) {
    return { ...free, error: error.message };
  }
}

function coalescing(values) {
  const which = within(values.co, FREE);
  const free = readFree(values.cs);
  const [name, width, starts, note] = SCENARIOS[which] ?? [];
  const asked = which < FREE ? { name, width, starts, note, bytes: 64 } : free;
  const options = [...SCENARIOS.map(([text], i) => [String(i), text]), [String(FREE), "Free"]];
  const controls = [
    choices("scenario", options, String(which), (co) => change({ co })),
    ...(which < FREE ? [] : freeControls(free)),
  ];
  if (asked.error) {
    const said = claim("coalescing-error", asked.error);
    return { controls, picture: "", claim: [h("span", { class: "error", role: "alert" }, said)] };
  }
  const found = coalesce(asked.starts, asked.width, asked.bytes);
  const share = (100 * found.useful) / found.fetched;
  const many = `${found.lines} line${found.lines > 1 ? "s" : ""} of ${asked.bytes} B`;
  return {
    controls,
    picture: linesSvg(found, asked.bytes),
    claim: [
      claim("coalescing-lines", found.lines, many),
      " · ",
      claim(
        "coalescing-efficiency",
        share.toFixed(2),
        `${share.toPrecision(3)} % of the fetched bytes are used`,
      ),
      asked.note ? ` · ${asked.note}` : "",
    ],
    text: `${asked.name}: ${many}, ${found.useful} of ${found.fetched} bytes used`,
  };
}

function freeControls({ width, bytes, address }) {
  const put = (...parts) => change({ cs: parts.join(".") });
  const numbers = (list) => list.map((x) => [x, `${x} B`]);
  return [
    field("byte of a lane", address, (text) => put(width, bytes, text)),
    select("bytes per lane", numbers([4, 8, 16]), width, (x) => put(x, bytes, address)),
    select("line", numbers([32, 64, 128]), bytes, (x) => put(width, x, address)),
  ];
}

/** Every fetched line as a column, filled as far as it is used; the lanes that want it below. */
function linesSvg(found, lineBytes) {
  const step = Math.max(10.5, Math.min(40, 690 / found.lines));
  const tall = 104;
  const marks = found.perLine.map(([, wanting], i) => {
    const bytes = Math.min(
      lineBytes,
      [...wanting.values()].reduce((a, b) => a + b, 0),
    );
    const used = (tall * bytes) / lineBytes;
    const x = i * step;
    const lanes = [...wanting.keys()];
    const text = lanes.length > 1 ? `${lanes[0]}–${lanes.at(-1)}` : `${lanes[0]}`;
    return (
      rect(x + 1, 14, step - 2, tall, "var(--wash)", { rx: 1.5 }) +
      rect(x + 1, 14 + tall - used, step - 2, used, "var(--accent)", { rx: 1.5 }) +
      (step > 24 || i % 4 === 0
        ? label(x + step / 2, 134, text, { size: SMALL, fill: "var(--quiet)" })
        : "") +
      (step > 18 ? label(x + step / 2, 10, bytes, { size: SMALL, fill: "var(--quiet)" }) : "")
    );
  });
  return svg(
    Math.max(690, found.lines * step),
    142,
    marks.join("") + line(0, 14.5 + tall, found.lines * step, 14.5 + tall),
    `${found.lines} lines, filled as far as used`,
  );
}

function l1Figure(values, machines) {
  const exponent = Math.max(4, within(values.l1, 14));
  const machine = machines.get("gfx942");
  const { l1_sets: sets, l1_line_bytes: bytes } = machine.facts;
  const stride = 2 ** exponent;
  const rows = 16;
  const counts = Array(sets).fill(0);
  const size = 30;
  const cells = Array.from({ length: rows }, (_, row) => {
    const set = cacheSet(row * stride, bytes, sets);
    counts[set] += 1;
    return (
      rect(60 + row * (size + 4), 16 + set * (size + 4), size, size, thingFill(2 * set, 2 * sets), {
        rx: 3,
      }) +
      label(60 + row * (size + 4) + size / 2, 16 + set * (size + 4) + 19, row, { fill: "#14181d" })
    );
  });
  const names = counts.map(
    (_, set) =>
      label(50, 16 + set * (size + 4) + 19, `set ${set}`, { anchor: "end", fill: "var(--quiet)" }) +
      line(
        60,
        16 + set * (size + 4) + size + 2,
        60 + rows * (size + 4),
        16 + set * (size + 4) + size + 2,
      ),
  );
  const used = counts.filter(Boolean).length;
  return {
    controls: [
      select(
        "stride between rows",
        Array.from({ length: 11 }, (_, i) => [i + 4, `${2 ** (i + 4)} B`]),
        exponent,
        (l1) => change({ l1 }),
      ),
    ],
    picture: svg(
      60 + rows * (size + 4),
      20 + sets * (size + 4),
      names.join("") + cells.join(""),
      "sixteen rows in their cache sets",
    ),
    claim: [
      claim("l1-sets", used, `${used} of ${sets} sets`),
      ` for 16 rows ${stride} B apart (set = address bits 7 and 8 on ${machine.name}).`,
      used === 1
        ? " All rows fight for one set: this is what a buffer’s cache swizzle stride is for."
        : "",
    ],
  };
}
