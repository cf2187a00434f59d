/** The algebra of the workbench: the intersection, the three of the story, the independence. */
import { count } from "../core/conflict.js";
import { listed } from "../core/construct.js";
import { basis, inverse } from "../core/f2.js";
import {
  columnsOf,
  conflictDirections,
  directionText,
  isLinear,
  issue,
  moved,
  offsetsBytes,
} from "../core/tile.js";
import { chosen, ranked, readModel } from "../model.js";
import { state } from "../state.js";
import { matrixSvg } from "../view/charts.js";
import { claim, h } from "../view/dom.js";
import { figure, nothing } from "../view/figure.js";
import { accessMatrix, memoryMatrix, offsetGroups } from "./matrices.js";

const KEYS = ["g", "t", "l", "a", "v"];
const STORY = { columns: 5, rows: 4, elementBits: 32 };
/** The three swizzles of the story: [name, key, masks]. */
const THREE = [
  ["Row-major", "plain", [0, 0, 0, 0]],
  ["n ⊕ m", "m", [1, 2, 4, 8]],
  ["n ⊕ 2m", "2m", [2, 4, 8, 16]],
];

/** Mount the figure beside the tile. */
export function mountIntersection(machines) {
  figure("algebra", [...KEYS, "al"], (values) =>
    values.al === "1" ? intersectionFigure(readModel(values, machines)) : nothing(""),
  );
}

/** Mount the live figures of the article. */
export function mountAlgebra(machines) {
  const model = () => readModel(state(), machines);
  figure("three", [], () => threeFigure(machines.get("sm_90")));
  const both = ["g", "t", "a", "ln"];
  figure("matrix-a", both, (values) => accessMatrix(model(), 0, values));
  figure("matrix-b", both, (values) => accessMatrix(model(), 1, values));
  figure("matrix-m", KEYS, () => memoryMatrix(model()));
  figure("rule", KEYS, () => ruleFigure(model()));
}

function intersectionFigure(model) {
  if (!chosen(model)) return nothing("No access to look at.");
  if (!isLinear(model.layout)) {
    return nothing(
      "Padding and rotation carry, so they are no linear layouts: they are counted, not ranked.",
    );
  }
  const judged = model.accesses.map((access) => ({ access, ...meeting(model, access) }));
  const { segment } = judged[model.accesses.indexOf(chosen(model))];
  const rows = judged.map(({ access, bad, ...found }) => [
    access.name,
    listed(access.phase, model.tile),
    bad.length ? listed(bad, model.tile) : "{0}",
    equation(bad.length, access.phases, found),
    found,
  ]);
  return {
    picture: "",
    text: [
      `M_Seg: ${listed(segment, model.tile)}`,
      ...rows.map(([name, lanes, meet, words]) => `${name}: ${lanes}; meets ${meet}; ${words}`),
    ].join("\n"),
    claim: [
      h(
        "p",
        { class: "basis" },
        "M_Seg = ",
        claim("m-seg", listed(segment, model.tile), `span { ${listed(segment, model.tile)} }`),
      ),
      table(
        ["access", "lanes of a phase", "∩ M_Seg", "by rank", "counted"],
        rows.map(([name, lanes, meet, words, found]) => [
          h("b", {}, name),
          h("code", {}, lanes),
          h("code", {}, claim(`meets-${name}`, meet)),
          claim(`rank-${name}`, found.predicted, words),
          h(
            "span",
            { class: found.counted === found.predicted ? "good" : "bad" },
            found.counted === found.predicted ? "= " : "≠ ",
            claim(`count-${name}`, found.counted),
          ),
        ]),
      ),
    ],
  };
}

/** Where lanes of one phase meet the segments of the layout, and what it costs: twice. */
function meeting(model, access) {
  const matrix = columnsOf(model.layout, model.tile);
  const groups = offsetGroups(model.tile, access.row.banks);
  return {
    segment: inverse(matrix).filter((_, i) => groups[i] === "segment"),
    bad: conflictDirections(model.tile, matrix, access),
    predicted: ranked(model, access),
    counted: count(access.row, offsetsBytes(model.layout, model.tile, access, 0)).passes,
  };
}

function equation(dimension, phases, { predicted }) {
  const many = phases > 1 ? ` × ${phases} phases = ${predicted}` : ` = ${predicted}`;
  return `2${superscript(dimension)}${many}`;
}

function table(heads, rows) {
  const cells = (row, tag) => row.map((cell) => h(tag, {}, cell));
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "accesses" },
    h(
      "table",
      { class: "ranks" },
      h("thead", {}, h("tr", {}, cells(heads, "th"))),
      h(
        "tbody",
        {},
        rows.map((row) => h("tr", {}, cells(row, "td"))),
      ),
    ),
  );
}

/** The whole story in three lines: sixteen, two, one. */
function threeFigure(machine) {
  const request = { name: "read", op: "read", lanes: "m0 m1 m2 m3 n0", vector: "" };
  const read = issue(machine, STORY, request);
  const rows = THREE.map(([name, key, masks]) => {
    const layout = { kind: "fold", masks };
    const found = meeting({ tile: STORY, layout }, read);
    return { name, key, ...found };
  });
  const meet = (bad) => (bad.length ? listed(bad, STORY) : "{0}");
  const said = (row) => `2${superscript(row.bad.length)} = ${2 ** row.bad.length}`;
  return {
    picture: "",
    text: rows
      .map((r) => `${r.name}: M_Seg ${listed(r.segment, STORY)}; meets ${meet(r.bad)}; ${said(r)}`)
      .join("\n"),
    claim: [
      table(
        ["layout", "M_Seg", "∩ lanes of the read", "by rank", "by counting"],
        rows.map((row) => [
          row.name,
          h("code", {}, claim(`three-${row.key}-segment`, listed(row.segment, STORY))),
          h("code", {}, claim(`three-${row.key}-meets`, meet(row.bad))),
          claim(`three-${row.key}-rank`, row.predicted, said(row)),
          claim(`three-${row.key}-count`, row.counted),
        ]),
      ),
    ],
  };
}

const superscript = (value) => [...String(value)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");

/** The rule: the bank bits that the lanes of a phase move must be independent. */
function ruleFigure(model) {
  const access = chosen(model);
  if (!access || !isLinear(model.layout)) return nothing("The rule speaks of linear layouts.");
  const { tile } = model;
  const images = moved(tile, columnsOf(model.layout, tile), access, access.phase);
  const seen = [];
  const columns = access.phase.map((direction, i) => {
    const before = basis(seen).length;
    seen.push(images.banks[i]);
    const fresh = basis(seen).length > before;
    return { name: directionText(direction, tile), bits: images.banks[i], group: "", fresh };
  });
  const rankNow = basis(seen).length;
  return {
    picture: matrixSvg({
      rowNames: Array.from({ length: images.width }, (_, i) => `b${i}`),
      columns,
      size: 30,
      tone: (i) => (columns[i].fresh ? "one" : "fold"),
      alt: "bank bits moved by each direction of a phase",
    }),
    claim: [
      `${columns.length} directions, `,
      claim("rule-rank", rankNow, `rank ${rankNow}`),
      ": ",
      h(
        "b",
        {},
        rankNow === columns.length
          ? "independent, so conflict-free"
          : "dependent: what is not blue is a sum of columns before it",
      ),
    ],
  };
}
