/** One instruction as time: which pass of which phase serves which lane's word. */

/**
 * The passes of a counted instruction in order: {total, phaseAt(pass), leftAt(pass), servedAt(phase,
 * word, lane)}. A bank serves one word a pass; in which order it takes its words is not known, here
 * it is that of the lanes.
 */
export function service(counted) {
  const starts = [];
  const served = new Map();
  let total = 0;
  counted.phases.forEach(({ banks, passes }, phase) => {
    starts.push(total);
    for (const words of banks.values())
      [...words].forEach(([wish, lanes], turn) =>
        lanes.forEach((lane) => served.set(`${phase} ${parseInt(wish, 10)} ${lane}`, total + turn)),
      );
    total += passes;
  });
  const phaseAt = (pass) => starts.findLastIndex((start) => start <= pass);
  return {
    total,
    phaseAt,
    servedAt: (phase, word, lane) => served.get(`${phase} ${word} ${lane}`),
    /** The words that each bank still has to serve when `pass` begins, by bank. */
    leftAt(pass) {
      const phase = phaseAt(pass);
      const gone = pass - starts[phase];
      return new Map(
        [...counted.phases[phase].banks].map(([bank, words]) => [bank, Math.max(0, words.size - gone)]),
      );
    },
  };
}
