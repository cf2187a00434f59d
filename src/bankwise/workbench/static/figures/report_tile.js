/** A layout spec as a page: the tile coloured by bank, who meets where, what was published. */
import { count } from "../core/conflict.js";
import { choices, h, named, number, refill } from "../view/dom.js";
import { exporting } from "../view/figure.js";
import { hasText, tileSvg } from "../view/tile.js";
import { nameOf } from "./report_access.js";

const MOST_CELLS = 8192;
/** How wide the tile may be, and what stands beside it. */
const [ROOM, MARGIN] = [960, 74];
const SMALLEST = 3;

/** The tile of a check of a spec. */
export function tileView(check, machines) {
  const { spec } = check;
  const sizes = Object.entries(spec.tile).map(([name, size]) => `${name} ${size}`);
  return h(
    "section",
    { class: "spec" },
    h(
      "p",
      {},
      `A tile ${sizes.join(" × ")} of ${spec.element_bits}-bit elements, ${spec.notation} layout, ` +
        `${number(spec.footprint_bytes)} B.`,
      spec.passes_over_the_tile === null
        ? ""
        : ` The launch passes over it ${number(spec.passes_over_the_tile)} times.`,
    ),
    spec.offsets ? picture(check, machines) : null,
    publishedView(spec.published),
    h("details", {}, h("summary", {}, "Layout as written"), h("pre", { tabindex: 0 }, spec.layout)),
  );
}

function picture(check, machines) {
  const stage = h("div", { class: "stage scroll", tabindex: 0, role: "region" });
  stage.setAttribute("aria-label", "tile");
  const pick = h("div", {});
  const said = h("figcaption", {});
  const shown = check.accesses.filter((access) => access.lanes);
  const options = shown.map((access, i) => [i, nameOf(access)]);
  const draw = (chosen) => {
    refill(pick, options.length ? choices("access", options, chosen, draw) : null);
    const tile = tileOf(check, machines, shown[chosen]);
    stage.innerHTML = tileSvg(tile);
    refill(said, document.createTextNode(tile.caption));
  };
  const root = h("figure", { class: "wide", "data-figure": "spec-tile" }, pick, stage, said);
  draw(0);
  root.append(
    exporting(
      "tile",
      () => stage.innerHTML,
      () => check.spec.offsets.join(" "),
    ),
  );
  return root;
}

/** What the drawing needs; elements of lanes that collide are ringed dark, of their phase light. */
function tileOf(check, machines, access) {
  const { spec } = check;
  const sizes = Object.values(spec.tile);
  const columns = sizes.at(-1);
  const all = spec.offsets.length / columns;
  const rows = Math.min(all, Math.max(1, Math.floor(MOST_CELLS / columns)));
  const phase = access ? worstPhase(access, machines) : null;
  const banks = phase?.banks ?? [...machines.values()][0]?.instructions.values().next().value.banks;
  const bytes = spec.element_bits / 8;
  const cell = (m, n) => {
    const at = spec.offsets[m * columns + n] * bytes;
    const bank = Math.floor(at / 4) % (banks ?? 32);
    const ring = phase ? phase.ring(at) : 0;
    const title = `row ${m}, column ${n}: bank ${bank}`;
    return { bank, banks: banks ?? 32, text: bank, title, ring, faint: Boolean(phase) && !ring };
  };
  const room = Math.min(ROOM, innerWidth - MARGIN);
  const size = Math.max(SMALLEST, Math.min(22, Math.floor(room / columns)));
  const part = rows < all ? ` Rows 0 to ${rows - 1} of ${all}.` : "";
  return {
    rows,
    columns,
    size,
    cell,
    rowLabel: (m) => m,
    columnLabel: (n) => n,
    alt: "the tile, each element with its bank",
    caption: `Every element with its bank${hasText(size) ? "" : " as colour"}.${phase ? ` ${phase.text}` : ""}${part}`,
  };
}

/** The worst phase of an access: which bytes its lanes touch, and which of them collide. */
function worstPhase(access, machines) {
  const { lanes } = access;
  const row = [...machines.values()]
    .map((machine) => machine.instructions.get(lanes.instruction))
    .find((found) => found?.wave === lanes.offsets_bytes.length);
  if (!row) return null;
  const active = lanes.offsets_bytes.map((_, lane) => !lanes.inactive.includes(lane));
  const apart = lanes.apart_bytes;
  const second = apart === null ? null : lanes.offsets_bytes.map((x) => x + apart);
  const counted = count(row, lanes.offsets_bytes, active, second);
  const phase = counted.phases.reduce((a, b) => (b.passes > a.passes ? b : a));
  const full = [...phase.banks.values()].find((words) => words.size === phase.passes);
  const meet = phase.passes > 1 ? new Set([...full.values()].map((wanting) => wanting[0])) : null;
  const rings = new Map();
  const late = counted.phases.indexOf(phase) >= counted.phases.length / 2;
  const first = second && late ? second : lanes.offsets_bytes;
  for (const lane of phase.lanes) {
    for (let i = 0; active[lane] && i < row.width; i++) {
      const at = first[lane] + i;
      if (rings.get(at) !== 1) rings.set(at, meet?.has(lane) ? 1 : 2);
    }
  }
  const many = meet ? `${meet.size} of them meet on one bank (dark ring)` : "none of them collide";
  return {
    banks: row.banks,
    ring: (at) => rings.get(at) ?? 0,
    text: `Ringed: what the worst phase of ${lanes.instruction} touches; ${many}.`,
  };
}

function publishedView(published) {
  if (!published.length) return null;
  const shown = (value) => (typeof value === "number" ? number(value) : String(value));
  return named(h(
    "table",
    { class: "accesses published" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["published", "value", "counted here"].map((name, i) =>
          h("th", { scope: "col", class: i === 1 ? "number" : "" }, name),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      published.map((p) =>
        h(
          "tr",
          {},
          h("td", {}, p.name),
          h("td", { class: "number" }, shown(p.value)),
          h(
            "td",
            { class: p.agrees === null ? "" : p.agrees ? "good" : "bad" },
            p.counted === null ? "–" : `${p.agrees ? "✓" : "✕"} ${shown(p.counted)}`,
          ),
        ),
      ),
    ),
  ));
}
