/**
 * Counting bank conflicts: the twin of bankwise.counting.conflict, held to vectors that Python writes.
 *
 *     passes(phase) = max over banks of the number of DISTINCT words its active lanes touch there
 *     word = byte div 4, bank = word mod banks, ideal = phases with an active lane
 */

const BANK_BYTES = 4;

/**
 * Count one instruction of one wave. `offsets[lane]` is the first byte that each lane touches,
 * `active[lane]` whether it takes part, `second` the second address of a two-address form.
 * Returns {passes, ideal, extra, ways, phases}, a phase being {lanes, passes, banks}; `banks` maps
 * bank to words, and every word to the lanes that want it.
 */
export function count(instruction, offsets, active = null, second = null) {
  const rounds = [offsets];
  if (instruction.addresses === 2) {
    rounds.push(second ?? offsets.map((offset) => offset + instruction.width));
  }
  if (instruction.merge === "lines") return countLines(instruction, offsets, active);
  const phases = rounds.flatMap((round) =>
    servedTogether(instruction, round, active).map((lanes) =>
      countPhase(instruction, round, active, lanes),
    ),
  );
  const passes = phases.reduce((sum, phase) => sum + phase.passes, 0);
  const ideal = phases.filter((phase) => phase.passes > 0).length;
  const ways = Math.max(...phases.map((phase) => phase.passes));
  return { passes, ideal, extra: passes - ideal, ways, phases };
}

const PIECE_BYTES = 16;
const LINE_PIECES = 8;

/** Copies past the cache, as bankwise.counting.lines has them: a phase's lanes read one line. */
function countLines(instruction, offsets, active) {
  const taken = new Set();
  const moves = offsets.map((offset, lane) => {
    if ((active !== null && !active[lane]) || taken.has(offset)) return false;
    taken.add(offset);
    return true;
  });
  const phases = instruction.phases.map((lanes) => ({
    lanes,
    passes: linePasses(lanes.filter((lane) => moves[lane]).map((lane) => piece(lane, offsets))),
    banks: new Map(),
  }));
  const passes = phases.reduce((sum, phase) => sum + phase.passes, 0);
  return { passes, ideal: passes, extra: 0, ways: Math.min(passes, 1), phases };
}

function piece(lane, offsets) {
  return { from: lane % LINE_PIECES, to: Math.floor(offsets[lane] / PIECE_BYTES) };
}

function linePasses(pieces) {
  const leaders = [];
  let passes = 0;
  for (const one of pieces) {
    const mates = pieces.filter((p) => (p.from ^ one.from) === 1 && (p.to ^ one.to) === 1);
    if (mates.some((p) => p.from < one.from)) continue;
    const half = mates.length ? 2 : one.from & 1;
    const unit = { ...one, kind: half * 2 + ((one.from ^ one.to) & 1) };
    if (!leaders.some((led) => together(led, unit))) passes++;
    leaders.push(unit);
  }
  return passes;
}

function together(a, b) {
  const line = (p) => Math.floor(p.to / LINE_PIECES);
  return a.kind === b.kind && line(a) === line(b) && ring(a.from, b.from) === ring(a.to, b.to);
}

/** How far the sectors of two pieces lie apart on the ring of a line's four. */
function ring(a, b) {
  const sector = (piece) => Math.floor((piece % LINE_PIECES) / 2);
  const steps = (sector(a) - sector(b) + 4) % 4;
  return Math.min(steps, 4 - steps);
}

/** The lanes of each phase for these addresses, merged where the machine merges. */
function servedTogether(instruction, offsets, active = null) {
  if (instruction.merge !== "neighbours" || !mergeable(offsets, active)) return instruction.phases;
  const merged = [];
  for (let i = 0; i < instruction.phases.length; i += 2) {
    merged.push([...instruction.phases[i], ...instruction.phases[i + 1]]);
  }
  return merged;
}

/** NVIDIA loads: every active lane T agrees with lane T^1, or every one with lane T^2. */
function mergeable(offsets, active) {
  const on = (lane) => active === null || active[lane];
  return [1, 2].some((step) =>
    offsets.every(
      (offset, lane) => offset === offsets[lane ^ step] || !on(lane) || !on(lane ^ step),
    ),
  );
}

function countPhase(instruction, offsets, active, lanes) {
  const banks = new Map();
  for (const lane of lanes) {
    if (active !== null && !active[lane]) continue;
    const last = Math.floor((offsets[lane] + instruction.width - 1) / BANK_BYTES);
    for (let word = Math.floor(offsets[lane] / BANK_BYTES); word <= last; word++) {
      const bank = word % instruction.banks;
      if (!banks.has(bank)) banks.set(bank, new Map());
      const words = banks.get(bank);
      const wish = instruction.serial ? `${word} ${lane}` : word;
      if (!words.has(wish)) words.set(wish, []);
      words.get(wish).push(lane);
    }
  }
  let passes = 0;
  for (const words of banks.values()) passes = Math.max(passes, words.size);
  return { lanes, passes, banks };
}

/** The worst bank of the worst phase as {phase, bank, banks, lanes, words}; null if all is free. */
export function witness(counted) {
  let best = null;
  counted.phases.forEach((phase, number) => {
    for (const bank of [...phase.banks.keys()].sort((a, b) => a - b)) {
      const hits = phase.banks.get(bank);
      if (hits.size > (best ? best.lanes.length : 1)) {
        const lanes = [...hits.values()].map((wanting) => wanting[0]);
        best = { phase: number, bank, lanes, words: [...hits.keys()].map((wish) => parseInt(wish, 10)) };
      }
    }
  });
  if (best) best.banks = sameLanes(counted.phases[best.phase].banks, best.lanes);
  return best;
}

function sameLanes(banks, lanes) {
  const wanted = lanes.join();
  const first = (words) => [...words.values()].map((wanting) => wanting[0]).join();
  const same = [...banks].filter(([, words]) => first(words) === wanted).map(([bank]) => bank);
  return same.sort((a, b) => a - b);
}
