/** Vectors over F2 as whole numbers: the twin of bankwise.algebra.f2, for at most 31 bits. */

const highestFirst = (a, b) => b - a;

/** The reduced echelon basis of the span, ascending. */
export function basis(vectors) {
  const rows = [];
  for (let vector of vectors) {
    for (const row of rows) if ((vector ^ row) < vector) vector ^= row;
    if (vector) rows.push(vector);
  }
  rows.sort((a, b) => a - b);
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      if ((rows[j] ^ rows[i]) < rows[j]) rows[j] ^= rows[i];
    }
  }
  return rows;
}

/** The dimension of the span. */
export function rank(vectors) {
  return independent(vectors).length;
}

/** The vectors, in order, that are no sum of those before them and of `modulo`. */
export function independent(vectors, modulo = []) {
  const rows = basis(modulo).sort(highestFirst);
  const kept = [];
  for (const vector of vectors) {
    let rest = vector;
    for (const row of rows) if ((rest ^ row) < rest) rest ^= row;
    if (rest) {
      kept.push(vector);
      rows.push(rest);
    }
  }
  return kept;
}

/** The image of `vector` under the map with these columns. */
export function apply(columns, vector) {
  let image = 0;
  for (let i = 0; vector >> i; i++) if ((vector >> i) & 1) image ^= columns[i];
  return image;
}

/** The basis of all vectors that the map sends to 0. */
export function kernel(columns) {
  const rows = [];
  const none = [];
  columns.forEach((column, i) => {
    let image = column;
    let source = 1 << i;
    for (const row of rows) {
      if ((image ^ row.image) < image) {
        image ^= row.image;
        source ^= row.source;
      }
    }
    if (image) rows.push({ image, source });
    else none.push(source);
  });
  return basis(none);
}

/** The basis of span(a) ∩ span(b). */
export function intersection(a, b) {
  const first = basis(a);
  const inside = (1 << first.length) - 1;
  return basis(kernel([...first, ...basis(b)]).map((relation) => apply(first, relation & inside)));
}

/** Unit vectors, ascending, that complete the span to F2^dimension. */
export function complement(vectors, dimension) {
  return independent(
    Array.from({ length: dimension }, (_, i) => 1 << i),
    vectors,
  );
}

/** The columns of the inverse of a square map; null if it is singular. */
export function inverse(columns) {
  const left = [...columns];
  const right = columns.map((_, i) => 1 << i);
  for (let i = 0; i < left.length; i++) {
    const pivot = left.findIndex((column, j) => j >= i && (column >> i) & 1);
    if (pivot < 0) return null;
    [left[i], left[pivot]] = [left[pivot], left[i]];
    [right[i], right[pivot]] = [right[pivot], right[i]];
    for (let j = 0; j < left.length; j++) {
      if (j !== i && (left[j] >> i) & 1) {
        left[j] ^= left[i];
        right[j] ^= right[i];
      }
    }
  }
  return right;
}
