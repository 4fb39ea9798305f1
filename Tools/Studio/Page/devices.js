import { button, el, redraw, byId } from "./dom.js";

// A colour is set by the object model: the page takes no style from text.
function coloured(element, colors) {
  if (colors.length > 0) element.style.color = colors[0];
  return element;
}

function bar(percent, colors) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 1");
  svg.setAttribute("preserveAspectRatio", "none");
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  rect.setAttribute("width", percent);
  rect.setAttribute("height", 1);
  rect.setAttribute("fill", colors[0] ?? "currentColor");
  svg.append(rect);
  return el("div", { class: "track", role: "progressbar", "aria-label": "progress", "aria-valuenow": percent,
    "aria-valuemin": 0, "aria-valuemax": 100 }, svg);
}

function row(item, type, colors = []) {
  switch (item.is) {
    case "blank": return el("div", { class: "screen-row" }, " ");
    case "rule": return el("hr");
    case "text": return coloured(el("div", { class: "screen-row" }, " ".repeat(item.indent) + item.text), colors);
    case "none": return null;
    case "large": return coloured(el("div", { class: "screen-row centred large" }, item.text.trim()), colors);
    case "centred": return coloured(el("div", { class: "screen-row centred" }, item.text), colors);
    case "split": return coloured(el("div", { class: "split" }, el("span", { class: "screen-row" }, item.left), el("span", {}, item.right)), colors);
    case "progress": return bar(item.percent, colors);
    case "card": return el("div", { class: "card" }, item.rows.map((one) => row(one, type)));
    case "field": return el("div", { class: "card" }, item.text === "" ? item.placeholder : item.text);
    case "columns": return el("div", { class: "columns" }, el("div", {}, item.left.map((one) => row(one, type))), el("div", {}, item.right.map((one) => row(one, type))));
    case "buttons": return el("div", { class: "row" }, item.buttons.map((one) => tap(one, type)));
    case "labelled": return row(item.row, type, colors);
    case "styled": {
      const inner = row(item.row, type, item.colors);
      if (inner === null) return null;
      if (item.isStruck) inner.classList.add("struck");
      return inner;
    }
    case "tappable": return item.command === null ? row(item.row, type, colors) : el("button", { type: "button", class: "tap", "data-key": item.command, on: { click: () => type(item.command) } }, row(item.row, type, colors));
    default: return el("div", {}, "");
  }
}

function tap(item, type, isDestructive = false) {
  return button(item.text, () => type(item.command), {
    disabled: item.command === null, class: isDestructive ? "destructive" : "", "data-key": `tap ${item.text}`, "data-command": item.command,
  });
}

function corner(item, type) {
  return item.text === "" ? el("span") : tap(item, type);
}

function screen(description, type) {
  return [
    el("div", { class: "bar" }, corner(description.leading, type), el("span", {}, description.title), corner(description.trailing, type)),
    description.banner === null ? null : el("p", { class: "banner" }, `⚠ ${description.banner}`),
    description.alert === undefined ? null : el("div", { class: "alert", role: "group", "aria-label": description.alert.title },
      el("strong", {}, description.alert.title), el("p", {}, description.alert.message),
      el("div", { class: "row" }, description.alert.buttons.map((one, index) =>
        tap(one, type, description.alert.isDestructive && index === description.alert.buttons.length - 1)))),
    ...description.rows.map((item) => row(item, type)),
  ];
}

function commands(device, type) {
  const input = el("input", { type: "text", "aria-label": `Type at the ${device.name}`, "data-key": "line", autocomplete: "off",
    list: `words-${device.name}`, placeholder: "type, such as: new Tea 5:00" });
  const form = el("form", { on: { submit: (event) => {
    event.preventDefault();
    if (input.value.trim() === "") return;
    type(input.value);
    input.value = "";
  } } }, input, el("button", { type: "submit", "data-key": "enter" }, "Enter"));
  return [
    form,
    el("datalist", { id: `words-${device.name}` }, device.commands.map((one) => el("option", { value: one.word }, one.summary))),
    el("div", { class: "row" }, device.commands.filter((one) => one.arguments === "" || one.arguments.startsWith("[")).map((one) =>
      button(one.word, () => type(one.word), { title: one.summary, "data-key": `word ${one.word}` }))),
  ];
}

// What the system would know, and the device may say of itself.
const facts = (device) => (device.name === "phone"
  ? [["its app is not there", "isCompanionAppInstalled", false], ["its app is there", "isCompanionAppInstalled", true],
    ["not paired", "isPaired", false], ["paired", "isPaired", true]]
  : [["its app is not there", "isWatchAppInstalled", false], ["its app is there", "isWatchAppInstalled", true],
    ["no complication", "isComplicationEnabled", false], ["a complication", "isComplicationEnabled", true]]);

function controls(device, event, type) {
  const send = (verb, more = {}) => () => event(device.name, verb, more);
  const choice = (name, options) => el("label", {}, `${name} `, el("select", { "data-key": name, on: { change: (change) => {
    const chosen = options[change.target.selectedIndex - 1];
    if (chosen?.type) type(chosen.type);
    else if (chosen) event(device.name, chosen.verb, chosen.more ?? {});
    change.target.selectedIndex = 0;
  } } }, el("option", {}, "–"), options.map((one) => el("option", {}, one.text))));
  return el("details", { "data-open": `controls ${device.name}` }, el("summary", {}, "Faults and lanes"),
    el("div", { class: "row" },
      button("Restart app", send("restart")),
      device.name === "phone" ? null : button("Select this watch", () => event("phone", "select", { to: device.name })),
      device.isHolding ? button("Release", send("release")) : button("Hold", send("hold")),
      button("Send userInfo", send("transfer", { lane: "userInfo" })),
      button("Send complication", send("transfer", { lane: "complication" })),
      button("Send file", send("transfer", { lane: "file", count: 100 })),
      button("Upload piece", send("upload", { count: 40 })),
      button("Set context", send("context", { count: Date.now() % 100000 })),
      button("Send message", send("message")),
      button("Reply", send("reply")),
      button("Acknowledge", send("acknowledge")),
      button("Refuse the last", send("refuse", { lane: "userInfo", count: 0 })),
      button("Cancel a transfer", send("cancel", { count: 0 })),
      button("Up", send("up")), button("Down", send("down")), button("Flow", send("flow"))),
    el("div", { class: "row" },
      choice("App state", ["foreground", "background", "suspended", "terminated"].map((text, count) => ({ text, verb: "appState", more: { count } }))),
      choice("Network", [
        { text: "slow: 500 ms", verb: "delay", more: { count: 500 } }, { text: "7 bytes at a time", verb: "slice", more: { count: 7 } },
        { text: "half-open: loses what comes down", verb: "oneWay", more: { lane: "down", flag: true } },
        { text: "half-open: loses what goes up", verb: "oneWay", more: { lane: "up", flag: true } },
        { text: "cut after 20 bytes", type: "cut 20" },
        { text: "as it should be", verb: "heal" }]),
      device.name === "phone"
        ? choice("Complications a day", [0, 1, 5, 50].map((count) => ({ text: String(count), verb: "configure", more: { count } })))
        : null,
      choice("Installed", facts(device).map(([text, name, flag]) => ({ text, verb: "setDeviceState", more: { payload: { [name]: flag } } }))),
      choice("Clock", [["right", 0], ["61 s ahead", 61000], ["61 s behind", -61000], ["an hour ahead", 3600000]].map(([text, count]) => ({ text, verb: "clock", more: { count } }))),
      choice("Storage", [{ text: "copy it", verb: "backup" }, { text: "put the copy back, or reset", verb: "goBack" }])));
}

function badges(device, event) {
  const badge = (text, kind = "") => el("span", { class: `badge ${kind}` }, text);
  return el("div", { class: "row" },
    badge(device.isConnected ? "online" : "offline", device.isConnected ? "good" : "bad"),
    badge(device.isReachable ? "reachable" : "not reachable"),
    device.pending > 0 ? badge(`${device.pending} pending`, "bad") : null,
    device.isHolding ? badge("holding", "bad") : null,
    device.isWanted ? button("Go offline", () => event(device.name, "drop")) : button("Go online", () => event(device.name, "connect")),
    device.skew !== 0 ? badge(`clock ${device.skew > 0 ? "+" : ""}${device.skew / 1000} s`, "bad") : null);
}

const told = (device) => el("ul", { class: "told", "aria-label": "What the device did" }, device.told.slice(-5).map((text) => el("li", {}, text)));

// A device of a recording: what it did last. What it shows stands in the merge.
const recorded = (device) => el("article", { class: "device", "aria-label": `The ${device.name}`, id: `device-${device.name}` },
  el("h2", {}, device.name),
  device.told.length === 0 ? el("p", { class: "quiet" }, "Nothing has happened here yet.") : told(device));

export function showDevices(devices, act) {
  const open = new Set([...document.querySelectorAll("details[data-open][open]")].map((one) => one.dataset.open));
  redraw(byId("devices"), devices.map((device) => {
    const type = (line) => act({ do: "type", device: device.name, line });
    const event = (name, verb, more) => act({ do: "event", device: name, verb, ...more });
    if (device.kind === "recorded") return recorded(device);
    const node = el("article", { class: `device ${device.screen ? device.kind.split(" ")[0] : "bare"} ${device.isConnected ? "" : "away"}`, "aria-label": `The ${device.name}`, id: `device-${device.name}` },
      el("div", { class: "row" }, el("h2", {}, device.name), badges(device, event)),
      device.screen ? el("div", { class: "frame" }, screen(device.screen, type)) : el("p", { class: "quiet" }, "No app runs here. What it sends and is sent is in the wire."),
      device.commands ? commands(device, type) : null,
      controls(device, event, type),
      device.told && device.told.length > 0 ? told(device) : null);
    for (const one of node.querySelectorAll("[data-key]")) one.dataset.key = `${device.name} ${one.dataset.key}`;
    for (const one of node.querySelectorAll("details[data-open]")) one.open = open.has(one.dataset.open);
    return node;
  }));
}
