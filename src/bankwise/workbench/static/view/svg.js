/** Pictures as SVG text. Theme colours are CSS variables; an exported file carries their values. */

const STACK_GAP = 14;
const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => escaped[sign]);

function attributes(more) {
  let text = "";
  for (const name in more) {
    const value = more[name];
    if (value === undefined || value === null) continue;
    text += ` ${name}="${typeof value === "number" ? value : escape(value)}"`;
  }
  return text;
}

/** A rectangle; `title` in `more` is what the pointer says about it. */
export function rect(x, y, width, height, fill, { title, ...more } = {}) {
  const own = attributes({ x, y, width, height, fill, ...more });
  return title ? `<rect${own}><title>${escape(title)}</title></rect>` : `<rect${own}/>`;
}

/** The smallest text, in pixels: what is smaller nobody reads. */
export const SMALL = 10;

/** Text; `size` in pixels, anchored in its middle unless told otherwise. */
export function label(x, y, text, more = {}) {
  const { size = 11, anchor = "middle", fill = "var(--ink)", ...rest } = more;
  const own = { x, y, "font-size": size, "text-anchor": anchor, fill, ...rest };
  return `<text${attributes(own)}>${escape(text)}</text>`;
}

export function line(x1, y1, x2, y2, stroke = "var(--rule)", more = {}) {
  return `<line${attributes({ x1, y1, x2, y2, stroke, ...more })}/>`;
}

export function path(d, more = {}) {
  return `<path${attributes({ d, fill: "none", stroke: "var(--rule)", ...more })}/>`;
}

function group(body, more = {}) {
  return `<g${attributes(more)}>${body}</g>`;
}

/** The whole picture; `alt` says in words what it shows. */
export function svg(width, height, body, alt, widest = width) {
  const font = "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, monospace\"";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${font} ` +
    `width="${widest}" role="img" aria-label="${escape(alt)}">${body}</svg>`
  );
}

/**
 * Put a picture into an element. Where it is built as the one before, only the marks that differ
 * are changed: the browser need not lay out the others again.
 */
export function show(root, picture) {
  if (root.picture === picture) return;
  root.picture = picture;
  const fresh = picture.match(/<\w[^>]*>[^<]*/g) ?? [];
  const shape = (picture.match(/<\/?\w+/g) ?? []).join("");
  if (root.shape !== shape) root.innerHTML = picture;
  else {
    const elements = root.getElementsByTagName("*");
    fresh.forEach((mark, i) => mark !== root.marks[i] && rewrite(elements[i], mark, root.marks[i]));
  }
  root.marks = fresh;
  root.shape = shape;
}

function rewrite(element, mark, before) {
  const [now, old] = [mark, before].map((text) => new Map(attributesOf(text)));
  for (const [name, value] of now) if (old.get(name) !== value) element.setAttribute(name, value);
  for (const name of old.keys()) if (!now.has(name)) element.removeAttribute(name);
  const text = unescape(mark.slice(mark.indexOf(">") + 1));
  if (!element.firstElementChild && element.textContent !== text) element.textContent = text;
}

const signs = Object.fromEntries(Object.entries(escaped).map(([sign, code]) => [code, sign]));
const unescape = (text) => text.replace(/&(?:amp|lt|gt|quot);/g, (code) => signs[code]);

function attributesOf(mark) {
  const found = mark.slice(0, mark.indexOf(">")).matchAll(/([\w-]+)="([^"]*)"/g);
  return [...found].map(([, name, value]) => [name, unescape(value)]);
}

/** Lines of text as a picture, for figures that are words and numbers. */
export function textSvg(text) {
  const lines = text.split("\n");
  const width = 16 + 7.3 * Math.max(...lines.map((one) => one.length));
  const body = lines.map((one, i) => label(8, 20 + 18 * i, one, { size: 12, anchor: "start" }));
  return svg(Math.ceil(width), 14 + 18 * lines.length, body.join(""), text);
}

/** The file of a picture: theme variables replaced by what they are here, several stacked to one. */
export function fileOf(text) {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const resolved = text.replace(/var\((--[\w-]+)\)/g, (_, name) => value(name));
  let height = 0;
  let width = 0;
  const parts = [
    ...resolved.matchAll(/<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*?)<\/svg>/gs),
  ].map(([, wide, tall, body]) => {
    const moved = group(body, { transform: `translate(0 ${height})` });
    height += Number(tall) + STACK_GAP;
    width = Math.max(width, Number(wide));
    return moved;
  });
  const paper = rect(0, 0, width, height - STACK_GAP, value("--paper"));
  return svg(
    width,
    height - STACK_GAP,
    paper + parts.join(""),
    "a figure of the bankwise workbench",
  );
}
