/** Passes as time: words leave bank by bank, in A and in B at once. */
import { change, state } from "../state.js";
import { button, claim, h, put, refill } from "../view/dom.js";

/** How long all passes take together, and how long or short one of them at least. */
const WHOLE_MS = 6000;
const [LONGEST_MS, SHORTEST_MS] = [400, 40];

/** The button, the slider of the passes, and what has left by now. */
export function player(view) {
  const start = button("▶ Play", () => (view.timer ? stop(view) : play(view)), { class: "primary" });
  const bar = h("input", {
    type: "range",
    min: 0,
    "aria-label": "passes gone by",
    oninput: () => {
      stop(view);
      change({ k: bar.value });
    },
  });
  const end = button("Whole", () => (stop(view), change({ k: "" })), {
    title: "the whole instruction at once",
  });
  const said = h("span", { class: "shown", role: "status" });
  view.player = { start, bar, end, said };
  return h("div", { class: "wb-play" }, start, bar, end, said);
}

/** Show where time stands. */
export function playing(view) {
  const { start, bar, end, said } = view.player;
  const { ticks, tick, sides } = view.seen;
  put(start, { "aria-pressed": String(Boolean(view.timer)) }, view.timer ? "❚❚ Pause" : "▶ Play");
  put(bar, { max: String(ticks), "aria-valuetext": `${tick ?? 0} of ${ticks} passes` });
  if (bar.value !== String(tick ?? 0)) bar.value = String(tick ?? 0);
  end.disabled = tick === null;
  if (tick === null) return refill(said, many(ticks));
  refill(said, [
    claim("passed", tick, `after ${many(tick)}: `),
    sides.map((side) => `${side.tag} ${served(side, tick)}`).join(" · "),
  ]);
}

const many = (passes) => `${passes} ${passes === 1 ? "pass" : "passes"}`;

function served({ time }, tick) {
  return tick >= time.total ? `done in ${time.total}` : `${tick} of ${time.total}`;
}

function play(view) {
  const { ticks, tick } = view.seen;
  const pause = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, WHOLE_MS / ticks));
  const next = () => {
    const now = Number(state().k || 0) + 1;
    if (now >= view.seen.ticks) stop(view);
    change({ k: String(Math.min(now, view.seen.ticks)) });
  };
  view.timer = setInterval(next, pause);
  change({ k: tick === null || tick >= ticks ? "0" : String(tick) });
}

/** Stand still. */
export function stop(view) {
  clearInterval(view.timer);
  view.timer = null;
}
