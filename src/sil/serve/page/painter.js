// Draws nodes and edges with WebGL 2.

import { EDGE_BYTES, visibleRanges } from "./edges.js";

const EDGE_SHADER = `#version 300 es
in vec2 corner; in vec2 from; in vec2 to; in vec4 colour;
uniform vec2 centre; uniform float scale; uniform vec2 size; uniform float width; uniform float alpha;
out vec4 tint; out float across;
void main() {
  vec2 a = (from - centre) * scale;
  vec2 b = (to - centre) * scale;
  vec2 along = b - a;
  float reach = length(along);
  vec2 side = reach > 0.0 ? vec2(-along.y, along.x) / reach : vec2(0.0);
  across = corner.y * (0.5 * width + 1.0);
  vec2 at = mix(a, b, corner.x) + side * across;
  tint = vec4(colour.rgb, alpha);
  gl_Position = vec4(at * vec2(2.0, -2.0) / size, 0.0, 1.0);
}`;
const EDGE_COLOUR = `#version 300 es
precision highp float;
in vec4 tint; in float across; uniform float width; out vec4 result;
void main() {
  float cover = clamp(0.5 * width + 0.5 - abs(across), 0.0, 1.0) * tint.a;
  result = vec4(tint.rgb * cover, cover);
}`;
const POINT_SHADER = `#version 300 es
in vec2 at; uniform vec2 centre; uniform float scale; uniform vec2 size; uniform float width;
void main() {
  gl_Position = vec4((at - centre) * scale * vec2(2.0, -2.0) / size, 0.0, 1.0);
  gl_PointSize = width + 1.0;
}`;
const POINT_COLOUR = `#version 300 es
precision highp float;
uniform vec4 ink; uniform float width; out vec4 result;
void main() {
  float away = length(gl_PointCoord - 0.5) * (width + 1.0);
  float cover = clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * ink.a;
  result = vec4(ink.rgb * cover, cover);
}`;
// Above so many visible edges, they are drawn one pixel wide, which is much faster.
const MOST_WIDE = 120000;
const CORNERS = new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]);

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.layers = {};
    this.points = null;
    this.restore();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  }

  get works() {
    return this.gl !== null;
  }

  restore() {
    const gl = this.canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    this.gl = gl;
    if (!gl) return;
    this.edges = program(gl, EDGE_SHADER, EDGE_COLOUR, ["corner", "from", "to", "colour"]);
    this.dots = program(gl, POINT_SHADER, POINT_COLOUR, ["at"]);
    this.corners = filled(gl, CORNERS);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // Takes the edges of a layer: "legs", "path", "far" or "chosen"; null for none.
  setEdges(layer, edges) {
    const old = this.layers[layer];
    if (old) this.gl.deleteBuffer(old.store);
    this.layers[layer] = edges && { ...edges, store: filled(this.gl, edges.buffer) };
    if (this.layers[layer]) delete this.layers[layer].buffer;
  }

  setPoints(xy) {
    if (this.points) this.gl.deleteBuffer(this.points.store);
    this.points = { store: filled(this.gl, xy), count: xy.length / 2 };
  }

  draw(camera, look) {
    const { gl } = this;
    const { width, height } = this.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const view = { ...look, camera, size: [width, height], scale: camera.scale * look.ratio };
    const half = [width / 2 / view.scale, height / 2 / view.scale];
    view.box = [camera.x - half[0], camera.y - half[1], camera.x + half[0], camera.y + half[1]];
    if (look.legAlpha > 0.004) this.drawEdges("legs", view, 1, look.legAlpha);
    if (look.showPoints && look.pointsBelow) this.drawPoints(view);
    this.drawEdges(look.path, view, look.edgeWidth, look.edgeAlpha);
    if (look.showPoints && !look.pointsBelow) this.drawPoints(view);
    this.drawEdges("chosen", view, Math.max(2.6, look.edgeWidth * 1.6), 1);
  }

  drawEdges(name, view, wide, alpha) {
    const layer = this.layers[name];
    if (!layer || layer.count === 0) return;
    const { gl, edges } = this;
    gl.useProgram(edges.program);
    this.place(edges, view);
    gl.uniform1f(edges.uniforms.alpha, alpha);
    const ranges = visibleRanges(layer, view.box);
    const count = ranges.reduce((sum, [begin, end]) => sum + end - begin, 0);
    const asLines = count > MOST_WIDE && name !== "chosen";
    gl.uniform1f(edges.uniforms.width, asLines ? 1 : wide * view.ratio);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    attribute(gl, edges.attributes.corner, 2, gl.FLOAT, false, 8, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, layer.store);
    for (const [begin, end] of ranges) {
      const at = begin * EDGE_BYTES;
      attribute(gl, edges.attributes.from, 2, gl.FLOAT, false, EDGE_BYTES, at, 1);
      attribute(gl, edges.attributes.to, 2, gl.FLOAT, false, EDGE_BYTES, at + 8, 1);
      attribute(gl, edges.attributes.colour, 4, gl.UNSIGNED_BYTE, true, EDGE_BYTES, at + 16, 1);
      gl.drawArraysInstanced(asLines ? gl.LINES : gl.TRIANGLE_STRIP, 0, asLines ? 2 : 4, end - begin);
    }
  }

  drawPoints(view) {
    if (!this.points) return;
    const { gl, dots } = this;
    gl.useProgram(dots.program);
    this.place(dots, view);
    gl.uniform1f(dots.uniforms.width, view.pointSize * view.ratio);
    gl.uniform4fv(dots.uniforms.ink, view.pointInk);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points.store);
    attribute(gl, dots.attributes.at, 2, gl.FLOAT, false, 8 * view.pointStep, 0, 0);
    gl.drawArrays(gl.POINTS, 0, Math.floor(this.points.count / view.pointStep));
  }

  place({ uniforms }, view) {
    this.gl.uniform2f(uniforms.centre, view.camera.x, view.camera.y);
    this.gl.uniform1f(uniforms.scale, view.scale);
    this.gl.uniform2fv(uniforms.size, view.size);
  }

  // Tells, when all that was drawn is there, how many milliseconds it took. Does not wait for it.
  time(tell) {
    const { gl } = this;
    const began = performance.now();
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = () => {
      if (gl.clientWaitSync(sync, 0, 0) === gl.TIMEOUT_EXPIRED) {
        setTimeout(look, 2);
        return;
      }
      gl.deleteSync(sync);
      tell(performance.now() - began);
    };
    setTimeout(look, 1);
  }

  dispose() {
    this.gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function program(gl, vertex, fragment, names) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const uniforms = {};
  for (const name of ["centre", "scale", "size", "width", "alpha", "ink"]) {
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  const attributes = Object.fromEntries(names.map((name) => [name, gl.getAttribLocation(made, name)]));
  return { program: made, uniforms, attributes };
}

function filled(gl, data) {
  const store = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, store);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  return store;
}

function attribute(gl, place, size, kind, normalised, stride, offset, divisor) {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, kind, normalised, stride, offset);
  gl.vertexAttribDivisor(place, divisor);
}
