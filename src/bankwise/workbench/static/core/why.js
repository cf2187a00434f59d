/** Why lanes wait for each other, in one line. */
import { witness } from "./conflict.js";
import { laneText } from "./machines.js";

const WORD_BYTES = 4;

/**
 * The worst bank of a counted instruction in words; `directions` are the names of what changes the
 * lane and not the bank, where algebra knows them.
 */
export function why(row, counted, directions = []) {
  if (row.merge === "lines") return "Copies past the cache: pieces of one line are joined or wait.";
  const worst = witness(counted);
  if (!worst) return "In no phase do two lanes want different words of one bank.";
  const phase = counted.phases.length > 1 ? ` in phase ${worst.phase}` : "";
  const many = `${worst.words.length} different words of bank ${worst.bank}${phase}`;
  const said = `Lanes ${laneText(worst.lanes).replace(/^(\d+) (\d+)$/, "$1 and $2")} want ${many}${apart(worst.words, row.banks)}.`;
  const verb = directions.length > 1 ? "change" : "changes";
  const names = directions.join(", ");
  const bits = names ? ` ${names} (bits of row m, column n) ${verb} the lane, not the bank.` : "";
  return said + bits;
}

/** How far the words lie apart, in rounds of the banks, where that is the same for all. */
function apart(words, banks) {
  const sorted = [...new Set(words)].sort((a, b) => a - b);
  const steps = new Set(sorted.slice(1).map((word, i) => word - sorted[i]));
  if (steps.size !== 1) return "";
  const [step] = steps;
  const rounds = step === banks ? "one round" : `${step / banks} rounds`;
  return `: ${step * WORD_BYTES} bytes apart, ${rounds} of the ${banks} banks`;
}
