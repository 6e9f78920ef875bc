// One job: its map, its curve, its figures and its routes.

import { bytes, call, download, submit } from "./api.js";
import { css } from "./colours.js";
import { Curve } from "./curve.js";
import { h, notify } from "./dom.js";
import { STATES, cost, count, gain, seconds, what } from "./format.js";
import { Live } from "./live.js";
import { RouteMap } from "./map.js";
import { RouteList } from "./routelist.js";

const FORMATS = {
  sol: ["CVRPLIB", "Routes as text"],
  tour: ["TSPLIB", "Tour as text"],
  csv: ["CSV", "For spreadsheets"],
  geojson: ["GeoJSON", "For maps"],
  json: ["JSON", "For programs"],
  npz: ["NumPy", "Arrays"],
  vroom: ["VROOM", "VROOM's answer"],
};

export async function show(view, settings, id) {
  const map = new RouteMap("Map of the routes", { describe, onPick: pick });
  map.setTiles(settings.tiles);
  map.caption.textContent = "Loading…";
  const curve = new Curve();
  const list = new RouteList(pick, (route) => map.showRoute(route));
  const part = parts();
  const panel = h("section", { className: "panel", "aria-label": "The job" },
    h("div", { className: "title" }, part.name, part.what), part.words,
    h("div", { className: "cost" }, part.cost, part.gain, part.patience),
    h("div", { className: "status" }, h("div", {}, part.state, part.left), h("div", { className: "meter" }, part.meter)),
    part.actions, curve.element, part.facts, part.shares,
    h("div", { className: "stack tight", hidden: true }, h("h2", {}, "Routes"), list.element));
  const routesPart = panel.lastChild;
  view.replaceChildren(h("div", { className: "split" }, map.element, panel));

  let routes = null;
  let picked = -1; // a customer of the chosen route
  const live = new Live(id, {
    change: (job) => update(job),
    points: (points) => {
      map.caption.textContent = "";
      map.setPoints(points);
    },
    routes: (found) => {
      routes = found;
      map.setRoutes(found);
      showRoutes();
    },
    lost: (error) => notify(error ? `${error.message} Trying again…` : ""),
    fail: (error) => {
      view.replaceChildren(h("div", { className: "page" }, h("div", { className: "empty" },
        h("h1", {}, "This job cannot be shown"), h("p", {}, error.message), h("a", { className: "button", href: "#/" }, "New job"))));
    },
  });
  const clock = setInterval(() => live.job && tick(live.job), 200);

  function showRoutes() {
    routesPart.hidden = !map.points.hasDepot;
    if (routesPart.hidden) return;
    list.show(routes, map.edges?.colours);
    if (picked >= 0) pick(routeWith(routes, picked)); // routes have other numbers now
  }

  function pick(route) {
    picked = route >= 0 ? routes.nodes[routes.starts[route]] : -1;
    map.choose(route);
    if (!routesPart.hidden) list.choose(route);
  }

  function describe(node, route) {
    if (route < 0 || !map.points.hasDepot) return node === 0 && map.points.hasDepot ? [h("b", {}, "Depot")] : [h("b", {}, `Place ${node}`)];
    const swatch = h("i", { className: "swatch" });
    swatch.style.background = css(map.edges.colours, route);
    const stops = routes.starts[route + 1] - routes.starts[route];
    return [h("b", {}, swatch, `Route ${route + 1}`),
      h("div", {}, `${count(stops)} stops · load ${count(routes.loads[route])}`), h("div", {}, `length ${cost(routes.lengths[route])}`),
      h("div", {}, `here: customer ${node}`)];
  }

  function update(job) {
    document.title = `${job.name} – sil`;
    part.name.textContent = job.name;
    part.what.textContent = what(job);
    part.words.hidden = !job.message;
    part.words.textContent = job.message;
    part.cost.textContent = cost(job.cost);
    const gained = gain(job.start_cost, job.cost);
    part.gain.textContent = gained && `${gained} since the start`;
    part.patience.hidden = job.state !== "running" || Boolean(gained) || job.cost === null;
    if (part.state.dataset.state !== job.state) part.state.textContent = STATES[job.state];
    part.state.dataset.state = job.state;
    part.start.textContent = cost(job.start_cost);
    part.rounds.textContent = count(job.rounds);
    part.method.textContent = job.method;
    const runs = ["queued", "running"].includes(job.state);
    part.stop.hidden = !runs;
    part.again.hidden = part.remove.hidden = runs;
    part.stop.disabled = Boolean(part.stopped);
    part.downloads.hidden = job.cost === null || job.cost === undefined;
    if (!part.formats.childElementCount) part.formats.append(...Object.entries(FORMATS)
      .filter(([format]) => format !== { TSP: "sol", CVRP: "tour" }[job.kind] && (format !== "vroom" || job.is_vroom))
      .map(([format, [name, purpose]]) => h("button", { type: "button", onclick: () => fetchAs(format) }, name, h("small", {}, purpose))));
    showShares(part.shares, job);
    tick(job);
  }

  function tick(job) {
    const elapsed = live.elapsed;
    const isRunning = job.state === "running";
    part.left.textContent = isRunning
      ? job.elapsed || live.seen ? `${seconds(Math.max(0, job.max_runtime - elapsed))} left` : "starting…"
      : job.state === "queued"
        ? job.place ? `place ${job.place} in the queue` : "in the queue"
        : `after ${seconds(job.elapsed)}`;
    part.meter.style.transform = `scaleX(${job.state === "queued" ? 0 : isRunning ? elapsed / job.max_runtime : 1})`;
    const until = isRunning ? job.max_runtime : Math.max(job.elapsed, 0.5);
    curve.show([{ points: live.history, colour: "--accent", until: elapsed }], until);
  }

  async function fetchAs(format) {
    part.downloads.open = false;
    await attempt(() => download(id, format, live.job.name));
  }

  async function attempt(act) {
    try {
      notify("");
      return await act();
    } catch (error) {
      notify(error.message);
      return null;
    }
  }

  function parts() {
    const stop = h("button", { type: "button", className: "primary", onclick: async () => {
      part.stopped = true;
      stop.disabled = true;
      stop.textContent = "Stopping…";
      await attempt(() => call(`/jobs/${id}/cancel`, { method: "POST" }));
    } }, "Stop and keep");
    const formats = h("div");
    const downloads = h("details", { className: "menu" }, h("summary", { className: "button" }, "Download"), formats);
    const again = h("details", { className: "menu" }, h("summary", { className: "button" }, "Run again"),
      h("div", {}, settings.methods.map((method) => h("button", { type: "button", onclick: () => runAgain(method) }, `with ${method}`, h("small", {}, "then compare")))));
    const remove = h("button", { type: "button", className: "quiet danger", onclick: async () => {
      if (!confirm("Delete this job and its solution?")) return;
      if (await attempt(() => call(`/jobs/${id}`, { method: "DELETE" }))) location.hash = "#/history";
    } }, "Delete");
    const [start, rounds, method] = [h("dd"), h("dd"), h("dd")];
    return {
      name: h("h1"), what: h("p"), words: h("p", { className: "words", role: "alert", hidden: true }),
      cost: h("strong"), gain: h("span", { className: "gain" }),
      patience: h("span", { className: "hint", hidden: true }, "The search takes risks at first. Its gains come later in the time."), state: h("span", { className: "pill", role: "status" }), left: h("span"),
      meter: h("i"), stop, again, remove, downloads, formats, start, rounds, method,
      actions: h("div", { className: "actions" }, stop, downloads, again, remove),
      facts: h("dl", { className: "facts" }, h("div", {}, h("dt", {}, "At the start"), start), h("div", {}, h("dt", {}, "Rounds"), rounds), h("div", {}, h("dt", {}, "Method"), method)),
      shares: h("div", { className: "shares", hidden: true }),
    };
  }

  async function runAgain(method) {
    const accepted = await attempt(async () => {
      const file = new File([await bytes(`/jobs/${id}/problem`)], `${live.job.name}.npz`);
      return submit(file, { method, max_runtime: live.job.max_runtime, seed: live.job.seed });
    });
    if (accepted) location.hash = `#/compare/${id}/${accepted.id}`;
  }

  const recolour = () => {
    map.recolour();
    if (routes) showRoutes();
  };
  document.addEventListener("themechange", recolour);
  return () => {
    clearInterval(clock);
    document.removeEventListener("themechange", recolour);
    live.close();
    map.dispose();
    curve.dispose();
  };
}

function routeWith(routes, node) {
  const place = routes.nodes.indexOf(node);
  let [low, high] = [0, routes.count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (routes.starts[middle] <= place) low = middle;
    else high = middle;
  }
  return place < 0 ? -1 : low;
}

function showShares(element, job) {
  const total = job.shares.reduce((sum, share) => sum + share.seconds, 0);
  element.hidden = !total;
  if (!total) return;
  element.replaceChildren(h("h2", {}, "Share of each method"), h("div", { className: "meter" }, job.shares.map((share) => {
    const bar = h("i");
    bar.style.width = `${(100 * share.seconds) / total}%`;
    return bar;
  })), ...job.shares.map((share) => h("p", {},
    `${share.name}: ${Math.round((100 * share.seconds) / total)} % of the time, ${count(share.rounds)} rounds, gained ${cost(share.gain)}`)));
}
