/** A report as a page of its own: it draws the document that it carries, and links to its rows. */
import { readMachines } from "./core/machines.js";
import { reportView } from "./figures/report.js";
import { linkLines } from "./figures/report_check.js";
import { h } from "./view/dom.js";

const json = (id) => JSON.parse(document.getElementById(id).textContent);
const root = document.getElementById("kernel");
const lineOf = (element) => element.dataset.line ?? element.dataset.sourceLine;

/** An address for every row, on the place that it tells; of a model each report has its own. */
function linkRows(table, report) {
  for (const row of table.querySelectorAll("tbody tr:not(.group)")) {
    const [, number] = row.querySelector("[data-claim]").dataset.claim.split("-");
    row.id = `${report ? `report-${report + 1}-` : ""}access-${number}`;
    const [place] = row.cells[0].childNodes;
    const link = h("a", { href: `#${row.id}`, class: "place-link" });
    place.replaceWith(link);
    link.append(place.textContent ? place : "–");
  }
}

/** The row that the address names, seen and in sight; it may be filtered away. */
function goToRow() {
  const row = root.querySelector(`.columns [id="${CSS.escape(location.hash.slice(1))}"]`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "center" });
}

/** The source beside the rows scrolls to what is looked at; the page stays where it is. */
function followSource({ target }) {
  const row = target?.closest?.(".columns tr[id]");
  const line = row && root.querySelector(`[data-source-line="${lineOf(row)}"]`);
  const text = line?.parentElement;
  if (text) text.scrollTop = line.offsetTop - text.clientHeight / 2;
}

/**
 * From a line of the source to the first of its rows; to a row itself. A link is followed here: in
 * the frame of a notebook the browser would load the notebook in its place.
 */
function goToLine(event) {
  const { target } = event;
  const place = target.closest?.(".place-link");
  if (place) {
    event.preventDefault();
    location.hash = place.hash;
  }
  const line = target.closest?.(".hit[data-source-line]");
  const row = line && root.querySelector(`.columns tr[data-line="${lineOf(line)}"]`);
  if (row) location.hash = row.id;
}

function show() {
  try {
    const { document: found, source } = json("report");
    root.append(reportView(found, { source, machines: readMachines(json("machines")) }));
  } catch (error) {
    root.append(h("pre", { class: "error", role: "alert" }, error.message));
  }
}

linkLines(root);
show();
root.querySelectorAll(".columns > .looked table").forEach(linkRows);
for (const source of root.querySelectorAll("details.source")) source.open = true;
root.addEventListener("focusin", followSource);
root.addEventListener("pointerover", followSource);
root.addEventListener("click", goToLine);
addEventListener("hashchange", goToRow);
followSource({ target: root.querySelector(".columns tr[id]") });
goToRow();
document.documentElement.dataset.ready = "yes";
