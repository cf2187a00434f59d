// What the page reads a layout as: reading.mjs TEXTS.json STATIC prints places, or why there are none.
import { readFileSync } from "node:fs";

const [texts, where] = process.argv.slice(2);
const { readNotation } = await import(`${where}/core/reading.js`);
const { allOffsets } = await import(`${where}/core/tile.js`);
const tile = { columns: 5, rows: 4, elementBits: 32 };
const answer = (text) => {
  try {
    const found = readNotation(text, tile);
    return { places: [...allOffsets(found.layout, tile)], aside: found.aside };
  } catch (error) {
    return { error: error.message };
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(texts, "utf8")).map(answer)));
