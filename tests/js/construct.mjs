// The pairs of the constructive algorithm for the 16x32 transpose: node construct.mjs STATIC
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const { readMachines } = await load("machines.js");
const { directionText, issue } = await load("tile.js");
const { construct } = await load("construct.js");

const machines = readMachines(JSON.parse(readFileSync(join(folder, "machines.json"), "utf8")));
const tile = { columns: 5, rows: 4, elementBits: 32 };
const access = (op, lanes) =>
  issue(machines.get("sm_90"), tile, { name: op, op, lanes, vector: "" });
const built = construct(tile, [
  access("write", "n0 n1 n2 n3 n4"),
  access("read", "m0 m1 m2 m3 n0"),
]);
console.log(JSON.stringify({ pairs: built.pairs.map((x) => directionText(x, tile)) }));
