import { button, byId, el, redraw } from "./dom.js";

const table = (label, heads, rows) => el("table", { "aria-label": label },
  el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, rows));

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Where a transfer can be, from its sender to its end.
const places = ["at the device", "waiting at the server", "handed out", "delivered"];

function chip(item, holding) {
  const way = item.receiver === null ? `from the ${item.from}` : `${item.from} ▸ ${item.receiver}, ${item.seq}`;
  const isWaiting = item.state === "waiting at the server";
  const isHeld = isWaiting && holding.some((name) => (item.for === null ? name !== item.from : name === item.for));
  const parked = !isWaiting || !item.isParked ? "" : item.for !== "phone" ? ` · kept for the ${item.for}` : " · parked: the phone has another watch";
  return el("li", { title: item.content }, el("strong", {}, `${item.lane} ${item.id + 1}`), ` ${way}`,
    places.includes(item.state) ? "" : ` · ${item.state}`, isHeld ? " · held" : "", parked, item.deliveries > 1 ? ` · ${item.deliveries} deliveries` : "");
}

export function showQueues(state) {
  if (state.queues.length === 0) return redraw(byId("queue-rows"),
    el("p", { class: "quiet" }, "Nothing was handed over yet: “Send userInfo” at a device does that."));
  const holding = state.devices.filter((device) => device.isHolding).map((device) => device.name);
  const newest = state.queues.slice().reverse();
  redraw(byId("queue-rows"), el("div", { class: "queues" }, [...places, "over"].map((place) => {
    const items = newest.filter((item) => (places.includes(item.state) ? item.state === place : place === "over"));
    return el("section", {}, el("h3", {}, `${place} (${items.length})`), el("ul", {}, items.map((item) => chip(item, holding))));
  })));
}

export function showServer(state, act) {
  const event = (verb, more = {}) => () => act({ do: "event", device: "server", verb, ...more });
  const can = (verb) => state.server.can.includes(verb);
  const pass = (milliseconds) => () => act({ do: "wait", milliseconds });
  redraw(byId("server-controls"),
    el("strong", {}, new Date(state.now).toISOString().replace("T", " ").slice(0, 19) + " UTC"),
    ...(state.server.isReal ? [] : clock(state, act, pass)),
    button("Kill the server", event("kill"), { disabled: !can("kill") }), button("Stop and start", event("stop"), { disabled: !can("stop") }),
    ...(state.server.isReal ? [] : disk(state, event)),
    button("Carry everything", () => act({ do: "flows", on: !state.flows }), { "aria-pressed": String(state.flows), title: "Each step is followed by all that it causes; else lines move by Up, Commit and Down alone.", "data-key": "flows" }));
}

// A server in memory has the clock and the disk that the page gives it.
const clock = (state, act, pass) => [
  button(state.isRunning ? "Stop the clock" : "Let time pass", () => act({ do: "run", on: !state.isRunning }), { "aria-pressed": String(state.isRunning), "data-key": "run" }),
  button("+1 s", pass(1000)), button("+1 min", pass(60000)), button("+1 day", pass(86400000)),
];

const disk = (state, event) => [
  state.server.isFailing ? button("The disk works again", event("recover")) : button("The disk fails", event("fail")),
  button("Commit", event("commit"), { disabled: state.server.uncommitted === 0 }),
];

// Seconds since 2001, as the apps have them.
const since2001 = 978307200000;

function shown(field, value) {
  const number = Number(value);
  if (!/At$|Date$/.test(field) || value === null || !Number.isFinite(number)) return text(value);
  return new Date(number * 1000 + since2001).toISOString().replace("T", " ").slice(0, 19);
}

// A record by what people call it, where it has a name.
function label(record) {
  const field = record.fields.find((one) => ["name", "text", "title"].includes(one.name));
  const name = field === undefined ? undefined : Object.values(field.values)[0];
  return `${record.kind} ${name ?? record.record.slice(0, 8)}`;
}

// A text by those who wrote it: a colour each, and the name where the pointer rests.
function authored(runs, devices) {
  const places = [...devices, "the server"];
  return runs.map((run) => el("span", { class: `by by-${places.indexOf(run.by) + 1}`, title: `by the ${run.by}` }, run.text));
}

// The rows of a record, a column a device; those that differ are marked.
function fieldRows(record, devices) {
  return record.fields.map((field, index) => {
    const values = devices.map((name) => (name in field.values ? shown(field.name, field.values[name]) : record.shownAt.includes(name) ? "" : "–"));
    const known = values.filter((value, place) => devices[place] in field.values || !record.shownAt.includes(devices[place]));
    return el("tr", { class: `${new Set(known).size > 1 ? "differs" : ""} ${index === 0 ? "first" : ""}` },
      el("td", {}, index === 0 ? label(record) : ""), el("td", {}, field.name),
      values.map((value, place) => el("td", {}, field.authors?.[devices[place]] === undefined ? value : authored(field.authors[devices[place]], devices))));
  });
}

// Of a finding: who wrote the field, and what became of that.
function showWrites(writes, act) {
  const rows = writes.map((write) => el("tr", {}, el("td", {}, write.device), el("td", {}, write.value), el("td", {}, write.fate),
    el("td", {}, button(`Step ${write.step + 1}`, () => act({ do: "seek", to: write.step + 1 }), { "data-key": `write ${write.step}` }))));
  redraw(byId("lost"), rows.length === 0 ? el("p", { class: "quiet" }, "What is wrong is not about one field, or nothing is.")
    : table("Writes of the field", ["Device", "Value", "What became of it", ""], rows));
}

export function showMerge(state, act) {
  const devices = state.devices.map((device) => device.name).filter((name) => state.isRecorded || state.records.some((record) => record.shownAt.includes(name))
    || state.devices.find((device) => device.name === name).screen);
  const labels = new Map(state.records.map((record) => [`${record.kind} ${record.record}`, label(record)]));
  const rows = state.records.flatMap((record) => fieldRows(record, devices));
  redraw(byId("records"), rows.length === 0 ? el("p", { class: "quiet" }, "There are no records yet.")
    : table("Each field at each device", ["Record", "Field", ...devices], rows));
  byId("lost-title").textContent = state.isRecorded ? "Writes of the field that is wrong" : "What lost";
  if (state.isRecorded) return showWrites(state.writes, act);
  const lost = state.lost.slice().reverse().map((entry) => el("tr", {},
    el("td", {}, labels.get(`${entry.kind} ${entry.record}`) ?? `${entry.kind} ${entry.record.slice(0, 8)}`), el("td", {}, entry.field ?? "the delete"), el("td", {}, text(entry.value)),
    el("td", {}, `the ${entry.by}, ${new Date(entry.at).toISOString().slice(11, 23)}`), el("td", {}, `the ${entry.lostTo}${entry.why === null ? "" : `: ${entry.why}`}`),
    el("td", {}, entry.field === null || typeof entry.value === "object" ? "" : button("Restore", () => act({ do: "set", device: entry.by === "the server" ? "phone" : entry.by,
      kind: entry.kind, record: entry.record, field: entry.field, value: JSON.stringify(entry.value) }), { "data-key": `restore ${entry.record} ${entry.field} ${text(entry.value)} ${entry.by}` }))));
  redraw(byId("lost"), lost.length === 0 ? el("p", { class: "quiet" }, "Nothing lost to something that it had not seen.")
    : table("Writes that lost", ["Record", "Field", "Value", "Written by", "Lost to", ""], lost));
}

let titles = [];

export function showTime(state, act) {
  titles = titles.slice(0, state.historyFrom).concat(state.history);
  const range = byId("timeline");
  range.max = state.steps;
  range.value = state.step;
  byId("step").textContent = `step ${state.step} of ${state.steps}`;
  byId("back").disabled = state.step === 0;
  byId("forward").disabled = state.step === state.steps;
  byId("caption").textContent = state.caption ?? (state.next === null ? "" : `Next: ${state.next}`);
  // The newest are drawn: a recording can have ten thousand.
  const first = Math.max(0, Math.min(state.step - 100, titles.length - 200));
  const list = byId("steps");
  list.start = first + 1;
  redraw(list, titles.slice(first, first + 200).map((title, index) => el("li", {},
    button(title, () => act({ do: "seek", to: first + index + 1 }), { "data-key": `step ${first + index}`,
      class: state.path?.includes(first + index) ? "losing" : "", title: state.path?.includes(first + index) ? "on the way to what is wrong" : null, "aria-current": first + index + 1 === state.step ? "step" : null }))));
}

export function forgetTitles() { titles = []; }

// What is wrong, and the fields of records that the devices do not show alike then.
export function showFindings(findings, place, records) {
  place.className = findings.length === 0 ? "good" : "";
  if (findings.length === 0) {
    place.textContent = "The judge finds nothing wrong with all that has happened.";
    return;
  }
  const devices = [...new Set(records.flatMap((record) => record.shownAt))];
  const rows = records.flatMap((record) => {
    const differing = fieldRows(record, devices).filter((row) => row.classList.contains("differs"));
    differing.forEach((row) => row.firstChild.replaceChildren(label(record)));
    return differing;
  });
  redraw(place, ...findings.map((finding) => [el("strong", {}, finding.headline), el("p", {}, finding.story.join("\n"))]),
    rows.length === 0 ? [] : el("div", { class: "scroll" }, table("What differs then", ["Record", "Field", ...devices], rows)));
}
