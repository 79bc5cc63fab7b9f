"""gait.toml: how a robot walks; a crawl, steps to a goal, or the optimal-control problem of a human step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from strut.schemas.fields import NotNegative, Positive, Range, Table, Text

ShareBelowOne = Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]


class CrawlTable(Table, frozen=True, tag_field="kind", tag="crawl"):
    """A crawl: who swings when, how far, how high, how fast."""

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


class StepsTable(Table, frozen=True, tag_field="kind", tag="steps"):
    """Steps of a biped, one after the other, to where it is sent."""

    body_height_m: Positive
    step_length_m: Positive
    side_step_m: Positive
    step_turn_rad: Positive
    step_height_m: Positive
    shift_s: Positive
    swing_s: Positive
    settle_s: Positive

    @property
    def pace(self) -> float:
        """Speed along a straight line in neutral [m/s]."""
        return self.step_length_m / (self.shift_s + self.swing_s)


class PatternTable(Table, frozen=True, tag_field="kind", tag="pattern"):
    """A gait pattern by name, and factors on its period, stride and lift, and on the distance between the feet.

    Where the factors make it slower than the pattern, `slow_because` says what the pattern's own speed breaks.
    """

    gait: Literal["crawl", "walk", "trot", "biped"]
    period: Positive = 1.0
    stride: Positive = 1.0
    lift: Positive = 1.0
    width: Positive = 1.0
    slow_because: str = ""


class PilotedTable(Table, frozen=True, tag_field="kind", tag="piloted"):
    """A walk under the robot's own controllers: usual speed, height of the base, and distance."""

    speed_m_s: Positive
    height_m: Positive
    distance_m: Positive


class SpeedRange(Table, frozen=True):
    """Walking speeds [m/s]: the usual, the least and the most."""

    usual: Positive
    least: Positive
    most: Positive


class PhaseTable(Table, frozen=True):
    """A phase of a step: its contact set, mesh, shortest and longest duration, and how it begins."""

    name: Text
    set: Text
    intervals: Annotated[int, msgspec.Meta(ge=1)]
    duration_s: Range
    guess_s: Positive
    arrival: Literal["continuous", "impact"] = "continuous"
    landing: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()


class StandTable(Table, frozen=True):
    """How a person stands, and the phases that lead from a stand to the first step and from the last into one."""

    ahead_of_ankles_m: NotNegative
    knee_rad: NotNegative
    stay_s: Positive
    step_time: Range
    start: tuple[PhaseTable, ...]
    stop: tuple[PhaseTable, ...]


class GaitLimits(Table, frozen=True):
    """Limits of a step beside those of the joints."""

    double_support_share: ShareBelowOne
    leg_separation_m: NotNegative
    step_length_m: Range
    velocity: Positive
    quick: tuple[str, ...] = ()


class Objective(Table, frozen=True):
    """Weights of effort, angular momentum, head rotation and duration; the name that was published for them."""

    gamma: tuple[float, float, float, float]
    published: Text


class NaturalCriteria(Table, frozen=True):
    """What criteria measure that are to make a gait like people's, in the place of what was published.

    Args:
        gamma: Weights of effort, angular momentum, head rotation and duration.
        acceleration: Weight of accelerations.
        torque_rate: Weight of changes of torque per metre.
        landing: Weight of impulses of feet that land.
        fast_rad_s: Speed of a joint at which its torque counts twice.
        heel_clearance_m: Least height of the swinging heel until it comes down.
        of_mass_kg: Whose torques these are; others' grow with mass and height.
        of_height_m: Likewise.
        duration_s: Shortest and longest duration by phase.
        torque_nm: Torque that counts as 1, by joint without its side.
        spread_rad: Spread of coordinates in the place of that of `PostureTable`.
        range_rad: Range of coordinates in the place of that of a synthesized step.
    """

    gamma: tuple[float, float, float, float]
    acceleration: NotNegative
    torque_rate: NotNegative
    landing: NotNegative
    fast_rad_s: Positive
    heel_clearance_m: NotNegative
    of_mass_kg: Positive
    of_height_m: Positive
    duration_s: Mapping[str, Range]
    torque_nm: Mapping[str, Positive]
    spread_rad: Mapping[str, Positive]
    range_rad: Mapping[str, Range] = {}


class NaturalRange(Table, frozen=True):
    """The range of a figure of natural walking, and how people read it."""

    range: Range
    factor: Positive
    words: Text


class GaitOptionsTable(Table, frozen=True):
    """Optional items of a natural gait, and their sizes."""

    human: tuple[str, ...]
    clearance_m: NotNegative
    smooth: Positive


class ArmsTable(Table, frozen=True):
    """How firmly the arms follow their swing, and how far they may swing together."""

    weight: NotNegative
    spread_rad: Positive
    together_rad: Positive


class StepTimeTable(Table, frozen=True):
    """How firmly a step keeps its duration."""

    usual_s: Positive
    weight: NotNegative
    spread_s: Positive


class PostureTable(Table, frozen=True):
    """How firmly coordinates stay near their middles; by joint without its side."""

    weight: NotNegative
    trunk_spread_rad: Positive
    head_spread_rad: Positive
    spread_rad: Mapping[str, Positive]
    middle_rad: Mapping[str, float]


class SpringTable(Table, frozen=True):
    """Which joints have springs and dampers, and the ranges of both."""

    joints: tuple[str, ...]
    stiffness_nm_rad: Range
    damping_nm_s_rad: Range


class Regularisation(Table, frozen=True):
    """Small weights against chattering accelerations and torques."""

    acceleration: NotNegative
    torque_rate: NotNegative


class SynthesisTable(Table, frozen=True, tag_field="kind", tag="synthesis"):
    """A step that is the solution of an optimal-control problem; ranges by coordinate, torques by joint."""

    of_pelvis_height_m: Positive
    speed_m_s: SpeedRange
    phase: tuple[PhaseTable, ...]
    stand: StandTable
    limits: GaitLimits
    objective: Mapping[str, Objective]
    natural_criteria: NaturalCriteria
    manner: GaitOptionsTable
    arms: ArmsTable
    step: StepTimeTable
    posture: PostureTable
    natural: Mapping[str, NaturalRange]
    springs: SpringTable
    regularisation: Regularisation
    usual_torque_nm: Mapping[str, Positive]
    synthesis_range: Mapping[str, Range]
    synthesis_range_at_start: Mapping[str, Range]
    reconstruction_range: Mapping[str, Range]
    torque_range: Mapping[str, Range]


GaitTable = CrawlTable | StepsTable | PatternTable | PilotedTable | SynthesisTable
