/** A tile drawn cell by cell: once as SVG text, once on a canvas for the workbench. */
import { bankFill, mix } from "./colour.js";
import { label, rect, SMALL, svg } from "./svg.js";

const MONO = 'ui-monospace, "DejaVu Sans Mono", Menlo, monospace';

/**
 * What a drawing needs: {rows, columns, size, cell(row, column), rowLabel?, columnLabel?, alt}.
 * A cell is {bank, banks, text, ring, faint}; ring 1 marks the lower half of a wave, 2 the upper.
 */
export function tileSvg(spec, widest) {
  const { left, top, width, height } = frame(spec);
  return svg(width, height, tileMarks(spec, left, top), spec.alt, widest ?? width);
}

/** Space for the headings, and the whole size. */
export function frame(spec) {
  const left = spec.rowLabel ? 26 : 1;
  const top = spec.columnLabel ? 18 : 1;
  return {
    left,
    top,
    width: left + spec.columns * spec.size + 1,
    height: top + spec.rows * spec.size + 1,
  };
}

/** The marks of a tile whose first cell is at (left, top). */
export function tileMarks(spec, left, top) {
  const { rows, columns, size } = spec;
  const marks = [];
  const rings = [];
  for (let m = 0; m < rows; m++) {
    for (let n = 0; n < columns; n++) {
      const [x, y] = [left + n * size, top + m * size];
      const cell = spec.cell(m, n);
      marks.push(
        rect(x, y, size, size, fillOf(cell), {
          opacity: cell.faint ? 0.38 : undefined,
          stroke: "var(--paper)",
          "stroke-width": 0.75,
          title: cell.title,
        }),
      );
      if (hasText(size) && cell.text !== undefined) marks.push(cellText(cell, x, y, size));
      if (cell.ring) rings.push(ringMarks(cell.ring, x, y, size));
    }
  }
  return marks.join("") + rings.join("") + headings(spec, left, top);
}

function fillOf(cell) {
  return cell.fill ?? bankFill(cell.bank, cell.banks);
}

function cellText(cell, x, y, size) {
  const fontSize = Math.max(SMALL, Math.min(11, size * 0.56));
  return label(x + size / 2, y + size / 2 + fontSize * 0.36, cell.text, {
    size: fontSize,
    fill: cell.faint ? "var(--quiet)" : "#14181d",
    "font-weight": cell.ring ? 700 : undefined,
  });
}

function ringMarks(ring, x, y, size) {
  const outer = rect(x + 0.5, y + 0.5, size - 1, size - 1, "none", {
    stroke: ring === 1 ? "#14181d" : "#ffffff",
    "stroke-width": 2.2,
  });
  if (size < SMALLEST_STAMP) return outer; // A second ring would leave nothing of the cell.
  const inner = rect(x + 2, y + 2, size - 4, size - 4, "none", {
    stroke: ring === 1 ? "#ffffff" : "#14181d",
    "stroke-width": 1,
  });
  return outer + inner;
}

/** Which columns and rows are named, so that the names do not touch. */
const headingSteps = ({ size, columns }) => [
  Math.ceil((columns > 100 ? 24 : 16) / size),
  Math.ceil(11 / size),
];

/** Whether the text of a cell is drawn, so small cells are colour alone. */
export const hasText = (size) => size >= 13;

function headings(spec, left, top) {
  const { rows, columns, size } = spec;
  const out = [];
  const [across, down] = headingSteps(spec);
  for (let n = 0; spec.columnLabel && n < columns; n += across) {
    out.push(
      label(left + (n + 0.5) * size, top - 5, spec.columnLabel(n), {
        size: SMALL,
        fill: "var(--quiet)",
      }),
    );
  }
  for (let m = 0; spec.rowLabel && m < rows; m += down) {
    out.push(
      label(left - 5, top + (m + 0.5) * size + 3, spec.rowLabel(m), {
        size: SMALL,
        fill: "var(--quiet)",
        anchor: "end",
      }),
    );
  }
  return out.join("");
}

const painted = new WeakMap();
/** Pixels of the rows that are kept, four bytes each. */
const KEPT_PIXELS = 6e6;
/** Cells below this are filled pixel by pixel: they have no gap and no number. */
const SMALLEST_STAMP = 8;

/** How a cell looks, as a number below 2^16; what `spec.look` gives. */
export const look = (bank, ring, faint) => bank * 8 + ring * 2 + (faint ? 1 : 0);
/** The same as a cell of `tileSvg`. */
export const cellOf = (code, banks) => ({
  bank: code >> 3,
  banks,
  text: code >> 3,
  ring: (code >> 1) & 3,
  faint: (code & 1) === 1,
});

/**
 * Paint the tile on a canvas context that is scaled to CSS pixels. Rows that look as they did are
 * left alone, the others are stamped whole, their ringed cells on top: few rows differ in their
 * banks, so a toggle of a 128x128 tile is some hundred stamps. `spec.look(row)` gives the looks of
 * a row; `fresh` says that the canvas is empty, or that size or colours are new.
 */
export function paintTile(context, spec, theme, fresh) {
  const { left, top } = frame(spec);
  const known = fresh
    ? { rows: [], cells: new Map(), strips: new Map() }
    : painted.get(context.canvas);
  const pen = { context, size: spec.size, banks: spec.banks, theme, ...known };
  painted.set(context.canvas, known);
  for (let m = 0; m < spec.rows; m++) {
    const codes = spec.look(m);
    const looks = String.fromCharCode.apply(null, codes);
    if (known.rows[m] === looks) continue;
    known.rows[m] = looks;
    (spec.size < SMALLEST_STAMP ? pixelRow : stampRow)(pen, codes, left, top + m * spec.size);
  }
  if (fresh) paintHeadings(context, spec, theme, left, top);
}

function stampRow(pen, codes, left, y) {
  const { context, size } = pen;
  context.drawImage(strip(pen, codes), left, y, size * codes.length, size);
  codes.forEach((code, n) => {
    if ((code >> 1) & 3) place(context, cellStamp(pen, code), left + n * size, y, pen);
  });
}

/** A row of small cells at once; a ring is the border of its cell, or the cell where it has none. */
function pixelRow(pen, codes, left, y) {
  const scale = pen.context.getTransform().a;
  const side = Math.round(pen.size * scale);
  const row = pen.context.createImageData(side * codes.length, side);
  const pixels = new Uint32Array(row.data.buffer);
  codes.forEach((code, n) => {
    const [fill, border] = pixelColours(pen, code);
    for (let i = 0; i < side; i++) {
      const from = i * row.width + n * side;
      const edge = i === 0 || i === side - 1;
      pixels.fill(edge ? border : fill, from, from + side);
      pixels[from] = border;
      pixels[from + side - 1] = border;
    }
  });
  pen.context.putImageData(row, Math.round(left * scale), Math.round(y * scale));
}

function pixelColours(pen, code) {
  const { cells, theme, banks } = pen;
  if (!cells.has(code)) {
    const { bank, ring, faint } = cellOf(code, banks);
    const fill = faint ? mix(bankFill(bank, banks), theme.paper, 0.38) : bankFill(bank, banks);
    const border = ring ? RINGS[ring - 1] : fill;
    cells.set(code, [packed(fill), packed(border)]);
  }
  return cells.get(code);
}

const RINGS = ["#14181d", "#ffffff"];
/** #rrggbb as one pixel of an ImageData, whichever end of a number comes first. */
const packed = (hex) =>
  new Uint32Array(
    Uint8Array.of(...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)), 255).buffer,
  )[0];

const place = (context, picture, x, y, { size }) => context.drawImage(picture, x, y, size, size);

/** A row of cells without their rings. */
function strip(pen, codes) {
  const { size, strips } = pen;
  const bare = codes.map((code) => code & ~6);
  const key = String.fromCharCode.apply(null, bare);
  if (!strips.has(key)) {
    const scale = pen.context.getTransform().a;
    const { picture, brush } = blank(size * codes.length, size, scale);
    bare.forEach((code, n) => place(brush, cellStamp(pen, code), n * size, 0, pen));
    if ((strips.size + 1) * picture.width * picture.height > KEPT_PIXELS) strips.clear();
    strips.set(key, picture);
  }
  return strips.get(key);
}

function cellStamp(pen, code) {
  const { context, size, theme, cells, banks } = pen;
  if (!cells.has(code)) cells.set(code, stamp(context, cellOf(code, banks), size, theme));
  return cells.get(code);
}

function blank(width, height, scale) {
  const picture = document.createElement("canvas");
  picture.width = Math.round(width * scale);
  picture.height = Math.round(height * scale);
  const brush = picture.getContext("2d", { alpha: false });
  brush.scale(scale, scale);
  return { picture, brush };
}

/** One cell as a small picture: its gap, its fill, its text, its ring. */
function stamp(context, cell, size, theme) {
  const { picture, brush: pen } = blank(size, size, context.getTransform().a);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = cell.faint ? mix(fillOf(cell), theme.paper, 0.38) : fillOf(cell);
  pen.fillRect(0, 0, size - 0.75, size - 0.75);
  if (hasText(size)) {
    const tall = Math.max(SMALL, Math.min(11, Math.round(size * 0.54)));
    pen.font = `${cell.ring ? "bold " : ""}${tall}px ${MONO}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = cell.faint ? theme.quiet : "#14181d";
    pen.fillText(cell.text, size / 2, size / 2 + 0.5);
  }
  if (cell.ring) paintRing(pen, cell.ring, size);
  return picture;
}

function paintRing(context, ring, size) {
  context.lineWidth = 2.2;
  context.strokeStyle = RINGS[ring - 1];
  context.strokeRect(1.1, 1.1, size - 3, size - 3);
  if (size < 18) return; // A second ring would cover the number.
  context.lineWidth = 1;
  context.strokeStyle = RINGS[2 - ring];
  context.strokeRect(2.7, 2.7, size - 6.2, size - 6.2);
}

function paintHeadings(context, spec, theme, left, top) {
  const { size } = spec;
  context.font = `${SMALL}px ${MONO}`;
  context.fillStyle = theme.quiet;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const [across, down] = headingSteps(spec);
  for (let n = 0; n < spec.columns; n += across) {
    context.fillText(spec.columnLabel(n), left + (n + 0.5) * size, top - 8);
  }
  context.textAlign = "right";
  for (let m = 0; m < spec.rows; m += down) {
    context.fillText(spec.rowLabel(m), left - 5, top + (m + 0.5) * size);
  }
}
