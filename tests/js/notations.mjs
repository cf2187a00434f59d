// Writes what the page says of every layout: node notations.mjs QUESTIONS FOLDER
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [questions, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, "core", name)));
const { cute, iree, triton, wave } = await load("frameworks.js");
const { composable } = await load("composable.js");

const answers = JSON.parse(readFileSync(questions, "utf8")).map(({ tile, layout }) => ({
  cute: cute(tile, layout),
  triton: triton(tile, layout),
  iree: iree(tile, layout),
  wave: wave(tile, layout),
  ck: composable(tile, layout),
}));
console.log(JSON.stringify(answers));
