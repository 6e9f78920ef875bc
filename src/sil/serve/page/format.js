// Numbers and times for people.

const whole = new Intl.NumberFormat("en");

export function count(number) {
  return whole.format(number);
}

export function cost(value) {
  if (value === null || value === undefined) return "–";
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) >= 10000 ? 1 : Math.abs(value) >= 100 ? 2 : 3;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function seconds(value) {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 60) return `${Math.round(value)} s`;
  if (value < 3600) return `${Math.floor(value / 60)} min ${String(Math.round(value) % 60).padStart(2, "0")} s`;
  return `${Math.floor(value / 3600)} h ${String(Math.floor(value / 60) % 60).padStart(2, "0")} min`;
}

export function gain(start, now) {
  if (!start || now === null || now === undefined || now >= start) return "";
  return `−${(100 * (1 - now / start)).toFixed(2)} %`;
}

export function ago(time) {
  const passed = Math.max(0, Date.now() / 1000 - time);
  if (passed < 60) return "just now";
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86400) return `${Math.floor(passed / 3600)} h ago`;
  return new Date(time * 1000).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

export function what(job) {
  const places = job.kind === "CVRP" ? "customers" : "places";
  const routes = job.kind === "CVRP" && job.routes ? ` · ${count(job.routes)} routes` : "";
  return `${job.kind} · ${count(job.nodes)} ${places}${routes}`;
}

export const STATES = {
  queued: "Waiting",
  running: "Running",
  done: "Finished",
  cancelled: "Stopped",
  failed: "Failed",
};
