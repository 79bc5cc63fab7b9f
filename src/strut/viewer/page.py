"""Page: HTML from templates that opens offline and on a phone, and cannot load anything from a host."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from matplotlib.figure import Figure

from strut.viewer.plots import figure_svg

# Enforced by the browser, in frames too: only scripts and styles in the file, only pictures that are data.
# The engine of the scene needs eval to start its WebAssembly.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "media-src data:; connect-src data: blob:; frame-src 'self'"
)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture on a page: PNG or SVG, a description for screen readers, and the caption."""

    content: bytes
    alt: str
    caption: str

    @property
    def address(self) -> str:
        """The picture as a data address, so that a page needs no other file."""
        kind = "png" if self.content.startswith(b"\x89PNG") else "svg+xml"
        return f"data:image/{kind};base64,{base64.b64encode(self.content).decode('ascii')}"


def plotted(figure: Figure, caption: str, alt: str | None = None) -> Picture:
    """Return a plot as a picture; its description is the caption unless `alt` is given."""
    return Picture(figure_svg(figure), alt or caption, caption)


@cache
def page_templates(package: str) -> jinja2.Environment:
    """Return the templates in the folder `pages` of a package."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "pages"),
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
    return page_templates("strut.viewer").get_template(template).render(**values).encode()
