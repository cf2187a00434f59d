/** Colours of banks: hue = bank div 2, odd banks darker. The number always stands beside it. */

/** OKLCH (lightness 0-1, chroma, hue in degrees) as #rrggbb, clipped. */
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${linear.map(channel).join("")}`;
}

function channel(linear) {
  const clipped = Math.min(1, Math.max(0, linear));
  const gamma = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(255 * gamma)
    .toString(16)
    .padStart(2, "0");
}

const cache = new Map();

/** The fill of a bank: every second pair of banks also differs in lightness, for colour-blind eyes. */
export function bankFill(bank, banks) {
  const key = bank * 128 + banks;
  if (!cache.has(key)) {
    const pair = bank >> 1;
    const lightness = (bank & 1 ? 0.66 : 0.82) + (pair & 1 ? 0.035 : -0.02);
    cache.set(key, oklch(lightness, 0.105, 25 + (360 * pair) / (banks / 2)));
  }
  return cache.get(key);
}

/** The fill of one of `many` things that are no banks (threads, rows, blocks). */
export function thingFill(index, many) {
  return bankFill(index % many, Math.max(2, many));
}

/** The same hue for a second kind: dark text stays readable on it, whatever the theme. */
export const lighter = (colour) => mix(colour, "#ffffff", 0.62);

/** A mix of two #rrggbb colours; `share` of the first. */
export function mix(first, second, share) {
  const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [parts(first), parts(second)];
  const mixed = a.map((x, i) => Math.round(x * share + b[i] * (1 - share)));
  return `#${mixed.map((x) => x.toString(16).padStart(2, "0")).join("")}`;
}
