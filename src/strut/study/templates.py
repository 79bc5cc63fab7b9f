"""Templates: the pages and files of a study, as Jinja templates in `pages` and `questions`."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import Any

import jinja2

from strut.plumbing.number_text import format_percent
from strut.study.questions.question import file_beside, question_type
from strut.study.report import apa


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("strut.study", "pages"),
                jinja2.PackageLoader("strut.study", "questions"),
                jinja2.FunctionLoader(_question_page),
            ]
        ),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"sin": sin, "cos": cos, "pi": pi}
    environment.filters["percent"] = format_percent
    environment.filters |= {name: getattr(apa, name) for name in ("p_words", "share", "degrees", "and_list")}
    environment.globals |= {name: getattr(apa, name) for name in ("t_words", "f_words", "interval", "counted")}
    return environment


def _question_page(template: str) -> str | None:
    """Return the part of a trial's page that belongs to a type of question, for `question:NAME.html`."""
    kind, _, name = template.removesuffix(".html").partition(":")
    return file_beside(question_type(name), ".html") if kind == "question" else None


def filled(template: str, **values: Any) -> str:
    """Render a template; values in HTML are escaped."""
    return _environment().get_template(template).render(values)


def prose(template: str, **values: Any) -> str:
    """Render a template of running text as one line."""
    return " ".join(filled(template, **values).split())
