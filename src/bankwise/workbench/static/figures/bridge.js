/** In a frame: a notebook is told what is shown, and may set the layout or the whole state. */
import { everyNotation } from "../core/notations.js";
import { readNotation } from "../core/reading.js";
import { keepsVectors } from "../core/tile.js";
import { countSteps, layoutText, readModel } from "../model.js";
import { change, encode, listen, open, state } from "../state.js";

/** Mount it where there is a page around this one. */
export function mountBridge(machines) {
  if (window.parent === window) return;
  const model = () => readModel(state(), machines);
  let told = "";
  const tell = (refusal = "") => {
    const said = { ...shown(model()), refusal };
    if (told === JSON.stringify(said)) return;
    told = JSON.stringify(said);
    window.parent.postMessage({ bankwise: said }, "*");
  };
  listen(() => tell());
  addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !data?.bankwise) return;
    const { link, layout } = data.bankwise;
    try {
      if (typeof link === "string") open(link);
      if (layout) change({ l: layoutText(readNotation(String(layout), model().tile).layout) });
    } catch (error) {
      tell(error.message);
    }
  });
  tell();
}

/** The link, layout B as an expression of the row-major offset x, and the passes of each access. */
function shown(model) {
  const notations = new Map(everyNotation(model.tile, model.layout));
  const passes = model.accesses
    .filter((access) => keepsVectors(model.layout, model.tile, access))
    .map((access) => [access.name, Math.max(...countSteps(model, access).map((c) => c.passes))]);
  return {
    link: encode(state()),
    layout: notations.get("Python").replace("offset = ", ""),
    passes: Object.fromEntries(passes),
  };
}
