// Continuous: the handle is sampled while the motion plays. It starts in the middle with each showing; the last whole
// showing counts.
"use strict";

{
  const form = document.getElementById("answer");
  const slider = form.elements.rating;
  const undecided = form.elements.undecided;
  const rate = Number(slider.dataset.rate);  // samples per second
  const isTouched = window.widget.unanswered;
  let trace = [];
  let position = 0;  // of the handle since it last moved

  // Samples between two pictures have the position that the handle had then, however late a busy browser draws.
  const sample = (seconds) => {
    while (trace.length <= seconds * rate + 1e-6) trace.push(position);
  };
  const close = (seen) => {
    trace = seen.trace || [];
    form.elements.trace.value = trace.join(" ");
    form.elements.touched.value = seen.touched || "0";
    slider.disabled = true;
  };

  slider.addEventListener("input", (event) => {
    const stage = window.stage;
    if (stage.playing && stage.started !== null) {
      sample(Math.min((event.timeStamp - stage.started) / 1000, stage.duration));
    }
    position = Number(slider.value);
  });
  window.widget = {
    followsMotion: true,
    start() {
      trace = [];
      position = 0;
      slider.value = "0";
      slider.disabled = false;
      slider.classList.add("untouched");
      form.elements.touched.value = "0";
      document.getElementById("reply").disabled = false;
      slider.focus({ preventScroll: true });
    },
    sample,
    finish(duration, seen) {
      sample(duration);
      seen.trace = trace;
      seen.touched = form.elements.touched.value;
      close(seen);
    },
    restore: close,
    unanswered() {
      return isTouched() || (!trace.length && !undecided.checked ? slider : null);
    },
  };
}
