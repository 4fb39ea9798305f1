import { byId, el } from "./dom.js";
import { showDevices } from "./devices.js";
import { addLines, beginWire, clearLines, nameDevices } from "./wire.js";
import { forgetTitles, showFindings, showMerge, showQueues, showServer, showTime } from "./panels.js";

const token = new URLSearchParams(location.search).get("token") ?? "";
const build = document.querySelector("meta[name=build]").content;
let socket = null;
let world = 0;
let state = null;

function say(text) {
  const notice = byId("notice");
  notice.className = "";
  notice.textContent = text;
}

function act(intent) {
  if (socket === null || socket.readyState !== WebSocket.OPEN) return say("The studio is not there; start it again and reload.");
  socket.send(JSON.stringify(intent));
}

// Whoever drags along the timeline asks for more steps than can be shown: the last one counts, once the one before is there.
let isSeeking = false;
let soughtNext = null;

function seek(step) {
  if (isSeeking) {
    soughtNext = step;
    return;
  }
  isSeeking = true;
  act({ do: "seek", to: step });
}

function sought() {
  isSeeking = false;
  if (soughtNext === null) return;
  const step = soughtNext;
  soughtNext = null;
  seek(step);
}

let lastTold = "";

function show(next) {
  if (next.world !== world) {
    world = next.world;
    clearLines();
    forgetTitles();
  }
  state = next;
  byId("title").textContent = next.title ?? "";
  byId("apps").value = next.schema;
  byId("watches").value = Math.max(1, next.devices.filter((device) => device.name !== "phone").length);
  nameDevices(next.devices);
  showDevices(next.devices, act);
  // A recording has neither a server nor queues.
  for (const id of ["server", "queues"]) byId(id).hidden = next.isRecorded === true;
  if (!next.isRecorded) showServer(next, act);
  addLines(next.lines, next.linesSkipped);
  if (!next.isRecorded) showQueues(next);
  showMerge(next, act);
  showTime(next, act);
  // What a judge has said stays as long as nothing is done; time may pass.
  const told = [next.world, next.step, next.steps, next.refusal, next.findings.length].join();
  if (told !== lastTold) {
    if (next.findings.length > 0) showFindings(next.findings, byId("notice"), next.records);
    else say(next.refusal ?? "");
  }
  lastTold = told;
  document.body.dataset.step = next.step;
}

// What comes is of another build than the page: nothing of it is shown.
let isStrange = false;

function hello(message) {
  isStrange = message.build !== build;
  if (isStrange) return say("This page is of another build of watchline: reload it.");
  byId("examples").replaceChildren(el("option", { value: "" }, "–"), ...message.examples.map((one) => el("option", { value: one.name }, one.title)));
  byId("apps").replaceChildren(...message.apps.map((name) => el("option", { value: name }, name)));
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/live?token=${token}`);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "hello") hello(message);
    else if (isStrange) return;
    else if (message.type === "state") {
      show(message);
      sought();
    }
    else if (message.type === "error") say(message.message);
    else if (message.type === "judged") showFindings(message.findings, byId("notice"), message.records);
  });
  socket.addEventListener("close", () => {
    say("The connection to the studio is lost; trying again…");
    // What it comes back with begins anew.
    world = 0;
    lastTold = "";
    isSeeking = false;
    setTimeout(connect, 1000);
  });
}

byId("examples").addEventListener("change", (event) => {
  if (event.target.value !== "") act({ do: "example", name: event.target.value });
});
byId("apps").addEventListener("change", (event) => act({ do: "begin", app: event.target.value }));
byId("begin").addEventListener("click", () => {
  byId("examples").value = "";
  act({ do: "begin", watches: Number(byId("watches").value) });
});
byId("watches").addEventListener("change", () => byId("begin").click());
byId("judge").addEventListener("click", () => act({ do: "judge" }));
byId("export").href = `/trace?token=${token}`;
byId("open").addEventListener("change", async (event) => {
  const file = event.target.files[0];
  if (file) act({ do: "open", name: file.name, trace: await file.text() });
  event.target.value = "";
});
byId("timeline").addEventListener("input", (event) => seek(Number(event.target.value)));
byId("back").addEventListener("click", () => seek(state.step - 1));
byId("forward").addEventListener("click", () => seek(state.step + 1));
beginWire();
connect();
