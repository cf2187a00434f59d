/** Figures: a stage for the picture, controls above it, a claim below it, export at the corner. */
import { listen, state } from "../state.js";
import { button, h, refill } from "./dom.js";
import { fileOf, show, textSvg } from "./svg.js";

/**
 * Fill `<figure data-figure="name">`. `draw(state)` returns {controls?, picture, claim?, text?}:
 * picture is SVG text, claim elements below it, text what "Copy as text" gives. It is drawn again
 * when one of `keys` of the state changes.
 */
export function figure(name, keys, draw) {
  const root = document.querySelector(`figure[data-figure="${name}"]`);
  const controls = h("div", { class: "controls" });
  const stage = h("div", {
    class: "stage scroll",
    tabindex: 0,
    role: "group",
    "aria-label": `figure ${name}`,
  });
  const said = h("div", { class: "said" });
  let drawn = null;
  const content = () => drawn.text ?? said.innerText;
  const redraw = () => {
    drawn = draw(state());
    refill(controls, ...(drawn.controls ?? []));
    show(stage, drawn.picture);
    refill(said, ...(drawn.claim ?? []));
  };
  root.prepend(controls, stage, said);
  root.append(exporting(name, () => drawn.picture || textSvg(content()), content));
  listen((_, patch) => {
    if (keys.some((key) => key in patch)) redraw();
  });
  redraw();
}

/** Two small buttons: the picture as an SVG file, the content as text. */
export function exporting(name, picture, text) {
  return h(
    "div",
    { class: "exporting" },
    button("SVG", () => save(`${name}.svg`, fileOf(picture()), "image/svg+xml"), {
      "aria-label": `save ${name} as SVG`,
      class: "quiet",
    }),
    button("Text", () => save(`${name}.txt`, text(), "text/plain"), {
      "aria-label": `save ${name} as text`,
      class: "quiet",
    }),
  );
}

export function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** What a figure shows instead of a picture: why there is none. */
export const nothing = (why) => ({ picture: "", claim: [h("p", { class: "hint" }, why)] });
