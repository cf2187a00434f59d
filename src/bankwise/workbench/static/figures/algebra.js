/** The algebra of the workbench: the matrices, the intersection, the rule of independence. */
import { count } from "../core/conflict.js";
import { listed } from "../core/construct.js";
import { basis, inverse } from "../core/f2.js";
import { columnsOf, conflictDirections, directionText, moved, offsetsBytes } from "../core/tile.js";
import { chosen, owners, ranked, readModel } from "../model.js";
import { state } from "../state.js";
import { matrixSvg } from "../view/charts.js";
import { bankFill } from "../view/colour.js";
import { claim, h } from "../view/dom.js";
import { figure, nothing } from "../view/figure.js";
import { tileSvg } from "../view/tile.js";

const KEYS = ["g", "t", "l", "a", "v"];

/** Mount the live figures of the second part. */
export function mountAlgebra(machines) {
  const model = () => readModel(state(), machines);
  figure("algebra", KEYS, () => intersectionFigure(model()));
  figure("matrix-a", ["g", "t", "a"], () => accessMatrix(model(), 0));
  figure("matrix-b", ["g", "t", "a"], () => accessMatrix(model(), 1));
  figure("matrix-m", KEYS, () => memoryMatrix(model()));
  figure("rule", KEYS, () => ruleFigure(model()));
}

function coordinateNames(tile) {
  return Array.from({ length: tile.columns + tile.rows }, (_, i) => directionText(1 << i, tile));
}

/** Offset bits by what they do, for elements of a word or wider and below. */
function offsetGroups(tile, banks) {
  const word = Math.max(0, 5 - Math.log2(tile.elementBits));
  const bank = word + Math.log2(banks) - Math.max(0, Math.log2(tile.elementBits) - 5);
  return Array.from({ length: tile.columns + tile.rows }, (_, i) =>
    i < word ? "word" : i < bank ? "bank" : "segment",
  );
}

function intersectionFigure(model) {
  const access = chosen(model);
  if (!access) return nothing("No access to look at.");
  if (model.layout.kind !== "fold") {
    return nothing(
      "Padding and rotation carry, so they are no linear layouts: they are counted, not ranked.",
    );
  }
  const { tile } = model;
  const matrix = columnsOf(model.layout, tile);
  const groups = offsetGroups(tile, access.row.banks);
  const segment = inverse(matrix).filter((_, i) => groups[i] === "segment");
  const bad = conflictDirections(tile, matrix, access);
  const counted = count(access.row, offsetsBytes(model.layout, tile, access, 0));
  const predicted = ranked(model, access);
  const text = [
    ["M_Seg", listed(segment, tile)],
    [`${access.name} lanes of a phase`, listed(access.phase, tile)],
    ["what collides", bad.length ? listed(bad, tile) : "{0}: nothing"],
  ];
  const rows = text.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
  return {
    picture: "",
    text: text.map(([name, value]) => `${name}: ${value}`).join("\n"),
    claim: [
      h("dl", { class: "facts" }, rows.flat()),
      h(
        "p",
        { class: "equation" },
        claim(
          "by-rank",
          predicted,
          `2${superscript(bad.length)} × ${access.phases} phase${access.phases > 1 ? "s" : ""} = ${predicted} by rank`,
        ),
        counted.passes === predicted ? "  =  " : "  ≠  ",
        claim("by-counting", counted.passes, `${counted.passes} by counting`),
      ),
    ],
  };
}

const superscript = (value) => [...String(value)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");

function accessMatrix(model, which) {
  const access = model.accesses[which];
  if (!access) return nothing("There is no second access.");
  const { tile } = model;
  const name = (list, letter, group) =>
    list.map((bits, i) => ({ name: `${letter}${i}`, bits, group }));
  const columns = [
    ...name(access.vector, "v", "vector"),
    ...name(access.lanes, "t", "lane"),
    ...name(access.registers, "r", "register"),
  ];
  const picture = matrixSvg({
    rowNames: coordinateNames(tile),
    columns,
    alt: `matrix of ${access.name}: where every lane and register bit lands`,
  });
  return {
    picture: `${picture}${ownership(model, access)}`,
    claim: [h("b", {}, access.name), ` · ${access.row.name} · lane 9’s elements are ringed`],
    text: columns.map((c) => `${c.name} -> ${directionText(c.bits, tile)}`).join("\n"),
  };
}

function ownership(model, access) {
  const { tile } = model;
  const own = owners(tile, access);
  const rows = Math.min(32, 1 << tile.rows);
  const columns = Math.min(64, 1 << tile.columns);
  const size = Math.max(9, Math.min(17, Math.floor(560 / columns)));
  return tileSvg({
    rows,
    columns,
    size,
    alt: `${access.name}: who owns each element`,
    cell: (m, n) => {
      const at = (m << tile.columns) | n;
      const lane = own.lane[at];
      return lane < 0
        ? { fill: "var(--wash)", text: "" }
        : { fill: bankFill(lane, access.row.wave), text: own.step[at], ring: lane === 9 ? 1 : 0 };
    },
  });
}

function memoryMatrix(model) {
  const { tile, layout } = model;
  if (layout.kind !== "fold") return nothing("This layout has no matrix: it carries.");
  const banks = chosen(model)?.row.banks ?? 32;
  const groups = offsetGroups(tile, banks);
  const names = { word: "w", bank: "b", segment: "s" };
  const starts = { word: 0, bank: groups.indexOf("bank"), segment: groups.indexOf("segment") };
  const columns = inverse(columnsOf(layout, tile)).map((bits, i) => ({
    bits,
    group: groups[i],
    name: `${names[groups[i]]}${i - starts[groups[i]]}`,
  }));
  return {
    picture: matrixSvg({
      rowNames: coordinateNames(tile),
      columns,
      tone: (i, row) => (i === row ? "one" : "fold"),
      alt: "matrix of the memory layout",
    }),
    claim: [h("b", {}, "M"), " · offset bits in, coordinates out · dark: your toggles"],
    text: columns.map((c) => `${c.name} -> ${directionText(c.bits, tile)}`).join("\n"),
  };
}

/** The rule: the bank bits that the lanes of a phase move must be independent. */
function ruleFigure(model) {
  const access = chosen(model);
  if (!access || model.layout.kind !== "fold") return nothing("The rule speaks of linear layouts.");
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
          : "dependent: the dark columns are sums of those before them",
      ),
    ],
  };
}
