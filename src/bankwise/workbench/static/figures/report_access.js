/** The accesses of a report: a table, and a lens that shows the lanes of one of them on the banks. */
import { count } from "../core/conflict.js";
import { laneText } from "../core/machines.js";
import { claim, choices, h, number, refill } from "../view/dom.js";
import { stacksSvg, witnessSvg } from "./report_banks.js";
import { placeText } from "./report_check.js";
import { rowTable } from "./report_rows.js";

const STAGE = { class: "stage scroll", tabindex: 0, role: "group", "aria-label": "banks" };

/** A table of the accesses; with `after` (a check document) what they cost once rewritten. */
export function accessTable(check, after, machines) {
  if (!check.accesses.length) return null;
  const later = after ? inOrder(after) : [];
  const place = new Map(inOrder(check).map((access, i) => [access, i]));
  const lens = h("div", { class: "lens", role: "region", "aria-label": "lanes of one access" });
  const names = ["line", "access", "instruction", "passes", "ideal", after ? "after" : "extra"];
  const called = Object.fromEntries(check.kernels.map((k) => [k.name, k.demangled ?? k.name]));
  const view = { lens, machines, called, several: check.kernels.length > 1 };
  const rows = check.accesses.map((access, i) => {
    const then = later[place.get(access)] ?? null;
    return row(access, then, accessRow(view, access, then, i), called[access.kernel]);
  });
  const headings = [...names, "why"].map((name, i) => [name, ["", "number", "why"][(i / 3) | 0]]);
  look(view, check.accesses[0], rows[0].element, 0);
  const redraw = () => view.drawn !== room(lens) && view.draw?.();
  new ResizeObserver(redraw).observe(lens);
  return h("div", { class: "looked" }, lens, h("div", {}, rowTable(rows, headings)));
}

/** What a row is sorted, filtered and grouped by. */
function row(access, after, element, kernel) {
  const { line = 0, column = 0 } = access.location ?? {};
  const { passes, ideal, extra } = access.run;
  const cause = because(access);
  const last = after ? after.run.passes : extra;
  const [name, instruction] = [nameOf(access), instructionText(access)];
  return {
    element,
    values: [line * 1000 + (column ?? 0), name, instruction, passes, ideal, last, cause],
    words: [kernel, name, access.operation, instruction, cause].join(" ").toLowerCase(),
    kernel,
    buffer: access.allocations.join(", "),
    cause,
    extra,
  };
}

const because = ({ reason, run, witness }) =>
  reason ?? (run.extra > 0 ? (witness?.text ?? "") : "free");

/** Accesses in the order of the text: a rewrite moves lines, but neither adds nor drops accesses. */
function inOrder(check) {
  const at = (a) => [a.location?.line ?? 0, a.location?.column ?? 0];
  return [...check.accesses].sort((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1]);
}

function accessRow(view, access, after, i) {
  const bad = access.run.extra > 0;
  const seen = (event) => look(view, access, event.currentTarget, i);
  const last = after ? after.run.passes : access.run.extra;
  const tone = after ? (after.run.extra ? "bad" : "good") : bad ? "bad" : "";
  return h(
    "tr",
    {
      class: bad ? "conflict" : "",
      "data-line": access.location?.line ?? "",
      tabindex: 0,
      onpointerenter: seen,
      onfocus: seen,
    },
    h("td", {}, placeText(access.location), view.several ? h("small", {}, view.called[access.kernel]) : null),
    h("td", {}, nameOf(access), h("small", {}, access.operation)),
    h(
      "td",
      {},
      instructionText(access),
      h("small", {}, `${access.instruction_source} · ${access.evidence} ${access.confidence}`),
      access.doubt ? h("small", {}, access.doubt) : null,
    ),
    h(
      "td",
      { class: "number" },
      claim(`access-${i}-passes`, access.run.passes, number(access.run.passes)),
    ),
    h("td", { class: "number" }, number(access.run.ideal)),
    h("td", { class: `number ${tone}` }, number(last)),
    h("td", { class: "why" }, because(access)),
  );
}

/** "read a_tile"; an access that is called after what it does is called that alone. */
export function nameOf({ direction, allocations }) {
  const names = allocations.join(", ");
  return names === direction ? names : `${direction} ${names}`;
}

/** The instruction as the text has it; of a two-address form with where its second address lies. */
function instructionText(access) {
  const apart = access.apart_bytes;
  const name = access.written ?? access.instruction;
  return apart ? `${name}, ${number(apart)} B apart` : name;
}

/** Show an access in the lens. */
function look(view, access, row, i) {
  if (view.shown === access) return;
  view.shown = access;
  view.lit?.classList.remove("seen");
  row.classList.add("seen");
  view.lit = row;
  const counted = countLanes(access.lanes, view.machines);
  refill(view.lens, ...(counted ? lensOf(view, access, counted, i) : witnessView(view, access)));
}

/** The costliest execution counted anew by the page; null where the report does not tell it. */
function countLanes(lanes, machines) {
  const row = lanes && findRow(lanes, machines);
  if (!row) return null;
  const active = lanes.offsets_bytes.map((_, lane) => !lanes.inactive.includes(lane));
  const apart = lanes.apart_bytes;
  const second = apart === null ? null : lanes.offsets_bytes.map((offset) => offset + apart);
  return { row, second, ...count(row, lanes.offsets_bytes, active, second) };
}

function findRow(lanes, machines) {
  for (const machine of machines.values()) {
    const row = machine.instructions.get(lanes.instruction);
    if (row && row.wave === lanes.offsets_bytes.length) return row;
  }
  return null;
}

/** Head, choice of phase, and the words of every bank with the lanes that want them. */
function lensOf(view, access, counted, i) {
  const costs = counted.phases.map((phase) => phase.passes);
  const worst = costs.indexOf(Math.max(...costs));
  const stage = h("div", STAGE);
  const said = h("p", { class: "hint" });
  const pick = h("div", {});
  const draw = (number) => {
    view.draw = () => draw(number);
    const phase = counted.phases[number];
    const shown = phases(counted);
    refill(pick, shown.length > 1 ? choices("phase", shown, number, draw) : null);
    stage.innerHTML = stacksSvg(phase, counted.row.banks, access.witness?.bank, drawn(view));
    refill(said, document.createTextNode(phaseText(phase, number, counted)));
  };
  draw(worst);
  const { lanes } = access;
  return [
    h(
      "p",
      { class: "lens-head" },
      h("b", {}, `${placeText(access.location)} ${nameOf(access)}`),
      ` ${lanes.instruction}, wave ${lanes.wave}: `,
      claim(`lens-${i}-passes`, counted.passes, `${counted.passes} passes`),
      `, ideal ${counted.ideal}`,
      lanes.apart_bytes === null
        ? ""
        : `; the second address lies ${number(lanes.apart_bytes)} B behind the first`,
    ),
    pick,
    stage,
    said,
  ];
}

/** [number, text] of every phase that has lanes; of a two-address form each address has its own. */
function phases(counted) {
  const each = counted.second ? counted.phases.length / 2 : counted.phases.length;
  return counted.phases
    .map((phase, number) => {
      const where = counted.second ? `${number < each ? "1st" : "2nd"} address, ` : "";
      return [number, `${where}phase ${number % each}: ${phase.passes}`];
    })
    .filter(([number]) => counted.phases[number].passes > 0);
}

function phaseText(phase, number, counted) {
  const used = phase.banks.size;
  const ways = phase.passes > 1 ? `${phase.passes} passes` : "one pass";
  const words = [...phase.banks.values()].flatMap((wanted) => [...wanted.values()]);
  const shared = words.some((lanes) => lanes.length > 1) ? "; + says that others share it" : "";
  return (
    `Lanes ${laneText(phase.lanes)} want words of ${used} of ${counted.row.banks} banks; ` +
    `the fullest bank needs ${ways}. A box is a word, its number the lane that wants it${shared}.`
  );
}

/** Without the lanes there is still the witness: who collides, and where. */
function witnessView(view, { witness }) {
  view.draw = null;
  if (!witness) return [h("p", { class: "hint" }, "No lanes of this access collide.")];
  const stage = h("div", STAGE);
  view.draw = () => (stage.innerHTML = witnessSvg(witness, drawn(view)));
  view.draw();
  return [h("div", { class: "witness" }, h("p", { class: "hint" }, witness.text), stage)];
}

/** How wide a picture in the lens may be; it is drawn so wide. */
const drawn = (view) => (view.drawn = room(view.lens));
const room = (lens) => lens.clientWidth || 300;
