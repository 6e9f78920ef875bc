// The interface of the service, and its token.

const KEY = "sil-token";

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.field ? `${problem.field} ${problem.detail}` : sentence(problem.detail));
    this.status = status;
    this.field = problem.field;
  }
}

function sentence(text) {
  return /[.?!]$/.test(text) ? text : `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

export function setToken(token) {
  sessionStorage.setItem(KEY, token);
}

export async function call(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: headers(options.headers) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { detail: "The service cannot be reached. Is it still running?" });
  }
  if (answer.ok) return answer;
  let problem = { detail: `The service answered ${answer.status}.` };
  try {
    problem = await answer.json();
  } catch {
    // not an answer of ours, but for example of a proxy
  }
  if (answer.status === 413 && !problem.field) problem.detail = problem.detail ?? "The file is too large.";
  throw new Refused(answer.status, problem);
}

export const json = async (path, options) => (await call(path, options)).json();
export const bytes = async (path, options) => (await call(path, options)).arrayBuffer();

export function submit(problem, options) {
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
  if (problem instanceof File) {
    const form = new FormData();
    form.append("file", problem, problem.name);
    return json(`/jobs?${query}`, { method: "POST", body: form });
  }
  const body = JSON.stringify(problem);
  return json(`/jobs?${query}`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
}

// Follows the events of a job until its end; goes on after interruptions where it was.
export async function follow(id, onEvent, signal) {
  let last = 0;
  let pause = 500;
  while (!signal.aborted) {
    try {
      const answer = await call(`/jobs/${id}/events`, { signal, headers: { "Last-Event-ID": String(last) } });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pause = 500;
        text += value.replaceAll("\r\n", "\n");
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const event = parsed(block);
          if (!event) continue;
          if (event.id) last = Number(event.id);
          onEvent(event.kind, event.data);
          if (event.kind === "end") return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && [401, 404].includes(error.status)) throw error;
      onEvent("lost", error);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(10000, pause * 2);
  }
}

function parsed(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trim();
  }
  return fields.data ? { id: fields.id, kind: fields.event, data: JSON.parse(fields.data) } : null;
}

export async function download(id, format, fallback) {
  const answer = await call(`/jobs/${id}/solution?format=${format}`);
  const found = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = found ? found[1] : `${fallback}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
