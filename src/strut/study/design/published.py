"""Published studies: their designs and results as data, for reproductions and for simulated audiences."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def published(name: str) -> dict[str, Any]:
    """Return a published study: `quadruped`, `pepper`, `slider_survey` or `superposition`. Do not change it."""
    return tomllib.loads(files("strut.study").joinpath("published_studies", f"{name}.toml").read_text("utf-8"))
