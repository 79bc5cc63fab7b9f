// Forced choice: the keys 1 to 9 choose an option.
"use strict";

{
  const form = document.getElementById("answer");
  const reply = document.getElementById("reply");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !/^[1-9]$/.test(event.key)) return;
    const option = form.querySelectorAll("input[name=answer]")[Number(event.key) - 1];
    if (option && !reply.disabled) { option.checked = true; option.focus(); form.dispatchEvent(new Event("change")); }
  });
}
