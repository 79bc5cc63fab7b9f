"""gait.toml of a human gait: the optimal-control problem whose solution is a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from strut.robot import Robot
from strut.schemas.fields import NotNegative, Positive, Range, ShareBelowOne, Table, Text
from strut.schemas.gait import GaitTable


class SpeedRange(Table, frozen=True):
    """Walking speeds [m/s]: the usual one and the ends of the range."""

    usual: Positive
    min: Positive
    max: Positive


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
    """The standing posture, and the phases from standing to the first step and from the last step to standing."""

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
    """Terms of the objective `natural`, which replaces the published objectives.

    Args:
        gamma: Weights of effort, angular momentum, head rotation and duration.
        acceleration: Weight of accelerations.
        torque_rate: Weight of changes of torque per metre.
        landing: Weight of landing impulses.
        fast_rad_s: Speed of a joint at which its torque counts twice.
        heel_clearance_m: Smallest height of the swinging heel before it lands.
        of_mass_kg: Body mass to which the torques belong; they scale with mass and height.
        of_height_m: Body height to which the torques belong.
        duration_s: Shortest and longest duration by phase.
        torque_nm: Torque that counts as 1, by joint without its side.
        spread_rad: Spread of coordinates; replaces that of `PostureTable`.
        range_rad: Range of coordinates; replaces that of a synthesized step.
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
    """The range of a figure of natural walking, and its name for people."""

    range: Range
    factor: Positive
    words: Text


class GaitOptionsTable(Table, frozen=True):
    """Optional items of a natural gait, and their sizes."""

    human: tuple[str, ...]
    clearance_m: NotNegative
    smooth: Positive


class ArmsTable(Table, frozen=True):
    """Weight of the arm swing, and how far both arms may swing together."""

    weight: NotNegative
    spread_rad: Positive
    together_rad: Positive


class StepTimeTable(Table, frozen=True):
    """Weight of the usual duration of a step."""

    usual_s: Positive
    weight: NotNegative
    spread_s: Positive


class PostureTable(Table, frozen=True):
    """Weight of the distance of coordinates from their middles; by joint without its side."""

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


class SynthesisTable(GaitTable, frozen=True, tag_field="kind", tag="human_gait"):
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

    @property
    def sprung_joints(self) -> tuple[str, ...]:
        """Joints with springs, without their side."""
        return self.springs.joints


def human_gait(robot: Robot) -> SynthesisTable:
    """Return the gait table of a human model; raises BadTableError for any other robot."""
    return robot.gait_as(SynthesisTable)
