/** The layout that the construction for two accesses ends in: the twin of bankwise.solver.construct. */
import { construct } from "./construct.js";
import { complement, inverse } from "./f2.js";
import { linearLayout } from "./tile.js";

/** Why the construction says nothing here; empty if it does. */
export function notBuilt(tile, accesses) {
  if (accesses.length !== 2) return "the construction pairs two accesses";
  if (tile.elementBits !== 32) return "the construction here is for 32-bit elements";
  if (accesses.some((access) => access.vector.length))
    return "the construction here has no vectors";
  return "";
}

/**
 * An optimal layout of two scalar accesses: segment bits take the directions that neither side
 * moves, then the pairs, then what must collide. Bank bits that only one side sees come next in
 * that order; what completes the rest cannot create a conflict.
 */
export function builtLayout(tile, accesses) {
  const { shared, onlySmall, onlyLarge, pairs, outside, size } = construct(tile, accesses);
  const rest = [...onlyLarge.slice(onlySmall.length), ...onlySmall, ...shared];
  const order = [...outside, ...pairs, ...rest];
  const bits = accesses.map((access) => Math.min(size, Math.log2(access.row.banks)));
  const segment = order.slice(0, size - Math.max(...bits));
  const high = order.slice(segment.length, size - Math.min(...bits));
  const banks = complement([...segment, ...high], size);
  return linearLayout(tile, inverse([...banks, ...high, ...segment]));
}
