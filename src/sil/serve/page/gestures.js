// Pointer, wheel and keyboard on a map.

const STILL = 4; // pixels that a click may move

export function watchGestures(map) {
  const { element } = map;
  const pointers = new Map();
  let travelled = 0;
  let spread = 0;

  const place = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const isOutside = (event) => event.target.closest("button, a") !== null;

  element.addEventListener("pointerdown", (event) => {
    if (isOutside(event) || event.button > 0) return;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    travelled = pointers.size > 1 ? Infinity : 0;
    spread = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse" && !isOutside(event)) map.point(...now);
      return;
    }
    pointers.set(event.pointerId, now);
    if (pointers.size === 1) {
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      travelled += Math.abs(dx) + Math.abs(dy);
      if (travelled <= STILL) return;
      element.classList.add("dragging");
      map.tip.hidden = true;
      map.panBy(dx, dy);
      return;
    }
    const [a, b] = [...pointers.values()];
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const wide = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (spread) {
      map.panBy(middle[0] - spread.middle[0], middle[1] - spread.middle[1]);
      map.zoomBy(wide / spread.wide, ...middle);
    }
    spread = { middle, wide: Math.max(1, wide) };
  });
  const release = (event) => {
    const was = pointers.delete(event.pointerId);
    spread = 0;
    if (pointers.size === 0) element.classList.remove("dragging");
    if (!was || event.type === "pointercancel" || travelled > STILL) return;
    const at = place(event);
    map.pick(...at);
    if (event.pointerType !== "mouse") map.point(...at);
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("pointerleave", () => (map.tip.hidden = true));
  element.addEventListener("dblclick", (event) => isOutside(event) || map.zoomBy(2, ...place(event)));
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 18 : 1;
      map.tip.hidden = true;
      map.zoomBy(Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.0022), ...place(event));
    },
    { passive: false },
  );
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => map.panBy(60, 0),
      ArrowRight: () => map.panBy(-60, 0),
      ArrowUp: () => map.panBy(0, 60),
      ArrowDown: () => map.panBy(0, -60),
      "+": () => map.zoomBy(1.3),
      "=": () => map.zoomBy(1.3),
      "-": () => map.zoomBy(1 / 1.3),
      0: () => map.showAll(),
      Escape: () => map.tell.onPick?.(-1),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
}
