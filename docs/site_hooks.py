"""Hooks of the site: generated pages in its navigation, equations as MathML, and names that the theme leaves out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

from latex2mathml.converter import convert

GENERATED = "generated:"  # an entry of the navigation that stands for all generated pages of a folder
SEARCH = 'class="md-search" data-md-component="search" role="dialog" aria-label="Search"'
EQUATION = re.compile(r'<(?P<tag>span|div) class="arithmatex">\s*\\[(\[](?P<latex>.*?)\\[)\]]\s*</(?P=tag)>', re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Replace the entries `generated:FOLDER` of the navigation by the generated pages of that folder."""
    paths = sorted(file.src_uri for file in files.documentation_pages())
    config["nav"] = _with_generated(config["nav"], paths)
    return files


def _with_generated(entries: list[Any], paths: Iterable[str]) -> list[Any]:
    filled: list[Any] = []
    for entry in entries:
        title, value = next(iter(entry.items()))
        if isinstance(value, list):
            filled.append({title: _with_generated(value, paths)})
        elif value.startswith(GENERATED):
            folder = value.removeprefix(GENERATED)
            below = [path for path in paths if path.startswith(folder)]
            index = [path for path in below if path == f"{folder}index.md"]
            filled.append({title: [*index, *(path for path in below if path not in index)]})
        else:
            filled.append(entry)
    return filled


def on_page_content(content: str, **_others: Any) -> str:
    """Write equations as MathML, which browsers draw and screen readers read."""
    return EQUATION.sub(_mathml, content)


def on_post_page(output: str, **_others: Any) -> str:
    """Name the dialog of the search, which the theme leaves without a name."""
    return output.replace('class="md-search" data-md-component="search" role="dialog"', SEARCH)


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found["tag"] == "div" else "inline"
    return convert(html.unescape(found["latex"]).strip(), display=display)
