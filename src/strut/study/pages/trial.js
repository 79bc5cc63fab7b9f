// Trial: plays the stimulus, measures the time to the answer, keeps a form without an answer at home.
"use strict";

const canvas = document.getElementById("stage");
const form = document.getElementById("answer");
const replay = document.getElementById("replay");
const missing = document.getElementById("missing");
const slider = form.querySelector("input[type=range]");
const undecided = form.elements.undecided;
// What this tab has seen of the trial, so that a reload neither hides a showing nor sets the clock back.
const seen = recall();
let stage = null;
let sent = false;

function recall() {
  const trial = `${form.getAttribute("action")} ${form.elements.trial.value}`;
  const fresh = { trial, began: null, plays: 0, ended: false };
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

fetch(canvas.dataset.stimulus).then((reply) => reply.json()).then((stimulus) => {
  stage = new window.Stage(canvas, stimulus);
  window.stage = stage;
  stage.onend = () => {
    seen.ended = true;
    remember();
    if (!replay) stage.blank();
  };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!replay && seen.ended) { stage.blank(); canvas.dataset.state = "ended"; }
  else if (still && replay) stage.draw(0);
  else start();
});

function start() {
  if (seen.began === null) seen.began = Date.now();
  seen.plays += 1;
  remember();
  stage.play();
}

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

if (replay) replay.addEventListener("click", () => { if (stage) start(); });
if (slider) {
  say();
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
  if (option) { option.checked = true; option.focus(); }
});

form.noValidate = true;
form.addEventListener("submit", (event) => {
  if (sent) { event.preventDefault(); return; }
  const open = slider
    ? form.elements.touched.value !== "1" && !(undecided && undecided.checked)
    : !form.checkValidity();
  const early = canvas.dataset.whole === "1" && !seen.ended;
  if (open || early) {
    event.preventDefault();
    missing.textContent = open ? form.dataset.missing : form.dataset.wait;
    missing.hidden = false;
    const first = open ? slider || form.querySelector("input:invalid") : null;
    if (first) first.focus();
    return;
  }
  sent = true;
  const taken = Date.now() - seen.began;
  const measured = seen.began !== null && taken >= 0 && taken <= 24 * 3600 * 1000;  // a clock may have been set
  form.elements.response_ms.value = measured ? String(taken) : "";
  form.elements.plays.value = String(seen.plays);
});

// A page taken from the browser's memory by the back button would show an old trial: ask the server which one is due.
window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
