// A background of map tiles, only if the operator of the service has named a source.

import { h } from "./dom.js";

const SIDE = 256;
const MOST_KEPT = 400;

export class Tiles {
  constructor(url, onLoad) {
    this.url = url;
    this.onLoad = onLoad;
    this.canvas = h("canvas");
    this.kept = new Map();
  }

  draw(camera, points, [marginX, marginY]) {
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!points.isMercator) return;
    const ratio = this.canvas.width / (camera.width + 2 * marginX);
    const level = Math.max(0, Math.min(19, Math.round(Math.log2(camera.scale / SIDE))));
    const tiles = 2 ** level;
    const [left, top] = camera.toWorld(-marginX, -marginY);
    const [right, bottom] = camera.toWorld(camera.width + marginX, camera.height + marginY);
    const index = (value, origin) => Math.min(tiles - 1, Math.max(0, Math.floor((value + origin) * tiles)));
    context.globalAlpha = 0.55;
    const side = (camera.scale / tiles) * ratio;
    for (let x = index(left, points.origin[0]); x <= index(right, points.origin[0]); x++) {
      for (let y = index(top, points.origin[1]); y <= index(bottom, points.origin[1]); y++) {
        const picture = this.tile(level, x, y);
        if (!picture.complete || !picture.naturalWidth) continue;
        const [px, py] = camera.toScreen(x / tiles - points.origin[0], y / tiles - points.origin[1]);
        context.drawImage(picture, (px + marginX) * ratio, (py + marginY) * ratio, side, side);
      }
    }
  }

  tile(level, x, y) {
    const name = `${level}/${x}/${y}`;
    let picture = this.kept.get(name);
    if (!picture) {
      picture = new Image();
      picture.referrerPolicy = "no-referrer";
      picture.onload = this.onLoad;
      picture.src = this.url.replace("{z}", level).replace("{x}", x).replace("{y}", y).replace("{s}", "a");
      this.kept.set(name, picture);
      if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
    }
    return picture;
  }
}
