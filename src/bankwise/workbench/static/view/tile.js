/** A tile drawn cell by cell: once as SVG text, once on a canvas for the workbench. */
import { bankFill, mix } from "./colour.js";
import { label, rect, svg } from "./svg.js";

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
      if (size >= 12 && cell.text !== undefined) marks.push(cellText(cell, x, y, size));
      if (cell.ring) rings.push(ringMarks(cell.ring, x, y, size));
    }
  }
  return marks.join("") + rings.join("") + headings(spec, left, top);
}

function fillOf(cell) {
  return cell.fill ?? bankFill(cell.bank, cell.banks);
}

function cellText(cell, x, y, size) {
  const fontSize = Math.min(11, size * (String(cell.text).length > 2 ? 0.4 : 0.56));
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

function headings(spec, left, top) {
  const { rows, columns, size } = spec;
  const out = [];
  const every = Math.max(1, Math.ceil(16 / size));
  for (let n = 0; spec.columnLabel && n < columns; n += every) {
    out.push(
      label(left + (n + 0.5) * size, top - 5, spec.columnLabel(n), {
        size: 8.5,
        fill: "var(--quiet)",
      }),
    );
  }
  for (let m = 0; spec.rowLabel && m < rows; m++) {
    out.push(
      label(left - 5, top + (m + 0.5) * size + 3, spec.rowLabel(m), {
        size: 8.5,
        fill: "var(--quiet)",
        anchor: "end",
      }),
    );
  }
  return out.join("");
}

const painted = new WeakMap();

/**
 * Paint the tile on a canvas context that is scaled to CSS pixels. Cells that look as they did
 * are left alone, the others stamped: a 64x64 tile follows a toggle within one frame. `fresh`
 * says that the canvas is empty, or that size or colours are new.
 */
export function paintTile(context, spec, theme, fresh) {
  const { left, top } = frame(spec);
  const { size } = spec;
  const before = fresh ? { keys: [], stamps: new Map() } : painted.get(context.canvas);
  const now = { keys: [], stamps: before.stamps };
  for (let m = 0; m < spec.rows; m++) {
    for (let n = 0; n < spec.columns; n++) {
      const cell = spec.cell(m, n);
      const key = cell.bank * 8 + cell.ring * 2 + (cell.faint ? 1 : 0);
      now.keys.push(key);
      if (before.keys[now.keys.length - 1] === key) continue;
      if (!now.stamps.has(key)) now.stamps.set(key, stamp(context, cell, size, theme));
      context.drawImage(now.stamps.get(key), left + n * size, top + m * size, size, size);
    }
  }
  painted.set(context.canvas, now);
  if (fresh) paintHeadings(context, spec, theme, left, top);
}

/** One cell as a small picture: its gap, its fill, its text, its ring. */
function stamp(context, cell, size, theme) {
  const scale = context.getTransform().a;
  const picture = document.createElement("canvas");
  picture.width = picture.height = Math.round(size * scale);
  const pen = picture.getContext("2d", { alpha: false });
  pen.scale(scale, scale);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = cell.faint ? mix(fillOf(cell), theme.paper, 0.38) : fillOf(cell);
  pen.fillRect(0, 0, size - 0.75, size - 0.75);
  if (size >= 13) {
    const tall = Math.min(11, Math.round(size * (cell.ring && size < 18 ? 0.46 : 0.54)));
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
  context.font = `8.5px ${MONO}`;
  context.fillStyle = theme.quiet;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const every = Math.max(1, Math.ceil(16 / size));
  for (let n = 0; n < spec.columns; n += every) {
    context.fillText(spec.columnLabel(n), left + (n + 0.5) * size, top - 8);
  }
  context.textAlign = "right";
  for (let m = 0; m < spec.rows; m += Math.max(1, Math.ceil(10 / size))) {
    context.fillText(spec.rowLabel(m), left - 5, top + (m + 0.5) * size);
  }
}
