// Makes elements. Text is always text: nothing from outside becomes markup.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// One of several choices, as buttons: arrow keys move between them, as with radio buttons.
export function segments(label, choices, chosen, onChoice) {
  const buttons = choices.map(([value, text]) =>
    h("button", { type: "button", role: "radio", onclick: () => choose(value) }, text));
  function choose(value, quietly = false) {
    choices.forEach(([each], index) => {
      buttons[index].setAttribute("aria-checked", String(each === value));
      buttons[index].tabIndex = each === value ? 0 : -1;
    });
    if (!quietly) onChoice(value);
  }
  const group = h("div", { className: "segments", role: "radiogroup", "aria-label": label }, buttons);
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = buttons.indexOf(document.activeElement);
    const next = (now + step + buttons.length) % buttons.length;
    choose(choices[next][0]);
    buttons[next].focus();
  });
  choose(chosen, true);
  return group;
}

export function notify(text) {
  const notice = document.getElementById("notice");
  notice.hidden = !text;
  notice.replaceChildren();
  if (!text) return;
  const close = h("button", { className: "quiet", type: "button", onclick: () => notify("") }, "Close");
  notice.append(h("span", {}, text), close);
}
