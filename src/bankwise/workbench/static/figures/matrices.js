/** The matrices of the accesses and of the layout, and who owns each element of the tile. */
import { inverse } from "../core/f2.js";
import { columnsOf, directionText, isLinear } from "../core/tile.js";
import { chosen, owners } from "../model.js";
import { change, within } from "../state.js";
import { matrixSvg } from "../view/charts.js";
import { bankFill } from "../view/colour.js";
import { claim, h, slider } from "../view/dom.js";
import { nothing } from "../view/figure.js";
import { tileSvg } from "../view/tile.js";

function coordinateNames(tile) {
  return Array.from({ length: tile.columns + tile.rows }, (_, i) => directionText(1 << i, tile));
}

/** Offset bits by what they do, for elements of a word or wider and below. */
export function offsetGroups(tile, banks) {
  const word = Math.max(0, 5 - Math.log2(tile.elementBits));
  const bank = word + Math.log2(banks) - Math.max(0, Math.log2(tile.elementBits) - 5);
  return Array.from({ length: tile.columns + tile.rows }, (_, i) =>
    i < word ? "word" : i < bank ? "bank" : "segment",
  );
}

/** The matrix of one access, its elements coloured by lane, those of one lane ringed. */
export function accessMatrix(model, which, values) {
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
  const lane = within(values.ln, access.row.wave - 1);
  const own = owners(tile, access);
  const ringed = [...own.lane.keys()].filter((at) => own.lane[at] === lane);
  const place = (at) => `(${at >> tile.columns}, ${at & ((1 << tile.columns) - 1)})`;
  const said =
    ringed.slice(0, 3).map(place).join(" ") +
    (ringed.length > 3 ? ` … ${place(ringed.at(-1))}` : "");
  return {
    controls: [
      slider(
        "Lane ringed",
        lane,
        access.row.wave - 1,
        (t) => `lane ${t}`,
        (t) => change({ ln: String(t) }),
      ),
    ],
    picture: `${picture}${ownership(model, access, own, lane)}`,
    claim: [
      h("b", {}, access.name),
      ` · ${access.row.name} · lane ${lane} has `,
      claim(
        `ringed-${which ? "b" : "a"}`,
        ringed.join(" "),
        `${ringed.length} elements (row, column): ${said}`,
      ),
    ],
    text: columns.map((c) => `${c.name} -> ${directionText(c.bits, tile)}`).join("\n"),
  };
}

function ownership(model, access, own, ringed) {
  const { tile } = model;
  const rows = Math.min(32, 1 << tile.rows);
  const columns = Math.min(64, 1 << tile.columns);
  const size = Math.max(9, Math.min(17, Math.floor(513 / columns)));
  return tileSvg({
    rows,
    columns,
    size,
    rowLabel: (m) => m,
    columnLabel: (n) => n,
    alt: `${access.name}: who owns each element`,
    cell: (m, n) => {
      const at = (m << tile.columns) | n;
      const lane = own.lane[at];
      if (lane < 0) return { fill: "var(--wash)", text: "" };
      return {
        fill: bankFill(lane, access.row.wave),
        text: own.step[at],
        title: `row ${m}, column ${n}: lane ${lane}, register ${own.step[at]}`,
        ring: lane === ringed ? 1 : 0,
      };
    },
  });
}

/** The matrix of the memory: offset bits in, coordinates out. */
export function memoryMatrix(model) {
  const { tile, layout } = model;
  if (!isLinear(layout)) return nothing("This layout has no matrix: it carries.");
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
    claim: [
      h("b", {}, "M"),
      " · offset bits in, coordinates out · not blue: your toggles, ",
      claim("matrix-m", columns.map((c) => c.bits).join(" "), `${folded(columns)} of them`),
    ],
    text: columns.map((c) => `${c.name} -> ${directionText(c.bits, tile)}`).join("\n"),
  };
}

const folded = (columns) =>
  columns
    .filter((column, i) => column.bits !== 1 << i)
    .reduce((sum, c) => sum + ones(c.bits) - 1, 0);
const ones = (x) => x.toString(2).replaceAll("0", "").length;
