import { byId, el, seconds } from "./dom.js";

// What a line stands for in WatchConnectivity, and the clause of PROTOCOL.md that it belongs to.
const meanings = {
  activate: ["activate()", "4.1"], activationDidComplete: ["session(_:activationDidCompleteWith:error:)", "4.1"],
  sessionReachabilityDidChange: ["sessionReachabilityDidChange(_:)", "4.3"],
  sessionDidBecomeInactive: ["sessionDidBecomeInactive(_:)", "4.5"], sessionDidDeactivate: ["sessionDidDeactivate(_:)", "4.5"],
  sessionWatchStateDidChange: ["sessionWatchStateDidChange(_:)", "4.6"],
  sessionCompanionAppInstalledDidChange: ["sessionCompanionAppInstalledDidChange(_:)", "4.6"],
  sendMessage: ["sendMessage(_:replyHandler:errorHandler:)", "5.5"], didReceiveMessage: ["session(_:didReceiveMessage:)", "5.5"],
  didReceiveReply: ["the reply handler of sendMessage", "5.5"], reply: ["the reply handler that was handed over", "5.5"],
  sendMessageData: ["sendMessageData(_:replyHandler:errorHandler:)", "5.5"], didReceiveMessageData: ["session(_:didReceiveMessageData:)", "5.5"],
  updateApplicationContext: ["updateApplicationContext(_:)", "5.6"], didReceiveApplicationContext: ["session(_:didReceiveApplicationContext:)", "5.6"],
  transferUserInfo: ["transferUserInfo(_:)", "5.7"], didReceiveUserInfo: ["session(_:didReceiveUserInfo:)", "5.7"],
  didFinishUserInfoTransfer: ["session(_:didFinish:error:)", "5.4"],
  isCurrentComplicationInfoDidChange: ["WCSessionUserInfoTransfer.isCurrentComplicationInfo", "5.8"],
  transferCurrentComplicationUserInfo: ["transferCurrentComplicationUserInfo(_:)", "5.8"],
  transferFile: ["transferFile(_:metadata:)", "5.9"], didReceiveFile: ["session(_:didReceive:)", "5.9"],
  didFinishFileTransfer: ["session(_:didFinish:error:)", "5.4"], fileChunk: ["a piece of a file", "5.9"],
  hasContentPendingDidChange: ["hasContentPending", "4.3"], outstandingTransfers: ["outstandingUserInfoTransfers", "5.10"],
  acknowledge: ["what a delegate method's return means", "5.10"], accepted: ["the call's return", "3.2"],
  cancelTransfer: ["cancel() of a transfer", "5.10"], error: ["an NSError of WCErrorDomain", "7"],
  "sync.open": ["merged records", "12.2"], "sync.opened": ["merged records", "12.2"], "sync.push": ["merged records", "12.4"],
  "sync.accepted": ["merged records", "12.4"], "sync.ops": ["merged records", "12.3"], "sync.acknowledge": ["merged records", "12.9"],
  "sync.retime": ["merged records", "12.4"], "sync.snapshot": ["merged records", "12.3"],
};

// Rows that are drawn at once; the newest of more.
const mostRows = 100;
// Lines that the page keeps.
const mostKept = 20000;

let kept = [];
let skipped = 0;
// The rows in the list, by their lines.
let shown = new Map();
let isPaused = false;
let isDrawn = true;

function typeOf(text) {
  try { return JSON.parse(text).type ?? ""; } catch { return ""; }
}

export function clearLines() {
  kept = [];
  skipped = 0;
}

export function addLines(lines, more) {
  skipped += more;
  for (const line of lines) kept.push({ ...line, type: typeOf(line.text) });
  if (kept.length > mostKept) {
    skipped += kept.length - mostKept;
    kept = kept.slice(-mostKept);
  }
  draw();
}

// Once a frame at most, however many lines come.
function draw() {
  if (isPaused || !isDrawn) return;
  isDrawn = false;
  requestAnimationFrame(() => {
    isDrawn = true;
    const device = byId("wire-device").value;
    const words = byId("wire-type").value.split(/[\s,]+/).filter((word) => word !== "");
    const found = kept.filter((line) => (device === "" || line.from === device || line.to === device)
      && (words.length === 0 || words.some((word) => line.type.includes(word))));
    const list = byId("lines");
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    showRows(list, found.slice(-mostRows));
    if (isAtEnd && !list.matches(":active")) list.scrollTop = list.scrollHeight;
    const hidden = Math.max(0, found.length - mostRows);
    byId("wire-count").textContent = `${found.length} lines${hidden > 0 ? `, the newest ${mostRows} shown` : ""}${skipped > 0 ? `; ${skipped} older ones are not here` : ""}`;
  });
}

// A row that is shown already stays the same element, so that a press, the focus and a selection outlast new lines.
function showRows(list, lines) {
  const rows = new Map(lines.map((line) => [line, shown.get(line) ?? item(line)]));
  for (const [line, row] of shown) if (!rows.has(line)) row.remove();
  shown = rows;
  [...rows.values()].forEach((row, index) => {
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
}

function item(line) {
  const isUp = line.to === "server" || line.to === "";
  const way = line.to === "server" ? `${line.from} ▲ server` : line.from === "server" ? `server ▼ ${line.to}` : `${line.from} ▸ ${line.to}`;
  return el("li", { class: isUp ? "up" : "down" }, el("button", { type: "button", on: { click: () => show(line) } },
    el("span", {}, seconds(line.at)), el("span", { class: "way" }, way),
    el("span", { class: "what" }, line.type === "" ? line.text : `${line.type} ${line.text}`)));
}

function show(line) {
  let pretty = line.text;
  const isPart = line.type === "" && (line.from === "server" || line.to === "server");
  try { pretty = JSON.stringify(JSON.parse(line.text), null, 2); } catch { if (isPart) pretty = `part of a line: ${line.text}`; }
  const [call, clause] = meanings[line.type] ?? ["", ""];
  const place = byId("line");
  place.hidden = false;
  place.replaceChildren(
    el("p", {}, el("strong", {}, isPart ? "a part of a line" : line.type),
      call === "" ? "" : ` · ${call} · PROTOCOL.md clause ${clause}`, ` · step ${line.step + 1}`),
    el("pre", { tabindex: "0", "aria-label": "The line" }, pretty),
    el("button", { type: "button", on: { click: () => { place.hidden = true; } } }, "Close"));
}

export function beginWire() {
  byId("wire-device").addEventListener("change", draw);
  byId("wire-type").addEventListener("input", draw);
  byId("wire-pause").addEventListener("click", (event) => {
    isPaused = !isPaused;
    event.currentTarget.setAttribute("aria-pressed", String(isPaused));
    draw();
  });
}

export function nameDevices(devices) {
  const select = byId("wire-device");
  const names = devices.map((device) => device.name);
  if ([...select.options].slice(1).map((one) => one.value).join() === names.join()) return;
  select.replaceChildren(el("option", { value: "" }, "all"), ...names.map((name) => el("option", { value: name }, name)));
}
