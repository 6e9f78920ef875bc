// A job as it changes: its figures from events, its routes as arrays, at most every second.

import { bytes, follow, json } from "./api.js";
import { readPoints, readRoutes } from "./binary.js";

const LEAST_PAUSE = 1000;

export class Live {
  // on: { change(job), points(points), routes(routes), lost(error or null), fail(error) }
  constructor(id, on) {
    this.id = id;
    this.on = on;
    this.history = []; // [elapsed, cost]
    this.stop = new AbortController();
    this.fetched = Infinity;
    this.pause = LEAST_PAUSE;
    this.run().catch((error) => this.stop.signal.aborted || on.fail(error));
  }

  async run() {
    this.job = await json(`/jobs/${this.id}`, { signal: this.stop.signal });
    this.on.change(this.job);
    const points = readPoints(await bytes(`/jobs/${this.id}/points`, { signal: this.stop.signal }));
    this.on.points(points);
    await follow(this.id, (kind, data) => this.take(kind, data), this.stop.signal);
  }

  take(kind, data) {
    if (kind === "lost") {
      this.on.lost(data);
      return;
    }
    this.on.lost(null);
    if (kind === "end" && data.id === undefined) {
      this.on.fail(new Error("This job was deleted."));
      return;
    }
    Object.assign(this.job, data);
    if (kind === "progress") {
      this.job.start_cost ??= data.cost;
      this.seen = performance.now();
      const last = this.history[this.history.length - 1];
      if (!last || data.cost < last[1]) this.history.push([data.elapsed, data.cost]);
    }
    if (kind === "state") this.refreshPlace();
    this.on.change(this.job);
    this.fetchSoon(kind === "end");
  }

  // The place in the queue is in no event, because it depends on others.
  async refreshPlace() {
    clearTimeout(this.asking);
    if (this.job.state !== "queued" || this.stop.signal.aborted) return;
    try {
      const now = await json(`/jobs/${this.id}`, { signal: this.stop.signal });
      if (this.job.state === "queued") this.on.change(Object.assign(this.job, { place: now.place }));
    } catch {
      // the stream of events says what is wrong
    }
    this.asking = setTimeout(() => this.refreshPlace(), 3000);
  }

  // Seconds worked on, also between events.
  get elapsed() {
    const since = this.job.state === "running" && this.seen ? (performance.now() - this.seen) / 1000 : 0;
    return Math.min(this.job.max_runtime, this.job.elapsed + since);
  }

  fetchSoon(isLast) {
    if (this.waiting && !isLast) return;
    clearTimeout(this.waiting);
    const passed = performance.now() - (this.asked ?? -Infinity);
    this.waiting = setTimeout(() => this.fetchRoutes(), isLast ? 0 : Math.max(0, this.pause - passed));
  }

  async fetchRoutes() {
    this.waiting = 0;
    const { cost } = this.job;
    if (cost === null || cost === undefined || cost >= this.fetched || this.fetching || this.stop.signal.aborted) return;
    if (document.hidden && this.job.state === "running") return;
    this.fetching = true;
    this.asked = performance.now();
    try {
      const routes = readRoutes(await bytes(`/jobs/${this.id}/solution?format=bin`, { signal: this.stop.signal }));
      this.fetched = routes.cost;
      const began = performance.now();
      this.on.routes(routes);
      this.pause = Math.max(LEAST_PAUSE, 8 * (performance.now() - began));
    } catch (error) {
      if (!this.stop.signal.aborted && error.status !== 409) this.on.lost(error);
    }
    this.fetching = false;
    if (this.job.cost < this.fetched * (1 - 1e-12)) this.fetchSoon(false);
  }

  close() {
    this.stop.abort();
    clearTimeout(this.waiting);
    clearTimeout(this.asking);
  }
}
