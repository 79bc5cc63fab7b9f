"""Templates: the pages and files of a study that are filled in, as Jinja templates in `pages`."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("strut.study", "pages"),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def filled(template: str, **values: Any) -> str:
    """Return a template with its values; those of HTML are escaped."""
    return _environment().get_template(template).render(values)
