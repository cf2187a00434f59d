/**
 * A tile of 2^m rows and 2^n columns, where its elements live, and who accesses them.
 *
 * A coordinate is a whole number: the low `columns` bits are the column (n0 n1 ...), the others
 * the row (m0 m1 ...); as a number it is the row-major offset in elements. Directions are vectors
 * of coordinates, written "n0", "m1^n2".
 *
 * A layout is {kind: "fold", masks}: row bit j XORs masks[j] into the column; or {kind: "linear",
 * columns}: any other invertible map over F2, columns[i] being the offset of coordinate bit i; or
 * {kind: "pad", by}: by unused elements behind every row; or {kind: "rotate", by}: row m shifted by
 * m * by columns.
 */
import { apply, basis, independent, kernel, rank } from "./f2.js";
import { plainInstruction } from "./machines.js";

/** One direction as text; "0" moves nothing. */
export function directionText(direction, tile) {
  const bits = [];
  for (let i = tile.columns + tile.rows - 1; i >= 0; i--) {
    if ((direction >> i) & 1) bits.push(i < tile.columns ? `n${i}` : `m${i - tile.columns}`);
  }
  return bits.join("^") || "0";
}

/** Read directions; throws an Error that names the word which is none. */
export function readDirections(text, tile) {
  return text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      if (word === "0") return 0;
      return word.split(/[\^⊕]/).reduce((sum, bit) => sum ^ readBit(bit, word, tile), 0);
    });
}

function readBit(bit, word, tile) {
  const found = /^([nm])(\d)$/.exec(bit);
  const size = found && (found[1] === "n" ? tile.columns : tile.rows);
  if (!found || Number(found[2]) >= size) {
    const last = `n0 to n${tile.columns - 1}, m0 to m${tile.rows - 1}`;
    throw new Error(`“${word}” is no direction of this tile; it has ${last}`);
  }
  return 1 << (Number(found[2]) + (found[1] === "n" ? 0 : tile.columns));
}

/** Whether a layout is a matrix over F2: then the theorem speaks of it, not only counting. */
export const isLinear = (layout) => layout.kind === "fold" || layout.kind === "linear";

/** The layout of a matrix; as a row fold where it is one. */
export function linearLayout(tile, columns) {
  const masks = columns.slice(tile.columns).map((column, j) => column ^ (1 << (tile.columns + j)));
  const keepsColumns = columns.slice(0, tile.columns).every((column, i) => column === 1 << i);
  const keepsRows = masks.every((mask) => mask >> tile.columns === 0);
  return keepsColumns && keepsRows ? { kind: "fold", masks } : { kind: "linear", columns };
}

/** Where element (row, column) lives, in elements. */
export function offset(layout, tile, coordinate) {
  if (layout.kind === "linear") return apply(layout.columns, coordinate);
  const row = coordinate >> tile.columns;
  const width = 1 << tile.columns;
  const column = coordinate & (width - 1);
  if (layout.kind === "pad") return row * (width + layout.by) + column;
  if (layout.kind === "rotate") return row * width + ((column + row * layout.by) & (width - 1));
  return coordinate ^ apply(layout.masks, row);
}

/** Where every element lives, in elements, by coordinate. */
export function allOffsets(layout, tile) {
  const size = 1 << (tile.columns + tile.rows);
  const found = new Int32Array(size);
  if (!isLinear(layout)) return found.map((_, coordinate) => offset(layout, tile, coordinate));
  columnsOf(layout, tile).forEach((column, bit) => {
    for (let x = 0; x < 1 << bit; x++) found[x | (1 << bit)] = found[x] ^ column;
  });
  return found;
}

/** The offset of every coordinate bit of a linear layout: its matrix, as columns. */
export function columnsOf(layout, tile) {
  if (layout.kind === "linear") return layout.columns;
  const row = Array.from(
    { length: tile.rows },
    (_, j) => (1 << (tile.columns + j)) ^ layout.masks[j],
  );
  return [...Array.from({ length: tile.columns }, (_, i) => 1 << i), ...row];
}

/** The row-major layout. */
export function plain(tile) {
  return { kind: "fold", masks: Array(tile.rows).fill(0) };
}

export const elementBytes = (tile) => tile.elementBits / 8;

/** An access with its instruction: {name, op, lanes, vector, registers, row, phase, phases}. */
export function issue(machine, tile, request) {
  const lanes = readDirections(request.lanes, tile);
  const vector = readDirections(request.vector, tile);
  const wanted = Math.log2(machine.wave_size);
  if (lanes.length !== wanted) {
    throw new Error(
      `${machine.name} has ${machine.wave_size} lanes, so ${wanted} lane bits; ` +
        `“${request.lanes}” gives ${lanes.length}`,
    );
  }
  if (vector.some((direction, i) => direction !== 1 << i)) {
    throw new Error(`a vector is the lowest columns in order, such as “n0 n1”: ${request.vector}`);
  }
  if (rank([...lanes, ...vector]) < rank(lanes) + vector.length) {
    throw new Error(`the vector “${request.vector}” repeats the lanes “${request.lanes}”`);
  }
  if (request.op === "write" && rank(lanes) < lanes.length) {
    throw new Error(`two lanes of “${request.name}” would write the same element`);
  }
  const width = elementBytes(tile) << vector.length;
  const row = plainInstruction(machine, request.op, width);
  if (!row) throw new Error(`${machine.name} has no ${8 * width}-bit ${request.op} of one lane`);
  const used = [...lanes, ...vector];
  const registers = independent(units(tile), used);
  return { ...request, lanes, vector, registers, row, ...phaseOf(row, lanes) };
}

const units = (tile) => Array.from({ length: tile.columns + tile.rows }, (_, i) => 1 << i);

/** The directions in which the lanes of one phase differ, and how many phases there are. */
function phaseOf(row, lanes) {
  const span = row.span.map((lane) => apply(lanes, lane));
  if (row.merge === "none" || (lanes[0] && lanes[1])) {
    return { phase: basis(span), phases: row.phases.length };
  }
  const step = row.phases[0][0] ^ row.phases[1][0];
  return { phase: basis([...span, apply(lanes, step)]), phases: row.phases.length / 2 };
}

/** The coordinate that a lane touches first at a register step. */
export function touched(access, lane, step) {
  return apply(access.lanes, lane) ^ apply(access.registers, step);
}

/** First bytes of all lanes at one register step. */
export function offsetsBytes(layout, tile, access, step) {
  return Array.from(
    { length: access.row.wave },
    (_, lane) => offset(layout, tile, touched(access, lane, step)) * elementBytes(tile),
  );
}

/** Whether every vector of the access stays contiguous, aligned and in order. */
export function keepsVectors(layout, tile, access) {
  const size = 1 << access.vector.length;
  const unit = layout.kind === "pad" ? (1 << tile.columns) + layout.by : layout.by;
  if (layout.kind === "linear") {
    return layout.columns.every((c, i) => (1 << i < size ? c === 1 << i : (c & (size - 1)) === 0));
  }
  if (layout.kind !== "fold") return unit % size === 0;
  return layout.masks.every((mask) => (mask & (size - 1)) === 0);
}

/** Offset bits inside one word, or one lane's vector if that is wider. */
export function insideBits(tile, access) {
  return Math.max(wordBits(tile), access.vector.length + inElement(tile));
}

const wordBits = (tile) => Math.max(0, 5 - Math.log2(tile.elementBits));
const inElement = (tile) => Math.max(0, Math.log2(tile.elementBits) - 5);

/** The offsets of some directions above the inside bits: all of their bits, and the bank bits. */
export function moved(tile, columns, access, directions) {
  const inside = insideBits(tile, access);
  const all = directions.map((x) => (apply(columns, x) << inElement(tile)) >> inside);
  const width = wordBits(tile) + Math.log2(access.row.banks) - inside;
  return { all, banks: all.map((image) => image & ((1 << width) - 1)), width };
}

/** Passes of a phase by the theorem: 2^(rank above the word - rank of the bank bits). */
export function phasePasses(tile, columns, access) {
  const { all, banks } = moved(tile, columns, access, access.phase);
  return 2 ** (rank(all) - rank(banks));
}

/** A basis of what collides: directions of one phase that move the segment, not the bank. */
export function conflictDirections(tile, columns, access) {
  const { all, banks } = moved(tile, columns, access, access.phase);
  const none = kernel(banks).map((combination) => apply(access.phase, combination));
  const same = kernel(all).map((combination) => apply(access.phase, combination));
  return independent(none, same);
}
