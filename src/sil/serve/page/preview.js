// Looks into a file or text for coordinates, to show them at once. The service reads it properly.

import { pointsOf } from "./binary.js";

const MOST_BYTES = 120e6;

// Points of a file, or null if this page cannot tell.
export async function previewFile(file) {
  if (file.size > MOST_BYTES) return null;
  const ending = file.name.toLowerCase().split(".").pop();
  if (!["csv", "tsp", "vrp", "json"].includes(ending)) return null;
  try {
    return preview(await file.text(), ending);
  } catch {
    return null;
  }
}

export function preview(text, ending) {
  if (ending === "csv") return fromCsv(text);
  if (ending === "json") return fromJson(text);
  return fromTsplib(text);
}

// Whether a csv has demands, so that a capacity is needed.
export function hasDemand(text) {
  return /^\uFEFF?[^\n]*\bdemand\b/i.test(text);
}

function fromCsv(text) {
  const lines = text.split("\n");
  const names = lines[0].replace("\uFEFF", "").toLowerCase().split(",").map((name) => name.trim());
  const column = (...wanted) => names.findIndex((name) => wanted.includes(name));
  const [x, y] = [column("x", "lon", "lng", "longitude"), column("y", "lat", "latitude")];
  if (x < 0 || y < 0) return null;
  const coords = [];
  for (let i = 1; i < lines.length; i++) {
    if (!lines[i].trim()) continue;
    const cells = lines[i].split(",");
    coords.push(Number(cells[x]), Number(cells[y]));
  }
  return checked(coords, names.includes("demand"));
}

function fromTsplib(text) {
  const begin = /(NODE_COORD_SECTION|DISPLAY_DATA_SECTION)[^\n]*\n/.exec(text);
  if (!begin || /EDGE_WEIGHT_TYPE\s*:?\s*GEO\b/.test(text)) return null;
  const coords = [];
  for (const line of text.slice(begin.index + begin[0].length).split("\n")) {
    const cells = line.trim().split(/\s+/);
    if (cells.length < 3 || !/^[0-9]/.test(cells[0])) break;
    coords.push(Number(cells[1]), Number(cells[2]));
  }
  return checked(coords, /TYPE\s*:?\s*CVRP/.test(text));
}

function fromJson(text) {
  const values = JSON.parse(text);
  const { locs, depot } = values.problem ?? values;
  if (!Array.isArray(locs)) return null;
  return checked([...(depot ? [depot] : []), ...locs].flat(), Boolean(depot));
}

function checked(coords, hasDepot) {
  if (coords.length < 2 || coords.length % 2 || !coords.every(Number.isFinite)) return null;
  return pointsOf(coords, hasDepot);
}
