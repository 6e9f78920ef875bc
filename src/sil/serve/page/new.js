// A new job: where the problem comes from, how long and how to solve it.

import { json, submit } from "./api.js";
import { h, segments } from "./dom.js";
import { ago, count, gain, seconds } from "./format.js";
import { RouteMap } from "./map.js";
import { hasDemand, preview, previewFile } from "./preview.js";
import { asJson, draw } from "./random.js";

const METHODS = {
  auto: "The best that was measured; today the search.",
  search: "Native search, region by region.",
  policy: "A learned policy rebuilds parts of the solution.",
  exact: "Puts short sequences of stops into their best order.",
  none: "Only a quick first solution.",
};
const SAMPLE = "x,y,demand\n50,50,0\n20,70,3\n80,30,2\n35,20,4\n70,80,1\n";

export async function show(view, settings) {
  const state = { source: "file", file: null, drawn: null, method: "auto", seconds: 30 };
  const map = new RouteMap("Map of the problem");
  const invite = h("div", { className: "invite" }, picture(),
    h("h1", {}, "Shorter routes, while you watch"),
    h("p", {}, "Drop a file of stops here, paste a table, or draw a random instance."));
  map.element.append(invite);
  const wrong = h("p", { className: "wrong", role: "alert", hidden: true });
  const start = h("button", { type: "submit", className: "primary wide", disabled: true }, "Start");
  const body = h("div", { className: "stack" });

  const say = (text) => {
    wrong.hidden = !text;
    wrong.textContent = text;
  };
  const showPoints = (points, caption = "") => {
    invite.hidden = Boolean(points) || Boolean(caption);
    map.caption.textContent = caption;
    if (points) map.setPoints(points);
    map.element.classList.toggle("blank", !points);
    map.canvas.hidden = !points;
    if (!points) map.depot.hidden = true;
  };
  const ready = (isReady) => (start.disabled = !isReady);
  const capacity = h("input", { type: "number", id: "capacity", min: 1, step: 1, placeholder: "e.g. 100" });
  const capacityField = h("div", { hidden: true }, h("label", { htmlFor: "capacity" }, "Vehicle capacity"), capacity);

  async function takeFile(file) {
    say("");
    state.file = file;
    sources.file.name.textContent = file.name;
    ready(true);
    const isTable = file.name.toLowerCase().endsWith(".csv");
    capacityField.hidden = !(isTable && hasDemand(await file.slice(0, 1000).text()));
    const points = await previewFile(file);
    showPoints(points, points ? `${count(points.size)} places in ${file.name}` : `${file.name}: shown once it has started`);
  }

  const sources = {
    file: fileSource(settings.endings, takeFile),
    paste: pasteSource(state, (text) => {
      const points = text.trim() ? preview(`${text}\n`, "csv") : null;
      capacityField.hidden = !hasDemand(text);
      ready(Boolean(text.trim()));
      say("");
      showPoints(points, points ? `${count(points.size)} places` : "");
    }),
    random: randomSource(settings, (kind, size, distribution) => {
      say("");
      state.drawn = draw(kind, size, distribution, Math.floor(1e6 * Math.random()));
      showPoints(state.drawn.points, `${count(size)} ${kind === "CVRP" ? "customers and a depot" : "places"}`);
      ready(true);
    }),
  };
  const choose = (source) => {
    state.source = source;
    say("");
    capacityField.hidden = true;
    body.replaceChildren(sources[source].element, capacityField);
    ready(false);
    showPoints(null);
    sources[source].begin();
  };

  const time = timeField(settings, state);
  const method = h("select", { id: "method", onchange: () => {
    state.method = method.value;
    about.textContent = METHODS[state.method] ?? "";
  } }, settings.methods.map((name) => h("option", { value: name }, name)));
  const about = h("p", { className: "hint" }, METHODS.auto);
  const form = h("form", { className: "panel", onsubmit: send, noValidate: true },
    h("div", { className: "stack" },
      segments("Where the problem comes from", [["file", "File"], ["paste", "Paste"], ["random", "Random"]], "file", choose),
      body),
    time,
    h("div", {}, h("label", { htmlFor: "method" }, "Method"), method, about),
    wrong, start, recent());

  async function send(event) {
    event.preventDefault();
    say("");
    const options = { max_runtime: state.seconds, method: state.method };
    if (!capacityField.hidden) {
      if (!capacity.value) {
        say("A table with demands needs the capacity of a vehicle.");
        capacity.focus();
        return;
      }
      options.capacity = capacity.value;
    }
    start.disabled = true;
    start.textContent = "Sending…";
    try {
      const problem = state.source === "file" ? state.file
        : state.source === "paste" ? new File([`${sources.paste.text().trim()}\n`], "pasted.csv")
          : asJson(state.drawn);
      const accepted = await submit(problem, options);
      location.hash = `#/job/${accepted.id}`;
    } catch (error) {
      say(error.message);
      start.disabled = false;
    }
    start.textContent = "Start";
  }

  watchDrops(map.element, (file) => {
    form.querySelector('[role="radio"]').click();
    takeFile(file);
  });
  view.replaceChildren(h("div", { className: "split" }, map.element, form));
  choose("file");
  return () => map.dispose();
}

// Two routes from a depot, as the invitation.
function picture() {
  const svg = (name, values, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const first = [[46, 20], [22, 10], [8, 34], [16, 64], [44, 70]];
  const second = [[100, 22], [122, 8], [140, 30], [130, 62], [104, 80], [86, 66]];
  const path = (stops) => svg("path", { d: `M74 46 ${stops.map((stop) => `L${stop.join(" ")}`).join(" ")} Z` });
  return svg("svg", { viewBox: "0 0 148 92", "aria-hidden": "true" }, path(first), path(second),
    ...[...first, ...second].map(([cx, cy]) => svg("circle", { cx, cy, r: 3.5 })), svg("rect", { x: 68, y: 40, width: 12, height: 12, rx: 3 }));
}

function fileSource(endings, onFile) {
  const name = h("b", {}, "Choose a file");
  const input = h("input", {
    type: "file", accept: endings.join(","), "aria-label": "Problem file",
    onchange: () => input.files[0] && onFile(input.files[0]),
  });
  const element = h("div", { className: "drop" }, name,
    h("span", { className: "hint" }, `or drop it: ${endings.join(", ")}`), input);
  watchDrops(element, onFile);
  return { element, name, begin: () => {
    input.value = "";
    name.textContent = "Choose a file";
  } };
}

function pasteSource(state, onText) {
  const text = h("textarea", { id: "table", placeholder: SAMPLE, spellcheck: false, oninput: () => onText(text.value) });
  const sample = h("button", { type: "button", className: "quiet", onclick: () => {
    text.value = SAMPLE;
    onText(SAMPLE);
  } }, "Insert an example");
  const element = h("div", {}, h("label", { htmlFor: "table" }, "Table with columns x, y and, for vehicles, demand"), text,
    h("div", { className: "row" }, h("p", { className: "hint" }, "The first row is the depot."), sample));
  return { element, text: () => text.value, begin: () => onText(text.value) };
}

function randomSource(settings, onDraw) {
  let kind = "CVRP";
  let distribution = "uniform";
  const size = h("input", { type: "number", id: "size", min: 3, max: settings.max_nodes - 1, value: 2000, oninput: () => again() });
  const again = () => {
    const wanted = Math.round(Number(size.value));
    if (wanted >= 3 && wanted < settings.max_nodes) onDraw(kind, wanted, distribution);
  };
  const element = h("div", { className: "stack" },
    segments("Kind", [["CVRP", "Vehicles from a depot"], ["TSP", "One tour"]], kind, (value) => { kind = value; again(); }),
    h("div", { className: "pair" },
      h("div", {}, h("label", { htmlFor: "size" }, "Places"), size),
      h("div", {}, h("label", { htmlFor: "spread" }, "Spread"), h("select", { id: "spread", onchange: (event) => { distribution = event.target.value; again(); } },
        h("option", { value: "uniform" }, "even"), h("option", { value: "clustered" }, "in clusters")))),
    h("div", { className: "row" }, [1000, 10000, 100000].filter((each) => each < settings.max_nodes).map((each) =>
      h("button", { type: "button", className: "quiet", onclick: () => { size.value = each; again(); } }, count(each)))));
  return { element, begin: again };
}

function timeField(settings, state) {
  const [least, most] = [Math.log(2), Math.log(settings.max_runtime)];
  const nice = (value) => Number(Math.exp(value).toPrecision(value < Math.log(100) ? 1 : 2));
  const output = h("output", { htmlFor: "time" });
  const input = h("input", { type: "range", id: "time", min: 0, max: 1, step: 0.01, oninput: () => set() });
  const set = () => {
    state.seconds = Math.min(settings.max_runtime, nice(least + Number(input.value) * (most - least)));
    output.textContent = seconds(state.seconds);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.value = (Math.log(Math.min(state.seconds, settings.max_runtime)) - least) / (most - least);
  set();
  return h("div", {}, h("div", { className: "slider" }, h("label", { htmlFor: "time" }, "Time"), output), input);
}

function recent() {
  const list = h("div", { className: "recent" });
  const element = h("div", { className: "stack tight", hidden: true }, h("h2", {}, "Recent jobs"), list);
  json("/jobs?limit=4").then(({ jobs }) => {
    element.hidden = jobs.length === 0;
    list.append(...jobs.map((job) => h("a", { href: `#/job/${job.id}` },
      h("span", {}, job.name), h("span", { className: "hint" }, [gain(job.start_cost, job.cost), ago(job.created)].filter(Boolean).join(" · ")))));
  }).catch(() => {});
  return element;
}

function watchDrops(element, onFile) {
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    if (event.dataTransfer.files[0]) onFile(event.dataTransfer.files[0]);
  });
}
