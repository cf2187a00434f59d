// Build the layouts of two-access problems: node built.mjs PROBLEMS.json STATIC prints what they cost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [problems, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const { readMachines } = await load("machines.js");
const { count } = await load("conflict.js");
const { columnsOf, issue, offset, offsetsBytes } = await load("tile.js");
const { builtLayout, notBuilt } = await load("built.js");
const { everyNotation } = await load("notations.js");
const machines = readMachines(read(join(folder, "machines.json")));

const answers = read(problems).map(({ machine, tile: [columns, rows, elementBits], requests }) => {
  const tile = { columns, rows, elementBits };
  const accesses = requests.map((request) => issue(machines.get(machine), tile, request));
  const why = notBuilt(tile, accesses);
  if (why) return { why };
  const layout = builtLayout(tile, accesses);
  const places = Array.from({ length: 1 << (columns + rows) }, (_, x) => offset(layout, tile, x));
  return {
    kind: layout.kind,
    columns: columnsOf(layout, tile),
    places,
    passes: accesses.map((a) => count(a.row, offsetsBytes(layout, tile, a, 0)).passes),
    python: Object.fromEntries(everyNotation(tile, layout)).Python,
  };
});
console.log(JSON.stringify(answers));
