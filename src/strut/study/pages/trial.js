// Trial: shows the stimulus, or two side by side, once people are ready, opens the answers after it (or, for a rating
// over time, while it is seen), measures the time to the choice.
"use strict";

const canvas = document.getElementById("stage");
const canvases = [...document.querySelectorAll(".stage canvas")];
const form = document.getElementById("answer");
const replay = document.getElementById("replay");
const missing = document.getElementById("missing");
const slider = form.querySelector("input[type=range]");
const undecided = form.elements.undecided;
const label = form.querySelector("input[name=label]");
const rate = slider && slider.dataset.rate ? Number(slider.dataset.rate) : 0;  // of a rating over time [1/s]
// What this tab has seen of the trial, so that a reload neither hides a showing nor sets the clock back.
const seen = recall();
let stage = null;
let stages = [];
let trace = [];
let held = 0;  // where the handle has stood since it last moved
let sent = false;

function recall() {
  const trial = `${form.getAttribute("action")} ${form.elements.trial.value}`;
  const fresh = { trial, began: null, plays: 0, ended: false, chosen: null, still: false, lost: 0 };
  try {
    const kept = JSON.parse(sessionStorage.getItem("trial"));
    return kept && kept.trial === trial ? kept : fresh;
  } catch {
    return fresh;
  }
}

function remember() {
  try { sessionStorage.setItem("trial", JSON.stringify(seen)); } catch { /* a browser that stores nothing */ }
}

const over = document.getElementById("over");
const begin = document.getElementById("begin");
const fault = document.getElementById("fault");
const retryLine = document.getElementById("retry-line");
const stillNotice = document.getElementById("still");
const reply = document.getElementById("reply");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function tell(text, canRetry) {
  fault.textContent = text;
  fault.hidden = !text;
  retryLine.hidden = !canRetry;
}

async function load() {
  delete canvas.dataset.state;  // no longer "failed" while it is tried again
  tell("", false);
  try {
    stages = await Promise.all(canvases.map(async (one) => {
      const answered = await fetch(one.dataset.stimulus);
      if (!answered.ok) throw new Error(String(answered.status));
      return new window.Stage(one, await answered.json());
    }));
    stage = stages[0];
  } catch {
    canvas.dataset.state = "failed";
    tell(fault.dataset.load, true);
    return;
  }
  window.stage = stage;
  stage.onend = ended;
  stage.onframe = sample;
  for (const one of stages) one.darken();
  stillNotice.hidden = !still;
  if (seen.ended && rate) closeHandle();
  if (seen.ended) { allowAnswer(); if (!replay) { canvas.dataset.state = "ended"; return; } }
  // People begin each part themselves; from trial to trial it goes on after a while in which nothing is to be seen.
  if (flowing() && !seen.ended) { await pause(Number(canvas.dataset.interval)); show(); }
  else { begin.hidden = false; canvas.dataset.state = "ready"; if (!seen.ended) begin.focus(); }
}

function flowing() {
  try { return sessionStorage.getItem("flow") === flow(); } catch { return false; }
}

function flow() { return `${form.getAttribute("action")} ${canvas.dataset.block}`; }

function tab() {
  try {
    if (!sessionStorage.getItem("tab")) sessionStorage.setItem("tab", crypto.getRandomValues(new Uint32Array(3)).join("-"));
    return sessionStorage.getItem("tab");
  } catch {
    return "none";
  }
}

async function report(state) {
  const body = new URLSearchParams({ trial: form.elements.trial.value, tab: tab(), state });
  const answered = await fetch(`${form.getAttribute("action")}/showing`, { method: "POST", body, keepalive: true });
  if (answered.status === 409) return false;
  if (!answered.ok) throw new Error(String(answered.status));
  return true;
}

async function show() {
  begin.hidden = true;
  if (stage.playing) return;
  try { sessionStorage.setItem("flow", flow()); } catch { /* then every trial has its button */ }
  tell("", false);
  try {
    if (!await report("begun")) {
      canvas.dataset.state = "ended";
      allowAnswer();
      tell(fault.dataset.once, false);
      return;
    }
  } catch {
    canvas.dataset.state = "failed";
    tell(fault.dataset.load, true);
    return;
  }
  canvas.dataset.state = "fixation";
  for (const one of stages) one.fixation();
  if (rate) openHandle();
  await pause(Number(canvas.dataset.fixation));
  if (seen.began === null) seen.began = Date.now();
  seen.plays += 1;
  canvas.dataset.plays = String(seen.plays);
  remember();
  if (still) await showStill();
  else for (const one of stages) one.play();
}

async function showStill() {
  seen.still = true;
  canvas.dataset.state = "playing";
  if (rate) {  // five instants one after the other, each as long as a fifth of the movement
    for (let k = 0; k < 5; k += 1) {
      stage.draw(stage.duration * k / 4);
      for (let part = 0; part < 10; part += 1) { await pause(stage.duration * 20); sample(stage.duration * (k + (part + 1) / 10) / 5); }
    }
  } else {
    for (const one of stages) one.drawStill();
    await pause(2000);
  }
  ended();
}

// A rating over time begins in the middle with each showing; its last whole showing counts.
function openHandle() {
  trace = [];
  held = 0;
  slider.value = "0";
  slider.disabled = false;
  slider.classList.add("untouched");
  form.elements.touched.value = "0";
  reply.disabled = false;
  slider.focus({ preventScroll: true });
}

function closeHandle() {
  trace = seen.trace || [];
  form.elements.trace.value = trace.join(" ");
  form.elements.touched.value = seen.touched || "0";
  slider.disabled = true;
}

// Instants between two pictures have the value that the handle had then, however late a busy browser draws the second.
function sample(seconds) {
  if (!rate) return;
  while (trace.length <= seconds * rate + 1e-6) trace.push(held);
}

function moveHandle(event) {
  if (stage.playing && stage.started !== null) sample(Math.min((event.timeStamp - stage.started) / 1000, stage.duration));
  held = Number(slider.value);
}

async function ended() {
  if (!still && !replay) for (const one of stages) one.darken();
  if (rate) { sample(stage.duration); seen.trace = trace; seen.touched = form.elements.touched.value; closeHandle(); }
  for (let attempt = 0; attempt < 5; attempt += 1) {  // without it the answer would be marked as one to nothing
    try { await report("ended"); break; } catch { await pause(500 * (attempt + 1)); }
  }
  seen.ended = true;
  remember();
  canvas.dataset.state = "ended";
  allowAnswer();
}

function allowAnswer() {
  reply.disabled = false;
  if (replay) replay.disabled = false;
}

// The rate of the screen, from the time between pictures.
let refresh = 0;
(function measure(last, spans) {
  requestAnimationFrame((now) => {
    if (last) spans.push(now - last);
    if (spans.length < 30) measure(now, spans);
    else refresh = Math.round(1000 / spans.sort((a, b) => a - b)[15]);
  });
})(0, []);

document.addEventListener("visibilitychange", () => { if (document.hidden) { seen.lost = (seen.lost || 0) + 1; remember(); } });
window.addEventListener("blur", () => { if (!document.hidden) { seen.lost = (seen.lost || 0) + 1; remember(); } });
begin.addEventListener("click", show);
document.getElementById("retry").addEventListener("click", () => { if (stage) show(); else load(); });
document.getElementById("moving").addEventListener("click", () => { still = false; stillNotice.hidden = true; show(); });
for (const event of ["input", "change"]) form.addEventListener(event, () => { missing.hidden = true; });
form.addEventListener("change", () => { seen.chosen = Date.now(); remember(); });
load();

function touch() {
  form.elements.touched.value = "1";
  slider.classList.remove("untouched");
  if (undecided) undecided.checked = false;
  say();
}

function say() {
  const value = Number(slider.value);
  const word = value < -33 ? slider.dataset.low : value > 33 ? slider.dataset.high : slider.dataset.middle;
  slider.setAttribute("aria-valuetext", `${word} ${Math.abs(value)}`);
}

if (replay) replay.addEventListener("click", () => { if (stage) show(); });
if (slider) {
  say();
  if (rate) slider.addEventListener("input", moveHandle);
  for (const event of ["input", "pointerdown"]) slider.addEventListener(event, touch);
  slider.addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow") || event.key === " ") touch(); });
  if (undecided) undecided.addEventListener("change", () => {
    if (undecided.checked) { form.elements.touched.value = "0"; slider.classList.add("untouched"); }
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (form.dataset.question !== "forced-choice" || !/^[1-9]$/.test(event.key)) return;
  const option = form.querySelectorAll("input[name=answer]")[Number(event.key) - 1];
  if (option && !reply.disabled) { option.checked = true; option.focus(); form.dispatchEvent(new Event("change")); }
});

form.noValidate = true;
form.addEventListener("submit", (event) => {
  if (sent) { event.preventDefault(); return; }
  if (label) label.required = !(undecided && undecided.checked);
  const unmoved = slider && form.elements.touched.value !== "1" && !(undecided && undecided.checked);
  const open = unmoved || (rate && !trace.length && !undecided.checked) || !form.checkValidity();
  const early = !seen.ended || reply.disabled;
  if (open || early) {
    event.preventDefault();
    missing.textContent = early ? form.dataset.wait : form.dataset.missing;
    missing.hidden = false;
    const first = !early ? (unmoved && slider) || form.querySelector("input:invalid") : null;
    if (first) first.focus();
    return;
  }
  sent = true;
  const taken = (seen.chosen || Date.now()) - seen.began;  // the answer is given when it is chosen, not when it is sent
  const measured = seen.began !== null && taken >= 0 && taken <= 24 * 3600 * 1000;  // a clock may have been set
  form.elements.response_ms.value = measured ? String(taken) : "";
  form.elements.plays.value = String(seen.plays);
  form.elements.still.value = seen.still ? "1" : "0";
  form.elements.focus_lost.value = String(seen.lost || 0);
  form.elements.screen.value = `${window.screen.width}x${window.screen.height}`;
  form.elements.refresh_hz.value = refresh ? String(refresh) : "";
});

// A page taken from the browser's memory by the back button would show an old trial: ask the server which one is due.
window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
