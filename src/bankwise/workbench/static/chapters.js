/** The story as saved states of the instrument: {title, state} by the number of the chapter. */
export const CHAPTERS = [
  { title: "Row-major: the pile-up", state: { l: "f" } },
  { title: "Rotate each row: the rows disagree", state: { l: "r1" } },
  { title: "Use XOR: no carries", state: { l: "f1.2.4.8", o: "r1" } },
  { title: "Run the real read: a leftover", state: { l: "f1.2.4.8", c: "0" } },
  { title: "Diagnose it: whose bit was that?", state: { l: "f1.2.4.8", al: "1" } },
  { title: "Shift by one bit", state: { l: "f2.4.8.16", o: "f1.2.4.8" } },
];

/** What a view is besides the defaults: the state of a chapter, nothing elsewhere. */
export const saved = (view) => CHAPTERS[Number(view) - 1]?.state ?? {};
