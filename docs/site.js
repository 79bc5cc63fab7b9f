// What the theme makes while a page loads lacks names: each bar of a code block gets one, wide tables can be scrolled by keys.
const name_parts = () => {
  document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((bar) => {
    bar.setAttribute("aria-label", `Code block ${[...document.querySelectorAll("nav.md-code__nav")].indexOf(bar) + 1}`);
  });
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((box) => box.setAttribute("tabindex", "0"));
};
new MutationObserver(name_parts).observe(document.body, { childList: true, subtree: true });
name_parts();
