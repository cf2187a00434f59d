/** What is put in: a layout in any notation, an address, or a kernel. */
import { readNotation } from "../core/reading.js";
import { layoutText } from "../model.js";
import { change, listen, state } from "../state.js";
import { choices, field, h, refill, remake, select } from "../view/dom.js";

const INPUTS = [
  ["layout", "Layout"],
  ["address", "Address"],
  ["kernel", "Kernel"],
];

/** The three ways in; the panel below follows. */
export function tabs() {
  const root = h("div", { class: "wb-tabs" });
  const draw = () => refill(root, choices("what is put in", INPUTS, state().i, (i) => change({ i })));
  listen((_, patch) => "i" in patch && draw());
  draw();
  return root;
}

/** A line for a layout in any notation; what it cannot be is said below it. */
export function notationInput(view) {
  const { values, model } = view.seen;
  remake(view.parts.notation, `${values.t}`, () => {
    const said = h("p", { class: "hint", role: "status" });
    const say = (text, bad) => {
      said.className = bad ? "error" : "hint";
      said.textContent = text;
    };
    say("Swizzle<3,4,3>, pad 1, float tile[32][33], (row * 33 + col) * 4, xor_shuffle<…>, #ttg.swizzled_shared<…>", false);
    const take = (text) => {
      if (!text.trim()) return;
      try {
        const found = readNotation(text, view.seen.model.tile);
        change({ l: layoutText(found.layout) });
        say(`read as ${[found.name, found.aside].filter(Boolean).join(": ")}`, false);
      } catch (error) {
        say(error.message, true);
      }
    };
    return [field("Layout B, in any notation", "", take, { class: "notation" }), said];
  });
  return model;
}

/** Machine, instruction and the byte of every lane, before and after. */
export function addressInput(view) {
  const { values, model } = view.seen;
  remake(view.parts.address, `${values.g} ${values.e}`, () => {
    const [instruction = "", before = "", after = ""] = values.e.split(":");
    const put = (...parts) => change({ e: parts.map((text) => text.replaceAll(":", "")).join(":") });
    const names = [...model.machine.instructions.keys()].map((name) => [name, name]);
    const known = names.some(([name]) => name === instruction);
    return [
      select("Instruction", known ? names : [[instruction, instruction], ...names], instruction,
        (name) => put(name, before, after)),
      field("A: byte of a lane", before, (text) => put(instruction, text, after)),
      field("B: byte of a lane", after, (text) => put(instruction, before, text)),
      h("p", { class: "hint" }, "Bytes in shared memory, as C or Python write them: (lane % 16) * 256 + lane / 16 * 16"),
    ];
  });
}
