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

// The same element but for what is in it; its listeners then do the same, so attributes say what they depend on.
const isAlike = (old, next) => old.nodeType === Node.ELEMENT_NODE && next.nodeType === Node.ELEMENT_NODE
  && old.cloneNode(false).isEqualNode(next.cloneNode(false));

// What is as it was stays where it is: a click keeps the element under it.
function patch(parent, children) {
  const olds = [...parent.childNodes];
  children.forEach((next, index) => {
    const old = olds[index];
    if (old === undefined) parent.append(next);
    else if (old.isEqualNode(next)) return;
    else if (isAlike(old, next)) patch(old, [...next.childNodes]);
    else old.replaceWith(next);
  });
  for (const old of olds.slice(children.length)) old.remove();
}

// What had the focus has it again after a part of the page was drawn anew.
export function redraw(parent, ...children) {
  const active = document.activeElement;
  const key = parent.contains(active) ? active.dataset.key : undefined;
  const selection = key && active.matches("input[type=text]") ? [active.value, active.selectionStart] : null;
  const nodes = children.flat().filter((child) => child !== null && child !== undefined);
  patch(parent, nodes.map((child) => (typeof child === "string" ? document.createTextNode(child) : child)));
  if (!key || parent.contains(document.activeElement)) return;
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
