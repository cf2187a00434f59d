/** What is shown: the instrument, a chapter of the story beside it, an article; and the gallery. */
import { CHAPTERS } from "../chapters.js";
import { readModel } from "../model.js";
import { change, listen, open, state, unshown, visit } from "../state.js";
import { trail } from "../trail.js";
import { button, copying, h, number, put, refill, remake } from "../view/dom.js";

/** Views besides the instrument, in the order in which one reads them. */
const ARTICLES = [
  ["algebra", "The same by algebra"],
  ["hardware", "What the hardware really does"],
  ["memory", "Before shared memory"],
];
const VIEWS = [...CHAPTERS.map(({ title }, i) => [String(i + 1), title]), ...ARTICLES];

/** Mount the header; `mounts` draw the figures of a view when it is first shown. */
export function mountViews(machines, gallery, mounts) {
  const dialog = galleryDialog(gallery, machines);
  const step = (name, by, keys) =>
    button(name, () => trail.go(by), { title: keys, "aria-keyshortcuts": keys });
  const undo = step("Undo", -1, "Control+Z");
  const redo = step("Redo", 1, "Control+Shift+Z");
  const story = button("Story", () => visit(state().y ? "" : "1"));
  const strange = h("p", { class: "strange", role: "alert" });
  document.querySelector(".top").append(
    h(
      "div",
      { class: "actions" },
      button("Gallery", () => dialog.showModal(), { "aria-haspopup": "dialog" }),
      story,
      undo,
      redo,
      window.parent === window // A frame has no address of its own.
        ? copying("Share", () => trail.link(), { title: "copy the link of what is shown" })
        : null,
    ),
  );
  document.querySelector(".top").after(strange);
  const drawn = new Set();
  const draw = () => {
    const { y } = state();
    document.body.dataset.view = y === "" ? "bench" : Number(y) ? "story" : "article";
    document.body.dataset.input = state().i;
    put(story, { "aria-pressed": String(y !== "") });
    undo.disabled = !trail.leads(-1);
    redo.disabled = !trail.leads(1);
    if (y && !drawn.has(place(y))) mounts[place(y)](machines);
    drawn.add(place(y));
    for (const element of document.querySelectorAll("[data-view-of]")) {
      element.hidden = element.dataset.viewOf !== y;
    }
    remake(document.querySelector(".contents"), y, () => contents(y));
    const said = [...unshown(), ...readModel(state(), machines).strange];
    remake(strange, said.join(), () => (said.length ? `${said.join("; ")}.` : []));
    strange.hidden = !said.length;
  };
  listen(draw);
  draw();
  addEventListener("keydown", followKeys);
}

/** The chapters share their figures; every article has its own. */
const place = (view) => (Number(view) ? "story" : view);

/** Where one is in the story, and what comes before and after. */
function contents(y) {
  if (!y) return [];
  const at = VIEWS.findIndex(([view]) => view === y);
  const to = (by, text) => {
    const view = VIEWS[at + by];
    return button(text, () => visit(view[0]), { disabled: !view, title: view?.[1] ?? "" });
  };
  const every = VIEWS.map(([view, title], i) =>
    h("option", { value: view, selected: view === y }, `${i + 1}. ${title}`),
  );
  const list = h("select", { "aria-label": "chapter", onchange: () => visit(list.value) }, every);
  return [to(-1, "Back"), list, to(1, "Next"), button("Close", () => visit(""))];
}

/** Ctrl+Z and its opposite, but in a field: there they are the field's. */
function followKeys(event) {
  const typing = event.target.closest?.("textarea, input:not([type=range])");
  if (typing || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  const redo = key === "y" || (key === "z" && event.shiftKey);
  if (!redo && key !== "z") return;
  event.preventDefault();
  trail.go(redo ? 1 : -1);
}

/** The gallery: links by framework, each with its source, its prediction and its counter. */
function galleryDialog(entries) {
  const list = h("div", { class: "entries" });
  const fill = (wanted) => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const text = ({ title, group, source }) => `${title} ${group} ${source}`.toLowerCase();
    const found = entries.filter((entry) => words.every((word) => text(entry).includes(word)));
    const groups = [...new Set(found.map(({ group }) => group))];
    refill(
      list,
      groups.map((group) =>
        h("section", {}, h("h3", {}, group), h("ul", {}, found.filter((e) => e.group === group).map(item))),
      ),
    );
    if (!found.length) refill(list, h("p", { class: "hint" }, "Nothing here is called that."));
  };
  const item = (entry) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          href: `#${entry.link}`,
          onclick: (event) => {
            event.preventDefault();
            open(entry.link);
            dialog.close();
          },
        },
        entry.title,
      ),
      h("p", {}, predicted(entry)),
      h("p", { class: "hint" }, outside(entry.source)),
    );
  const search = h("input", {
    type: "search",
    "aria-label": "search the gallery",
    placeholder: "search",
    oninput: () => fill(search.value),
  });
  const dialog = h(
    "dialog",
    { class: "gallery", "aria-label": "gallery" },
    h("div", { class: "controls" }, h("h2", {}, "Gallery"), search, button("Close", () => dialog.close())),
    list,
  );
  fill("");
  document.body.append(dialog);
  return dialog;
}

const outside = (source) =>
  h("a", { href: source, target: "_blank", rel: "noopener noreferrer" }, source.split("//")[1]);

/** What an entry is predicted to take, and what a profiler counted where one did. */
function predicted({ passes, counter }) {
  const said = Object.entries(passes)
    .map(([side, count]) => `${side}: ${number(count)} ${count === 1 ? "pass" : "passes"}`)
    .join(" · ");
  return counter ? `${said} · ${counter}` : said;
}

/** Links inside the page to its own views. */
export function followLinks() {
  document.addEventListener("click", (event) => {
    const to = event.target.closest?.("[data-to]")?.dataset.to;
    if (to === undefined) return;
    event.preventDefault();
    if (to === "kernel") change({ y: "", i: "kernel" });
    else visit(to);
  });
}
