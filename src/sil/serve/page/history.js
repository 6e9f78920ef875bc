// All jobs, the newest first; two of them can be compared.

import { json } from "./api.js";
import { h } from "./dom.js";
import { STATES, ago, cost, gain, seconds, what } from "./format.js";

export async function show(view) {
  document.title = "History – sil";
  const chosen = new Set();
  const rows = h("tbody");
  const compare = h("button", { type: "button", className: "primary", disabled: true, onclick: () => {
    location.hash = `#/compare/${[...chosen].join("/")}`;
  } }, "Compare two");
  const older = h("button", { type: "button", hidden: true }, "Show older jobs");
  const table = h("table", { className: "table" },
    h("thead", {}, h("tr", {}, h("th", { className: "text" }, h("span", { className: "hint" }, "Pick")), h("th", { className: "text" }, "Job"),
      h("th", { className: "text" }, "State"), h("th", { className: "spare" }, "Method"), h("th", {}, "Cost"), h("th", {}, "Gain"), h("th", { className: "spare" }, "Time"), h("th", { className: "spare" }, "Submitted"))),
    rows);
  const empty = h("div", { className: "empty", hidden: true }, h("p", {}, "No jobs yet. What you solve appears here."), h("a", { className: "button", href: "#/" }, "New job"));
  const sheet = h("div", { className: "sheet" }, table);
  view.replaceChildren(h("div", { className: "page" }, h("div", { className: "top" }, h("h1", {}, "History"), compare), sheet, empty, older));

  const toggle = (id, box) => {
    if (box.checked) chosen.add(id);
    else chosen.delete(id);
    compare.disabled = chosen.size !== 2;
  };

  async function load(before) {
    const page = await json(`/jobs?limit=50${before ? `&before=${before}` : ""}`);
    rows.append(...page.jobs.map((job) => row(job, toggle)));
    const none = rows.childElementCount === 0;
    empty.hidden = !none;
    sheet.hidden = compare.hidden = none;
    older.hidden = !page.next;
    older.onclick = () => load(page.next);
  }
  await load();
  return () => {};
}

function row(job, toggle) {
  const box = h("input", { type: "checkbox", "aria-label": `Compare ${job.name}`, onchange: () => toggle(job.id, box) });
  return h("tr", {},
    h("td", {}, box),
    h("td", { className: "text" }, h("a", { href: `#/job/${job.id}` }, job.name), h("div", { className: "hint" }, what(job))),
    h("td", { className: "text" }, h("span", { className: "pill", "data-state": job.state }, STATES[job.state])),
    h("td", { className: "spare" }, job.method),
    h("td", {}, cost(job.cost)),
    h("td", {}, h("span", { className: "gain" }, gain(job.start_cost, job.cost))),
    h("td", { className: "spare" }, job.elapsed ? seconds(job.elapsed) : "–"),
    h("td", { className: "spare" }, ago(job.created)));
}
