"""Human drafts: walks of a human model in a style; speed and posture enter the gait problem as targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from strut.draft import Detail, Draft, Generator, OnProgress, Progress, Search, not_made
from strut.errors import RefusedError, StoppedError
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.human.analysis.naturalness import Naturalness
from strut.human.gait import Gait
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.posture_costs import step_time_reduction, usual_step_s
from strut.human.request import HumanGait
from strut.human.synthesis.synthesize import synthesize
from strut.human.table import human_gait
from strut.motion import Motion
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME, STOPPED, OnIteration
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.style import STYLE_PARAMETERS, Style, parameter_label

READS = ("tempo", "stride", "arm_swing", "bounce")  # parameters that change the problem, besides those of joint angles
INTERRUPTED = "Interrupted; the walk was not solved, so nothing was written."
FULLY_EXPRESSED = 0.85  # a parameter that reaches this share of its change counts as expressed


@dataclass(frozen=True, slots=True, eq=False)
class HumanDrafts(Generator):
    """Drafts walks by optimal control; each is verified by an independent engine.

    Args:
        robot: A human model.
        task: Number of strides.
        rate_hz: Samples per second.
        on_progress: Called with every iteration of the solver; may return True to stop.
    """

    search: ClassVar[Search] = Search(rungs=4)  # a walk takes ten seconds to a minute

    robot: Robot
    task: HumanGait
    rate_hz: float
    on_progress: OnProgress | None = None

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:
        """Return the generator for the task of a request."""
        task = request.task
        assert isinstance(task, HumanGait)
        return cls(robot, task, request.rate_hz, on_progress)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- all are made in full
        """Yield the one walk in a style, or a failed draft with the reason: not solved, or not sound.

        Raises:
            StoppedError: If the solver was stopped.
            RefusedError: If it ran out of time: a weaker emotion would take as long.
        """
        try:
            gait = self._gait(style)
            motion = gait.motion(steps=2 * self.task.cycles, rate_hz=self.rate_hz)
        except NotSolvedError as failure:
            if failure.status == STOPPED:
                raise StoppedError(INTERRUPTED) from failure
            if failure.status == OUT_OF_TIME:
                raise RefusedError(
                    [Reason(ReasonKind.LIMIT, LimitName.SOLVER, str(failure))], "Ask for less intensity."
                ) from failure
            yield not_made(self.robot, style, LimitName.SOLVER, str(failure))
        except RefusedError as refusal:
            yield not_made(self.robot, style, LimitName.SOUNDNESS, "; ".join(map(str, refusal.reasons)))
        else:
            yield self._draft(style, gait, motion)

    def _gait(self, style: Style) -> Gait:
        speeds = human_gait(self.robot).speed_m_s
        options = replace(named_gait_options(self.robot, [HUMAN]), style=style)
        speed_m_s = float(np.clip(style.speed * speeds.usual, speeds.min, speeds.max))
        on_iteration = None if self.on_progress is None else iteration_progress(self.on_progress)
        return synthesize(self.robot, speed_m_s=speed_m_s, options=options, on_iteration=on_iteration)

    def _draft(self, style: Style, gait: Gait, motion: Motion) -> Draft:
        assert gait.naturalness is not None
        assert motion.receipt is not None
        reads = (*READS, *(name for name in STYLE_PARAMETERS if self.robot.expression.joints(name)))
        measured = measured_style(self.robot, style, speed_m_s=gait.speed_m_s, naturalness=gait.naturalness)
        shares = expressed_shares(self.robot, style, measured, reads=reads)
        weak = {parameter_label(name): share for name, share in shares.items() if share < FULLY_EXPRESSED}
        return Draft(
            robot=self.robot,
            time_s=motion.time_s,
            qpos=motion.qpos,
            contact=motion.contact,
            style=style,
            expressed=shares,
            not_expressed=not_expressed(self.robot, style, reads=reads),
            kept=min([1.0, *weak.values()]),
            reasons=tuple(
                Reason(
                    ReasonKind.NOT_EXPRESSED, None, f"only {format_percent(share)} of the requested change of {name}"
                )
                for name, share in weak.items()
            ),
            torque_nm=motion.torque_nm,
            ground_force_n=motion.ground_force_n,
            cop_in_world=motion.cop_in_world,
            meta={**motion.meta, "shown": shares},
            figures={
                "speed_m_s": gait.speed_m_s,  # over whole steps; the motion ends one sample before its last step
                "soundness": motion.receipt.soundness,
                "naturalness": {**gait.naturalness.as_dict(), **{f"shown_{name}": shares[name] for name in shares}},
            },
        )


def iteration_progress(on_progress: OnProgress) -> OnIteration:
    """Return a solver callback that passes each iteration on as progress, and stops if that returns True."""
    return lambda step: bool(on_progress(Progress(None, None, step.number, step.cost, step.violation, step.solve)))


def measured_style(robot: Robot, style: Style, *, speed_m_s: float, naturalness: Naturalness) -> Style:
    """Return the style with every parameter as it was measured in the walk, in world axes."""
    tempo = usual_step_s(robot) / naturalness.step_s if step_time_reduction(style) else style.tempo
    return replace(
        style,
        direction=1,
        tempo=tempo,
        stride=speed_m_s / human_gait(robot).speed_m_s.usual / tempo,
        trunk_pitch_rad=naturalness.trunk_forward_rad,
        head_pitch_rad=naturalness.head_forward_rad,
        elbow_rad=max(0.0, naturalness.elbow_rad),
        shoulder_rad=naturalness.shoulder_rad,
        arm_swing=naturalness.arms_over_legs,
        bounce=naturalness.rise_m / usual_rise_m(robot, speed_m_s),
    )
