"""Page: HTML that opens offline, reads on a phone, and is not able to ask any host for anything."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

# The browser enforces it, in the frame too: scripts and styles of this file, pictures that are data, no host at all.
# The scene's engine needs eval to start its WebAssembly.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "connect-src data: blob:; frame-src 'self'"
)
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: #fff; color: #1a1c20;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; font-weight: 650; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; font-weight: 650; margin: 0 0 .3rem; }
.scroll + h2, figure + h2 { margin-top: 2.2rem; }
h3 { font-size: 1rem; font-weight: 600; margin: 1.4rem 0 .3rem; }
p { margin: .3rem 0 .8rem; max-width: 46rem; }
.quiet, figcaption { color: #565c66; font-size: .9rem; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; display: block; }
iframe { width: 100%; aspect-ratio: 2 / 1; min-height: 11rem; display: block;
  border: 1px solid #e2e5e9; border-radius: .5rem; }
article { border-top: 1px solid #e2e5e9; padding: 1.8rem 0 .6rem; margin-top: 1.6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid #eceef1;
  font-weight: 400; vertical-align: top; }
thead th { font-weight: 600; white-space: nowrap; }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; font-size: .85rem; vertical-align: middle;
  margin-left: .5rem; font-weight: 500; background: #eef0f2; color: #3c424b; }
.ok { background: #e4f3ea; color: #1d5c37; } .weakened { background: #fdf0d9; color: #744a00; }
.refused { background: #fbe3e1; color: #8c1d18; }
td { white-space: nowrap; }
tbody th { min-width: 11rem; }
.wide img { min-width: 44rem; }
@media (min-width: 52rem) {
  .card { display: grid; grid-template-columns: 19rem 1fr; gap: 0 3rem; }
  .plots { display: grid; grid-template-columns: 1fr; } }
.plots figure { margin: .5rem 0 1rem; }
"""


def page(title: str, sections: Sequence[str]) -> bytes:
    """Return a whole page. The title is text, the sections are HTML."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{STYLE}</style>'
    )
    body = "\n".join(["<body>", "<main>", *sections, "</main>", "</body>"])
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n{body}\n</html>\n'.encode()


def picture(content: bytes, kind: str, alt: str, caption: str) -> str:
    """Return a figure. `kind` is png or svg+xml; `alt` says what it shows to those who do not see it."""
    data = base64.b64encode(content).decode("ascii")
    image = f'<div class="scroll"><img src="data:image/{kind};base64,{data}" alt="{escape(alt)}"></div>'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def frame(inner_page: str, title: str, caption: str) -> str:
    """Return a figure that holds another page whole."""
    source = inner_page.replace("&", "&amp;").replace('"', "&quot;")
    return (
        f'<figure><iframe title="{escape(title)}" srcdoc="{source}"></iframe>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column names the rows."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    lines = [
        f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    ]
    label = f'<caption class="quiet" style="text-align:left">{escape(caption)}</caption>'
    return (
        f'<div class="scroll"><table>{label}<thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    )
