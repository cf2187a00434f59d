/** Colours of the theme that a canvas needs, and word of a change between dark and light. */

const dark = matchMedia("(prefers-color-scheme: dark)");
let known = null;

export const theme = {
  /** {paper, quiet} as #rrggbb. Asked anew only when the theme changes: reading a style is slow. */
  colours() {
    if (!known) {
      const style = getComputedStyle(document.documentElement);
      const value = (name) => style.getPropertyValue(name).trim();
      known = { paper: value("--paper"), quiet: value("--quiet") };
    }
    return known;
  },
  onchange(listener) {
    dark.addEventListener("change", () => {
      known = null;
      listener();
    });
    addEventListener("resize", listener);
  },
};
