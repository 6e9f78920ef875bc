// Where the map looks: a centre in world units and pixels per unit.

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.width = 1;
    this.height = 1;
    this.least = 1e-12;
    this.most = 1e12;
  }

  // Shows a rectangle as a whole.
  fit(box, padding = 34) {
    const [left, top, right, bottom] = box;
    const wide = Math.max(right - left, 1e-12);
    const high = Math.max(bottom - top, 1e-12);
    const room = (side) => Math.max(20, side - 2 * padding);
    this.scale = Math.min(room(this.width) / wide, room(this.height) / high);
    this.x = (left + right) / 2;
    this.y = (top + bottom) / 2;
  }

  limit(box) {
    const extent = Math.max(box[2] - box[0], box[3] - box[1], 1e-9);
    this.least = (0.3 * Math.min(this.width, this.height)) / extent;
    this.most = (20000 * Math.max(this.width, this.height)) / extent;
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
  }

  toWorld(px, py) {
    return [(px - this.width / 2) / this.scale + this.x, (py - this.height / 2) / this.scale + this.y];
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
  }

  // Zooms so that what is under a pixel stays there.
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [wx, wy] = this.toWorld(px, py);
    this.scale = Math.min(this.most, Math.max(this.least, this.scale * factor));
    this.x = wx - (px - this.width / 2) / this.scale;
    this.y = wy - (py - this.height / 2) / this.scale;
  }

  copy() {
    return Object.assign(new Camera(), this);
  }
}
