// The map: nodes and routes to pan, zoom and point at.
//
// Where drawing is slow, the picture is moved and scaled as a whole during a gesture, with a margin
// around it, and drawn anew when the gesture pauses. So panning never waits for drawing.

import { Camera } from "./camera.js";
import { isDark } from "./colours.js";
import { h } from "./dom.js";
import { buildEdges, coarsened, routeEdges } from "./edges.js";
import { watchGestures } from "./gestures.js";
import { Painter } from "./painter.js";
import { Places, boxOf } from "./places.js";
import { Tiles } from "./tiles.js";

const QUICK = 6; // milliseconds of drawing that leave room for everything else in a frame
const TOO_SLOW = 14;
const PERHAPS_SLOW = 20000; // nodes; whether they are is measured
const MARGIN = 0.3; // of the width and height, around the picture
const MANY = 250000; // nodes, above which far views leave some out
const STEP = 8;
const CROWDED = 1.1; // pixels between neighbours, below which a view is far
const PAUSE = 130; // milliseconds after a movement

export class RouteMap {
  // tell: { describe(node, route), onPick(route), onMove(camera) }
  constructor(label, tell = {}) {
    this.tell = tell;
    this.camera = new Camera();
    this.canvas = h("canvas");
    this.stage = h("div", { className: "stage" }, this.canvas);
    this.depot = h("div", { className: "depot", hidden: true });
    this.tip = h("div", { className: "tip", hidden: true });
    this.caption = h("div", { className: "caption" });
    const button = (text, name, act) => h("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
    this.element = h(
      "div",
      { className: "map", tabIndex: 0, role: "application", "aria-label": label },
      this.stage, this.depot, this.caption, this.tip,
      h("div", { className: "zoom" },
        button("+", "Zoom in", () => this.zoomBy(1.6)),
        button("−", "Zoom out", () => this.zoomBy(1 / 1.6)),
        button("⤢", "Show all", () => this.showAll())),
    );
    this.painter = new Painter(this.canvas);
    if (!this.painter.works) this.caption.textContent = "Maps need WebGL 2, which this browser does not offer.";
    this.slow = false;
    this.canvas.addEventListener("webglcontextrestored", () => this.restore());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    watchGestures(this);
  }

  setTiles(url) {
    this.tiles = url ? new Tiles(url, () => this.redraw()) : null;
    if (this.tiles) this.stage.prepend(this.tiles.canvas);
  }

  setPoints(points) {
    this.points = points;
    this.routes = this.edges = null;
    this.chosen = -1;
    this.box = boxOf(points.xy);
    this.places = null;
    const [left, top, right, bottom] = this.box;
    const area = Math.max((right - left) * (bottom - top), ((right - left + bottom - top) / 4) ** 2, 1e-12);
    this.spacing = Math.sqrt(area / points.size);
    if (this.painter.works) {
      this.painter.setPoints(points.xy);
      for (const layer of ["legs", "path", "far", "chosen"]) this.painter.setEdges(layer, null);
    }
    this.depot.hidden = !points.hasDepot;
    this.slow = points.size > PERHAPS_SLOW;
    this.camera.limit(this.box);
    this.camera.fit(this.box);
    this.resize();
  }

  setRoutes(routes) {
    if (!this.points || !this.painter.works) return;
    this.routes = routes;
    this.routeOf = null;
    this.edges = buildEdges(this.points, routes);
    this.painter.setEdges("legs", this.edges.legs);
    this.painter.setEdges("path", this.edges.path);
    const isLarge = routes.nodes.length > MANY;
    this.painter.setEdges("far", isLarge ? buildEdges(this.points, coarsened(routes, STEP)).path : null);
    // Another solution has other routes: nothing is chosen any more.
    this.choose(-1);
    this.redraw();
  }

  choose(route) {
    this.chosen = route;
    if (!this.painter.works) return;
    const has = route >= 0 && this.routes && route < this.routes.count && this.points.hasDepot;
    this.painter.setEdges("chosen", has ? routeEdges(this.points, this.routes, route, this.edges.colours) : null);
    this.redraw();
  }

  showRoute(route) {
    const xy = [];
    if (this.points.hasDepot) xy.push(this.points.xy[0], this.points.xy[1]);
    for (let i = this.routes.starts[route]; i < this.routes.starts[route + 1]; i++) {
      xy.push(this.points.xy[2 * this.routes.nodes[i]], this.points.xy[2 * this.routes.nodes[i] + 1]);
    }
    this.camera.fit(boxOf(xy), 60);
    this.moved();
  }

  showAll() {
    if (!this.box) return;
    this.camera.fit(this.box);
    this.moved();
  }

  zoomBy(factor, x, y) {
    this.camera.zoom(factor, x, y);
    this.moved();
  }

  panBy(dx, dy) {
    this.camera.pan(dx, dy);
    this.moved();
  }

  // Follows another map.
  lookLike(camera) {
    Object.assign(this.camera, { x: camera.x, y: camera.y, scale: camera.scale });
    this.update();
  }

  moved() {
    this.tell.onMove?.(this.camera);
    this.update();
  }

  update() {
    if (!this.frame) this.frame = requestAnimationFrame((time) => this.paint(time));
    if (this.slow) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.redraw(), PAUSE);
    }
  }

  redraw() {
    this.stale = true;
    if (!this.frame) this.frame = requestAnimationFrame((time) => this.paint(time));
  }

  paint() {
    this.frame = 0;
    if (!this.points) return;
    if (this.slow && !this.stale && this.shown) this.shift();
    else this.draw();
    const [x, y] = this.camera.toScreen(this.points.xy[0], this.points.xy[1]);
    this.depot.style.transform = `translate(${x}px, ${y}px)`;
  }

  // Moves the picture as it is.
  shift() {
    const origin = this.shown.toWorld(0, 0);
    const [x, y] = this.camera.toScreen(...origin);
    const factor = this.camera.scale / this.shown.scale;
    this.stage.style.transform = `translate(${x}px, ${y}px) scale(${factor})`;
  }

  draw() {
    if (!this.painter.works) return;
    this.stale = false;
    this.shown = this.camera.copy();
    this.stage.style.transform = "none";
    this.painter.draw(this.camera, this.look());
    if (!this.timing) {
      this.timing = true;
      this.painter.time((took) => this.judge(took));
    }
    this.tiles?.draw(this.camera, this.points, this.margins());
  }

  look() {
    const pixels = this.spacing * this.camera.scale; // between neighbours
    const hasRoutes = Boolean(this.routes);
    const dim = this.chosen >= 0 && hasRoutes && this.points.hasDepot ? 0.22 : 1;
    const size = Math.min(hasRoutes ? 5 : 6, Math.max(hasRoutes ? 1.1 : 1.4, pixels * (hasRoutes ? 0.2 : 0.3)));
    const ink = isDark() ? 0.85 : 0.13;
    const pointAlpha = (hasRoutes ? 0.75 : 0.6) * Math.min(1, 0.35 + pixels / 6) * (dim < 1 ? 0.6 : 1);
    return {
      ratio: this.ratio,
      edgeWidth: Math.min(2.1, Math.max(1, pixels / 7)),
      edgeAlpha: dim * (isDark() ? 0.95 : 0.9),
      legAlpha: dim * Math.min(0.34, 9 / Math.max(1, this.routes?.count ?? 1)),
      path: hasRoutes && pixels < CROWDED && this.points.size > MANY ? "far" : "path",
      pointStep: pixels < CROWDED ? Math.ceil(this.points.size / MANY) : 1,
      showPoints: !hasRoutes || pixels > 3.2,
      pointsBelow: false,
      pointSize: size,
      pointInk: [ink, ink, ink + 0.02, pointAlpha],
    };
  }

  // Finds out whether drawing is quick enough for every frame.
  judge(took) {
    this.timing = false;
    const slow = this.slow ? took > QUICK : took > TOO_SLOW;
    if (slow === this.slow) return;
    this.slow = slow;
    this.resize();
  }

  margins() {
    return this.slow ? [Math.ceil(MARGIN * this.camera.width), Math.ceil(MARGIN * this.camera.height)] : [0, 0];
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const first = this.camera.width < 2;
    this.camera.width = width;
    this.camera.height = height;
    this.ratio = Math.min(this.slow ? 1.5 : 2, window.devicePixelRatio || 1);
    const [x, y] = this.margins();
    for (const canvas of [this.canvas, this.tiles?.canvas].filter(Boolean)) {
      canvas.width = Math.round((width + 2 * x) * this.ratio);
      canvas.height = Math.round((height + 2 * y) * this.ratio);
      canvas.style.width = `${width + 2 * x}px`;
      canvas.style.height = `${height + 2 * y}px`;
      canvas.style.left = `${-x}px`;
      canvas.style.top = `${-y}px`;
    }
    if (!this.box) return;
    this.camera.limit(this.box);
    if (first) this.camera.fit(this.box);
    this.redraw();
  }

  // The node under a pixel, and its route; -1 for none.
  at(px, py, radius = 14) {
    if (!this.points) return [-1, -1];
    this.places ??= new Places(this.points);
    const node = this.places.near(...this.camera.toWorld(px, py), radius / this.camera.scale);
    if (node < 0 || !this.routes) return [node, -1];
    if (!this.routeOf) {
      this.routeOf = new Int32Array(this.points.size).fill(-1);
      for (let route = 0; route < this.routes.count; route++) {
        for (let i = this.routes.starts[route]; i < this.routes.starts[route + 1]; i++) this.routeOf[this.routes.nodes[i]] = route;
      }
    }
    return [node, this.routeOf[node]];
  }

  point(px, py) {
    const [node, route] = this.at(px, py);
    const lines = node >= 0 ? this.tell.describe?.(node, route) : null;
    this.tip.hidden = !lines;
    if (!lines) return;
    this.tip.replaceChildren(...lines);
    const left = px + 240 > this.camera.width ? px - this.tip.offsetWidth - 14 : px + 16;
    const top = Math.min(py + 14, this.camera.height - this.tip.offsetHeight - 8);
    this.tip.style.transform = `translate(${Math.max(6, left)}px, ${Math.max(6, top)}px)`;
  }

  pick(px, py) {
    const [, route] = this.at(px, py);
    this.tell.onPick?.(route === this.chosen ? -1 : route);
  }

  recolour() {
    if (this.routes) {
      const { chosen } = this;
      this.setRoutes(this.routes);
      if (chosen >= 0) this.choose(chosen);
    }
    this.redraw();
  }

  restore() {
    this.painter.restore();
    const { points, routes } = this;
    if (points) this.painter.setPoints(points.xy);
    if (routes) this.setRoutes(routes);
  }

  dispose() {
    clearTimeout(this.later);
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.painter.dispose();
  }
}

