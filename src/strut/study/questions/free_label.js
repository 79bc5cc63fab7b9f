// Free label: a participant who does not know need not write anything.
"use strict";

{
  const form = document.getElementById("answer");
  const undecided = form.elements.undecided;
  window.widget = {
    unanswered() {
      form.elements.label.required = !(undecided && undecided.checked);
      return null;
    },
  };
}
