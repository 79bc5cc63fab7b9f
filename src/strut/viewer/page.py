"""Page: HTML from templates that opens offline, reads on a phone, and is not able to ask any host for anything."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from matplotlib.figure import Figure

from strut.viewer.plots import figure_svg

# The browser enforces it, in the frame too: scripts and styles of this file, pictures that are data, no host at all.
# The scene's engine needs eval to start its WebAssembly.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "connect-src data: blob:; frame-src 'self'"
)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture on a page: PNG or SVG, what it shows to those who do not see it, and the words below."""

    content: bytes
    alt: str
    caption: str

    @property
    def address(self) -> str:
        """The picture itself as an address, so that a page needs no other file."""
        kind = "png" if self.content.startswith(b"\x89PNG") else "svg+xml"
        return f"data:image/{kind};base64,{base64.b64encode(self.content).decode('ascii')}"


def plotted(figure: Figure, caption: str, alt: str | None = None) -> Picture:
    """Return a plot as a picture; its caption says what it shows unless `alt` says more."""
    return Picture(figure_svg(figure), alt or caption, caption)


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("strut.viewer", "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(template: str, **values: Any) -> bytes:
    """Return a whole page from one of the templates in `pages/`."""
    return template_text(template, policy=POLICY, **values)


def template_text(template: str, **values: Any) -> bytes:
    """Return one of the templates in `pages/`, filled in."""
    return _templates().get_template(template).render(**values).encode()
