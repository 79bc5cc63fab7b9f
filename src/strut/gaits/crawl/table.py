"""gait.toml of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from strut.schemas.fields import NotNegative, Positive, ShareBelowOne
from strut.schemas.gait import GaitTable


class CrawlTable(GaitTable, frozen=True, tag_field="kind", tag="crawl"):
    """A crawl: its contact schedule, and the length, height and duration of its steps.

    Args:
        duty_factor: Share of the cycle in which a foot is on the ground.
        swing_order: Feet in the order in which they swing.
        cycle_s: Duration of a cycle.
        step_length_m: Stroke of a foot relative to the body.
        step_height_m: Height of a swing.
        handover: Share of the quarter of a leg in which all feet stand.
        settle_s: Time to shift the weight before the first step and after the last.
        fade_cycles: Cycles in which an emotion fades in and out.
        tilt_cycles: Cycles in which feet come to their tilt; only feet that tilt read it.
        knee_sign: Which way each knee bends, by leg.
        servo_margin_m: Balance margin with which servos hold in other conditions; simulated instead if None.
    """

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
