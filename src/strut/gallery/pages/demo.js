"use strict";
const films = [...document.querySelectorAll("video")];
const pause = document.getElementById("pause");

function setPlaying(playing) {
  for (const film of films) playing ? film.play().catch(() => {}) : film.pause();
  pause.textContent = playing ? "Pause all" : "Play all";
  pause.setAttribute("aria-pressed", String(!playing));
}

pause.addEventListener("click", () => setPlaying(pause.getAttribute("aria-pressed") === "true"));
if (matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(false);

for (const bar of document.querySelectorAll(".use")) {
  const use = Number(bar.dataset.use);
  bar.style.width = `${Math.min(100, 100 * use)}%`;
  bar.classList.toggle("full", use > 0.995 && !bar.closest("div").querySelector("dt").textContent.includes("emotion"));
}

for (const tile of document.querySelectorAll(".tile")) {
  tile.addEventListener("click", () => document.getElementById(tile.dataset.dialog).showModal());
}
