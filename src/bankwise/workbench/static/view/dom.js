/** Small helpers: elements, SVG text, claims that a reader (and a test) can check. */

/** An element: h("p", {class: "note", onclick: f}, "text", child). Text is never markup. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number that the page claims: shown as text, readable as data-claim and data-value. */
export function claim(name, value, text = String(value)) {
  return h("span", { class: "claim", "data-claim": name, "data-value": String(value) }, text);
}

/** The verdict on one access: a sign, words and a number, never colour alone. */
export function verdict(name, passes, ideal, ways) {
  const free = passes === ideal;
  const text = free ? "conflict-free" : `${ways}-way conflict`;
  const cost = `${passes} ${passes === 1 ? "pass" : "passes"}` + (free ? "" : `, ideal ${ideal}`);
  return h(
    "span",
    { class: `verdict ${free ? "good" : "bad"}` },
    h("b", {}, `${free ? "✓" : "✕"} ${text}`),
    " · ",
    claim(name, passes, cost),
  );
}

/** The verdict on an access whose bytes a layout takes apart. */
export const torn = (more = "not this instruction") =>
  h("span", { class: "verdict bad" }, h("b", {}, "✕ tears the vector apart"), " · ", more);

export const number = (value) => value.toLocaleString("en-US");

/** A row of buttons of which one is chosen: radio semantics, arrow keys. */
export function choices(name, options, chosen, onchange) {
  const group = h("div", { class: "choices", role: "radiogroup", "aria-label": name });
  options.forEach(([value, text], place) => {
    const on = value === chosen;
    group.append(
      h(
        "button",
        {
          type: "button",
          role: "radio",
          "aria-checked": String(on),
          tabindex: on ? 0 : -1,
          "data-value": value,
          onclick: () => onchange(value),
          onkeydown: (event) => {
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
            if (!step) return;
            event.preventDefault();
            onchange(options[(place + step + options.length) % options.length][0]);
          },
        },
        text,
      ),
    );
  });
  return group;
}

/** Replace the children; the keyboard stays where it was, and a slider under the finger in place. */
export function refill(container, ...children) {
  const fresh = children.flat().filter(Boolean);
  const focused = container.contains(document.activeElement) ? document.activeElement : null;
  const old = [...container.childNodes];
  fresh.forEach((child, i) => {
    if (i >= old.length) container.append(child);
    else if (!sameSlider(old[i], child)) old[i].replaceWith(child);
  });
  old.slice(fresh.length).forEach((child) => child.remove());
  if (focused && !focused.isConnected) refocus(container, focused);
}

function refocus(container, focused) {
  if (focused.getAttribute("role") === "radio") {
    container.querySelector("[role=radio][aria-checked=true]")?.focus();
    return;
  }
  const key = focused.dataset.focus;
  [...container.querySelectorAll("[data-focus]")].find((e) => e.dataset.focus === key)?.focus();
}

/** Whether both are one slider; then the old one takes the new value, text and meaning. */
function sameSlider(old, fresh) {
  if (!old.adopt || !fresh.adopt || old.key !== fresh.key) return false;
  old.adopt(fresh);
  return true;
}

/** A labelled slider; `onchange` gets the number while it moves. */
export function slider(name, value, max, text, onchange) {
  const shown = h("output", { class: "shown" }, text(value));
  const input = h("input", {
    type: "range",
    min: 0,
    max,
    value,
    "data-focus": name,
    "aria-label": name,
  });
  const element = h("label", { class: "slider" }, h("span", {}, name), input, shown);
  Object.assign(element, { key: `${name} ${max}`, value, text, moved: onchange });
  element.adopt = (fresh) => {
    Object.assign(element, { value: fresh.value, text: fresh.text, moved: fresh.moved });
    input.value = fresh.value;
    shown.textContent = fresh.text(fresh.value);
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.oninput = () => element.moved(Number(input.value));
  return element;
}

/** A labelled drop-down list. */
export function select(name, options, chosen, onchange) {
  const input = h(
    "select",
    {
      "data-focus": name,
      "aria-label": name,
      onchange: () => onchange(input.value),
    },
    options.map(([value, text]) =>
      h("option", { value, selected: String(value) === String(chosen) }, text),
    ),
  );
  return h("label", { class: "select" }, h("span", {}, name), input);
}

/** A labelled line of text; `onchange` gets it when it is finished. */
export function field(name, value, onchange, attributes = {}) {
  const input = h("input", {
    value,
    "data-focus": name,
    "aria-label": name,
    spellcheck: "false",
    autocomplete: "off",
    onchange: () => onchange(input.value),
    ...attributes,
  });
  return h("label", { class: "select" }, h("span", {}, name), input);
}

/** Refill a container only when `key` is another than last time; tells whether it did. */
export function remake(container, key, build) {
  if (container.made === key) return false;
  refill(container, build());
  container.made = key;
  return true;
}

/** A table whose cells know the names of their columns: on a narrow screen each stands alone. */
export function named(table) {
  const names = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const { cells } of table.tBodies[0].rows)
    [...cells].forEach((cell, i) => cell.setAttribute("data-name", names[i]));
  return table;
}

/** Set attributes that differ; touching the others would cost the browser a new layout. */
export function put(element, attributes, text) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  if (text !== undefined && element.textContent !== text) element.textContent = text;
}

export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", "data-focus": text, onclick, ...attributes }, text);
}

/** A button that copies what `text` gives, and says so for a while. */
export function copying(name, text, attributes = {}) {
  const element = button(name, () => copy(text(), say), attributes);
  let timer = null;
  const say = (said) => {
    element.textContent = said;
    clearTimeout(timer);
    timer = setTimeout(() => (element.textContent = name), SAID_MS);
  };
  return element;
}

const SAID_MS = 1500;

/** Copy a text; `say` is told how that went. */
export async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say("copied");
  } catch {
    say("this browser does not let a page copy");
  }
}
