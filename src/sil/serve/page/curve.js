// Cost against time.

import { variable } from "./colours.js";
import { h } from "./dom.js";
import { cost, seconds } from "./format.js";

const LEFT = 8;
const BELOW = 22;
const ABOVE = 20;
const RIGHT = 66;

export class Curve {
  constructor() {
    this.canvas = h("canvas", { role: "img", "aria-label": "Cost against time" });
    this.at = h("div", { className: "at" });
    this.element = h("div", { className: "curve" }, this.canvas, this.at);
    this.series = [];
    this.until = 1;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
    this.canvas.addEventListener("pointermove", (event) => {
      this.pointer = event.offsetX;
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.draw();
    });
  }

  // series: [{ points: [[time, cost], ...], colour: "--accent" }]
  show(series, until) {
    this.series = series.filter((each) => each.points.length);
    this.until = Math.max(until, 0.5);
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = `12px ${getComputedStyle(this.element).fontFamily}`;
    const costs = this.series.flatMap((each) => each.points.map(([, value]) => value));
    const low = Math.min(...costs);
    const high = Math.max(...costs);
    const x = (time) => LEFT + (time / this.until) * (width - LEFT - RIGHT);
    const y = (value) => ABOVE + (high > low ? (high - value) / (high - low) : 0.5) * (height - ABOVE - BELOW - 6);
    const ticks = high > low ? [low, (low + high) / 2, high] : costs.slice(0, 1);
    this.grid(context, width, height, x, y, ticks);
    for (const each of this.series) this.line(context, each, x, y, height);
    this.readout(context, x, y, height);
  }

  grid(context, width, height, x, y, ticks) {
    const ink = variable("--faint");
    context.strokeStyle = variable("--line");
    context.fillStyle = ink;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    for (const value of ticks) {
      context.beginPath();
      context.moveTo(LEFT, Math.round(y(value)) + 0.5);
      context.lineTo(width - RIGHT, Math.round(y(value)) + 0.5);
      context.stroke();
      context.fillText(cost(value), width - RIGHT + 8, y(value));
    }
    context.textBaseline = "alphabetic";
    const step = niceStep(this.until / 4);
    for (let time = 0; time <= this.until * 1.0001; time += step) {
      context.textAlign = time === 0 ? "left" : "center";
      context.fillText(time ? label(time, step) : "0", x(time), height - 5);
    }
    context.textAlign = "left";
  }

  line(context, each, x, y, height) {
    const colour = variable(each.colour);
    const { points } = each;
    const end = Math.max(points[points.length - 1][0], each.until ?? 0);
    context.beginPath();
    context.moveTo(x(points[0][0]), y(points[0][1]));
    for (let i = 1; i < points.length; i++) {
      context.lineTo(x(points[i][0]), y(points[i - 1][1]));
      context.lineTo(x(points[i][0]), y(points[i][1]));
    }
    const last = points[points.length - 1][1];
    context.lineTo(x(end), y(last));
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.stroke();
    if (this.series.length === 1) {
      context.lineTo(x(end), height - BELOW);
      context.lineTo(x(points[0][0]), height - BELOW);
      context.closePath();
      context.globalAlpha = 0.09;
      context.fillStyle = colour;
      context.fill();
      context.globalAlpha = 1;
    }
    context.beginPath();
    context.arc(x(end), y(last), 3.5, 0, 7);
    context.fillStyle = colour;
    context.fill();
  }

  readout(context, x, y, height) {
    this.at.textContent = "";
    if (this.pointer === null || this.pointer === undefined || !this.series.length) return;
    const time = ((this.pointer - LEFT) / (x(this.until) - LEFT)) * this.until;
    if (time < 0 || time > this.until) return;
    context.strokeStyle = variable("--strong-line");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(this.pointer, ABOVE - 6);
    context.lineTo(this.pointer, height - BELOW);
    context.stroke();
    const values = this.series.map(({ points }) => {
      let found = null;
      for (const [when, value] of points) if (when <= time) found = value;
      return found;
    });
    this.at.textContent = `${seconds(time)}: ${values.map(cost).join(" · ")}`;
  }

  dispose() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }
}

function niceStep(rough) {
  for (const step of [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600]) {
    if (step >= rough * 0.8) return step;
  }
  return 3600 * Math.ceil(rough / 3600);
}

function label(time, step) {
  if (step >= 60) return `${Math.round(time / 60)} min`;
  return step < 1 ? `${time.toFixed(1)} s` : `${Math.round(time)} s`;
}
