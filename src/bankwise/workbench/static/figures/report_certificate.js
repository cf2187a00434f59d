/** A certificate as a reader needs it: what it claims, how that is known, how to have it checked. */
import { button, claim, copy, h, named, number } from "../view/dom.js";
import { save } from "../view/figure.js";

const HOW = {
  floor: "no layout can take fewer: every access is at its floor",
  lemma: "no layout can take fewer: the dimension lemma",
  search: "no linear layout takes fewer: the search was exhausted",
  budget: "the best that was found; a better one is not excluded",
};
const FILE = "certificate.json";
const COMMAND = `bankwise certify ${FILE}`;

export function certificateView(certificate) {
  const text = `${JSON.stringify(certificate, null, 2)}\n`;
  const said = h("span", { class: "hint", role: "status" });
  const say = (word) => (said.textContent = word);
  return h(
    "details",
    { class: "certificate" },
    h(
      "summary",
      {},
      "Certificate: ",
      claim("certificate-passes", certificate.total_passes, passesText(certificate)),
    ),
    h("p", {}, boundText(certificate)),
    table(certificate),
    h(
      "p",
      { class: "hint" },
      "Check it without the solver: save it, then ",
      h("code", {}, COMMAND),
      ". The judge counts anew; it shares no code with what found the layout. " +
        `Digest ${certificate.digest.slice(0, 16)}…`,
    ),
    h(
      "div",
      { class: "controls" },
      button("Save certificate", () => save(FILE, text, "application/json")),
      button("Copy certificate", () => copy(text, say)),
      button("Copy command", () => copy(COMMAND, say)),
      said,
    ),
  );
}

const passesText = (c) => `${number(c.total_passes)} passes, at least ${number(c.total_floor)}`;

function boundText(certificate) {
  const size = certificate.dims.map(([name, bits]) => `${name} ${2 ** bits}`).join(" × ");
  const nodes = certificate.how === "search" ? ` (${number(certificate.nodes)} nodes)` : "";
  return (
    `On ${certificate.machine}, a tile ${size} of ${certificate.element_bits}-bit elements: ` +
    `${HOW[certificate.how] ?? certificate.how}${nodes}. ` +
    `The offsets of the coordinate bits, in elements: ${certificate.bases.join(" ")}.`
  );
}

function table(certificate) {
  const names = [
    "access",
    "instruction",
    "lanes",
    "passes",
    "ideal",
    "floor",
    "lanes collide along",
  ];
  const row = (a) => [
    a.weight > 1 ? `${a.name} ×${a.weight}` : a.name,
    a.instruction,
    a.lanes,
    a.passes,
    a.ideal,
    a.floor,
    a.conflicts || "nothing",
  ];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "claims" },
    named(h(
      "table",
      { class: "accesses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name, i) =>
            h("th", { scope: "col", class: i > 2 && i < 6 ? "number" : "" }, name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        certificate.accesses.map((a) =>
          h(
            "tr",
            {},
            row(a).map((value) =>
              h("td", { class: typeof value === "number" ? "number" : "" }, String(value)),
            ),
          ),
        ),
      ),
    )),
  );
}
