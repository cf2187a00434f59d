/** Global memory as this page counts it: the cache lines that one wave's load touches. */

/** {lines, useful, fetched, perLine}: bytes wanted (each once), and per line the lanes that want it. */
export function coalesce(addresses, widthBytes, lineBytes) {
  const lines = new Map();
  const wanted = new Set();
  addresses.forEach((address, lane) => {
    for (let byte = address; byte < address + widthBytes; byte++) {
      wanted.add(byte);
      const line = Math.floor(byte / lineBytes);
      if (!lines.has(line)) lines.set(line, new Map());
      const lanes = lines.get(line);
      lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
    }
  });
  const perLine = [...lines].sort((a, b) => a[0] - b[0]);
  return { lines: lines.size, useful: wanted.size, fetched: lines.size * lineBytes, perLine };
}

/** The cache set of an address, from the address bits above the line: set = line mod sets. */
export function cacheSet(address, lineBytes, sets) {
  return Math.floor(address / lineBytes) % sets;
}
