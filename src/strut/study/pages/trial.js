// Trial: plays the stimulus, measures the time to the answer, keeps a form without an answer at home.
"use strict";

const canvas = document.getElementById("stage");
const form = document.getElementById("answer");
const replay = document.getElementById("replay");
const missing = document.getElementById("missing");
const slider = form.querySelector("input[type=range]");
const undecided = form.elements.undecided;
let stage = null;
let began = null;
let sent = false;

fetch(canvas.dataset.stimulus).then((reply) => reply.json()).then((stimulus) => {
  stage = new window.Stage(canvas, stimulus);
  window.stage = stage;
  stage.onend = () => { if (canvas.dataset.replay === "0") stage.blank(); };
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still && replay) stage.draw(0); else start();
});

function start() {
  if (began === null) began = performance.now();
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
  if (open) {
    event.preventDefault();
    missing.textContent = form.dataset.missing;
    missing.hidden = false;
    const first = slider || form.querySelector("input:invalid");
    if (first) first.focus();
    return;
  }
  sent = true;
  form.elements.response_ms.value = began === null ? "" : String(Math.round(performance.now() - began));
  form.elements.plays.value = stage === null ? "" : String(stage.plays);
});

// A page taken from the browser's memory by the back button would show an old trial: ask the server which one is due.
window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
