// Replays the vectors that Python wrote: node golden.mjs VECTORS.json STATIC_FOLDER
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [vectors, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const f2 = await load("f2.js");
const { readMachines } = await load("machines.js");
const { count, witness } = await load("conflict.js");
const { columnsOf, conflictDirections, issue, offsetsBytes, phasePasses } = await load("tile.js");

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const golden = read(vectors);
const machines = readMachines(read(join(folder, "machines.json")));

for (const v of golden.counting) {
  const row = machines.get(v.machine).instructions.get(v.instruction);
  const counted = count(row, v.offsets, v.active, v.second);
  assert.deepEqual(
    [counted.passes, counted.ideal, counted.ways],
    [v.passes, v.ideal, v.ways],
    JSON.stringify(v),
  );
  const seen = witness(counted);
  if (v.second) continue;
  if (row.addresses === 1) {
    const mine = seen && [seen.phase, seen.bank, seen.lanes, seen.words];
    assert.deepEqual(mine, v.witness, JSON.stringify(v));
    if (seen) assert.deepEqual(seen.banks, v.banks);
  }
}

for (const v of golden.linear) {
  const [columns, rows, elementBits] = v.tile;
  const tile = { columns, rows, elementBits };
  const request = { name: "a", op: v.op, lanes: v.lanes, vector: v.vector };
  const access = issue(machines.get(v.machine), tile, request);
  const layout = { kind: "fold", masks: v.masks };
  const matrix = columnsOf(layout, tile);
  assert.equal(access.row.name, v.instruction);
  assert.equal(phasePasses(tile, matrix, access) * access.phases, v.passes, JSON.stringify(v));
  assert.deepEqual(conflictDirections(tile, matrix, access), v.directions, JSON.stringify(v));
  assert.equal(count(access.row, offsetsBytes(layout, tile, access, 0)).passes, v.counted);
}

for (const v of golden.algebra) {
  assert.equal(f2.rank(v.a), v.rank);
  assert.deepEqual(f2.basis(v.a), v.basis);
  assert.deepEqual(f2.kernel(v.a), v.kernel);
  assert.deepEqual(f2.intersection(v.a, v.b), v.intersection);
  assert.deepEqual(f2.independent(v.a, v.b), v.independent);
  assert.deepEqual(f2.complement(v.a, v.dimension), v.complement);
  assert.deepEqual(f2.inverse(v.square), v.inverse);
}

console.log(golden.counting.length + golden.linear.length + golden.algebra.length);
