// Elements are made of text alone: what a person has typed is never markup.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

// What had the focus has it again after a part of the page was drawn anew.
export function redraw(parent, ...children) {
  const active = document.activeElement;
  const key = parent.contains(active) ? active.dataset.key : undefined;
  const selection = key && active.matches("input[type=text]") ? [active.value, active.selectionStart] : null;
  parent.replaceChildren(...children.flat());
  if (!key) return;
  const again = parent.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!again) return;
  if (selection) again.value = selection[0];
  again.focus({ preventScroll: true });
  if (selection) again.setSelectionRange(selection[1], selection[1]);
}

export function button(text, act, attributes = {}) {
  return el("button", { type: "button", "data-key": attributes["data-key"] ?? text, ...attributes, on: { click: act } }, text);
}

// Milliseconds as 12.345 s.
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(3)} s`;
