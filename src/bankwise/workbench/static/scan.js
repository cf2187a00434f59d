/** The kernels of a scan: the table that stands in the page, sorted, filtered and grouped. */
import { rowTable } from "./figures/report_rows.js";

const GROUPS = [
  ["", "nothing"],
  ["target", "GPU"],
  ["file", "file"],
  ["cause", "cause"],
];
const table = document.getElementById("kernels");
const heads = [...table.tHead.rows[0].cells];
const at = Object.fromEntries(heads.map((head, i) => [head.textContent, i]));
const amount = (text) => Number(/[\d,.]+/.exec(text)?.[0].replaceAll(",", "") ?? -1);
const headings = heads.map((head) => [head.textContent, head.className]);

/** A row as its cells tell it. */
function row(element) {
  const texts = [...element.cells].map((cell) => cell.textContent);
  return {
    element,
    values: texts.map((text, i) => (headings[i][1] === "number" ? amount(text) : text)),
    words: element.textContent.toLowerCase() + element.dataset.file.toLowerCase(),
    target: texts[at.target],
    file: element.dataset.file,
    cause: element.dataset.cause,
    extra: Math.max(0, amount(texts[at["extra per workgroup"]])),
  };
}

const rows = [...table.tBodies[0].rows].map(row);
const more = { groups: GROUPS, what: "kernels", group: "" };
table.parentElement.replaceWith(...rowTable(rows, headings, more).filter(Boolean));
document.documentElement.dataset.ready = "yes";
