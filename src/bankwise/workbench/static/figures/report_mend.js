/** What mends the conflicts of a check: in words, with the text or the command to copy. */
import { copying, h } from "../view/dom.js";

const SHOWN = 3;

/** The snippets of a check, the first of them; one command, or one text, stands once. */
export function mendView(snippets) {
  const shown = snippets.slice(0, SHOWN);
  const more = snippets.length - shown.length;
  return h(
    "section",
    { class: "mend", "aria-label": "what mends it" },
    h("h2", {}, "What mends it"),
    h(
      "ul",
      {},
      shown.map((one) =>
        h("li", {}, h("b", {}, one.what), h("small", {}, ` ${one.language}: ${one.effect}`)),
      ),
    ),
    [...new Set(shown.map(typed))].map((text) =>
      h("div", { class: "typed" }, h("pre", { tabindex: 0 }, text), copying("copy", () => text)),
    ),
    more ? h("p", { class: "hint" }, `and ${more} more: bankwise check --all`) : null,
  );
}

const typed = ({ command, snippet }) => command ?? snippet;
