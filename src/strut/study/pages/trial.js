// Trial: shows the stimulus, or two side by side, once people are ready; opens the answers after it; measures the time to
// the answer.
//
// A question may bring a script of its own, which runs before this one and sets window.widget to an object with any of:
//   start()                 the motion begins: open what people do while they watch
//   sample(seconds)         a picture is drawn
//   finish(duration, seen)  the motion has ended: keep in `seen` what a reload must not lose
//   restore(seen)           the page was loaded again after the end
//   unanswered()            the element that still needs an answer, or null
//   followsMotion           true if people answer while they watch
"use strict";

const canvas = document.getElementById("stage");
const canvases = [...document.querySelectorAll(".stage canvas")];
const form = document.getElementById("answer");
const replay = document.getElementById("replay");
const missing = document.getElementById("missing");
const widget = {
  followsMotion: false, start() {}, sample() {}, finish() {}, restore() {}, unanswered: () => null, ...window.widget,
};
// What this tab has seen of the trial, so that a reload neither hides a showing nor sets the clock back.
const seen = recall();
let stage = null;
let stages = [];
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

function showFault(text, canRetry) {
  fault.textContent = text;
  fault.hidden = !text;
  retryLine.hidden = !canRetry;
}

async function load() {
  delete canvas.dataset.state;  // no longer "failed" while it is tried again
  showFault("", false);
  try {
    stages = await Promise.all(canvases.map(async (one) => {
      const answered = await fetch(one.dataset.stimulus);
      if (!answered.ok) throw new Error(String(answered.status));
      return new window.Stage(one, await answered.json());
    }));
    stage = stages[0];
  } catch {
    canvas.dataset.state = "failed";
    showFault(fault.dataset.load, true);
    return;
  }
  window.stage = stage;
  stage.onend = ended;
  stage.onframe = widget.sample;
  for (const one of stages) one.darken();
  stillNotice.hidden = !still;
  if (seen.ended) widget.restore(seen);
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
  showFault("", false);
  try {
    if (!await report("begun")) {
      canvas.dataset.state = "ended";
      allowAnswer();
      showFault(fault.dataset.once, false);
      return;
    }
  } catch {
    canvas.dataset.state = "failed";
    showFault(fault.dataset.load, true);
    return;
  }
  canvas.dataset.state = "fixation";
  for (const one of stages) one.fixation();
  widget.start();
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
  if (widget.followsMotion) {  // five instants one after the other, each as long as a fifth of the movement
    for (let k = 0; k < 5; k += 1) {
      stage.draw(stage.duration * k / 4);
      for (let part = 0; part < 10; part += 1) { await pause(stage.duration * 20); widget.sample(stage.duration * (k + (part + 1) / 10) / 5); }
    }
  } else {
    for (const one of stages) one.drawStill();
    await pause(2000);
  }
  ended();
}

async function ended() {
  if (!still && !replay) for (const one of stages) one.darken();
  widget.finish(stage.duration, seen);
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
if (replay) replay.addEventListener("click", () => { if (stage) show(); });
document.getElementById("retry").addEventListener("click", () => { if (stage) show(); else load(); });
document.getElementById("moving").addEventListener("click", () => { still = false; stillNotice.hidden = true; show(); });
for (const event of ["input", "change"]) form.addEventListener(event, () => { missing.hidden = true; });
form.addEventListener("change", () => { seen.chosen = Date.now(); remember(); });
load();

form.noValidate = true;
form.addEventListener("submit", (event) => {
  if (sent) { event.preventDefault(); return; }
  const unanswered = widget.unanswered();
  const open = unanswered || !form.checkValidity();
  const early = !seen.ended || reply.disabled;
  if (open || early) {
    event.preventDefault();
    missing.textContent = early ? form.dataset.wait : form.dataset.missing;
    missing.hidden = false;
    const first = !early ? unanswered || form.querySelector("input:invalid") : null;
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
