/** The family of the workbench's toggles and the algorithm that builds one member, replayed. */
import { construct, listed } from "../core/construct.js";
import { histogram } from "../core/search.js";
import { merged, sweep } from "../core/sweep.js";
import { isLinear } from "../core/tile.js";
import { chosen, layoutText, ranked, readModel } from "../model.js";
import { change, state, within } from "../state.js";
import { button, claim, h, number, refill, slider } from "../view/dom.js";
import { figure, nothing } from "../view/figure.js";
import { label, line, rect, svg } from "../view/svg.js";

/** Mount both figures. */
export function mountFamily(machines) {
  const model = () => readModel(state(), machines);
  figure("family", ["g", "t", "l", "a", "v"], () => familyFigure(model()));
  figure("algorithm", ["g", "t", "a", "ak"], (values) =>
    algorithmFigure(model(), within(values.ak, WHY.length)),
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
  const here = isLinear(model.layout) ? ranked(model, access) : null;
  const all = table.reduce((sum, [, settings]) => sum + settings, 0n);
  const body = table.map(([passes, settings], i) => {
    const share = Number(settings) / Number(all);
    const y = 6 + i * 26;
    return (
      label(96, y + 14, `${passes} ${passes === 1 ? "pass" : "passes"}`, {
        anchor: "end",
        size: 12,
        "font-weight": passes === here ? 700 : undefined,
      }) +
      rect(104, y, Math.max(1.5, 90 * share), 19, passes === 1 ? "var(--good)" : "var(--bad)", {
        rx: 2,
      }) +
      label(
        112 + 90 * share,
        y + 14,
        `${number(settings)} · ${(100 * share).toPrecision(3)} %${passes === here ? "  ◂ yours" : ""}`,
        { anchor: "start", size: 12, "font-weight": passes === here ? 700 : undefined },
      )
    );
  });
  return {
    picture: svg(366, 12 + table.length * 26, body.join(""), "settings of the toggles by passes"),
    claim: [
      ...table.map(([passes, settings]) =>
        h("span", { class: "hidden-claim" }, claim(`family-${passes}`, settings, "")),
      ),
      `${number(all)} settings of the toggles, judged for “${access.name}”. `,
      here === null
        ? null
        : claim("family-yours", here, `Yours is one of ${number(mates(table, here))}. `),
      sweeper(model, access),
    ],
    text: table.map(([passes, settings]) => `${passes} ${settings}`).join("\n"),
  };
}

const mates = (table, here) => table.find(([passes]) => passes === here)?.[1] ?? 0;

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

const PARTS = [
  ["I", "shared"],
  ["E", "onlySmall"],
  ["F", "onlyLarge"],
  ["H", "pairs"],
  ["C", "outside"],
  ["segment", "segment"],
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
        (k) => change({ ak: String(k) }),
      ),
    ],
    claim: [
      list,
      built.masks
        ? button("Use this layout", () =>
            change({ l: layoutText({ kind: "fold", masks: built.masks }) }),
          )
        : null,
      h("span", { class: "hidden-claim" }, [
        claim("algorithm-masks", built.masks?.join(" ") ?? "", ""),
        ...PARTS.map(([name, key]) => claim(`algorithm-${name}`, listed(built[key], tile), "")),
      ]),
    ],
    text: WHY.map(([name], i) => `${i + 1}. ${name}: ${values[i]}`).join("\n"),
  };
}

/** Both spans with what they share, then E and F joined to H: what steps one segment. */
function pairing(tile, built) {
  const step = 92;
  const columns = Math.max(built.pairs.length, built.shared.length + built.onlyLarge.length, 1);
  const name = (x) => listed([x], tile);
  const box = (x, y, text, fill, ink, more = {}) =>
    rect(x, y, step - 14, 26, fill, { rx: 13, ...more }) +
    label(x + (step - 14) / 2, y + 17, text, { size: 12, fill: ink });
  const side = (y, title, only) =>
    label(0, y + 17, title, { anchor: "start", size: 12 }) +
    [...built.shared, ...only]
      .map((x, i) => {
        const kept = i < built.shared.length ? { stroke: "var(--ink)", "stroke-width": 1.5 } : {};
        return box(120 + i * step, y, name(x), "var(--wash)", "var(--ink)", kept);
      })
      .join("");
  const below = 150;
  const pairs = built.pairs.map((pair, i) => {
    const x = 120 + (i + built.shared.length) * step;
    const middle = x + (step - 14) / 2;
    return (
      line(middle, below + 26, middle, below + 54) +
      line(middle, below + 108, middle, below + 80) +
      box(x, below, name(built.onlySmall[i]), "var(--wash)", "var(--ink)") +
      box(x, below + 54, name(pair), "var(--accent)", "var(--paper)") +
      box(x, below + 108, name(built.onlyLarge[i]), "var(--wash)", "var(--ink)")
    );
  });
  const heads = ["E", "H = E ⊕ F", "F"].map((text, i) =>
    label(0, below + 17 + 54 * i, text, { anchor: "start", size: 12 }),
  );
  const framed = `framed: I = ${listed(built.shared, tile)}, in both, never folded`;
  return svg(
    Math.max(120 + columns * step, 420),
    below + 138,
    side(4, `${built.small.name} moves`, built.onlySmall) +
      side(48, `${built.large.name} moves`, built.onlyLarge) +
      label(120, 98, framed, { anchor: "start", size: 11, fill: "var(--quiet)" }) +
      heads.join("") +
      pairs.join(""),
    "what both accesses move, and the pairs of one-sided directions",
  );
}
