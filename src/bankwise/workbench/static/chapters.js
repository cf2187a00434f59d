const COLUMNS = { t: "5x5x32", a: "store:w:n0.n1.n2.n3.n4:,read:r:m0.m1.m2.m3.m4:" };
const WIDE = { t: "5x5x32", a: "store:w:n2.n3.n4.m0.m1:n0.n1,read:r:m0.m1.m2.m3.m4:n0.n1" };

/** The story as saved states of the instrument: {title, state} by the number of the chapter. */
export const CHAPTERS = [
  { title: "Row-major: the pile-up", state: { l: "f" } },
  { title: "Rotate each row: the rows disagree", state: { l: "r1" } },
  { title: "Use XOR: no carries", state: { l: "f1.2.4.8", o: "r1" } },
  { title: "Run the real read: a leftover", state: { l: "f1.2.4.8", c: "0" } },
  { title: "Diagnose it: whose bit was that?", state: { l: "f1.2.4.8", al: "1" } },
  { title: "Shift by one bit", state: { l: "f2.4.8.16", o: "f1.2.4.8" } },
  { title: "Or pad by one", state: { ...COLUMNS, o: "f", l: "p1" } },
  { title: "What padding costs", state: { ...WIDE, o: "p4", l: "p1", p: "0" } },
];

/** What a view is besides the defaults: the state of a chapter, nothing elsewhere. */
export const saved = (view) => CHAPTERS[Number(view) - 1]?.state ?? {};
