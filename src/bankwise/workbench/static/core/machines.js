/** Machine facts as the page holds them: rows exported from bankwise/hardware/*.toml. */

/** Read a lane list such as "0-3 20-23". */
function lanes(text) {
  return text.split(" ").flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Write a lane list: consecutive lanes become a range. */
export function laneText(values) {
  const runs = [];
  for (const lane of values) {
    const run = runs.at(-1);
    if (run && run[1] + 1 === lane) run[1] = lane;
    else runs.push([lane, lane]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(" ");
}

/** Machines by name, each with its instructions by name, from the exported document. */
export function readMachines(document) {
  return new Map(document.machines.map((m) => [m.name, readMachine(m)]));
}

function readMachine(machine) {
  const instructions = new Map();
  for (const row of machine.instructions) {
    const phases = row.phases.map(lanes);
    for (const name of row.names) {
      instructions.set(name, {
        name,
        phases,
        machine: machine.name,
        wave: machine.wave_size,
        direction: row.direction,
        width: row.width_bytes,
        // PTX asks for an address that is a multiple of the width; LDS takes any.
        align: machine.vendor === "nvidia" ? row.width_bytes : 1,
        banks: row.banks,
        span: row.span,
        addresses: row.addresses ?? 1,
        merge: row.merge ?? "none",
        serial: row.serial ?? false,
        evidence: row.evidence,
        confidence: row.confidence,
      });
    }
  }
  return { ...machine, instructions };
}

const STEMS = {
  amd: {
    read: ["ds_read_b", "ds_load_b", "ds_read_u", "ds_load_u"],
    write: ["ds_write_b", "ds_store_b"],
  },
  nvidia: { read: ["ld.shared.b"], write: ["st.shared.b"] },
};

/** The ordinary load or store of this many bytes per lane; undefined if there is none. */
export function plainInstruction(machine, direction, widthBytes) {
  const names = STEMS[machine.vendor][direction].map((stem) => stem + 8 * widthBytes);
  return names.map((name) => machine.instructions.get(name)).find(Boolean);
}
