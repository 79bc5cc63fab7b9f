"""gait.toml of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from strut.schemas.fields import NotNegative, Positive, ShareBelowOne
from strut.schemas.gait import GaitTable


class CrawlTable(GaitTable, frozen=True, tag_field="kind", tag="crawl"):
    """A crawl: its contact schedule, and the length, height and duration of its steps."""

    duty_factor: Annotated[float, msgspec.Meta(ge=0.5, lt=1.0)]
    swing_order: tuple[str, ...]
    cycle_s: Positive
    step_length_m: NotNegative
    step_height_m: NotNegative
    handover: ShareBelowOne
    settle_s: NotNegative
    fade_cycles: Positive
    tilt_cycles: Positive = 1.0  # only feet that tilt read it
    knee_sign: Mapping[str, Literal[-1, 1]] = {}
    servo_margin_m: Positive | None = None
