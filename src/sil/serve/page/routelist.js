// A list of routes that can be sorted; only the rows that are seen exist.

import { css } from "./colours.js";
import { h } from "./dom.js";
import { cost, count } from "./format.js";

const ROW = 32;
const COLUMNS = [
  ["Route", (routes, r) => r],
  ["Stops", (routes, r) => routes.starts[r + 1] - routes.starts[r]],
  ["Load", (routes, r) => routes.loads[r]],
  ["Length", (routes, r) => routes.lengths[r]],
];

export class RouteList {
  constructor(onPick, onShow) {
    this.onPick = onPick;
    this.onShow = onShow;
    this.column = 3;
    this.descending = true;
    this.chosen = -1;
    this.order = [];
    this.heads = COLUMNS.map(([name], index) =>
      h("button", { type: "button", onclick: () => this.sortBy(index) }, name));
    // Rows are made anew while a pointer is down on them, so the place tells which one is meant.
    const at = (event) => this.order[Math.floor((event.clientY - this.rows.getBoundingClientRect().top) / ROW)] ?? -1;
    this.rows = h("div", {
      onclick: (event) => this.onPick(at(event) === this.chosen ? -1 : at(event)),
      ondblclick: (event) => at(event) >= 0 && this.onShow(at(event)),
    });
    this.list = h("div", {
      className: "list", tabIndex: 0, role: "listbox", "aria-label": "Routes",
      onscroll: () => this.draw(), onkeydown: (event) => this.press(event),
    }, this.rows);
    this.rows.style.position = "relative";
    this.element = h("div", { className: "routes" }, h("div", { className: "head" }, this.heads), this.list);
  }

  show(routes, colours) {
    this.routes = routes;
    this.colours = colours;
    this.chosen = -1;
    this.sort();
  }

  sortBy(column) {
    this.descending = column === this.column ? !this.descending : column > 0;
    this.column = column;
    this.sort();
  }

  sort() {
    const value = COLUMNS[this.column][1];
    const sign = this.descending ? -1 : 1;
    const keys = Float64Array.from({ length: this.routes.count }, (_, route) => value(this.routes, route));
    this.order = Array.from(keys.keys()).sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    this.heads.forEach((head, index) => {
      if (index === this.column) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      head.textContent = COLUMNS[index][0] + (index === this.column ? (this.descending ? " ↓" : " ↑") : "");
    });
    this.rows.style.height = `${ROW * this.order.length}px`;
    this.list.style.height = `${Math.min(288, ROW * this.order.length)}px`;
    this.draw();
  }

  choose(route) {
    this.chosen = route;
    const place = this.order.indexOf(route);
    if (place >= 0) {
      const { scrollTop, clientHeight } = this.list;
      if (ROW * place < scrollTop) this.list.scrollTop = ROW * place;
      if (ROW * (place + 1) > scrollTop + clientHeight) this.list.scrollTop = ROW * (place + 1) - clientHeight;
    }
    this.draw();
  }

  press(event) {
    const place = this.order.indexOf(this.chosen);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: this.order.length - 1 }[event.key];
    if (event.key === "Enter" && place >= 0) this.onShow(this.chosen);
    else if (event.key === "Escape") this.onPick(-1);
    else if (next === undefined || next < 0 || next >= this.order.length) return;
    else this.onPick(this.order[next]);
    event.preventDefault();
  }

  draw() {
    if (!this.routes) return;
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 3);
    const last = Math.min(this.order.length, first + Math.ceil((this.list.clientHeight || 288) / ROW) + 7);
    this.rows.replaceChildren(...this.order.slice(first, last).map((route, index) => this.row(route, first + index)));
  }

  row(route, place) {
    const swatch = h("i", { className: "swatch" });
    if (this.colours) swatch.style.background = css(this.colours, route);
    const row = h(
      "div",
      { className: "item", role: "option", "aria-selected": String(route === this.chosen) },
      h("span", {}, swatch, String(route + 1)),
      h("span", {}, count(COLUMNS[1][1](this.routes, route))),
      h("span", {}, count(this.routes.loads[route])),
      h("span", {}, cost(this.routes.lengths[route])),
    );
    row.style.top = `${ROW * place}px`;
    return row;
  }
}
