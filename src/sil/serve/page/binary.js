// Points and routes as the service sends them; see src/sil/serve/binary.py.

function signOf(view) {
  return String.fromCharCode(...new Uint8Array(view.buffer, 0, 4));
}

export function readPoints(buffer) {
  const view = new DataView(buffer);
  if (signOf(view) !== "SILP") throw new Error("these are not points");
  const isMercator = (view.getUint32(4, true) & 1) === 1;
  const size = view.getUint32(8, true);
  const xy = new Float32Array(buffer.slice(32, 32 + 8 * size));
  if (!isMercator) for (let i = 1; i < xy.length; i += 2) xy[i] = -xy[i]; // y downwards, as on a screen
  return {
    xy,
    size,
    hasDepot: view.getUint32(12, true) === 1,
    isMercator,
    origin: [view.getFloat64(16, true), view.getFloat64(24, true)],
  };
}

export function pointsOf(coords, hasDepot) {
  // Points that the page itself has drawn or read, as an array of numbers.
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < coords.length; i += 2) {
    left = Math.min(left, coords[i]);
    right = Math.max(right, coords[i]);
    low = Math.min(low, coords[i + 1]);
    high = Math.max(high, coords[i + 1]);
  }
  const origin = [(left + right) / 2, (low + high) / 2];
  const xy = new Float32Array(coords.length);
  for (let i = 0; i < coords.length; i += 2) {
    xy[i] = coords[i] - origin[0];
    xy[i + 1] = origin[1] - coords[i + 1];
  }
  return { xy, size: coords.length / 2, hasDepot, isMercator: false, origin };
}

export function readRoutes(buffer) {
  const view = new DataView(buffer);
  if (signOf(view) !== "SILR") throw new Error("these are not routes");
  const size = view.getUint32(4, true);
  const routes = view.getUint32(8, true);
  const cost = view.getFloat64(16, true);
  const lengths = new Float64Array(buffer.slice(24, 24 + 8 * routes));
  const loads = new Float64Array(buffer.slice(24 + 8 * routes, 24 + 16 * routes));
  const marked = new Int32Array(buffer.slice(24 + 16 * routes));
  const nodes = new Int32Array(size);
  const starts = new Int32Array(routes + 1);
  let route = 0;
  for (let i = 0; i < size; i++) {
    if (marked[i] < 0) starts[route++] = i;
    nodes[i] = marked[i] < 0 ? -1 - marked[i] : marked[i];
  }
  starts[routes] = size;
  return { nodes, starts, lengths, loads, cost, count: routes };
}
