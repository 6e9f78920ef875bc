// Routes as edges for the graphics card, in pieces that can be left out where they are not seen.
//
// An edge takes 20 bytes: from and to, 32-bit floats, and a colour, 4 bytes.

import { routeColours, tourColour } from "./colours.js";

export const EDGE_BYTES = 20;
const PIECE = 512;

export function buildEdges(points, routes) {
  const { xy, hasDepot } = points;
  const colours = hasDepot ? routeColours(points, routes) : null;
  const inner = hasDepot ? routes.nodes.length - routes.count : routes.nodes.length;
  const path = new Writer(inner);
  const share = hasDepot ? null : alongTour(points, routes.nodes);
  const legs = new Writer(hasDepot ? 2 * routes.count : 0);
  for (let route = 0; route < routes.count; route++) {
    const [begin, end] = [routes.starts[route], routes.starts[route + 1]];
    let [r, g, b] = hasDepot ? colours.subarray(3 * route, 3 * route + 3) : [0, 0, 0];
    if (hasDepot) {
      legs.edge(xy, 0, routes.nodes[begin], r, g, b);
      legs.edge(xy, routes.nodes[end - 1], 0, r, g, b);
    }
    for (let i = begin + 1; i < end; i++) {
      if (!hasDepot && (i & 63) === 1) [r, g, b] = tourColour(share(i));
      path.edge(xy, routes.nodes[i - 1], routes.nodes[i], r, g, b);
    }
    if (!hasDepot && end > 1) path.edge(xy, routes.nodes[end - 1], routes.nodes[begin], r, g, b);
  }
  return { path: path.finished(), legs: legs.finished(), colours };
}

// The same routes with only every so-many-th node, for views in which neighbours share a pixel.
export function coarsened(routes, step) {
  const starts = new Int32Array(routes.count + 1);
  const nodes = new Int32Array(Math.ceil(routes.nodes.length / step) + 2 * routes.count);
  let size = 0;
  for (let route = 0; route < routes.count; route++) {
    starts[route] = size;
    const last = routes.starts[route + 1] - 1;
    for (let i = routes.starts[route]; i < last; i += step) nodes[size++] = routes.nodes[i];
    nodes[size++] = routes.nodes[last];
  }
  starts[routes.count] = size;
  return { ...routes, nodes: nodes.subarray(0, size), starts };
}

// Where on a tour an index is, from 0 to 1. It begins at node 0 and goes the same way round, whatever
// the order of the nodes, so that colours stay when the tour gets shorter.
function alongTour({ xy }, nodes) {
  const size = nodes.length;
  const begin = Math.max(0, nodes.indexOf(0));
  const x = (quarter) => xy[2 * nodes[(begin + Math.floor((quarter * size) / 4)) % size]];
  const isBackwards = x(1) > x(3);
  return (index) => {
    const share = ((index - begin + size) % size) / size;
    return isBackwards ? 1 - share : share;
  };
}

// The edges of one route, also to the depot.
export function routeEdges(points, routes, route, colours) {
  const [begin, end] = [routes.starts[route], routes.starts[route + 1]];
  const writer = new Writer(end - begin + 1);
  const [r, g, b] = colours ? colours.subarray(3 * route, 3 * route + 3) : tourColour(0);
  const first = points.hasDepot ? 0 : routes.nodes[end - 1];
  let previous = first;
  for (let i = begin; i < end; i++) {
    writer.edge(points.xy, previous, routes.nodes[i], r, g, b);
    previous = routes.nodes[i];
  }
  if (points.hasDepot) writer.edge(points.xy, previous, 0, r, g, b);
  return writer.finished();
}

class Writer {
  constructor(most) {
    this.buffer = new ArrayBuffer(Math.max(0, most) * EDGE_BYTES);
    this.floats = new Float32Array(this.buffer);
    this.bytes = new Uint8Array(this.buffer);
    this.count = 0;
  }

  edge(xy, from, to, r, g, b) {
    const f = 5 * this.count;
    this.floats[f] = xy[2 * from];
    this.floats[f + 1] = xy[2 * from + 1];
    this.floats[f + 2] = xy[2 * to];
    this.floats[f + 3] = xy[2 * to + 1];
    const c = EDGE_BYTES * this.count + 16;
    this.bytes[c] = r;
    this.bytes[c + 1] = g;
    this.bytes[c + 2] = b;
    this.bytes[c + 3] = 255;
    this.count++;
  }

  finished() {
    const pieces = Math.ceil(this.count / PIECE);
    const boxes = new Float32Array(4 * pieces);
    for (let piece = 0; piece < pieces; piece++) {
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
      const end = Math.min(this.count, (piece + 1) * PIECE);
      for (let edge = piece * PIECE; edge < end; edge++) {
        for (let k = 5 * edge; k < 5 * edge + 4; k += 2) {
          left = Math.min(left, this.floats[k]);
          right = Math.max(right, this.floats[k]);
          top = Math.min(top, this.floats[k + 1]);
          bottom = Math.max(bottom, this.floats[k + 1]);
        }
      }
      boxes.set([left, top, right, bottom], 4 * piece);
    }
    return { buffer: this.buffer, count: this.count, boxes };
  }
}

// Ranges of edges [begin, end) that may be seen in a rectangle; few, because each is a call.
export function visibleRanges(edges, box, most = 96) {
  const ranges = [];
  const pieces = edges.boxes.length / 4;
  for (let piece = 0; piece < pieces; piece++) {
    const k = 4 * piece;
    const { boxes } = edges;
    if (boxes[k] > box[2] || boxes[k + 2] < box[0] || boxes[k + 1] > box[3] || boxes[k + 3] < box[1]) continue;
    const begin = piece * PIECE;
    const end = Math.min(edges.count, begin + PIECE);
    const last = ranges[ranges.length - 1];
    if (last && last[1] === begin) last[1] = end;
    else ranges.push([begin, end]);
  }
  if (ranges.length <= most) return ranges;
  return [[ranges[0][0], ranges[ranges.length - 1][1]]];
}
