// Solve the problems of a file: node answers.mjs PROBLEMS.json STATIC prints costs and families.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [problems, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const { readMachines } = await load("machines.js");
const { columnsOf, issue, phasePasses } = await load("tile.js");
const { familySize, nextMember, plan, solve } = await load("search.js");
const machines = readMachines(read(join(folder, "machines.json")));

const answers = read(problems).map(({ machine, tile: [columns, rows, elementBits], requests }) => {
  const tile = { columns, rows, elementBits };
  const accesses = requests.map((request) => issue(machines.get(machine), tile, request));
  const search = plan(tile, accesses);
  const found = solve(search);
  const cost = (masks) =>
    accesses.reduce(
      (sum, access) =>
        sum + access.phases * phasePasses(tile, columnsOf({ kind: "fold", masks }, tile), access),
      0,
    );
  const walked = [found.masks];
  for (let i = 0; i < 5; i++) walked.push(nextMember(search, walked.at(-1), found.cost));
  return {
    cost: found.cost,
    complete: found.complete,
    counted: cost(found.masks),
    family: familySize(search, found.cost),
    members: walked.map(cost),
    different: new Set(walked.slice(1).map(String)).size,
  };
});
console.log(JSON.stringify(answers));
