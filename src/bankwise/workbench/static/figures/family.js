/** The family of the workbench's toggles and the algorithm that builds one member, replayed. */
import { construct, listed } from "../core/construct.js";
import { histogram } from "../core/search.js";
import { merged, sweep } from "../core/sweep.js";
import { chosen, layoutText, readModel } from "../model.js";
import { change, state, within } from "../state.js";
import { button, claim, h, number, refill, slider } from "../view/dom.js";
import { figure, nothing } from "../view/figure.js";
import { label, line, rect, svg } from "../view/svg.js";

/** Mount both figures. */
export function mountFamily(machines) {
  const model = () => readModel(state(), machines);
  figure("family", ["g", "t", "a", "v"], () => familyFigure(model()));
  figure("algorithm", ["g", "t", "a", "k"], (values) =>
    algorithmFigure(model(), within(values.k, WHY.length)),
  );
}

function familyFigure(model) {
  const access = chosen(model);
  const table = access ? histogram(model.tile, access) : [];
  if (!table.length) {
    return nothing(
      "The closed count holds for 32-bit elements without vectors whose rows are one " +
        "round of the banks, such as the 16×32 transpose.",
    );
  }
  const all = table.reduce((sum, [, settings]) => sum + settings, 0n);
  const body = table.map(([passes, settings], i) => {
    const share = Number(settings) / Number(all);
    const y = 6 + i * 26;
    return (
      label(96, y + 14, `${passes} ${passes === 1 ? "pass" : "passes"}`, {
        anchor: "end",
        size: 12,
      }) +
      rect(104, y, Math.max(1.5, 200 * share), 19, passes === 1 ? "var(--good)" : "var(--bad)", {
        rx: 2,
      }) +
      label(112 + 200 * share, y + 14, `${number(settings)} · ${(100 * share).toPrecision(3)} %`, {
        anchor: "start",
        size: 12,
      })
    );
  });
  return {
    picture: svg(470, 12 + table.length * 26, body.join(""), "settings of the toggles by passes"),
    claim: [
      ...table.map(([passes, settings]) =>
        h("span", { class: "hidden-claim" }, claim(`family-${passes}`, settings, "")),
      ),
      `${number(all)} settings of the toggles, judged for “${access.name}”. `,
      sweeper(model, access),
    ],
    text: table.map(([passes, settings]) => `${passes} ${settings}`).join("\n"),
  };
}

/** Count every setting on the spot, twice, in slices that leave the page alive. */
function sweeper(model, access) {
  const total = 2 ** (model.tile.columns * model.tile.rows);
  if (total > 2 ** 20 || access.row.phases.length > 1) return null;
  const out = h("span", { role: "status" });
  const run = () => {
    const sum = { counted: {}, ranked: {}, disagree: 0 };
    const slice = (from) => {
      const to = Math.min(total, from + 65536);
      const part = sweep(model.tile, access, from, to);
      sum.counted = merged(sum.counted, part.counted);
      sum.ranked = merged(sum.ranked, part.ranked);
      sum.disagree += part.disagree;
      if (to < total) {
        out.textContent = `${Math.round((100 * to) / total)} %`;
        setTimeout(() => slice(to));
        return;
      }
      const text = Object.entries(sum.counted)
        .map(([p, n]) => `${p}: ${number(n)}`)
        .join(", ");
      refill(
        out,
        claim(
          "sweep-disagree",
          sum.disagree,
          `All ${number(total)} counted and ranked here: ${sum.disagree} disagree (${text}).`,
        ),
      );
      out.dataset.counted = JSON.stringify(sum.counted);
      out.dataset.ranked = JSON.stringify(sum.ranked);
    };
    slice(0);
  };
  return h("span", { class: "sweeper" }, button(`Check all ${number(total)} here`, run), out);
}

const WHY = [
  [
    "Vectorise",
    "Directions that both sides move inside one instruction come first. Here: scalar accesses.",
  ],
  ["Sizes", "So many offset bits choose the bank; the rest choose the segment."],
  [
    "Lanes served together",
    "Only lanes of one phase can collide; hardware that splits a wave gives those bits away for free.",
  ],
  ["Sort: shared", "I, in both sides: stepping a segment along it would hit both. Leave it alone."],
  ["Sort: one side", "E is moved by one side only, F by the other only."],
  ["Pair", "E ⊕ F changes the lane of both accesses at once, so neither side can reach it alone."],
  ["Complement", "C: directions that no lane moves are free as well."],
  ["Top up", "The segment takes C, then the pairs, and only then what must conflict."],
  ["Banks last", "Whatever completes the basis. It cannot create a conflict."],
];

function algorithmFigure(model, steps) {
  const { tile, accesses } = model;
  if (accesses.length !== 2 || accesses.some((a) => a.vector.length) || tile.elementBits !== 32) {
    return nothing(
      "The construction is replayed for two scalar accesses of 32-bit elements; “Solve it” answers any other.",
    );
  }
  const built = construct(tile, accesses);
  const values = [
    "nothing",
    `${built.bankBits} bank bits, ${built.segment.length} segment bits`,
    accesses.map((a) => `${a.name}: ${listed(a.phase, tile)}`).join("; "),
    `I = ${listed(built.shared, tile)}`,
    `E = ${listed(built.onlySmall, tile)}; F = ${listed(built.onlyLarge, tile)}`,
    `H = ${listed(built.pairs, tile)}`,
    `C = ${listed(built.outside, tile)}`,
    `M_Seg = ${listed(built.segment, tile)}`,
    listed(built.banks, tile),
  ];
  const list = h(
    "ol",
    { class: "steps" },
    WHY.slice(0, steps).map(([name, why], i) =>
      h("li", {}, h("b", {}, name), h("span", {}, why), h("code", {}, values[i])),
    ),
  );
  return {
    picture: steps >= 6 ? pairing(tile, built) : "",
    controls: [
      slider(
        "Steps shown",
        steps,
        WHY.length,
        (k) => `${k} of ${WHY.length}`,
        (k) => change({ k: String(k) }),
      ),
    ],
    claim: [
      list,
      built.masks
        ? button("Use this layout", () =>
            change({ l: layoutText({ kind: "fold", masks: built.masks }) }),
          )
        : null,
      h(
        "span",
        { class: "hidden-claim" },
        claim("algorithm-masks", built.masks?.join(" ") ?? "", ""),
      ),
    ],
    text: WHY.map(([name], i) => `${i + 1}. ${name}: ${values[i]}`).join("\n"),
  };
}

/** E above, F below, their sums between: what steps one segment. */
function pairing(tile, built) {
  const step = 92;
  const columns = Math.max(built.pairs.length, 1);
  const name = (x) => listed([x], tile);
  const box = (x, y, text, fill, ink) =>
    rect(x, y, step - 14, 26, fill, { rx: 13 }) +
    label(x + (step - 14) / 2, y + 17, text, { size: 12, fill: ink });
  const body = [
    label(0, 25, "E", { anchor: "start", size: 13 }),
    label(0, 79, "H = E ⊕ F", { anchor: "start", size: 13 }),
    label(0, 133, "F", { anchor: "start", size: 13 }),
    ...built.pairs.map((pair, i) => {
      const x = 90 + i * step;
      const middle = x + (step - 14) / 2;
      return (
        line(middle, 34, middle, 62) +
        line(middle, 116, middle, 88) +
        box(x, 8, name(built.onlySmall[i]), "var(--wash)", "var(--ink)") +
        box(x, 62, name(pair), "var(--accent)", "var(--paper)") +
        box(x, 116, name(built.onlyLarge[i]), "var(--wash)", "var(--ink)")
      );
    }),
    label(90, 168, `I = ${listed(built.shared, tile)}: in both, never folded`, {
      anchor: "start",
      size: 12,
      fill: "var(--quiet)",
    }),
  ];
  return svg(90 + columns * step, 178, body.join(""), "pairs of one-sided directions");
}
