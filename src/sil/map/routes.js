// Draws routes on a canvas that can be moved and zoomed. It depends on nothing else on the page.
//
// plan: {x, y: places of all nodes, y to the north; routes: lists of nodes; depot: whether node 0 is
// one; names: of the nodes, or null; aboutRoutes: a line of text about each route}.
"use strict";

// Neighbouring numbers get very different colours.
function routeColour(route) {
  return `hsl(${(route * 137.508) % 360} 70% ${42 + 12 * (route % 3)}%)`;
}

// Calls onHover(stop or null, x, y) when the pointer moves, and onSelect(route or null).
function drawRoutes(canvas, plan, onHover = () => {}, onSelect = () => {}) {
  const context = canvas.getContext("2d");
  const view = {scale: 1, left: 0, bottom: 0, width: 0, height: 0};
  const low = {x: Infinity, y: Infinity}, high = {x: -Infinity, y: -Infinity};
  for (let i = 0; i < plan.x.length; ++i) {
    low.x = Math.min(low.x, plan.x[i]), high.x = Math.max(high.x, plan.x[i]);
    low.y = Math.min(low.y, plan.y[i]), high.y = Math.max(high.y, plan.y[i]);
  }
  const routeOf = new Int32Array(plan.x.length).fill(-1), positionOf = new Int32Array(plan.x.length);
  plan.routes.forEach((route, r) => route.forEach((node, i) => {
    routeOf[node] = r;
    positionOf[node] = i + 1;
  }));
  let selected = null, waiting = false, dragged = null;
  const pointers = new Map();

  const toX = (x) => (x - view.left) * view.scale;
  const toY = (y) => view.height - (y - view.bottom) * view.scale;

  function fit() {
    const margin = 24, width = high.x - low.x || 1, height = high.y - low.y || 1;
    view.scale = Math.max(1e-9, Math.min((view.width - 2 * margin) / width,
                                         (view.height - 2 * margin) / height));
    view.left = (low.x + high.x) / 2 - view.width / 2 / view.scale;
    view.bottom = (low.y + high.y) / 2 - view.height / 2 / view.scale;
  }

  function trace(nodes) {
    nodes.forEach((node, i) => {
      if (i === 0) context.moveTo(toX(plan.x[node]), toY(plan.y[node]));
      else context.lineTo(toX(plan.x[node]), toY(plan.y[node]));
    });
  }

  function drawRoute(route, alpha, width) {
    const nodes = plan.routes[route];
    if (nodes.length === 0) return;
    context.strokeStyle = routeColour(route);
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.beginPath();
    trace(plan.depot ? nodes : [...nodes, nodes[0]]);
    context.stroke();
    if (!plan.depot) return;
    // Legs to the depot would cover the map if they were as strong.
    context.globalAlpha = alpha * (route === selected ? 0.8 : Math.max(0.06, Math.min(0.5, 15 / plan.routes.length)));
    context.lineWidth = 1;
    context.beginPath();
    trace([0, nodes[0]]);
    trace([0, nodes[nodes.length - 1]]);
    context.stroke();
  }

  function drawStops(nodes, radius) {
    context.globalAlpha = 1;
    for (const node of nodes) {
      const x = toX(plan.x[node]), y = toY(plan.y[node]);
      if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
      context.fillStyle = routeColour(routeOf[node]);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
  }

  function draw() {
    waiting = false;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    const dim = selected === null ? 1 : 0.15;
    plan.routes.forEach((_, route) => route !== selected && drawRoute(route, dim, 1.5));
    const apart = Math.sqrt((high.x - low.x + 1) * (high.y - low.y + 1) / plan.x.length) * view.scale;
    if (selected !== null) {
      drawRoute(selected, 1, 3);
      drawStops(plan.routes[selected], 4);
    } else if (apart > 8) {
      plan.routes.forEach((route) => drawStops(route, Math.min(4, apart / 6)));
    }
    if (plan.depot) {
      context.globalAlpha = 1;
      context.fillStyle = "black";
      context.strokeStyle = "white";
      context.lineWidth = 2;
      const x = toX(plan.x[0]), y = toY(plan.y[0]);
      context.fillRect(x - 6, y - 6, 12, 12);
      context.strokeRect(x - 6, y - 6, 12, 12);
    }
  }

  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  }

  function nodeAt(x, y) {
    let best = -1, least = 12 ** 2;
    for (let node = 0; node < plan.x.length; ++node) {
      const away = (toX(plan.x[node]) - x) ** 2 + (toY(plan.y[node]) - y) ** 2;
      if (away < least) least = away, best = node;
    }
    return best;
  }

  function describe(node) {
    const name = plan.names === null ? String(node) : plan.names[node];
    if (routeOf[node] < 0) return {node, route: null, text: name};
    const route = routeOf[node];
    const text = `${name}\nstop ${positionOf[node]} of route ${route + 1}: ${plan.aboutRoutes[route]}`;
    return {node, route, text};
  }

  function select(route) {
    selected = route === selected ? null : route;
    onSelect(selected);
    redraw();
  }

  function zoom(factor, x, y) {
    const before = {x: view.left + x / view.scale, y: view.bottom + (view.height - y) / view.scale};
    view.scale *= factor;
    view.left = before.x - x / view.scale;
    view.bottom = before.y - (view.height - y) / view.scale;
    redraw();
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 500), event.offsetX, event.offsetY);
  }, {passive: false});
  canvas.addEventListener("dblclick", () => (fit(), redraw()));
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    dragged = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const x = event.offsetX, y = event.offsetY, last = pointers.get(event.pointerId);
    if (last === undefined) {
      const node = nodeAt(x, y);
      onHover(node < 0 ? null : describe(node), x, y);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length > 0) { // two fingers: zoom around the other one
      const far = (at) => Math.hypot(at.x - others[0].x, at.y - others[0].y) || 1;
      zoom(far({x, y}) / far(last), others[0].x, others[0].y);
    } else {
      view.left -= (x - last.x) / view.scale;
      view.bottom += (y - last.y) / view.scale;
    }
    dragged += Math.abs(x - last.x) + Math.abs(y - last.y);
    pointers.set(event.pointerId, {x, y});
    redraw();
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (event.type !== "pointerup" || dragged > 4) return;
    const node = nodeAt(event.offsetX, event.offsetY);
    select(node < 0 || routeOf[node] < 0 ? selected : routeOf[node]);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => onHover(null, 0, 0));

  function resize() {
    const first = view.width === 0, ratio = window.devicePixelRatio || 1;
    view.width = canvas.clientWidth;
    view.height = canvas.clientHeight;
    canvas.width = view.width * ratio;
    canvas.height = view.height * ratio;
    if (first) fit();
    redraw();
  }
  new ResizeObserver(resize).observe(canvas);
  resize();
  return {select, fit: () => (fit(), redraw())};
}
