// Handle: it has no value until it is touched. The page reads its value aloud as the nearest word and a number.
"use strict";

{
  const form = document.getElementById("answer");
  const slider = form.elements.rating;
  const undecided = form.elements.undecided;

  const speak = () => {
    const value = Number(slider.value);
    const word = value < -33 ? slider.dataset.low : value > 33 ? slider.dataset.high : slider.dataset.middle;
    slider.setAttribute("aria-valuetext", `${word} ${Math.abs(value)}`);
  };
  const touch = () => {
    form.elements.touched.value = "1";
    slider.classList.remove("untouched");
    if (undecided) undecided.checked = false;
    speak();
  };

  speak();
  for (const event of ["input", "pointerdown"]) slider.addEventListener(event, touch);
  slider.addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow") || event.key === " ") touch(); });
  if (undecided) undecided.addEventListener("change", () => {
    if (undecided.checked) { form.elements.touched.value = "0"; slider.classList.add("untouched"); }
  });
  window.widget = {
    unanswered() {
      return form.elements.touched.value !== "1" && !(undecided && undecided.checked) ? slider : null;
    },
  };
}
