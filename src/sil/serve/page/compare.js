// Two jobs side by side: maps that move together, and both curves in one picture.

import { Curve } from "./curve.js";
import { h, notify } from "./dom.js";
import { STATES, cost, count, gain, seconds } from "./format.js";
import { Live } from "./live.js";
import { RouteMap } from "./map.js";

const COLOURS = ["--accent", "--second"];

export async function show(view, settings, ...ids) {
  document.title = "Compare – sil";
  const curve = new Curve();
  const sides = ids.slice(0, 2).map((id, index) => side(id, index));
  const verdict = h("p", { className: "hint", role: "status" });
  view.replaceChildren(h("div", { className: "compare" },
    h("div", { className: "maps" }, sides.map((each) => each.map.element)),
    h("div", { className: "below" }, sides.map((each) => each.element), h("div", { className: "stack tight" }, h("h2", {}, "Cost against time"), curve.element, verdict))));

  function side(id, index) {
    const part = { name: h("h1"), cost: h("strong"), gain: h("span", { className: "gain" }), state: h("span", { className: "pill" }), facts: h("p", { className: "hint" }) };
    const link = h("a", { href: `#/job/${id}` }, part.name);
    const element = h("section", { className: "side stack tight" }, h("div", { className: "key" }, h("i"), part.state),
      h("div", { className: "title" }, link), h("div", { className: "cost" }, part.cost, part.gain), part.facts);
    const map = new RouteMap(`Map of job ${index + 1}`, {
      onMove: (camera) => {
        const other = sides[1 - index]?.map;
        if (other?.points) other.lookLike(camera);
      },
    });
    map.setTiles(settings.tiles);
    const live = new Live(id, {
      change: (job) => {
        part.name.textContent = job.name;
        part.cost.textContent = cost(job.cost);
        part.gain.textContent = gain(job.start_cost, job.cost);
        part.state.textContent = STATES[job.state];
        part.state.dataset.state = job.state;
        part.facts.textContent = `${job.method} · ${count(job.rounds)} rounds · ${job.kind === "CVRP" ? `${count(job.routes)} routes · ` : ""}${seconds(job.elapsed)} of ${seconds(job.max_runtime)}${job.message ? ` · ${job.message}` : ""}`;
        map.caption.textContent = job.method;
        draw();
      },
      points: (points) => map.setPoints(points),
      routes: (routes) => map.setRoutes(routes),
      lost: (error) => notify(error ? `${error.message} Trying again…` : ""),
      fail: (error) => notify(error.message),
    });
    return { element, map, live };
  }

  function draw() {
    if (sides.some((each) => !each.live.job)) return;
    const until = Math.max(...sides.map(({ live }) => (live.job.state === "running" ? live.job.max_runtime : live.job.elapsed)), 1);
    curve.show(sides.map(({ live }, index) => ({ points: live.history, colour: COLOURS[index], until: live.elapsed })), until);
    const [a, b] = sides.map(({ live }) => live.job);
    const comparable = a.nodes === b.nodes && a.kind === b.kind && a.cost && b.cost;
    verdict.textContent = !comparable ? ""
      : a.cost === b.cost ? "Both cost the same."
        : `${a.cost < b.cost ? a.method : b.method} is ${((100 * Math.abs(a.cost - b.cost)) / Math.max(a.cost, b.cost)).toFixed(2)} % shorter.`;
  }

  const clock = setInterval(() => sides.some(({ live }) => live.job?.state === "running") && draw(), 250);
  const recolour = () => sides.forEach(({ map }) => map.recolour());
  document.addEventListener("themechange", recolour);
  return () => {
    clearInterval(clock);
    document.removeEventListener("themechange", recolour);
    curve.dispose();
    for (const { live, map } of sides) {
      live.close();
      map.dispose();
    }
  };
}
