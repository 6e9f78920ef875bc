// Random instances: as `sil generate` makes them, but drawn by the page.

import { pointsOf } from "./binary.js";

const CAPACITIES = [[1000, 250], [5000, 500], [10000, 1000], [Infinity, 2000]];

export function draw(kind, size, distribution, seed) {
  const next = generator(seed);
  const total = kind === "CVRP" ? size + 1 : size;
  const coords = new Float64Array(2 * total);
  const clusters = Array.from({ length: Math.max(1, Math.round(size / 100)) }, () => [next(), next()]);
  const spread = 0.3 / Math.sqrt(clusters.length);
  for (let i = 0; i < total; i++) {
    const clustered = distribution === "clustered" && !(kind === "CVRP" && i === 0);
    const centre = clustered ? clusters[Math.floor(next() * clusters.length)] : null;
    coords[2 * i] = clustered ? inside(centre[0] + spread * normal(next)) : next();
    coords[2 * i + 1] = clustered ? inside(centre[1] + spread * normal(next)) : next();
  }
  const name = `${kind.toLowerCase()}${size}-${distribution}-${seed}`;
  return { kind, size, coords, name, seed, points: pointsOf(coords, kind === "CVRP") };
}

// The instance as a file of ours, to be submitted.
export function asJson({ kind, size, coords, name, seed }) {
  const pairs = (from) => Array.from({ length: coords.length / 2 - from }, (_, i) =>
    [coords[2 * (i + from)], coords[2 * (i + from) + 1]]);
  if (kind === "TSP") return { name, locs: pairs(0) };
  const next = generator(seed + 1);
  const demand = Array.from({ length: size }, () => 1 + Math.floor(9 * next()));
  const capacity = CAPACITIES.find(([most]) => size <= most)[1];
  return { name, depot: [coords[0], coords[1]], locs: pairs(1), demand, capacity };
}

function inside(value) {
  const reflected = Math.abs(value > 1 ? 2 - value : value);
  return Math.min(1, reflected);
}

function normal(next) {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

// A small generator of 32 bits (mulberry32).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
