// Shows the view that the address names.

import { json, setToken } from "./api.js";
import * as compare from "./compare.js";
import { h, notify } from "./dom.js";
import * as history from "./history.js";
import * as job from "./job.js";
import * as start from "./new.js";
import { startTheme } from "./theme.js";

const VIEWS = { "": start, job, history, compare };
let leave = () => {};
let settings = null;
let visits = 0;

async function visit() {
  const visitNumber = ++visits;
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  leave();
  leave = () => {};
  notify("");
  document.title = "sil";
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const view = document.getElementById("view");
  try {
    settings ??= await json("/settings");
    const left = await (VIEWS[name] ?? start).show(view, settings, ...rest);
    if (visitNumber === visits) leave = left;
    else left();
  } catch (error) {
    if (error.status === 401) askForToken();
    else notify(error.message);
  }
}

function askForToken() {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const dialog = h("dialog", { "aria-labelledby": "token-title" }, h("form", { method: "dialog", onsubmit: () => {
    setToken(input.value.trim());
    dialog.remove();
    visit();
  } }, h("h1", { id: "token-title" }, "Token"), h("p", { className: "hint" }, "This service needs a token. It is kept until you close this tab."),
  h("div", {}, h("label", { htmlFor: "token" }, "Your token"), input), h("button", { className: "primary" }, "Continue")));
  document.body.append(dialog);
  dialog.showModal();
}

startTheme();
addEventListener("hashchange", visit);
visit();
