"""Human drafts: a human model walks in a style. Speed and posture are targets of the problem that makes the walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from strut.draft import Detail, Draft, OnProgress, Progress, Search, not_made
from strut.errors import RefusedError, StoppedError
from strut.expression.shown import expressed_shares, not_expressed
from strut.human.analysis.naturalness import Naturalness
from strut.human.gait import Gait
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.posture_targets import haste, usual_step_s
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
from strut.style import WORDS, Style, parameter_label

READS = (
    "tempo",
    "stride",
    "arm_swing",
    "bounce",
)  # words of a style that change the problem, beside those that hold joints
UNSOLVED = "Interrupted; a walk that is not solved shows no feeling, so nothing was written."
AS_ASKED = 0.85  # a walk that shows this share of every asked change shows the feeling as asked


@dataclass(frozen=True, slots=True, eq=False)
class HumanDrafts:
    """Drafts walks that a solver finds and proves sound.

    Args:
        robot: A human model.
        task: How many strides.
        rate_hz: Samples per second.
        on_progress: Told every iteration of the solver; returning True stops.
    """

    search: ClassVar[Search] = Search(rungs=4)  # a walk takes ten seconds to a minute

    robot: Robot
    task: HumanGait
    rate_hz: float
    on_progress: OnProgress | None = None

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:
        """Return what drafts the task of a request."""
        task = request.task
        assert isinstance(task, HumanGait)
        return cls(robot, task, request.rate_hz, on_progress)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- all are made in full
        """Yield the one walk that shows a style; one that is not found, or found unsound, says why.

        Raises:
            StoppedError: If the solver was told to stop.
            RefusedError: If it ran out of time, so that weaker feelings need not be tried.
        """
        try:
            gait = self._gait(style)
            motion = gait.motion(steps=2 * self.task.cycles, rate_hz=self.rate_hz)
        except NotSolvedError as failure:
            if failure.status == STOPPED:
                raise StoppedError(UNSOLVED) from failure
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
        possible = float(np.clip(style.speed * speeds.usual, speeds.least, speeds.most))
        tell = None if self.on_progress is None else told_as_progress(self.on_progress)
        return synthesize(self.robot, speed_m_s=possible, options=options, on_iteration=tell)

    def _draft(self, style: Style, gait: Gait, motion: Motion) -> Draft:
        assert gait.naturalness is not None
        assert motion.receipt is not None
        reads = (*READS, *(word for word in WORDS if self.robot.expression.joints(word)))
        shown = shown_style(self.robot, style, speed_m_s=gait.speed_m_s, looks=gait.naturalness)
        shares = expressed_shares(self.robot, style, shown, reads=reads)
        weak = {parameter_label(name): share for name, share in shares.items() if share < AS_ASKED}
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
                "speed_m_s": gait.speed_m_s,  # over whole steps: the last sample is one short of them
                "soundness": motion.receipt.soundness,
                "naturalness": {**gait.naturalness.as_dict(), **{f"shown_{word}": shares[word] for word in shares}},
            },
        )


def told_as_progress(on_progress: OnProgress) -> OnIteration:
    """Return what tells a solver's iterations as progress, and stops it when that returns True."""
    return lambda step: bool(on_progress(Progress(None, None, step.number, step.cost, step.violation, step.solve)))


def shown_style(robot: Robot, asked: Style, *, speed_m_s: float, looks: Naturalness) -> Style:
    """Return a style with every word that a walk was measured to show, in world axes."""
    tempo = usual_step_s(robot) / looks.step_s if haste(asked) else asked.tempo
    return replace(
        asked,
        direction=1,
        tempo=tempo,
        stride=speed_m_s / human_gait(robot).speed_m_s.usual / tempo,
        trunk_pitch_rad=looks.trunk_forward_rad,
        head_pitch_rad=looks.head_forward_rad,
        elbow_rad=max(0.0, looks.elbow_rad),
        shoulder_rad=looks.shoulder_rad,
        arm_swing=looks.arms_over_legs,
        bounce=looks.rise_m / usual_rise_m(robot, speed_m_s),
    )
