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

/**
 * Paint the tile on a canvas context that is scaled to CSS pixels. Rows that look as they did are
 * left alone, the others are stamped whole, their ringed cells on top: few rows differ in their
 * banks, so a toggle of a 128x128 tile is some hundred stamps. `fresh` says that the canvas is
 * empty, or that size or colours are new.
 */
export function paintTile(context, spec, theme, fresh) {
  const { left, top } = frame(spec);
  const known = fresh
    ? { rows: [], cells: new Map(), strips: new Map() }
    : painted.get(context.canvas);
  const pen = { context, size: spec.size, theme, ...known };
  painted.set(context.canvas, known);
  for (let m = 0; m < spec.rows; m++) {
    const cells = Array.from({ length: spec.columns }, (_, n) => spec.cell(m, n));
    const looks = String.fromCharCode(...cells.map((cell) => look(cell, cell.ring)));
    if (known.rows[m] === looks) continue;
    known.rows[m] = looks;
    const y = top + m * spec.size;
    const length = spec.size * spec.columns;
    context.drawImage(strip(pen, cells), left, y, length, spec.size);
    cells.forEach((cell, n) => {
      if (cell.ring) place(context, cellStamp(pen, cell, cell.ring), left + n * spec.size, y, pen);
    });
  }
  if (fresh) paintHeadings(context, spec, theme, left, top);
}

/** How a cell looks, as a number below 2^16. */
const look = (cell, ring) => cell.bank * 8 + ring * 2 + (cell.faint ? 1 : 0);
const place = (context, picture, x, y, { size }) => context.drawImage(picture, x, y, size, size);

/** A row of cells without their rings. */
function strip(pen, cells) {
  const { size, strips } = pen;
  const key = String.fromCharCode(...cells.map((cell) => look(cell, 0)));
  if (!strips.has(key)) {
    const scale = pen.context.getTransform().a;
    const { picture, brush } = blank(size * cells.length, size, scale);
    cells.forEach((cell, n) => place(brush, cellStamp(pen, cell, 0), n * size, 0, pen));
    if ((strips.size + 1) * picture.width * picture.height > KEPT_PIXELS) strips.clear();
    strips.set(key, picture);
  }
  return strips.get(key);
}

function cellStamp(pen, cell, ring) {
  const { context, size, theme, cells } = pen;
  const key = look(cell, ring);
  if (!cells.has(key)) cells.set(key, stamp(context, { ...cell, ring }, size, theme));
  return cells.get(key);
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
  context.strokeStyle = ring === 1 ? "#14181d" : "#ffffff";
  context.strokeRect(1.1, 1.1, size - 3, size - 3);
  if (size < 18) return; // A second ring would cover the number.
  context.lineWidth = 1;
  context.strokeStyle = ring === 1 ? "#ffffff" : "#14181d";
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
