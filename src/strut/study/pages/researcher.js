// Researcher: live counts, asked for every three seconds.
"use strict";

async function refresh() {
  try {
    const reply = await fetch("/researcher/counts.json", { credentials: "same-origin" });
    if (reply.ok) {
      const counts = await reply.json();
      for (const cell of document.querySelectorAll("[data-count]")) cell.textContent = counts[cell.dataset.count];
      for (const cell of document.querySelectorAll("[data-stimulus]")) cell.textContent = counts.stimuli[cell.dataset.stimulus] || 0;
    }
  } finally {
    setTimeout(refresh, 3000);
  }
}
setTimeout(refresh, 3000);
