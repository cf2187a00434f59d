// All settings of the toggles of the 16x32 transpose, counted and ranked: node sweep.mjs STATIC
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const { readMachines } = await load("machines.js");
const { issue } = await load("tile.js");
const { sweep } = await load("sweep.js");
const { histogram } = await load("search.js");

const machines = readMachines(JSON.parse(readFileSync(join(folder, "machines.json"), "utf8")));
const tile = { columns: 5, rows: 4, elementBits: 32 };
const access = (op, lanes) =>
  issue(machines.get("sm_90"), tile, { name: op, op, lanes, vector: "" });
const read = access("read", "m0 m1 m2 m3 n0");
const closed = histogram(tile, read).map(([passes, settings]) => [passes, Number(settings)]);
console.log(
  JSON.stringify({
    read: sweep(tile, read, 0, 2 ** 20),
    store: sweep(tile, access("write", "n0 n1 n2 n3 n4"), 0, 2 ** 20),
    closed: Object.fromEntries(closed),
  }),
);
