// Finds the node near a point, by a grid over all nodes.

export class Places {
  constructor(points) {
    this.points = points;
    const { xy, size } = points;
    this.box = boxOf(xy);
    const [left, top, right, bottom] = this.box;
    const extent = Math.max(right - left, bottom - top, 1e-12);
    this.cell = extent / Math.max(1, Math.min(1500, Math.ceil(Math.sqrt(size / 3))));
    this.columns = Math.floor((right - left) / this.cell) + 1;
    this.rows = Math.floor((bottom - top) / this.cell) + 1;
    this.first = new Uint32Array(this.columns * this.rows + 1);
    this.members = new Uint32Array(size);
    const cellOf = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      cellOf[i] = this.index(xy[2 * i], xy[2 * i + 1]);
      this.first[cellOf[i] + 1]++;
    }
    for (let i = 1; i < this.first.length; i++) this.first[i] += this.first[i - 1];
    const next = this.first.slice();
    for (let i = 0; i < size; i++) this.members[next[cellOf[i]]++] = i;
  }

  index(x, y) {
    const column = Math.min(this.columns - 1, Math.max(0, Math.floor((x - this.box[0]) / this.cell)));
    const row = Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.box[1]) / this.cell)));
    return row * this.columns + column;
  }

  near(x, y, radius) {
    const { xy } = this.points;
    const clamp = (value, most) => Math.min(most - 1, Math.max(0, Math.floor(value)));
    const from = clamp((x - radius - this.box[0]) / this.cell, this.columns);
    const to = clamp((x + radius - this.box[0]) / this.cell, this.columns);
    const above = clamp((y - radius - this.box[1]) / this.cell, this.rows);
    const below = clamp((y + radius - this.box[1]) / this.cell, this.rows);
    if ((to - from + 1) * (below - above + 1) > 4000) return -1; // so far out that nothing can be meant
    let best = radius * radius;
    let found = -1;
    for (let row = above; row <= below; row++) {
      const begin = this.first[row * this.columns + from];
      const end = this.first[row * this.columns + to + 1];
      for (let k = begin; k < end; k++) {
        const node = this.members[k];
        const distance = (xy[2 * node] - x) ** 2 + (xy[2 * node + 1] - y) ** 2;
        if (distance <= best) {
          best = distance;
          found = node;
        }
      }
    }
    return found;
  }
}

export function boxOf(xy) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    if (xy[i] < left) left = xy[i];
    if (xy[i] > right) right = xy[i];
    if (xy[i + 1] < top) top = xy[i + 1];
    if (xy[i + 1] > bottom) bottom = xy[i + 1];
  }
  return xy.length ? [left, top, right, bottom] : [0, 0, 1, 1];
}
